"""English lines of the trades that keep and hold a family's great days."""

from studio.lyricist.stock import Trade

PHOTO = Trade(
    verses=(
        "Chin up a [little|tiny bit] and [eyes|look] this way / "
        "Let's put a [frame|ribbon|border] [round|on] a [perfect|golden] day",
        "[Lean|Squeeze|Snuggle] in together, don't [look|stand] so grim / "
        "[Somebody|Grandma] tickle the [shoulder|elbow] of him",
        "[Years|Days|Clocks] will go [running|flying] and won't look back / "
        "[This one|This smile|Your laugh] will stay [here|bright|young] in white and black",
        "[Grandma|Grandpa|Father] was [young|seven|dancing] in a silver frame / "
        "[One day|Someday] they'll [ask us|tell us] [for every|each single] name",
        "[Passport|Graduate], [baby|birthday], the [whole|big] family crowd / "
        "[Three|Two] of them blinking and [one|two] laughing loud",
        "[Hold|Freeze] it right there with the [sun|wind] in your hair / "
        "[That|This] is the laugh that we [hang|keep] by the stair",
    ),
    choruses=(
        "One, two, three, and [hold|keep|leave] it [there|right there] / "
        "[Wind|Sun|Snow] and a [laugh|wink] and the light in your hair",
        "Click, [click|flash], one [more|last] time [for us|with me] today / "
        "Even the [blink|giggle] was a treat, I'd say",
        "[Smile|Cheese] for the [album|camera], [smile|cheese] for the wall / "
        "[Dimples|Freckles] and all, we'll [keep|frame] them all",
        "[Flash|Click] and we're young there, [flash|click] and we stay / "
        "[Grinning|Laughing] in gold on a [summer's|windy] day",
    ),
    hooks=(
        "{name}, [click|flash|frame] and we're [young|here|glad] for years / "
        "The [laughing|dancing|squinting], the [hugging|teasing], the happy tears",
        "[Hold|Keep|Catch] that [smile|laugh|glow] [right there|again|for me], {name} / "
        "[Click|Flash|Snap], and we're [young|glad|all] there forever again",
        "{name}, [chin|heads] up and [eyes|look] here, [one|ready] two three / "
        "The [dog|cat|aunt] and the [baby|grandpa|twins there] are looking at me",
        "{name}, the [light|sun|breeze] on your [face|hair|smile] will stay / "
        "I'll [open|carry|borrow] the [album|picture|memory] and say, what a day",
        "Say [cheese|plum|hey], all [friends|aunts|cousins], [say cheese|hold still], {name} / "
        "Frame all the [sunshine|giggles|freckles] and [keep|save] all the rain",
        "{name}, [mom|dad] and the [kids|twins|cat] in a [silver|golden] frame / "
        "The [years|kids|clocks] run [around|along by] it, it stays the same",
    ),
    titles=(
        "Hold that smile, {name}",
        "Click, {name}",
        "In a silver frame, {name}",
    ),
)
WEDDING = Trade(
    verses=(
        "[Bells|Birds] in the [morning|garden] and [white|rose] on the stair / "
        "[Someone|Your dad] [fixes|straightens] the [flowers|veil] in your hair",
        "[Aunties|Uncles] in [silk|lilac] and the [little ones|flower girls] run / "
        "[Light|Gold] through the [window|curtains], the day has begun",
        "[Cake|Flowers] up to the [ceiling|window] and [songs|friends] down the hall / "
        "[Grandpa|Grandma] is the [first|best] one to dance of them all",
        "[Two|Warm] hands and a promise, [two|gold] rings and a kiss / "
        "[Who'd ever|Nobody] thought there was [sunshine|laughter] like this",
        "[First|One] little [birthday|first year], a thread or a ball / "
        "[Everyone's|Grandma is] cheering and [clapping|waving] for all",
        "[Tables|Candles] all [ready|shining], the [quartet|piano] plays / "
        "[This|That] is the day for the [best|rest] of our days",
    ),
    choruses=(
        "[Throw|Toss] the bouquet and [throw|raise] up your hands / "
        "[Dance|Spin] till the [moon|sun] and the [end of|last of] the bands",
        "[Ring|Swing] all the [bells|doors], let them [ring|sing] for two / "
        "[Something|A song] that is [old|gold] and [something|one] that is blue",
        "[Raise|Lift|Hold] up your [glass|cup|hands] to the [start|joy|heart] of it all / "
        "[Laughter|Music] and rice in the [garden|doors] of the hall",
        "[Hand in hand|Cheek to cheek|Heart to heart] and a [kiss|tear], so to speak / "
        "We [dance through the night and we laugh|laugh through the night and we dance] for a week",
    ),
    hooks=(
        "{name}, the [bells|doors|rows] are all [singing|waiting|open] for you / "
        "The [best|pride|sun] of the [days|years|Junes] for the luckiest two",
        "{name}, [white|rose] on the [stairs|chairs|path] and the [band|light] in tune / "
        "The [first|last|best] of the [dances|waltzes|kisses] is under the moon",
        "[Ring|Swing|Sing] all the [bells|songs] in the [garden|sunlight|hall] of {name} / "
        "The [rice|sun|wind] in our [hair|sleeves|cake] and the roses like rain",
        "{name}, [the day|the hall|the cake] that we [dreamed|spoke|sang] of is here / "
        "A [toast|song|kiss] and a [dance|laugh|cake] and the ones we hold dear",
        "[Hand in hand|Arm in arm] up the [long|white|bright] aisle [with|of] {name} / "
        "Your [eyes|hands|arms] full of [sunshine|lilies|roses], the petals like rain",
        "{name}, [two|gold] rings and a [smile|kiss|song] and the [waltz|cake] begins / "
        "The [luckiest|happiest|loveliest] two with the [happiest|silliest] grins",
    ),
    titles=(
        "The bells of {name}",
        "First dance at {name}",
        "Petals at {name}",
    ),
)
