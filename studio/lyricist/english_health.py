"""English lines of the trades that look after people's health."""

from studio.lyricist.stock import Trade

GROUP_HEALTH = Trade(
    verses=(
        "[Somebody|Someone] [listens|stays here] [right up|all the way] to the end / "
        "Talks to you [just|much] like a [patient|trusted] old friend",
        "[Put down|Set down|Leave here] your [worry|question|worries] and take a chair / "
        "Ask [what|all] you like, there is [someone|somebody] to care",
        "[Walking|Going|Strolling] back home with a lighter tread / "
        "Sun on the [sidewalk|window|garden] and sun overhead",
        "[Gentle|Quiet|Kindly] the question and [soft|warm|slow] the voice / "
        "[Told|Shown] every [step|way], and you make the choice",
    ),
    choruses=(
        "You [never|don't] have to [carry|bear|hold] it alone / "
        "[Somebody|Someone] [kind|here] is right here on the phone",
        "[Rest|Breathe] for a [moment|minute] and [tell|show] us how / "
        "[Someone|Somebody] is [here|near] for you [here and|right] now",
    ),
    hooks=(
        "{name}, in [good|warm|kind] [hands|care] all [along|down] the way / "
        "[Someone|A friend|A voice] who will [ask|hear|know] how [you are|you feel|you slept] today",
        "{name}, take [good|kind|fine] care of [yourself|your days|your heart] today / "
        "[Somebody|Someone] will [listen|hear you|be there] all the way",
        "{name}, [gentle|careful|quiet] [hands|words|hearts], and a [patient|friendly] ear / "
        "[Ask|Say|Tell us] what you [like|need|want], there is time in here",
        "[Tell|Ask|Bring] it to the [kind|good|calm] [hands|hearts] of {name} / "
        "[Someone|A friend] who [knows|hears|greets] you and [calls|knows] you by name",
        "{name}, a [warm|soft|calm] [word|voice|hand] at the [open|quiet] door / "
        "[Someone|Somebody] is [here|near|glad] if you [need|ask] one more",
        "{name}, [somebody|someone|a friend] [asks|knows] how you [slept|feel] tonight / "
        "A [lamp|voice|chair] in the [hall|night|room] and a gentle light",
        "[Easy|Gently|Slowly] now, [says|hums] the [voice|door] of {name} / "
        "[Rest|Breathe|Sit] for a [bit|while|time] from the [wind|rush|noise|cold] and rain",
        "{name}, [rest|sit|stay] and [breathe|talk|tell] [a bit|a while] in here / "
        "[Gentle|Careful|Patient] the [hand|voice|word] and the answer clear",
        "{name} [takes|has|makes] [time|room] for the [words|things] you say / "
        "[Kind|Calm|Soft] is the [hour|voice|light] at the end of day",
        "[Soft|Calm|Kind] as a [hand|voice|word] on the [arm|sleeve] is {name} / "
        "[Time|Space|Room] for a [question|worry|story], and time to explain",
        "{name}, [day by day|week by week|month by month] [right by your|here at your|close at your] side / "
        "[Patient|Gentle|Quiet] the [heart|word|hand] and the door is wide",
        "{name}, [the door|the chair|the light] is [here|warm] for [you|us] today / "
        "[Tell us|Say|Ask us] what you [need|wish|feel] and we'll find a way",
        "{name}, [here|near] for the [young|small|big] and [here|near] for the old / "
        "A [hand|voice|scarf] and a [word|smile|tea] in the winter cold",
        "[Care for the|Caring for] [hearts|ones|friends] you [love|hold] with {name} / "
        "[Hand in hand|Arm in arm|Side by side] in the [sun|wind|snow] and rain",
        "{name}, [soft|warm] [light|voice] and a [clean|bright] white [room|hall] for you / "
        "We [walk|go|stay] at your [side|pace|word] till the day is through",
        "{name}, [ask us|tell us] [once|now|first] and [ask us|tell us] once more / "
        "A [kind|calm|warm] [word|voice|smile] and an open door",
        "[Warm|Kind|Soft] as the [hand|scarf|tea] of a [friend|neighbor], {name} / "
        "We [ask|hear] how you [slept|feel|rest] and we ask it again",
        "{name}, [how are you|how goes it], [neighbor|my friend|good friend], this week / "
        "We [wait|stay|hush] for the [word|thing|thought] that you want to speak",
        "{name}, [good morning|good evening|come in now], [sit down|take time] and tell / "
        "[We hope|We wish] that the [day|week|world] will be treating you well",
        "{name}, a [calm|kind|soft] [hour|room|word] in the [rush|noise|whirl] of day / "
        "[Slowly|Gently|Softly] the [worry|ache|hurry] goes on its way",
    ),
    titles=(
        "In good hands at {name}",
        "Take good care, says {name}",
        "Gently, {name}",
    ),
)
CLINIC = Trade(
    verses=(
        "[Hands|Knees] that were [shaking|aching] can [rest|wait] for a while / "
        "[Gentle|Quiet] the question and [gentle|warm] the smile",
        "[Say|Tell] where it [hurts|aches] and [say|tell] where it began / "
        "[Somebody|Someone] [writes|draws] you a [clear|simple] plan",
        "[Coat|White coat] and a [notebook|pencil], a [chair|stool] pulled near / "
        "[Nothing|Nobody] is [rushed|hurried], [ask|talk] freely in here",
        "[Parents|Children|Grandmas] and [neighbors|old friends] in the waiting row / "
        "[Someone|Somebody] who [asks|smiles] and will let you know",
        "[Simple|Plain] is the [answer|talk], and the [look|voice] is kind / "
        "Leave with a [little|good bit] more peace of mind",
        "[Rain|Snow] on the [window|street] and the [hall|room] is warm / "
        "A [steady|quiet] voice in the [autumn|winter] storm",
    ),
    choruses=(
        "Tell us, <tell us> [where|how] it [aches|hurts] today / "
        "We [have|take] the time [for all|to hear] that you say",
        "[Day by day|Step by step], with a rest between / "
        "[Kindest|Gentlest] of [faces|neighbors] you've ever seen",
        "[Breathe|Sit|Rest] for a [while|bit] and tell us more / That is just what a [doctor|listener] is for",
        "[Kindness|Patience] in the [morning|evening], [kindness|patience] at noon / "
        "[Wishing|Hoping] you're [well|strong] and [hoping|wishing] it's soon",
    ),
    hooks=(
        "{name}, in [good|safe|kind] hands [here|now] with [your|the] [question|worry] near / "
        "[Someone|A friend] has the [time|heart|ear] and the time is here",
        "[Here|Now] in the [good|kind|calm] [hands|care] of {name} / "
        "[Someone|A friend] who [knows|hears] you and [knows|calls] you by name",
        "{name}, [ask us|tell us|show us] [where|how] it [aches|hurts] today / "
        "We [listen|look|lean] close to the [words|things|thoughts] you say",
        "[Careful|Gentle|Patient], [day by day|step by step], is {name} / "
        "We [hear|see|walk] you [out|through] and we make it [plain|all plain]",
        "{name}, [take care of|look after|be good to] [yourself|your heart|you all] today / "
        "[Warm|Kind|Soft] is the [word|voice|light] at the end of the day",
        "{name}, a [chair|door|hand] and a [calm|kind] hello to you / "
        "[Somebody|Someone] who [cares|asks|knows] and will see you through",
    ),
    titles=(
        "Take care, {name}",
        "In kind hands at {name}",
        "How are you today, {name}",
    ),
)
DENTAL = Trade(
    verses=(
        "[Nervous|Worried]? [Most are|We know], and that's quite fine / "
        "Hold on [tight|close] to this [hand|sleeve] of mine",
        "[No more|No need for] hiding it behind your hand / "
        "[Smile|Laugh] for the [camera|mirror] and smile for the band",
        "[Brush|Dance] up and down to a [steady|bubbly|minty] beat / "
        "[Morning|Early] and night in your slippered feet",
        "[Lean|Lie] back and [look|gaze] at the [soft|warm] ceiling light / "
        "[Tell|Show] us by hand if it isn't right",
        "[First|Then] we [explain|tell you] and [wait|stop] for your nod / "
        "[Step by step|Bit by bit] where the [brush|mirror] has trod",
        "[Apples|Carrots|Peaches] to [bite|crunch] in, an [old|odd] joke or two / "
        "Small are the things that are good for you",
    ),
    choruses=(
        "Smile, <oh smile>, and [let|make] [the morning|your whole face] show / "
        "[Brightest|Clearest] little [window|lantern] in the row",
        "[Brush|Rinse] it and [hum|smile] as you go along / [Morning|Evening] and night [to a|and a] minty song",
        "[Gently|Slowly|Calmly], [bit by bit|step by step], all right / "
        "[Smiles|Faces] look [lighter|brighter] in the window light",
        "[Ask|Nod] and we [wait|stop] and we [show|tell] you why / [Calm|Slow] as a [cloud|bird] in the open sky",
    ),
    hooks=(
        "{name}, [show|lend] me your [smile|grin] in the [morning|evening|new day's] light / "
        "[Gently|Slowly|Softly] we [go|work|talk] till it all feels right",
        "[Smile|Beam|Shine] with the [morning|sunrise|daylight] at {name} / "
        "[Bright|Fresh|Wide] as the [sun|sky|hills] coming out of the rain",
        "{name}, the [little|gentle|careful] [hands|lights|steps] that [surely|truly] know / "
        "[Smile|Laugh|Beam] in the [window|morning|doorway] and let it show",
        "[Softly|Gently|Slowly], [nothing|no one] is [rushed|hurried] at {name} / "
        "We [tell|show|ask] you [first|twice|all] and we make it plain",
        "{name}, a [smile|grin|wave] for the [bus|street|moon] and sun / "
        "A [reason|good day|small joke] to [open|hum now|smile] for everyone",
        "{name}, [easy|gently] [now|there], with [time|care|ease] [for you|to say] today / "
        "[Tell|Ask|Show] us your [worry|question|wishes] right by the way",
    ),
    titles=(
        "Smile, {name}",
        "Gently does it, {name}",
        "A smile from {name}",
    ),
)
PHARMACY = Trade(
    verses=(
        "A [white|small] paper [bag|sack] with my name on the fold / "
        "[Somebody|Someone] [kindly|gently] asks about that cold",
        "[Take it|Drink it] with water and [don't skip|first have] a meal / "
        "It's [nice|good] to be asked how you [really|truly] feel",
        "[Scarves|Coats] in the [doorway|windows], all over the street / "
        "[Here|This] is a [voice|word] that is [calm|warm] and sweet",
        "[Green|Bright] is the [sign|light] in the [evening|early] rain / "
        "[Someone|Somebody] [there|kind] will [gladly|slowly] explain",
        "[Now|Just] rest, says the [lady|kind voice], and drink your tea / "
        "[Somebody's|Someone is] looking [right out|gently out] for me",
        "[Shelves|Drawers] with their [labels|letters] in [tidy|careful] rows / "
        "[Which|What] goes with [what|which], well, [somebody|someone] knows",
    ),
    choruses=(
        "How did you [sleep|rest] and how have you been / A [kind|warm] little question, so do come in",
        "[Bundle|Wrap] up [warm|well] and take care out there / A [wave|nod] and a [word|smile] and a bit of care",
        "[One|Two] in the [morning|evening], and [one|two] at night / "
        "[Written|Printed] in [big|clear] letters, so [you|we] get it right",
        "[Ask|Come] and we [read|go] it [all over|slowly] with you / "
        "[That|Such] is what [people|neighbors] are [glad|here] to do",
    ),
    hooks=(
        "{name}, [keep warm|take care] [this evening|dear neighbor|all week], [rest|sleep] well tonight / "
        "[Green|Soft|Small] in the [window|doorway|evening], a little light",
        "[Look after|Take care of] [yourself|each other|your heart], says {name} / "
        "[Scarf|Coat|Hood] round your [neck|ears|chin] in the wind and the rain",
        "{name}, [somebody|someone|a friend] to [ask|tell] on the [busy|windy] street / "
        "A [nod|word|smile] at the [counter|doorway], [calm|kind] and sweet",
        "[Just|Come] ask the [kind|calm|warm] [voices|people] at {name} / "
        "We [read|say|tell] you the [label|dosage|small print] and read it again",
        "{name}, a [little|small white|paper] [bag|note] and a [kind|warm] old smile / "
        "[How have|And how have] you [been|slept], we have time for a while",
        "{name}, the [green|warm|small] [light|sign] at the [end|side] of the street / "
        "[Time|Room|Light] for a [word|talk|rest] and an empty seat",
    ),
    titles=(
        "Take care, says {name}",
        "Just ask {name}",
        "The green light of {name}",
    ),
)
