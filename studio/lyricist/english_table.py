"""English lines of the trades that set a table."""

from studio.lyricist.stock import Trade

GROUP_TABLE = Trade(
    verses=(
        "[Pull up|Bring up|Borrow] a chair, there's [room|space] for one / "
        "[Supper's|Dinner's] a story that's [only|always] just begun",
        "[Aprons|Ladles|Platters] are [dancing|flying|swaying], the pots all sing / "
        "[Someone|Somebody] [comes|skips] with a [steaming|heaping] thing",
        "[Hungry|Tired] and [cold|late] when I came to the door / "
        "[Now|Look], I am [full|warm] and I [still|just] want more",
        "[Grandma|Uncle|Papa] [tastes|stirs] it and gives it a nod / "
        "[Pass me|Hand me] the [rice|bread], and the [beans|greens] in the pod",
    ),
    choruses=(
        "[Eat|Dig] in, [eat|dig] in, while the [supper|dinner] is hot / "
        "[Scrape|Tip] up the last [little|lovely] bit in the pot",
        "[Pass|Send] it to the [left|right], [pass|send] it all the way round / "
        "[Nothing|No song] is as [sweet|good] as that supper sound",
    ),
    hooks=(
        "{name}, [save|keep|find] me a [seat|chair|place] by the door / "
        "I'll [clean up|finish|polish] the [plate|bowl|pot] and I'll ask for more",
        "{name}, my [stomach|spoon|tummy] is [singing|humming|drumming] your tune / "
        "I [started|began] to [smile|hum|sing] when I picked up the spoon",
        "[Follow|Chase|Catch] the [good|warm|sweet] smell to {name} / "
        "A [seat|place|chair] at the [table|window|corner], away from the rain",
        "{name}, it's [supper|dinner|lunchtime] [again|at last|for sure], you bet / "
        "The [best|feast|fun] of the [day|week|night] isn't over yet",
        "{name}, [bring out|fill up|pass round] the [plates|bowls|pots] and eat / "
        "[Good|Warm|Full] from the [top|crown|back] of my head to my feet",
        "{name}, [hungry|happy|humming] I [run|come|walk] through the town / "
        "One [little|happy|tiny] [bite|taste|sip] and I have to sit down",
        "[Come|Run|Walk] with an [empty|open|eager] [plate|heart|spoon] to {name} / "
        "We [fill|heap|pile] it [once|up] and we fill it again",
        "{name}, [warm|bright|good] is the [kitchen|table|window] tonight / "
        "[Steam|Rain|Light] on the [glass|street|cups] and a friend in sight",
        "{name}, who's [hungry|ready|starving]? [I am|We are|Grandpa], me too / "
        "There's [always|surely] a [spoon|chair|song] and a plate for you",
        "[Spoons|Forks|Bowls] in the air for the [cook|chef] of {name} / "
        "[Lick|Clean|Wipe] up the [plate|pan|sauce] and then fill it again",
        "{name}, [pile|heap|stack] it [up high|up warm|right up] on my plate / "
        "I [couldn't|wouldn't] be [early|patient|quiet], so don't let me wait",
        "{name}, [the kettle|the kitchen|the oven] is [calling|singing|humming] my name / "
        "One [taste|spoon|smell] and [nothing|no dish] at home is the same",
        "{name}, [one|just one] more [bite|spoon|plate] and I'm [here|set|good] to stay / "
        "[This|Here] is the [very|truly] best [part|hour|bite] of the day",
        "[Meet|Find|Join] me for [supper|dinner|seconds] at {name} / "
        "A [table|corner|supper] for [two|three|us] by the window pane",
        "{name}, [taste|smell|hear] the [pots|pans|plates] as they [sing|swing|ring] / "
        "A [bowl|plate|pot] and a spoon and I [dine|feel|grin] like a king",
        "{name}, [steam|smoke|song] in the [kitchen|window|alley] today / "
        "[Somebody's|Someone is] [cooking|stirring|chopping] my worries away",
        "{name}, what's [cooking|simmering|sizzling] [there|now|tonight] for me / "
        "I [hope|know|wish] it is [plenty|enough|steaming], we come as three",
        "[Shoes|Hats] off, [sleeves|smiles] up, and [sit down|dig in] at {name} / "
        "The first [spoon|bite|bowl] is [magic|heaven|sunshine], the last one the same",
        "{name}, you [feed|fill|warm] me [right up|so well|like home] every time / "
        "[Salt|Love|Broth] and a [pinch|dash|spoon] of your favorite rhyme",
        "{name}, [set|lay] the [table|plates|bowls] for [us|me|all] tonight / "
        "[Everyone's|Somebody's|All are] [hungry|laughing|humming] and everything's right",
    ),
    titles=(
        "A seat at {name}",
        "One more spoon at {name}",
        "Supper at {name}",
    ),
)
RESTAURANT = Trade(
    verses=(
        "[Forks|Spoons|Pans] are singing, [plates|bowls|pots] are going round / "
        "Now [that|this] is what I call a [happy|hungry] sound",
        "[Something|Supper] is sizzling [here|now] on the stove tonight / "
        "The [table|window] is set and the [mood|smell] is right",
        "[Diets|Workouts|Worries] begin on [some|an] other day / "
        "[Tonight|Right now] we'll [eat|laugh] the hours away",
        "[Basil|Parsley|Thyme] in a [pot|jar] on the kitchen shelf / "
        "[Mama|Grandpa] would have [made it|stirred it] just so herself",
        "[Menu|Napkin] in hand and I [cannot|never] decide / "
        "[Half|Some] of it all, with the [rice|bread] on the side",
        "[Candles|Windows] are [glowing|winking], the [glasses|spoons] all shine / "
        "[Yours|That] looks so good that I [ask for|nibble] mine",
    ),
    choruses=(
        "[Pass me|Hand me|Toss me] the bread and [pass me|tell me] the news / "
        "There's [nothing|no plate] on the [menu|table] you [could|would] lose",
        "[Save|Keep] some room for [one|two] more [little|tiny] bite / "
        "[Nobody is|No one is|None of us] [going|walking] home hungry tonight",
        "[Seconds|Thirds] for the [hungry|happy] ones, [seconds|thirds] for me / "
        "[Supper|Dinner] is [better|sweeter] in company",
        "[Hats|Sleeves] off to the [cook|chef] and the [cook's|chef's] big spoon / "
        "We'll be [back|here] by the rise of the [next|same] old moon",
    ),
    hooks=(
        "{name}, a [table|corner|window] for [two|four|us] at eight / "
        "I'm [early|humming|smiling] and [hungry|ready|eager], I cannot wait",
        "[Table|Window] for [two|three|four] [tonight|at sunset] at {name} / "
        "[Bring|Call|Tell] the whole [family|office|village] next time again",
        "{name}, are you [hungry|ready|open]? [I am|We are|Who's not], you bet / "
        "We [haven't|never] had [anything|supper just|dinner quite] like it yet",
        "{name}, the [chef|cook] has a [song|smile|twinkle] [to share|for us] tonight / "
        "A [plate|song|sauce] and a [candle|story|ladle] will make it right",
        "[Second|Heaping|Generous] [helpings|platters] [all around|tonight|for us all] at {name} / "
        "A [seat|place|chair] at the [table|window|corner] and out of the rain",
        "{name}, [from soup|from bread|from salt] to [the nuts|dessert|the sweets] I'll stay / "
        "The [best|star|song] of the [menu|kitchen|evening] is every day",
    ),
    titles=(
        "A table at {name}",
        "Seconds at {name}",
        "Supper for two at {name}",
    ),
)
SOUP = Trade(
    verses=(
        "[Blow|Puff|Wait] on the spoon and [slowly|softly] count to three / "
        "[Steam|Clouds] on my [glasses|lashes|window], I cannot see",
        "[Something is|All night it's] simmering [soft|low|deep] and slow / "
        "It [warms|cheers] you from your [hat|ears|nose] right down to your toe",
        "[Slurp|Sip|Scoop] it up proudly, nobody [cares|stares] / "
        "[Heaven|Comfort] is served on [plain|old] wooden chairs",
        "Down to the [last|best] little drop in the [round|big|deep] bowl / "
        "It is [good|kind] for the [stomach|belly] and [good|kind] for the soul",
        "[Bones|Herbs] in the [kettle|cauldron] since early last night / "
        "[Garlic|Scallions|Pepper] and [patience|time] to make it right",
        "[Frost|Rain|Wind] on my [collar|coat sleeves], the [steam|smell] in the door / "
        "[One|A] little ladle and [one|a] ladle more",
    ),
    choruses=(
        "[Ladle|Scoop|Dip] it out, ladle it [good and|nice and] hot / "
        "[Sing|Hum] to the [bubbling|merry|mumbling] old copper pot",
        "[One|A] big [bowl|pot] and we'll [all|both] be fine / Your spoon, [my|her|his] spoon, yours and mine",
        "[Slow|Warm|Deep] is the broth and the [spoon|bowl] is wide / "
        "[Winter|Monday] can [wait|shiver] alone outside",
        "[Noodles|Dumplings] and [onions|mushrooms], round and round / "
        "[Slurping|Sipping] is [truly|always] a [happy|thankful] sound",
    ),
    hooks=(
        "{name}, a [bowl|spoon|pot] and a [chair|cloud|steam bath] for me / "
        "[Warm|Soft|Kind] as a [blanket|pillow|summer] and wide as the sea",
        "[Cold|Wet|Gray] outside? Then [come|run|slip] in to {name} / "
        "A [big|deep|full] warm [bowl|spoon|cup] on the windowpane",
        "{name}, the [broth|pot|soup] has been [singing|bubbling|humming] all night / "
        "One [spoon|bowl|sip] of the [morning|kettle|good stuff] and I'm all right",
        "{name}, [ladle|pour|scoop] me a [hug|cloud|bowl] again / "
        "A [spoon|song|seat] for the [heart|hands|soul] and a bowl for the rain",
        "[Slurp|Sip] to the [last|best] [drop|spoon|bit] [with me|today] at {name} / "
        "The [steam|smile|sun] in my [face|heart|spoon] and I'm happy again",
        "{name}, [slow|warm|deep] in the [pot|bowl|bone] and [slow|warm] in me / "
        "The [kindest|finest|best kind] of [weather|medicine|evening] is soup for three",
    ),
    titles=(
        "A bowl of {name}",
        "Slow and warm, {name}",
        "One more ladle at {name}",
    ),
)
BANCHAN = Trade(
    verses=(
        "[Twenty|Thirty|Dozens of] [dishes|little bowls] all in a [neat|bright] little row / "
        "[Greens|Beans] that my [grandma|mother] [would|used to] know",
        "[Home|Back] from the office, and [no time|too late] to cook / "
        "[Rice|Soup] on the table, come [over and|closer and] look",
        "[Sesame|Garlic|Ginger] oil and a [pinch|touch|drop] of the sea / "
        "[Tastes|Smells] like the kitchen where [I used to|they set out] tea",
        "[Roll up|Pack up|Snap shut] the lunchbox, there's [room|space] for the day / "
        "[Egg|Rice] with a smile and it's [up and|off and] away",
        "[Radish|Spinach|Cabbage] and [pepper|mushroom|carrot], a [spoon|taste] to try / "
        "I [meant|planned] to get one, then I [danced|walked] on by",
        "[Early in the morning|Every new morning] they [season|stir] and taste / "
        "[Made|Cooked] with the hands, and there's [nothing|no crumb] to waste",
    ),
    choruses=(
        "[Three|Four] for the [fridge|table] and [one|two] for now / "
        "[Tastes|Just] like at [home|Grandma's], you [wonder|ask them] how",
        "[A little|A spoonful] of [this|these] and a [little|spoonful] of that / "
        "[Mother's|Grandma's] old secret comes out of the hat",
        "[Rice|Steam] in the [cooker|kitchen], the [side|small] dishes, the spoon / "
        "[Supper|Dinner] is ready by the [first|early] moon",
        "[Open|Lift] up the lid of the [lunchbox|tin box] and grin / "
        "[Somebody|Someone] [tucked|packed] a good [morning|wish] in",
    ),
    hooks=(
        "{name}, [fill|pack|load] up my [lunchbox|basket|table] today / "
        "A [bit|touch|taste] of my [mom|home|Gran] in the work of the day",
        "{name}, [a spoon|a scoop|a bowl] of the [greens|beans|roots] I love / "
        "[Rice|Steam|Warmth] [underneath|in the bowl] and the egg above",
        "[Home|Mom's] [cooking|kitchen|goodness] [tonight|again|once more] from {name} / "
        "Just [add|cook|steam] the [rice|rice now] and I'm [home|young] again",
        "{name}, the [side|small|best] [dishes|bowls] are [set|here|made] for you / "
        "[Supper|Dinner|Comfort] is [ready|easy|waiting], for one or for two",
        "{name}, [morning|early|always] [fresh|made|new] and [bright|good|best] by noon / "
        "All that I [need|want] is the [rice|steam|soup] and a spoon",
        "[Pick|Choose|Point] out your [three|five|own] little [favorites|dishes] at {name} / "
        "They [taste|smell|sing] of the [table|kitchen|garden] we grew on again",
    ),
    titles=(
        "Mom's table, {name}",
        "Side by side at {name}",
        "The lunchbox from {name}",
    ),
)
