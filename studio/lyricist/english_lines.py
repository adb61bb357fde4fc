"""English lines for any business, and how it names itself and its place."""

from studio.lyricist import english_common, english_moods

NAMELESS, PLACELESS = "our place", "our town"

TITLES = (
    "A day at {name}",
    "Meet me at {name}",
    "The song of {name}",
    "{region} sings {name}",
    "Back to {name}",
    "Hello, {name}",
    "Under the lights of {name}",
    "From {region}, with {name}",
)

OPENINGS = (
    "Morning comes [softly|gently|slowly|early|brightly] [to|home to|back to|over|through] {region}",
    "[Walking|Strolling|Going|Coming] [slowly|softly|early|happy|humming] [down|back|home|out] through {region}",
    "There's a [corner|doorway|window|side street|rooftop] in {region} "
    "[I know|I love|for you|for me|for us|I miss]",
    "The [golden|gentle|early|silver|summer] light [falls on|comes to|rests on|rolls through|dances through] "
    "{region}",
    "Every [winding|little|narrow|open|dusty] road [leads to|goes to|runs to|comes to|bends to|rolls to] {region}",
    "There's a [blue|clear|wide|bright|big|high] sky [over|above|all over|high over|right over] {region}",
    "The lights [come on|are warm|shine out|burn low|dance] in {region} [tonight|again|once more|for us|at dusk]",
    "The sun is [up|out|high|back|warm|bright] in {region} [again|today|once more|for us|right now|my friend]",
    "Somewhere in the [heart|middle|old streets|side streets|bustle] of {region} <[tonight|today|right now]>",
    "[Good morning|Good evening|Good day|Hello now|Well hello], {region}, "
    "[my friend|my home|and you|and all|old friend]",
    "Take a [slow|long|quiet|good|late] walk [home through|down through|all through|around|back through] {region}",
    "There's [music|singing|laughter|sunlight|humming] in the [air|streets|lanes|breeze|parks] in {region}",
    "Here we are in {region} [again|today|once more|with you], [my friend|at last|all smiles|you see|old friend]",
    "{region}, [I hear|I can hear|I still hear] you [chiming|singing|humming|whistling] "
    "[to me|for me|my way|once more]",
    "[Rooftops|Windows|Side streets|Doorsteps|Puddles] are [shining|glowing|waking|smiling|gleaming] in {region}",
    "[Soft|Warm|Cool|Fresh|Sweet] is the [wind|air|breeze|light|day|dew] [over|all through|around] {region}",
    "[Somebody's|Someone is] [humming|singing|smiling|whistling|dancing|laughing] in {region} "
    "[today|tonight|right now|again|once more]",
    "[Ask a friend|Ask around|Go ask them|Just come ask] in {region} "
    "[today|my friend|and see|and hear|right now|tonight]",
    "The [streets|roads|lanes|hills|bells] of {region} "
    "[remember|are calling|are singing|will tell you|all know us]",
    "[Down|Out|Over|Up|Back] in {region} the day [begins|is young|is bright|is long|is warm|is ours]",
    "I [know|found|keep|love|have] a [good|small|kind|bright|dear|fine] place in {region}",
    "[All|Halfway|Right|Straight] through {region} the [bells|birds|trees|winds] "
    "[sing along|say hello|wave to us|hum a tune]",
    "[Every|Any] [morning|evening|season|weekday|daybreak] in {region} "
    "[feels new|is good|is ours|feels right|is bright|has a song]",
    "In {region} [the clocks|the streets|the winds|the days|the lanes] are "
    "[easy|gentle|friendly|kinder|sunny|smiling]",
    "[Clouds|Birds|Leaves|Days] go [drifting|sailing|rolling|dancing|flying] [over|out over|right over] {region}",
    "[Dear|Sweet|Good|Old] {region}, [here's a song|here's a tune|good morning|hear us sing|here we come|"
    "sing with us]",
    "From the [first|last] [light|train|bus|star] [all around|here in|out in|over|right through] {region}",
    "{region} [wakes|glows|hums|smiles|shines] in the [morning|evening|rain and|summer|springtime|autumn] sun",
    "[Open|Throw|Fling] the [windows|curtains|shutters] wide: [it's {region}|hello, {region}|hello to {region}]",
    "[Today|Tonight|Right now|This week] in {region} [the door|the light|the sign|the street] "
    "is [for us|waiting|shining|smiling]",
    "[Bells|Birds|Bikes|Boots] on the [street|lane|bridge|hill] and it's [morning|evening|noontime] in {region}",
    "[Follow|Catch] the [sun|song|breeze|crowd] [down|home|out] to {region} [today|tonight|with me]",
)

HOOKS = (
    "Come [on over|right over|on down] to {name} [today|right now|this way] / "
    "We're only a [song|smile|tune|street] and a [wave|step|bend|wink] away",
    "{name}, oh, {name}, [say it|sing it|hum it] [again|with me|out loud] / "
    "[Sweet|Bright|Good|Clear] as a [bell|song|lark|laugh] in the sun and the rain",
    "It feels like [home|spring|June] at {name} [tonight|in the light|all right] / "
    "Come in from the [dark|cold|street|rush], we [left|turned|keep|switched] on the light",
    "[So meet|Come meet|Go find|Come join] me at {name} [at nine|by nine|in time] / "
    "[Save|Keep] me a [smile|place|spot|seat] at the [end|back|head] of the line",
    "{name}, you [sure|still|just] [know how to shine|make the day shine|help the day shine] / "
    "[Save|Keep|Hold] me a [place|seat|spot|chair], I'll be [right|there] on time",
    "[Oh take|Just bring|Come take] me [back|home|off] to {name} / "
    "A [little|merry|golden] bit of [sunshine|whistling|laughter] [after|under] the rain",
    "{name} is [just|right|still] [around the bend|down by the bend|up round the bend] / "
    "[Come|Start|Knock] as a [stranger|neighbor|newcomer] and [leave|end|stay] as a friend",
    "[Everybody's|Everyone is|All the town's] [singing|humming|loving] {name} / "
    "[Whistling|Humming|Carrying] it [softly|gently|sweetly|gladly] all the way home",
    "You've got a [friend|seat|place] at {name} [for sure|once more|for life] / "
    "[Push|Pull|Lean] on the [handle|doorbell|big latch] and open the door",
    "A [big|warm|sweet|bright] [hello|good day|welcome] from {name} / "
    "The [door|house|day] is [open|ready|shining], [come|walk|skip|step] [on|right] in",
    "With {name} the day is [bright|light|right] [for you|for me|for all] / "
    "We'll [keep you|set you|get you] [humming|smiling|singing|dancing] till [the night|tonight]",
    "Oh, {name}, here [I|we] come [again|today|right now|at last|once more] / "
    "Can you [hear|feel] my [heart|feet|step], it's a [big old|loud old|great big] drum",
    "[Ring|Knock|Wave|Shout] and say hello to {name} [today|my friend|with me] / "
    "[We have|All have|I have] been [waiting|hoping|smiling|singing] for you all day",
    "{name}, {name}, [what a|oh what a|such a] [day|sound|tune] / "
    "[Hum|Sing|Play|Clap] it from [morning|breakfast|sunup] till the [rise|light|smile] of the moon",
    "[Who's that|Who is] [glowing|shining|waiting|humming] at {name} [today|again] / "
    "[Somebody|Everyone|All of us] [happy|beaming|smiling] to [hear|know|see] you came",
)

COMMON = english_common.COMMON
MOODS = english_moods.MOODS
