"""English lines of the trades that sell what one wears and carries."""

from studio.lyricist.stock import Trade

CLOTHES = Trade(
    verses=(
        "[Curtain|Door] goes swish and I [step|turn] out to see / "
        "Who is that [dancer|star|stranger] in the mirror? It's me",
        "[Sleeves|Hems] of the [softest|lightest] [cotton|linen] and blue / "
        "[Spin|Swing] it around, it was [made|cut] for you",
        "[Button|Ribbon] by button, [the shirt|my heart] comes along / "
        "The [collar|pocket] sits well like a [line|word] in a song",
        "[Something|Stripes] for the [office|morning], and [something|dots] for the night / "
        "[This|That] in the mirror [looks|feels] exactly right",
        "[Hangers|Scarves] are [dancing|chiming] along on the rail / "
        "[One|Two] of them [whispers|winks at] me, telling a tale",
        "[Silk|Lace] for the [feast day|wedding], a [bow|sash] by the hand / "
        "[Colors|Ribbons] like [spring|flowers] in a [garden|faraway] land",
    ),
    choruses=(
        "[Twirl|Spin] around, [twirl|spin] around, feel [light|young] and free / "
        "[All|Half] of the street is a catwalk for me",
        "[Try|Zip] it on, [try|zip] it on, [look|turn] and see / "
        "[Clothes|Sleeves] have a way of [remembering|becoming] me",
        "[Soft|Light] on the shoulder and [long|loose] in the sleeve / "
        "[Look|Smile] in the mirror, you [won't|can't] want to leave",
        "[Stripe|Dot] and a [ribbon|pocket], a [swing|swish] and a sway / "
        "[Nothing|No one] can [dampen|wrinkle] my [style|look] today",
    ),
    hooks=(
        "{name}, [spin|turn|twirl] me [around|about] in the [blue|silk|new] one, please / "
        "It [swings|sways|floats] like a [tree|bell|boat] in a summer breeze",
        "[Twirl|Spin|Walk] to the [mirror|window|sunlight] [with me|again] at {name} / "
        "A [coat|dress|scarf] for the [sun|wind|snow] and a coat for the rain",
        "{name}, [sleeves|stripes|dots] [on the rail|on the rack|by the door] [say|sing] hi / "
        "I [tried|put|threw] on the [red|green|long] one, and oh my, oh my",
        "{name}, the [mirror|shop girl|zipper] is [smiling|nodding|humming] at me / "
        "The [sleeves|hems|cuffs] are just [right|long|so] and the collar is free",
        "[New|Soft] on my [shoulders|back], and my [walk|day] [says|sings] {name} / "
        "I [stride|skip|glide] through the [puddles|market|traffic] and dance in the rain",
        "{name}, [this|that] is the [coat|dress|one] that I [dreamed|spoke] of all year / "
        "The [pocket|collar|mirror] was [waiting|hoping|smiling] for me right here",
    ),
    titles=(
        "Twirl at {name}",
        "The blue one from {name}",
        "Soft sleeves, {name}",
    ),
)
JEWELRY = Trade(
    verses=(
        "[Tiny|Little] gold [circle|moon], what a [promise|story] you hold / "
        "[Light|Love] on the finger that never [grows|gets] old",
        "[Tick|Soft], goes the [old|small] watch that my [grandfather|grandmother] wore / "
        "[Mended|Polished] and ticking for [sixty|thirty] years more",
        "A [pearl|star] on the [collar|ear], like the [dew|light] on a leaf / "
        "[Simple|Little] and [true|bright] and beyond all belief",
        "[Open|Lift up] the [box|lid] and the [room|day] turns bright / "
        "[Sunshine|Laughter] [spills|runs] over like [water|bubbles] and light",
        "[Rings|Names] we [engrave|measure] with a [steady|careful] hand / "
        "The [date|word] on the inside they [all|both] understand",
        "[Years|Days] on a [necklace|bracelet], one charm for each one / "
        "[Small|Fine] as a [seed|star] and as [warm|bright] as the sun",
    ),
    choruses=(
        "[Shine|Gleam], [shine|gleam] a little, [shine|gleam] a lot / "
        "[Light|Gold] is the [best|finest] of things we have got",
        "[Tick|Turn] goes the hour and [shine|glow] goes the day / "
        "[Love|Time] is a thing that will [stay|shine] and stay",
        "[Gold|Light] for the [promise|morning] and [pearls|light] for the years / "
        "[Bright|Small] as the laughter and [bright|small] as the tears",
        "[Wear|Keep] it for [always|the dancing], [wear|keep] it today / "
        "[Sparkle|Moonlight] is [only|just] a [hand|wish] away",
    ),
    hooks=(
        "{name}, my [heart|head|hand] and the [room|day] in a whirl / "
        "It is [tiny|silver|simple] and [golden|shining|glowing] and round as a pearl",
        "[Gold|Light] on my [finger|wrist|collar] [tonight|today] from {name} / "
        "It [shines|winks|hums] in the [sunshine|evening|snowfall] and glows in the rain",
        "{name}, [tick|shine|gleam] by the [hour|light|day], [small|soft] and true / "
        "A [thing|gift|song] for a [lifetime|birthday|promise], from me to you",
        "{name}, [light|gold|stars] in a [little|velvet|tiny] [case|box] for me / "
        "As [round|still|bright] as the [moon|sun|light] on a silver sea",
        "[Wear|Hold|Keep] it for [years|love|luck] [and years|and more], {name} / "
        "A [date|word|kiss] on the [inside|gold rim], a star and a name",
        "{name}, the [watch|ring|chain] that my [grandpa|grandma|mother] once wore / "
        "You [mended|polished|wound] it [gently|softly] and it shines once more",
    ),
    titles=(
        "The ring from {name}",
        "Shine, {name}",
        "A little light from {name}",
    ),
)
OPTICIAN = Trade(
    verses=(
        "[Blurry|Foggy] the [street signs|bus stop], and [blurry|foggy] the moon / "
        "[Now|Look], I can [read|count] every leaf in June",
        "[Round ones and square|Square ones and round] ones, [tortoise|silver] and blue / "
        "[Which|Who] in the mirror looks [cleverest|happiest]? You",
        "[Read|Name] me the [top|big] line, now [read|name] me the small / "
        "[Sharp|Clear] as the [writing|clock hands] up there on the wall",
        "So [that|this] is the [hill|tree] and [so that|so this] is its crown / "
        "[Leaves|Birds] have such [edges|wings] on the way into town",
        "[Light|Soft] on the nose and [light|soft] on the ear / "
        "[Good|Bright] morning, bright [colors|faces], it's lovely and clear",
        "[Paper|Menu] held [close and then far|far and then close] as can be / "
        "[Now|Here] I can [read|find] it, so [easy|simple] to see",
    ),
    choruses=(
        "[Clear|Bright] as a [bell|brook], [bright|clear] as a day / "
        "[Look|See] at the [stars|hills] from so far away",
        "Left eye and right eye, [better|clearer|sharper] or same / "
        "[Now|Look], every [flower|street sign] has got its name",
        "[Look|Wink], [look|wink], the [world|town] is so fine / "
        "[Everyone's|Somebody's] smiling, right [down to|along] the last line",
        "[Frames|Lenses] that fit like a [tune|word] in a song / "
        "[Clear|Light] in the morning and clear all day long",
    ),
    hooks=(
        "{name}, now I [see|read] every [leaf|star|bird] on the tree / "
        "The [moon|hill|bird] has its [edges|outline|feathers], the world looks at me",
        "[Clear|Bright|Sharp] as the [morning|mountain|clock tower] [again|today] with {name} / "
        "A [wink|nod|smile] at the [sunshine|bus stop|rooftops], a wipe in the rain",
        "{name}, [which|round|square] ones or [these|those|blue] ones, [tell|show] me true / "
        "The [mirror|doctor|window] is [smiling|nodding|winking], and I am too",
        "{name}, [read|say] me the [top|next|last] line and [clear|bright] as can be / "
        "[A, B,|X, Y,] and a [C|G|Z], and a D, and an E",
        "[Look|Gaze] at the [stars|trees|town] [today|again] with {name} / "
        "The [edge|vein|green] of each [leaf|blade|fern] in the light of the rain",
        "{name}, so [light|soft|good] on my [nose|ears|face] and clear / "
        "The [faces|eyes now|places] I [love|know|miss] look so lovely and near",
    ),
    titles=(
        "Clear as {name}",
        "Left eye, right eye, {name}",
        "Every leaf, {name}",
    ),
)
PHONE = Trade(
    verses=(
        "[Cracked|Slow] was my [screen|old phone] and my [battery|charging] low / "
        "[Now|Look], it's as [quick|bright] as a [brook|kite], and I go",
        "[All|Half] of my [photos|numbers] are [safe|back] in my hand / "
        "[Grandma's|My sister's] voice from a faraway land",
        "[Which|What] plan is for [me|us], and how [much|long], and how so / "
        "He [draws|writes] me a table till I [truly|really] know",
        "[Ring|Buzz] goes my [pocket|jacket], and who can it be / "
        "[Grandpa|My mom] has just learned [how to|it, now] video me",
        "The [shiny|silver] one [winks|shines] from the [window|front] shelf / "
        "The [blue|green] one, I'm sure, put its [name|sign] on itself",
        "[Setting|Starting] it up and we [chat|laugh] as we wait / "
        "[Swipe|Tap] to the left and I'm [never|hardly] late",
    ),
    choruses=(
        "[Ring|Buzz], [ring|buzz], who's [calling|ringing] me / "
        "[All|Half] of my friends in my [pocket|hand], count them, three",
        "[Tap|Swipe] it and [send|share] it, a heart and a grin / "
        "[Hello|Good morning], hello, is there [somebody|anyone] in",
        "[Far|High] as the moon and as [near|close] as a wave / "
        "[Songs|Photos] in my pocket and [pictures|names] I save",
        "[New|Bright] in the hand and the [old|good] numbers in / "
        "[Call|Ring] up your mother and tell her you'll win",
    ),
    hooks=(
        "{name}, [ring|buzz|sing] in my [pocket|hand|jacket] today / "
        "The [friend|voice|laugh] on the [far side|long line|small screen] is not far away",
        "[Bright|New] in my [hand|pocket|palm] [tonight|today] from {name} / "
        "I'm [calling|texting|ringing] my [mother|grandma|sweetheart] from under the rain",
        "{name}, [which|what] plan and [which|what] [one|phone|color], please [tell|show] me true / "
        "You [draw|write|show] me a [table|picture|sum up], all simple and blue",
        "{name}, my [photos|numbers|songs] are [all safe|all there|come back] again / "
        "The [cat|beach|cake] and the [birthday|wedding|puppy], from nine until ten",
        "[Call|Ring|Text] up my [mother|grandma|old friends] [at last|today], thanks {name} / "
        "The [line|voice|sound] is so [clear|near|close] I can hear the rain",
        "{name}, [hello|good day], can you [hear|see] me [now|there], loud and clear / "
        "The [folks|kids|friends] are so [far|small|long gone] and they sound so near",
    ),
    titles=(
        "Hello, it's {name}",
        "Ring, ring, {name}",
        "In my pocket, {name}",
    ),
)
