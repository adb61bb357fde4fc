"""English lines of the trades that sell things of every day."""

from studio.lyricist.stock import Trade

GROUP_SHOP = Trade(
    verses=(
        "[Bell|Sun|Breeze] on the door and a [nod|wave|grin] from the till / "
        "[Shelves|Crates|Rows] full of treasure, I'm looking still",
        "I [only|just] came in for a [minute|moment] or so / "
        "[Look|Ask] at my arms now, they [cannot|will not] let go",
        "[Saturday|Sunday|Payday] morning with [time|coins] to spend / "
        "[Half|Most] of the fun is to [chat|stroll] with a friend",
        "[Wrapped in brown paper and tied|Tied in brown paper and wrapped] with a string / "
        "A [swing|spring] in my step and the whole bag can sing",
    ),
    choruses=(
        "[Look|Gaze], [look|gaze], there's [plenty|enough] to see / "
        "[Smiles|Tips] at the [counter|till] are entirely free",
        "[Bags|Arms] full of [morning|sunshine] and [nothing|no need] to prove / "
        "A [smile|song|tune] on the [counter|doorbell], a shop in the groove",
    ),
    hooks=(
        "{name}, I [look|hum|dream] and I [find|choose|spin] and I smile / "
        "I'm [only|really] just [looking|browsing|dreaming], but for quite a while",
        "{name}, the [bell|door|sign] says [hello|come in|good day] to me / "
        "The [choosing|bagging|weighing] is [work|fun], but the chatting is free",
        "[Look|Guess] what I [found|picked|got] [today|again|this time] at {name} / "
        "I'll [show|tell] all the [neighbors|cousins|office] and show them again",
        "{name}, I [came|went|popped] in for [one|string|salt] and I left with ten / "
        "I'll [think of|find me|dream up] a [reason|story|birthday] to visit again",
        "{name}, [shelf after shelf|row after row] of the [good|right|bright] things / "
        "I'm [filling|swinging|hugging] a [bag|box|sack] and the whole bag sings",
        "[Off|Out|Down] to the [corner|sunny side|high street] and {name} / "
        "[Bags|Smiles|Songs] in the [sun|wind|snow] and bags in the rain",
        "{name}, [what's|who's] that in the [window|sunlight|front row], is it you / "
        "The very thing [calling|winking|waving] from the [shop-front|corner] view",
        "{name}, [tell me|show me|guess] what is [new|fresh|good] this week / "
        "I [promised|intended|decided] to [look|sniff|stop] and to take [just|but] a peek",
        "{name}, you [know|find|keep] just the [thing|one|kind] that I need / "
        "A [nod|wink|joke] and a [smile|bag|thanks] and we're quickly agreed",
        "[Swing|Bring|Fill] the [big|old|good] [bag|basket] [with me|today] at {name} / "
        "It's [empty|lighter|folded] on [Monday|Tuesday], then it's heavy again",
        "{name}, I [wave|smile|nod] and you [wave|smile|nod], good day / "
        "I'll only go [home|back] in a [roundabout|window-side] way",
        "{name}, the [best|nice|warm] part is the [chat|talk|laugh] at the till / "
        "The bag is all [full|packed|tied] and we're [chatting|laughing] there still",
        "{name}, [light|warm|bright] is the [window|shop front|corner] tonight / "
        "I [run|skip|jog] the last [bit|block|steps] and you've left on the light",
        "[Pop|Step|Drop] in and [say|shout|sing] [good day|hello] to {name} / "
        "We've [kept|saved|picked] you the [good|big|best] one, we know you by name",
        "{name}, [big|small|round] ones and [bright|sweet|good] ones, [stacked|piled] up high / "
        "I [reach|jump|climb] for the [one|box|thing] right up in the sky",
        "{name}, [pick|choose|weigh] it and [wrap|pack|bag] it with [care|love] for two / "
        "A [bow|knot|star] on the [top|bag|front] and a wave for you",
        "{name}, [round|down|up] the [bend|street|steps] and I'm [there|home] again / "
        "You [tell|sing|hum] me the [news|score|tune] and you lend me a pen",
        "[Try|See|Choose] and then [try|see|choose] it [again|once more] at {name} / "
        "The [right|blue|best] one is [waiting|hoping|hiding] for someone to claim",
        "{name}, my [list|note] had [just|only] one [word|thing|line] on it / "
        "I must have [forgotten|mislaid all] the [rest|list|facts], bit by bit",
        "{name}, [good|fair|nice] [things|prices|people] and a [good|fair|real] hello / "
        "The bag is too [heavy|happy|lovely], so we [take|walk] it slow",
        "{name}, a [smile|song|bell] at the [till|front|big] old door / "
        "I came for a [button|light bulb|ribbon] and I'm [back|here] for more",
    ),
    titles=(
        "Look what I found at {name}",
        "A bag from {name}",
        "Hello at the till of {name}",
    ),
)
MARKET = Trade(
    verses=(
        "[Basket|Pocket|Trolley] is swinging along my arm / [Every|Any] little [shelf|stall] has got its charm",
        "Came for [one|two] things, but I'm leaving with ten / [Probably|Surely] tomorrow I'll [do|try] it again",
        "[Rows|Piles] of good things [all|each] saying hello / "
        "Take your [own|sweet] time, there's [no place|nowhere] to go",
        "Just [looking|browsing], just looking, [that's|it's] what I said / "
        "My [arms|bags] are full and my [face|nose] is red",
        "[Brooms|Spoons] by the [dozen|bundle] and [buttons|ribbons] by weight / "
        "[Something|A teapot] from [Grandma's|the old] days is up on a crate",
        "The [radio|grocer] is [singing|humming] an [old|easy] refrain / "
        "[Umbrellas|Galoshes] for [sunshine|show] and a [bucket|barrel] for rain",
    ),
    choruses=(
        "[Pick it|Turn it|Lift it], [pick it|turn it], which one's best / "
        "Take a [little|lot of] time, put it to the test",
        "[Something|A bit] for you and [something|a bit] for me / "
        "The [chatting|browsing], of course, is [all|always] free",
        "[Up|Down] the [long|bright] aisle and [down|up] the next row / "
        "[Pockets|Baskets] of [treasure|wonders], and [where|when] did it go",
        "[Ring|Sing] goes the [till|drawer] and [swing|sing] goes the door / "
        "I [said|swore] it was all, but there's [room|space] for more",
    ),
    hooks=(
        "{name}, the [shelves|stalls|rows] are a [treasure|wonder|story] to see / "
        "The [basket|counter|corner] is [full|bright|rich] with good things for tea",
        "[Off|Out|Down] with my [basket|list|trolley] to {name} / "
        "[Bags|Songs|Shoes] in the [sun|wind|mud] and bags in the rain",
        "{name}, [buttons|saucepans|ribbons] and [string|soap|brooms], [all|yes] there / "
        "The [whole|half|best] of the [world|town|moon] on a shelf to share",
        "{name}, a [bit|bag|dash] of it all, [shelf by shelf|bin by bin|bit by bit], row by row / "
        "I [ask|wave|hum] and you [hand|bring|find] me the thing I don't know",
        "[Ten|Three|Five] [good|odd] things [in the bag|on my list] from {name} / "
        "I'll [show|bring|take] them next door and then [show|bring|count] them again",
        "{name}, [good|fair] day, [how much|how many|which one], how sweet / "
        "The [friendliest|jolliest|kindliest] [counter|corner] along the street",
    ),
    titles=(
        "A basket of {name}",
        "Up and down at {name}",
        "Saturday at {name}",
    ),
)
BUTCHER = Trade(
    verses=(
        "[Sharp|Bright] is the [knife|light] and [neat|clean] is the cut / "
        "[Weighed|Wrapped] up in paper and [tied|folded] well shut",
        "[Tell|Ask] me what's cooking [tonight|on Sunday] for all / "
        "A [rib|bone] for the [soup pot|stock pot], a big one or small",
        "[Sunday|Holiday] roast or a [quick|small] weekday stew / "
        "[He|She] cuts it and trims it the [right|best] way for you",
        "[Thin|Thick] for the [griddle|broth pot], [thick|thin] for the flame / "
        "He [knows|calls] every [grill|cook] in the street by name",
        "[Marbled|Rosy] and [fresh|fine] on the [bright|cool] white tray / "
        "[Ask|Tell] him the best way to cook it today",
        "[Apron|White sleeves] and [string|scales] and a [tune|joke] on his lips / "
        "[Half|Most] of the [fun|trade] is the [cooking|roasting] tips",
    ),
    choruses=(
        "[Sizzle|Supper] tonight, and it [starts|begins] right here / "
        "The [best|good] cut is [something|a thing] to cheer",
        "[Cut|Trim] it and [wrap|weigh] it and [off|home] you go / "
        "[Hot|Quick] in the pan or [all day|simmer] slow",
        "[One|Two] for the [soup|stew] and [two|one] for the grill / "
        "[Good|Fresh] in the morning and [good|fresh] at the till",
        "[Salt|Smoke] and some [pepper|thyme], let the [good|best] cut sing / "
        "[Supper|Sunday] is such a [simple|lovely] thing",
    ),
    hooks=(
        "{name}, [cut|slice|trim] me the [best|good|fine] one, not thin / "
        "The [pan|grill|pot] is all [hot|hissing] and the guests are all in",
        "[Fresh|Straight|Good] from the [block|scale|counter] [today|again] at {name} / "
        "A [roast|chop|stew] for the [Sunday|weekend|birthday], come sunshine or rain",
        "{name}, a [rib|roast|steak] for the [grill|guests|night], [if you|would you] please / "
        "It [sings|spits|browns] in the [pan|smoke|fire] like a summer breeze",
        "{name}, the [scales|knives|hooks] [shine|gleam] bright in a line / "
        "You [tell|show|draw] me the [way|trick|flame] and the supper is mine",
        "[Ask us|Learn] what to [cook|roast|grill] [tonight|this week] at {name} / "
        "The [best|heart|pride] of the [cut|day|shop] and a tip for the flame",
        "{name}, [thick|thin] for the [flame|roast|broth], [weighed|wrapped] just right / "
        "Our [kitchen|garden|hallway] will smell like a feast tonight",
    ),
    titles=(
        "The best cut of {name}",
        "Sunday roast from {name}",
        "Fresh today at {name}",
    ),
)
FRUIT = Trade(
    verses=(
        "[Peaches|Cherries|Melons] in [boxes|rows], all [blushing|smiling] with sun / "
        "[Smell|Tap] them and [choose|weigh] them, and [eat|bite] only one",
        "[Knock|Tap] on a melon, it rings like a [school|small] bell / "
        "[Sweet|Ripe] is the [juice|sound], as you surely can tell",
        "[Apples|Oranges|Lemons] stacked [high|up] in a pyramid tall / "
        "I [pick|want] the one [bottom|middle] one out of them all",
        "[Summer|Autumn] in [crates|paper] straight [off|down] from the hill / "
        "[Juice|Sun] on my [chin|wrist] and I'm [hungry|thirsty] still",
        "[Grapes|Plums] by the handful and [berries|apples] by weight / "
        "[He|She] puts in [one|two] more when I [come|turn up] late",
        "[Morning|Early] he's [stacking|shining] the [plums|pears] till they shine / "
        "The [ripe|round] one on [top|the left] of the pile is mine",
    ),
    choruses=(
        "[Sweet|Ripe] on the inside and [bright|round] on the skin / "
        "[Bite|Slice] it and [let|feel] all the [sunshine|summer] come in",
        "[Peel|Slice] it, [peel|slice] it, pass it around / "
        "[Crunch|Juice] is a [cool|happy] and [lovely|thirsty] sound",
        "[Red|Gold] ones and [green|pink] ones, a bag for the day / "
        "[Oranges|Tangerines] roll down the hill [all|half] the way",
        "[Pick|Choose] me a [sweet|round] one, [pick|choose] me a pair / "
        "[Apples|Peaches] and [plums|grapes] and a [nice|ripe] golden pear",
    ),
    hooks=(
        "{name}, a [bag|box|crate] full of [sun|June|shine] in my hand / "
        "[Sweet|Ripe|Bright] as the [songs|hats|smiles] of an orchard band",
        "[Ripe|Sweet|Fresh] from the [tree|vine|hill] [this morning|today] at {name} / "
        "[Red|Warm|Gold] in the [sunshine|morning|basket] and washed in the rain",
        "{name}, the [peaches|apples|cherries] are [blushing|singing|smiling] at me / "
        "I [came|stopped|asked] here for [one|pears|two] and I leave with three",
        "{name}, [knock|tap] on a [melon|pumpkin|big one] and listen now / "
        "It [tells|shows] you it's [ready|honey|summer], and you know how",
        "[Juice|Sun] on my [chin|sleeve|nose] [again|all day] and it's {name} / "
        "A [smile|kiss|song] and a [peach|plum|pear] are exactly the same",
        "{name}, [orange|apple|berry] and [plum|pear|lime], [sweet|ripe] and bright / "
        "A [bowl|heap|bag] on the [table|doorstep|counter] and summer tonight",
    ),
    titles=(
        "Ripe today at {name}",
        "A bag of sun from {name}",
        "Sweet as {name}",
    ),
)
CONVENIENCE = Trade(
    verses=(
        "[Two|Three] in the morning, the [light|sign] is still on / "
        "[Milk|Noodles] and a [good|kind] word before it is dawn",
        "[Umbrella|Batteries], a [sandwich|band-aid], a [pen|stamp] and a snack / "
        "I [went|ran] out for [eggs|stamps] and I [came|hummed] all the way back",
        "Hot [water|cups] and [noodles|paper], the [stool|bench] by the glass / "
        "We [slurp|sit] and we [watch|let] all the night buses pass",
        "[Forgot|Need] the milk and the [bread|salt] and some string / "
        "It's [all|right] round the corner, that [wonderful|marvelous] thing",
        "The [fridge|cooler] is [humming|buzzing] a [cool|low] little tune / "
        "[Ice cream|Peaches] and [soda|bubbles] from [April|morning] till June",
        "[Kids|Friends] after school with [their|the] coins in a line / "
        "[One|Two] is for [you|sharing], the [other|next] one is mine",
    ),
    choruses=(
        "[Near|Bright] as a [neighbor|lamppost], [bright|near] as a star / "
        "[Just|Always] round the corner, and never too far",
        "[Early|Sunny] or [late|rainy], the [light|sign] is on / "
        "[Somebody's|Someone is] awake till the [night|rain] is gone",
        "[Slippers|Pajamas] and [coat|hat] on, I [run|slide] down the hall / "
        "You've [got|kept] what I need, and you've [got|kept] it all",
        "[Beep|Ping] goes the scanner and [beep|ping] goes my heart / "
        "[Dinner|Midnight] is ready, so when do we start",
    ),
    hooks=(
        "{name}, [late|early] in my [slippers|pajamas|old coat] I [run|stroll] to you / "
        "[Milk|Eggs|Bread] for the [morning|breakfast|neighbor] and ice cream for two",
        "[Bright|Warm] on the [corner|dark street] [tonight|all week] it's {name} / "
        "My [slippers|trousers|noodles] are [splashing|humming|hopping] along in the rain",
        "{name}, you've [got|kept] [what I need|just the thing|my snack] tonight / "
        "A [pocket|handful|hatful] of [change|hope|coins] and the corner light",
        "{name}, the [light|sign|door] is [still on|awake|open] for me / "
        "A [snack|pen|bun] and a [stamp|song|sponge] and a cup of tea",
        "[Always|Surely] just [round the|near my] [corner|bus stop|front door], {name} / "
        "The [milk|eggs|news] and the [bread|smile|soap] and the train and the rain",
        "{name}, [noodles|sandwich|rice roll] and a [stool|seat|wave] by the glass / "
        "We [sit|slurp|hum] there and [watch|let] all the night buses pass",
    ),
    titles=(
        "Round the corner, {name}",
        "The light of {name}",
        "In my slippers to {name}",
    ),
)
