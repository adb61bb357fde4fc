"""English lines of the trades that teach children."""

from studio.lyricist.stock import Trade

GROUP_LEARN = Trade(
    verses=(
        "[Pencils|Pages|Brushes] are [whispering|dancing], the [window|morning] is bright / "
        "[Somebody is|Someone is|Each one is] [learning|trying|hoping] to [get it|do it|say it] just right",
        "[Small|Big] is the [question|backpack], and [big|wide] is the sky / "
        "[All of us|Most of us|Children] here [want to|came to|love to] know how and why",
        "[Try|Start] it and [miss|drop] it and [try|start] it once more / "
        "[That|This] is just what a [good|new] morning is for",
        "A [teacher|coach] who [waits|nods] and a [friend|chair] by the wall / "
        "[No one|Nobody] here is too [early|timid] or small",
    ),
    choruses=(
        "[You can|We can] do it, [try|let's go] one more time / "
        "Every [little|careful|happy] [step|stair|try] is a [step|stair] to climb",
        "[Grow|Glow], [grow|glow|climb], an inch or two / "
        "The [whole wide|big round] [world|sky|day] is [waiting|shining|open] for you",
    ),
    hooks=(
        "{name}, [hands|hearts|heads] up [high|now], I [know|see|have] the answer today / "
        "I [missed|lost|dropped] it three [times|days] and then found the way",
        "{name}, [a little|a bit|so much] [taller|braver|wiser] each week / "
        "The [question|answer|poem] I [hid|dreamed|hummed] is the question I speak",
        "[Try|Miss|Start] it and [try|miss|start] it [again|once more] at {name} / "
        "A [puddle's|mistake's] for [jumping|laughing|learning], we learn in the rain",
        "{name}, I [dream|write|draw] it [big|slow|blue], then I [try|learn|see] how / "
        "I [couldn't|wouldn't|didn't] last [Monday|winter|August], but look at me now",
        "{name}, [page by page|step by step|note by note] I am [learning|climbing|finding] my way / "
        "A [bit|touch|ray] more of [sunshine|courage|wonder] in every day",
        "{name}, the [why|how] and the [what|when] and the [where|sum] of all / "
        "The [big|long|hard] words are [shrinking|melting|smiling] and I'm growing tall",
        "[Growing|Glowing|Learning] an inch [today|again|this week] at {name} / "
        "The [seed|leaf|book] in the [window|garden|sunlight], the sun and the rain",
        "{name}, [ask|try|show] it [again and again|once more and once more] with me / "
        "The [light|thought|star] in my [head|hand|book] is as bright as can be",
        "{name}, the [bell|day|page] says [begin|hello|good day], I'm in / "
        "A [book|dream|plan] on my [desk|lap|knees] and a light and a grin",
        "{name}, [one|two] more [try|step|time] and the [knot|fog|door] comes undone / "
        "I [reach|jump|climb] for the [moon|roof|stars] and I touch the sun",
        "[Hands|Hearts|Dreams] up as [high|bright] as the [roof|moon|kites] of {name} / "
        "I'm [louder|brighter|wilder] than [puddles|thunder|whistles] and quicker than rain",
        "{name}, my [teacher|notebook|pencil] is [smiling|nodding|glowing] at me / "
        "The [door|gate|path] to the [morning|garden|future] has got its key",
        "{name}, [slow|small|shy] at the [start|door|front] and then [see|watch] how I fly / "
        "I [started|set out] with one [step|word|note] and now see the sky",
        "{name}, the [first|next|best] of my [stars|steps|firsts] in a row / "
        "I [made|drew|found] it [myself|today|with you] and I want it to show",
        "[Friends|Mom|Dad], look what I [made|learned|did] [today|just now] at {name} / "
        "I'll [show|tell|sing] you [tonight|at home] and I'll show you again",
        "{name}, where a [maybe|mistake|question] is [just|only] a start / "
        "A [step|song|word] for the [head|hand|day] and a step for the heart",
        "{name}, [bags|coats] on the [hooks|chairs] and the [day|page|road] is new / "
        "A [hundred|thousand|million] and [one|three] little things to do",
        "{name}, [quick ones and slow|slow ones and quick] ones, one [song|stair|path] for all / "
        "We [learn|grow|laugh] from the [climbing|asking|trying] and more from the fall",
        "{name}, you [light|find|see] the [spark|star|best] [deep down|still shy] inside / "
        "The [quiet|shy|small] one [stands|smiles|sings] with arms open wide",
        "[Two|Three|Four] steps and a [jump|hop|leap] [today|ahead] with {name} / "
        "The [puddle|robin|schoolyard] was [laughing|singing], we laughed in the rain",
    ),
    titles=(
        "An inch taller at {name}",
        "Try it again, {name}",
        "Look what I made at {name}",
    ),
)
ACADEMY = Trade(
    verses=(
        "[Pencils|Crayons] are [whispering|scratching|skating] across the page / "
        "[Big|Bright|Bold] ideas for so [small|young] an age",
        "[Why|How] is the sky [up|made], and [why|how] is it blue / "
        "Ask it [again|today] and then ask it [anew|for two]",
        "[Wrong|Lost|Stuck] on a Monday, but [right|found] by the third / "
        "[Somebody's|Someone is] [learning|spelling|reading] a great big word",
        "[Little|Eager] hands [up|high], [oh me, pick me|I know, it's me|ask me, ask me] / "
        "[Sunshine|Answers|Questions|Wonders] as far as the [eye|teacher|window] can see",
        "[Numbers|Fractions] were [dragons|giants], but now they are tame / "
        "[Tables|Letters] of ten are a [running|counting] game",
        "[Grammar|Spelling] and [comma|planets], a [map|star] on the wall / "
        "Our [teacher|maestro] has time for us, one and all",
    ),
    choruses=(
        "You can [do|solve] it, try it one more time / [Every|Any] little [step|stair] is a [step|stair] to climb",
        "Grow, [grow|glow|climb], an inch or two / "
        "The whole wide [world|map|sky] is [waiting|open|singing] for you",
        "[Check|Star] on the [page|paper] and [star|check] on the door / "
        "[I|We] learned a [new|good] thing, now let's learn one more",
        "[Add it, take|Take it, add] it, [carry|borrow] the one / "
        "[Homework|Learning] is [better|brighter] with friends and fun",
    ),
    hooks=(
        "{name}, [hands|pencils] up, who has it? [Me, me|It's me|I do], I say / "
        "I [found|puzzled|worked] out a [number|riddle|sentence] and wrote it my way",
        "[Hands|Eyes] up and [bright|wide] for the [big word|question|new page] at {name} / "
        "[Try|Think] it and [miss|guess|ask] it and try it again",
        "{name}, the [chalk|map|book] and the [why|how|where] of the sky / "
        "I've [only|always] one [question|riddle|puzzle], it starts with a why",
        "{name}, [spell|count|read] it and [check|clap|shout] it, I [know|have|see] it now / "
        "The [puzzle|number|sentence] was [big|long|hard], but we found out how",
        "[Growing|Climbing|Reaching] an [inch|inch more] [today|this week] at {name} / "
        "[Splashing|Jumping|Skipping] through [puddles|numbers|poems] and learning from rain",
        "{name}, my [mind|head|page] is as [bright|big|wide] as the [sky|moon|sea] now / "
        "I [couldn't|wouldn't] last [spring|year|week], but I'll show you how",
    ),
    titles=(
        "Hands up for {name}",
        "The big word at {name}",
        "Why is the sky, {name}",
    ),
)
KINDERGARTEN = Trade(
    verses=(
        "[Tiny|Yellow] boots by the door in a [wobbly|friendly] row / "
        "[Mine|Hers] have a [frog|star] on and [his|mine] have a bow",
        "[Sand|Jam] on my nose and a [snail|bug] in my hand / "
        "[Today|I think] I will rule over [ant|snail] hill land",
        "[Nap|Story] time, [snack|singing] time, [whisper|giggle] and sing / "
        "[Each friend|Someone] has [found|made] a most wonderful thing",
        "[Blocks|Books] up to here and then [crash|down], what a [fun|good] sound / "
        "[Again|Once more], says my friend, and we [turn|build] it around",
        "[Buttons|Zippers] are [hard|tricky], but [look|hey], I did three / "
        "[Shout|Wave] from the window, it's me, it's me",
        "[Crayon|Rainbow] for Mommy, a [stone|leaf] for my dad / "
        "[Best|Finest] kind of [Wednesday|Thursday] I ever have had",
    ),
    choruses=(
        "[Clap|Stomp] your hands, [clap|stomp] your feet, [turn|hop] to the right / "
        "[Wave|Wink] to the [sun|moon] and then hug it tight",
        "[Hop|Jump] like a bunny and [buzz|sing] like a bee / "
        "[Grow|Stretch] like a flower, [like you|with you] and with me",
        "One, two, three, four, and a [hug|song|wave] at the door / "
        "Five, six, [pick up|tickle] [sticks|me], then one hug more",
        "[Big|Wide] is the sky and so [small|new] are we / [Little|Muddy] brave boots on the road to the sea",
    ),
    hooks=(
        "{name}, [hop|skip|run] in the [sun|grass|sand] and [clap|sing|wave] with me / "
        "I'm [four|five] and a half, I'm as [tall|brave|quick] as can be",
        "[Hop|Skip|Splash] in our [yellow|muddy|little] boots [today|again], {name} / "
        "A [worm|frog|snail] says [hello|good day] in the lovely rain",
        "{name}, my [bear|friend|snail] and I [came|hopped|skipped] to the top / "
        "We [sang|dug|jumped] in the [sandbox|puddles|garden] and never would stop",
        "{name}, I [can|will] do my [button|zipper|shoes] [alone|myself], and so / "
        "My [left|shoes|socks] and my [right|hat|hood] are a bit to and fro",
        "[Clap|Stomp|Hum] with the [bees|frogs|birds] [today|again] at {name} / "
        "A [hug|song|hop] in the [sunshine|sandbox|morning], a hug in the rain",
        "{name}, a [leaf|stone|hug] in my [hand|pocket|fist] and a kiss / "
        "I never have [had|seen|known] such a [Tuesday|morning] as this",
    ),
    titles=(
        "Little boots at {name}",
        "Hop with {name}",
        "Four and a half at {name}",
    ),
)
