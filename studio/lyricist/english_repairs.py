"""English lines of the trades that mend, furnish and find a home."""

from studio.lyricist.stock import Trade

PLUMBING = Trade(
    verses=(
        "Drip, [drip|drop], drip, says the [tap|pipe] in the night / "
        "[Somebody|Someone] is [coming|kneeling] to set it right",
        "Under the sink with a [torch|lamp] and a tune / "
        "The [leak|drain] has been [singing|humming] since early last June",
        "[Down|Through] in the cellar, the [pipes|walls] have a cough / "
        "He [taps at|tends to] them gently and [turns|shuts] it off",
        "[Warm|Hot] is the shower and [clear|dry] is the floor / "
        "The [kitchen|hallway] is not a [lagoon|canal] anymore",
        "[Call|Ring] in the evening, the [van|lamp] is on the street / "
        "[Wrench|Cap] in the pocket and [boots|care] on the feet",
        "[Gurgle|Bubble], the bathtub, and [gurgle|hiccup], the drain / "
        "[One|Two] little turns and it's [swallowing|drinking] again",
    ),
    choruses=(
        "[Turn|Twist] it and [twist|tap] it and [hear|see] how it flows / "
        "[Water|Rain] belongs only in [gardens|rivers] and hose",
        "[Drip|Drop], no more, [drip|drop], no more, [sleep|breathe] tonight / "
        "The [pipes|taps] in the kitchen are [snug|good] and tight",
        "[Leak after leak|Drop after drop], and you [hear|find] it all / "
        "[Even|Also] the quiet ones [in|behind] the wall",
        "[Clear runs the water and clean|Clean runs the water and clear] runs the day / "
        "[Trouble|Dripping] goes down with the drain away",
    ),
    hooks=(
        "{name}, [drip|drop], says the [tap|roof|pipe], and you [hear|come|know] right away / "
        "The [floor|rug|cat] is all [dry|warm|bright] in the light of the day",
        "[Hot|Clear|Warm] runs the [water|shower|kitchen] [again|tonight], {name} / "
        "The [only|one little] thing [falling|dripping|singing] outside is the rain",
        "{name}, you [listen|kneel down|whistle] and [find|catch|mend] the drop / "
        "You [turn|tap|touch] it just [once|so] and you tell it to stop",
        "{name}, the [pipes|drains|taps] are all [singing|humming|flowing] in tune / "
        "I [shower|whistle|warble] and [splash there|sing there|soak there] from now until June",
        "[Ring|Call|Knock], and the van's at the [bend|curb|gate], it's {name} / "
        "My [ceiling|kitchen|hallway] is [finished|all done] with playing the rain",
        "{name}, [tap by tap|bath by bath|sink by sink] it [runs|flows|shines] clear and bright / "
        "The [house|sink|pipe] has gone [quiet|silent|sleepy], I sleep tonight",
    ),
    titles=(
        "No more drip, {name}",
        "Clear water, {name}",
        "The quiet tap of {name}",
    ),
)
REPAIR = Trade(
    verses=(
        "[Clock|Lamp] on the table that [stopped|blinked] in the spring / "
        "[Screwdriver|Tweezers], a [sigh|hum], and then [tick|ting], hear it sing",
        "[Locked|Shut] in the rain with my [key|cat] in the hall / "
        "[Click|Turn] goes the lock and it [opens|smiles] to us all",
        "[Screen|Glass] like a spider web, [dropped|slipped] on the stair / "
        "[Half|Just] of an hour and it's [smooth|clear] as the air",
        "[Hinges|Handles] that grumble and [drawers|chairs] that lean / "
        "[Oil|Glue] on the [corner|woodwork] and all is serene",
        "Don't throw it [out yet|away], let us [look|peek] once more / "
        "[Wire|Thread] and some patience is [what it waits|all it asks] for",
        "[Toaster|Mixer] and [teapot|heater], the [fan|bike] on the shelf / "
        "[Fixed|Named], every one, like the [king|pride] of itself",
    ),
    choruses=(
        "[Click|Tick], goes the [key|lamp], and [tick|click], goes the clock / "
        "[Bright|Brisk] as the day it first came to the block",
        "[Mend|Turn] it and [tap|wind] it and [blow|wipe] off the dust / "
        "[Good|Old] things are [friends|helpers] and we [do not|never] rust",
        "[Screw after screw|Spring after spring], and a [click|spark] and a hum / "
        "[Broken|Silent] so long, now it [sings|drums] like a drum",
        "[Keep|Save] it, [keep|save] it, it's [not|never] too late / "
        "[Something|Somebody] you love is [worth|quite worth] the wait",
    ),
    hooks=(
        "{name}, my [clock|lamp|phone] is all [ticking|glowing|singing] once more / "
        "The [key|sun|smile] in the [lock|hall|glass] and the open door",
        "[Click|Tick|Ring], and it's [singing|turning|running] [once more|again], {name} / "
        "I [thought|said|feared] it was [gone|done|lost] and it works like a train",
        "{name}, [screw by screw|spring by spring|wire by wire] you [coax|bring|turn] it right / "
        "The [radio|kettle now|clock again] [hums|sings|ticks] to the lamp tonight",
        "{name}, the [key|hinge|latch] and the [lock|door|gate] are in tune / "
        "It [opens|closes|answers] as [smooth|soft|slow] as the rise of the moon",
        "[Mend|Oil|Turn] it and [wind|tap|test] it [just so|with care], {name} / "
        "The [old|small|dear] things are [humming|ticking|turning] and happy again",
        "{name}, don't throw it [away|out now], let me [bring|show|take] it to you / "
        "You [blow|brush|wipe] off the [dust|rust|years] and it's good as new",
    ),
    titles=(
        "Good as new, {name}",
        "Click, {name}",
        "One more life at {name}",
    ),
)
INTERIOR = Trade(
    verses=(
        "[Paint|Dust] on the ladder and [sun|tape] on the wall / "
        "[Peach for the bedroom and sage|Sage for the bedroom and peach] for the hall",
        "[Roll after roll|Brush after brush] and the [gray|old] goes away / "
        "The [room|house] is as wide as a [Saturday|holiday]",
        "[Knock|Tap] on the wall and you [see|dream] it removed / "
        "The [light|table] has been waiting to [come in|be] improved",
        "A [shelf|lamp] in the corner, a [bench|plant] by the pane / "
        "A [place|nook] for the coffee, the [book|cat] and the rain",
        "[Measure|Pencil] and [pencil|paper], the [plan|chair] and the sun / "
        "[Nothing|No corner] forgotten till [everything's|the last line is] done",
        "[Curtains|Tiles] like a meadow, a [blue|soft] little bird / "
        "The [floor|oak] is so [quiet|gentle], it [won't say|says not] a word",
    ),
    choruses=(
        "[Paint|Roll] it and [turn|hang] it and [open|light] it wide / "
        "[Somebody|Someone] let [all|more] of the morning inside",
        "[New|Wide] is the [wall|room] and the [sun|light] lies down / "
        "The [loveliest|friendliest] corner in [all the|the whole] town",
        "[Wood|Light] for the [table|evening] and [light|wood] for the floor / "
        "[Home|Welcome], it [says|sings], when you [open|come in] the door",
        "[Line after line|Board after board] and the [old|gray] turns new / "
        "The [house|room] has a [face|smile], and it [looks|feels] like you",
    ),
    hooks=(
        "{name}, [paint|roll|dream] me a [wall|room|hall] in the [sage|peach|blue] of the day / "
        "The [house|room|light] is so [wide|fresh|bright], as if gray went away",
        "[Light|Wood|Blue] on the [walls|stairs|floor] [tonight|again], by {name} / "
        "I [sit|dream|sip tea] in the [corner|window|armchair] and look at the rain",
        "{name}, a [shelf|bench|nook] and a [lamp|plant|chair] in the light for me / "
        "My [home|room|wall] has the [face|light|smile] that it wanted to be",
        "{name}, you [draw|sketch|plan] me a [window|corner|kitchen] to dream / "
        "The [oak|sun|shelf] and the [morning|armchair|garden], the coffee and cream",
        "[Measure|Draw|Paint] with the [sun|light] in your [eyes|hand|plan], {name} / "
        "The [room|hall|wall] is a [meadow|garden|morning], a bird on the pane",
        "{name}, [old|gray] little [room|hall|flat] that I [hardly|scarcely] knew / "
        "You [opened|parted|measured] the [curtain|window|ceiling] and painted it new",
    ),
    titles=(
        "The blue room of {name}",
        "A new corner by {name}",
        "Light on the wall, {name}",
    ),
)
REALTY = Trade(
    verses=(
        "[Morning|Evening] light falling on [wide|old] wooden floors / "
        "[Somebody's|Someone's] tomorrow [behind|is through] these doors",
        "[Windows|Balcony] facing the [park|south] and the trees / "
        "[Take|Have] all the time for the [look|walk] and the keys",
        "[School|Market] is near and the [park|bus] is around / "
        "A [street|room] with the [quietest|gentlest] evening sound",
        "We [read|go] every line of the [contract|small print] with you / "
        "[Plain|Clear] is the [price|word], and the [paper|promise] is true",
        "A [garden|bedroom] for morning, a [desk|bench] by the wall / "
        "[Room|Space] for the small ones to [grow|be] tall",
        "[Listen|Stand still]: there's the [bell|sparrow], the [rain|wind] on the roof / "
        "[All|What] that we say here is [shown|based] upon proof",
    ),
    choruses=(
        "[Key|Hand] in your [hand|own] and the [light|day] in the hall / "
        "[Welcome, says the window, and come home|Come home, says the window, and welcome], says the wall",
        "[Step inside, look|Look inside, step] around, [take|have] your time / "
        "A [home|door] is a [promise|poem] and [ends|comes] with a rhyme",
        "[Quiet|Calm] is the [street|lane] and [clear|kind] is the way / "
        "[Someone|A friend] who will walk with you all the day",
        "[Room after room|Door after door] and the [light|sun] comes through / "
        "[One of them|Somebody] is [waiting|ready] for you",
    ),
    hooks=(
        "{name}, a [key|door|street] and a [light|tree|room] and a [home|place] for you / "
        "The [morning|evening|summer] will [come|shine|sing] through the window too",
        "[Home|Light|Room] for the [years|songs|ones] that you [love|hope for], {name} / "
        "A [chair|bed|desk] by the [window|garden|maple], the sound of the rain",
        "{name}, [door after door|street after street] until [this|one] [is|feels] right / "
        "A [garden|maple|kitchen], a [window|neighbor|courtyard], a lamp in the night",
        "{name}, [calmly|slowly|gently] we [look|walk|read] it [all through|through again] today / "
        "We [say|show|write] what is [so|there|true] in the plainest way",
        "[Here|This] is the [key|door] to the [light|years|mornings] ahead, {name} / "
        "A [tree|porch|room] for the [summer|springtime|old chair], a roof for the rain",
        "{name}, the [sun|light|wind] in the [window|hallway] is [calling|singing] me near / "
        "[Somebody|Someone there] [says|feels|smiles], it is lovely in here",
        "{name} [finds|knows|shows] the [street|house|lane] where the evenings are mild / "
        "A [room|desk|nook] for a [dream|friend|book] and a room for a child",
        "{name}, [morning|evening|winter] light on the [floor|stairs|wall] of a room / "
        "[Lilacs|Roses|Apples] outside and the [garden|street] in bloom",
        "[Come|Walk|Step] in and [breathe|listen|look round], [take time|no hurry|stand still], {name} / "
        "A [maple|lantern|neighbor] outside and the [hush|sound|song] of the rain",
        "{name}, a [street|porch|hall] with a [lamp|tree|bench] and a [key|door|view] to hold / "
        "[Somewhere|Someplace] to be [young|glad|home] and to [grow|be] old",
        "{name}, [plain|clear|honest] [words|steps|lines] to the [day|hour|door] of the key / "
        "The [plan|map|light] and the [price|view|street] for all to see",
        "[Look|Walk|Think] with us [slowly|calmly|gently] at {name} / "
        "A [home|key] is a [promise|new start], we [make|keep] it plain",
    ),
    titles=(
        "The key from {name}",
        "Home at last with {name}",
        "A door in {region}, {name}",
    ),
)
