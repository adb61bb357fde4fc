"""English lines of those who stand by people in grief and in doubt."""

from studio.lyricist.stock import Trade

GROUP_SOLACE = Trade(
    verses=(
        "A [chair|bench] by the [window|garden], a [lamp|candle] set low / "
        "[Stay|Sit] for as long as you [like|wish], and then go",
        "[No one|Nobody] asks you to [hurry|be strong] today / [Silence|Quiet] is welcome, and [all|what] you say",
        "[Rain|Snow] on the [garden|rooftop], a [light|fire] in the hall / "
        "[Someone|Somebody] [hears|answers] you, once you call",
        "[Slow|Soft] is the [evening|morning] and [soft|slow] is the tread / "
        "[Near|Close] are the [words|names] that [were|are] never quite said",
    ),
    choruses=(
        "[Here|Near] by your side, we [walk|go] as you do / "
        "[Evening and morning|Morning and evening], we go with you",
        "[Rest|Lean] on this [shoulder|quiet], and breathe for a while / "
        "[Step after step|Mile after mile], every hard long mile",
    ),
    hooks=(
        "{name}, a [quiet|gentle|patient] [light|voice|hand] in the [dark|cold] of night / "
        "[Someone|A friend] who [stays|sits|wakes] till the morning light",
        "{name} [sits|walks|stays] [with you|beside you|right by you] today / "
        "[Quiet|Gentle|Patient] and [close|near|kind], all along the way",
        "[Softly|Gently|Quietly] [here|close|near] [with you|beside you], {name} / "
        "A [light|lamp|chair] in the [window|doorway|hall], a coat in the rain",
        "{name}, [a lamp|a light|a chair] [in the|by the] [hall|door|window] for you / "
        "[Someone|A friend] to be [near|close|here] till the [night|day] is through",
        "{name}, [slowly|softly|gently] [now|here], [word by word|step by step] you go / "
        "[Someone|A friend] at your [side|arm|hand], and we [take|keep] it slow",
        "[Come just|Come in] as you are to the [quiet|gentle|warm] [door|light] of {name} / "
        "[Nothing|No word] to [prove|say|do] and [nothing|no need] to explain",
        "{name}, [when words|if words] [won't come|are few|are hard] to say / "
        "[Quiet|Silence|Stillness] is [good|kind|near] at the end of day",
        "{name}, [hand in hand|arm in arm] on the [narrow|steep old|winding] way / "
        "[Someone|A friend] is [with|near|by] you, night and day",
        "{name}, the [door|house] is [open|lit] [early|softly] and late / "
        "[Someone|A friend] [waits|stands|rests] by the garden gate",
        "[Somebody|Someone] [hears you|waits here|is with you] [tonight|today] at {name} / "
        "[Warm|Soft|Low] is the [lamp|light|glow] on the window pane",
        "{name}, [time|room] to [weep|rest|speak] and [time|room] to be still / "
        "[Light|Calm|Peace] on the [path|pines|gate] going up the hill",
        "{name}, [with care|with love|with thanks] for [each|the] [name|day|hour] we keep / "
        "[Lamps|Stars|Homes] in the [valley|stillness|evening] and all asleep",
        "{name}, [the night|the road|the rain] is [long|wide], you are [not|never] alone / "
        "[Someone|A voice] who will [answer|hear] you [on|by] the phone",
        "[Breathe|Rest] for a [while|time] in the [garden|quiet|calm hall] of {name} / "
        "[Soft|Slow|Mild] is the [wind|dusk|light] and soft is the rain",
        "{name}, [a hand|a voice|a light] for the [first|next|last] [step|mile] today / "
        "[Someone|A friend] [goes|walks|stays] with you along the way",
        "{name} [keeps|holds] [a place|a light|a chair] for [you|us] here / "
        "[Ask|Speak|Rest] when you [want to|need to|like to], and we are near",
        "{name}, [softly|gently|kindly] [spoken|told], [softly|gently] heard / "
        "[Someone|A friend] has the [time|heart|ear] for every word",
        "[Calm|Kind|Warm] in the [evening|stillness|morning] is {name} / "
        "[Nearby|Close by|With you] in [sunlight|morning|winter], nearby in rain",
        "{name}, [what you|all you] [carry|hold|bring] [is safe|can rest] in here / "
        "[Someone|A friend] who [listens|hears you|loves you] is sitting near",
        "{name}, [lean here|rest here|stay here] [a while|a time|with us], and be / "
        "[Calm|Quiet|Tall] and [green|still|kind] as an old pine tree",
    ),
    titles=(
        "Close by you, {name}",
        "A light at {name}",
        "Quietly, {name}",
    ),
)
FUNERAL = Trade(
    verses=(
        "[Every|Each] [name|life] is a [story|long road], and we [hear|learn] it through / "
        "[Told|Kept] with the [love|care] that is [owed|dear] to you",
        "[White|Soft] are the [flowers|candles], and [quiet|hushed] is the hall / "
        "[All|Those] who [knew|loved] them can come, one and all",
        "We [see|look] to the [papers|small things], the [hours|cars] and the way / "
        "So you can [be with|sit with] the ones here today",
        "[Photos|Letters] on the [table|wall] of the years gone by / "
        "[Someone|Somebody] stands near you when you cry",
        "[Call|Ask] in the [night|dark], there is [someone|a voice] to say / "
        "What is [first|next] to be done, and [we|to] show you the way",
        "[Trees|Stones] on a [green hill|hillside], a [path|bench] by the stone / "
        "[Never|Not once] [here today|in this hour|on this road] do you [walk|go|stand] alone",
    ),
    choruses=(
        "[With|In] honor and [quiet|patience], with [thanks|love] and with care / "
        "[Someone|Somebody] beside you is always there",
        "[Love|Light] goes [along|beside us] on the [long|slow] grey road / "
        "[Someone|A friend] will [carry|share in] half the load",
        "[Rest|Sleep] in the [green|calm] and be [held|kept] in our song / "
        "[Dear|Loved] is the [name|voice] that we [keep|hold] so long",
        "[Softly|Gently], [softly|gently], we [bow|say] goodbye / "
        "[Wide|Still] is the evening and [wide|still] the sky",
    ),
    hooks=(
        "{name}, [with honor|with patience|with respect] and [quiet|gentle] care / "
        "[Through|In] the [long|slow|hard] hours we are always there",
        "{name} [stands|stays|walks] [with you|by you|near you] in the [hour|day] of goodbye / "
        "[Still|Wide|Calm] is the [evening|garden|valley], and wide the sky",
        "With [quiet|gentle|heartfelt] [care|thanks|honor], by your side, {name} / "
        "A [hand|word|light] on your [arm|way|side] and a coat in the rain",
        "{name}, [each|the] [name|life] is [held|kept|told] [with|in] [love|care] today / "
        "[Flowers|Candles|Letters] and [thanks|love|songs] along the way",
        "{name}, we [see|look] to [the small|the first|each of the] [things|hours] for you / "
        "[Someone|A voice] in the [night|dark|house] to see you through",
        "[Call|Ask] in the [day|night], [day|night] or [morning|evening], {name} / "
        "A [voice|word|hand] that is [quiet|gentle|steady] and clear and plain",
    ),
    titles=(
        "With honor, {name}",
        "By your side, {name}",
        "A quiet goodbye at {name}",
    ),
)
COUNSELING = Trade(
    verses=(
        "[Begin|Start] where you [like|want to], [begin|start] with the rain / "
        "[Nothing|No word] you say here is [said|told] in vain",
        "A [box|pot] of [tissues|tea leaves], a [plant|lamp], and a chair / "
        "[Silence|Quiet] can sit with us, [quiet|stillness] can share",
        "[Heavy|Tangled] the [thoughts|days] that you [carried|brought] so far / "
        "[Come|Sit] as you are, [just|sit] as you are",
        "[All|What] that you [tell|say] in here stays in here / [Slow|Gentle] the question and near the ear",
        "[Clouds|Waves] in the [mind|heart], they [come|roll] and they go / "
        "[Someone|Somebody] with you, [kind|soft] and slow",
        "[Small|Short] are the [steps|walks], and [small|short] is all right / "
        "[Week after week|Day after day] there's a little more light",
    ),
    choruses=(
        "[Breathe with me, talk|Talk with me, breathe] with me, [you're|you are] all right / "
        "[Someone|Somebody] has time for you tonight",
        "[Word after word|Thread after thread] and the knot comes free / "
        "[Somebody|Someone] is listening here with me",
        "[Here|Now] you can [weep|rest], and [here|now] you can say / "
        "[What|All] that you [kept|held] in your heart all day",
        "[No one|Nobody] [weighs|judges] a word in here / [Slowly|Gently] the [sky|water] grows blue and clear",
    ),
    hooks=(
        "{name}, [time|room] for [you|all] and [time|room] to [sit and|stop and|slowly] tell / "
        "[Someone|A friend] who [hears|knows|asks] you, and hears you well",
        "{name}, [start|begin] with the [weather|silence|morning], [start|begin] with you / "
        "[Someone|A friend] who [listens|hears you|stays here] the whole way through",
        "[Slowly|Safely|Freely] we [talk|sit|breathe] [in here|today] at {name} / "
        "[Soft|Slow|Low] on the [window|rooftop|garden], a summer rain",
        "{name}, a [place|room] for the [heavy|tangled|quiet] [thoughts|days] to rest / "
        "[Come|Sit|Rest] as you [are|feel], as you are is best",
        "{name}, [the words|the thoughts|the tears] can [come|go] [slow|soft] in here / "
        "[Someone|A friend] and a [chair|lamp|cup] drawn [near|up near]",
        "[Somebody|Someone] [listens|wonders|sits down] [with you|beside you] at {name} / "
        "[Word after word|Thread after thread|Breath after breath], till the day is plain",
    ),
    titles=(
        "As you are, {name}",
        "Room for you at {name}",
        "Somebody listens at {name}",
    ),
)
FAITH = Trade(
    verses=(
        "[Bells|Birds] in the [morning|evening], the [gate|door] open wide / "
        "[Come|Rest] for a while, there is [quiet|room] inside",
        "[Candles|Lanterns] are [lit|burning] in [row|line] after row / "
        "[Each|Every] for someone that [somebody|people] know",
        "[Old hands and young|Young hands and old] hands, a [bowl|pot] of soup / "
        "[Space|Room] for one more in the [Sunday|family] group",
        "[Feet|Leaves] on the [stone|old] path, the [light|wind] in the tree / "
        "[Still|Calm] is the [garden|courtyard] and glad to be",
        "[Come|Sit] with your [questions|thank you], or [come|sit] with your day / "
        "[Come|Sit] in the [silence|morning], and no need to say",
        "[Songs|Words] that your [mother|grandma] once [sang|hummed] in the hall / "
        "[Song|Light] on the [rafters|windows], and [light|song] on the wall",
    ),
    choruses=(
        "[All|Those] who are [tired|weary], the [door|gate] is ajar / "
        "[Come|Rest] as you are, just [come|rest] as you are",
        "[Light|Peace] in the [window|valley] and [light|peace] on the way / "
        "[Peace|Thanks] in the evening and [peace|thanks] in the day",
        "[Hand in hand|Heart to heart] and the [young|small] with the old / "
        "[Warm|Bright] is the [hall|house] when the [night|world] is cold",
        "[Quiet|Slow] as a [lantern|candle], the [heart|hall] grows bright / "
        "[Peace|Rest] to the ones on the [road|way] tonight",
    ),
    hooks=(
        "{name}, the [door|gate] is [open|wide], the [bell|light|song] is near / "
        "[Come|Rest|Sit] as you [are|like], you are welcome here",
        "{name}, [peace|light] to the [young|small|near] ones, [peace|light] to the far / "
        "[Come|Rest|Sing] as you [are|like], just as you are",
        "[Bells|Songs|Lights] of the [morning|evening] [over|around] {name} / "
        "[Come|Step|Rest] from the [road|week|noise] and the wind and rain",
        "{name}, a [bowl|table|seat] and a [song|light|place] for you / "
        "[Someone|A friend] who is [glad|near|kind], and the sky is blue",
        "{name}, [still|calm] is the [hall|garden|evening] and [soft|low] the light / "
        "[Peace|Rest|Light] to the [ones|hearts|friends] on the road tonight",
        "[Come|Rest] for a [while|time] in the [quiet|stillness|evening] of {name} / "
        "[Light|Wind|Birds] in the [pines|bells|leaves] and a gentle rain",
    ),
    titles=(
        "The open door of {name}",
        "A light at {name} tonight",
        "Peace at {name}",
    ),
)
