"""English lines for businesses that people turn to with a care or in grief: nothing in them is merry."""

from studio.lyricist import english_lines as lines
from studio.lyricist.stock import TENDER, Lines

NAMELESS, PLACELESS = lines.NAMELESS, lines.PLACELESS

TITLES = (
    "Here with you, {name}",
    "By your side, {name}",
    "{name} in {region}",
    "A calm hour at {name}",
    "With care, {name}",
)

OPENINGS = (
    "Morning comes [softly|gently|slowly|calmly|mildly] [to|home to|back to|over|through] {region}",
    "[Walking|Strolling|Going|Coming] [slowly|softly|calmly|homeward] [down|back|home|out] through {region}",
    "A [quiet|gentle|mild|calm|clear] [morning|evening|daybreak|hour|season] [in|over|here in] {region}",
    "The lights [come on|are warm|burn low|shine soft|are lit] in {region} "
    "[tonight|again|once more|for us|by night|at dusk]",
    "Somewhere in the [heart|middle|old streets|side streets|quiet|stillness] of {region} "
    "<[tonight|today|at dusk]>",
    "Here we are in {region} [again|today|once more|with you|as ever|for you] <[this year|this week]>",
    "[Soft|Warm|Cool|Mild|Still] is the [wind|air|rain|light|day|snow] [over|above|around] {region}",
    "The [golden|gentle|early|silver|evening] light [falls on|comes to|rests on|lies on|stays with] {region}",
    "[Clouds|Birds|Leaves|Days] go [drifting|passing|softly|gently] [over|out over|through] {region}",
    "[Early|Late] in the [morning|evening|summer|year|autumn], "
    "the [windows|rooftops|gardens|lanes|hedges|hills] of {region}",
    "[Trees|Lamps|Roofs|Hills|Lanes] of {region} "
    "[in the rain|in the snow|in soft light|at day's end|in the dusk|in the sun]",
    "[Rain|Snow|Light|Dew|Frost] on the [rooftops|gardens|windows|hedges|treetops|lanes] of {region}",
    "In {region} the [streets|lanes|trees|hills|gardens] are [quiet|listening|waiting|gentle|resting|still]",
    "[Softly|Slowly|Gently|Calmly|Mildly] "
    "[begins the day|the evening falls|the morning comes|the daylight grows|the summer goes] in {region}",
    "There's a [quiet|friendly|little|peaceful|sunlit] [doorway|window|side street|garden|corner] in {region}",
    "[Slow|Long|Mild|Calm] goes the [evening|morning|daylight|season|river] [through|over|down through] {region}",
    "[Quiet|Gentle|Steady] as the [evenings|mornings|gardens|seasons|hillsides] [in|around|out in] {region}",
    "[Under|Below] the [old|tall|green|quiet] [trees|roofs|eaves|leaves] [here in|out in|back in] {region}",
    "[One|A] [lamp|light|window] is [lit|on|warm|bright] [tonight|still|for us] in {region}",
)

HOOKS = (
    "{name} is [right here|still here|close by], my dear / Someone who listens is always near",
    "You can [always|gladly|surely] [turn to|ask at|call on] {name} / We'll keep our word and we'll stay the same",
    "[Here|Close|Near] with [you now|you all|us all] is {name} / Steady as morning and calm as rain",
    "[Remember|Think of|Write down] the [name|door|good name] of {name} / Quiet and honest and clear and plain",
    "With [care|thought|time], with [care|thought|heart], {name} / A hand and a word in the wind and rain",
    "{name}, [steady|gentle|patient] and [true|kind|calm] all the way / Someone who asks how you are today",
    "{name}, [one|each] [step|word|day] [at a|in its] time / Calm as a bell in the evening chime",
    "{name}, the [door|lamp|house] is [open|waiting|lit] tonight / Somebody kind is beside the light",
    "[Time|Room] for your [question|story|worry] at {name} / We hear it all and we make it plain",
    "{name}, a [calm|kind|clear] [voice|word|hand] on the way / Someone will listen to all you say",
    "{name}, [ask|call|come] when you [need|want|like] to, my friend / Somebody stays with you to the end",
    "{name}, where [people|neighbors|old friends] [take|find|have] the time / "
    "Words that are simple and hands that are kind",
)

COMMON = Lines(
    verses=(
        "Take a seat and take [your|some] time to speak / [Rest|Breathe] a little at the end of week",
        "Tell us [only|simply] what you [want|wish|mean] to say / We will [listen|hear you] all the way",
        "When the road is [long|steep] and hard to see / One [small|short] step is all it [has to|needs to] be",
        "Some words take a [little|quiet] while to find / We have [patience|kindness], care and peace of mind",
        "Steady hands and [quiet|honest|gentle] eyes / [Plain|Clear] and simple, never in disguise",
        "What you [trust|leave] us with we [gently|safely] keep / Promises [like ours|like these] are rooted deep",
        "When you do not [know|see] just where to start / Bring us [what|all that] is upon your heart",
        "Every [question|worry] has its time and place / We will [meet|face] it with you, face to face",
        "Nothing [hurried|crowded], nothing left undone / "
        "[Page by page|Step by step|Line by line|Word by word] we see it, one by one",
        "There's a [quiet|friendly] room we set aside / [Time|Space] to talk, and [no one|nothing] has to hide",
        "Rain may [fall|tap] a little while outside / [Here|This] is someone [walking|sitting] at your side",
        "Every [name|voice] is [heard here|met here] with respect / "
        "[Once|Twice] again, the [smallest|final] thing is checked",
        "Somebody will answer [when|once] you call / There is no such [question|thing] as one too small",
        "[Tea|Light] upon the [table|window], chairs drawn near / [Say|Ask] it at your leisure, we are here",
        "[Leaves|Clouds] go by the [window|garden], soft and slow / "
        "[All|What] you need to ask us, [all|what] to know",
        "[Mornings|Evenings] start with [greetings|kindness] at the door / "
        "[Someone|Neighbors] you remember from before",
        "[Quiet|Careful] in the [morning|doing], calm in [thought and|every] speech / "
        "[Help|Care] should be a thing [within|in easy] reach",
        "[Years|Days] go by and [still|yet] we know your [name / Seasons change, our word remains the same|face / "
        "Seasons change, and still we hold your place|voice / Plainly told, and yours is every choice]",
    ),
    choruses=(
        "We are here, we [walk|go|stand] by your side / Through the [narrow|quiet] places and the wide",
        "Step by [step|step here] and day by day / We will [help|see] you find the way",
        "Lean on us, [you're|you are] not alone / There's a [kind|calm] voice upon the phone",
        "Take your time, we are [listening|waiting] still / We have [said|told you] we would and so we will",
        "Carry less and let us [share|hold] the weight / It is never [ever|really] much too late",
        "Keep the things that [matter|you love] safe and sound / "
        "[Feet|Hearts] are light on [firm and|good and] solid ground",
        "With [respect|patience] and a [steady|gentle|friendly] hand / We will [always|truly] try to understand",
        "[Quiet|Patient] care and [honest|gentle] word / Every [voice|one] in here is heard",
        "[Clearly|Plainly] told and [gently|kindly] shown / You will [never|hardly] feel alone",
        "Ask us [once|now] or ask us once again / Ask us [how and|where and] why and when",
        "[Day by day|Bit by bit|Step by step|Hour by hour] the open [sky|road] will clear / "
        "[Now|Here] and after, we are near",
        "[Calm|Kind] as [morning|evening], [calm|kind] as rain / You can [come|ask] and come again",
        "[Easy|Gently] now, and [take|make] it slow / [Someone|We are] with you as you go",
        "[Somebody|Someone] [knows|keeps] your name by heart / You're [in good hands|welcome here] from the start",
        "[Soft|Warm] the lamp and [wide|kind] the door / [Ask|Tell] a little, [ask|tell] some more",
        "[Word for word|Word by word|Step by step|Line by line] in [gentle|quiet] rhyme / "
        "All will [fall in|come to] place in time",
    ),
)

MOODS = {TENDER: lines.MOODS[TENDER]}
