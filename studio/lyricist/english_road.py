"""English lines of the trades along the road."""

from studio.lyricist.stock import Trade

GROUP_ROAD = Trade(
    verses=(
        "[Road like a ribbon and sun|Sun like a ribbon and road] on the hood / "
        "[Songs|Snacks] on the back seat and [all|life] is good",
        "[Miles in the mirror and clouds|Clouds in the mirror and miles] up ahead / "
        "[Left|Right] at the lighthouse, the [old|last] map said",
    ),
    choruses=(
        "[Roll|Drive], [roll|drive], [let|make] the good wheels sing / "
        "[Windows|Hearts] down to hear every [little|summer] thing",
        "[Near|Far] as the [hills|stars] and [far|near] as the sea / [All|Half] of the map is for you and me",
    ),
    hooks=(
        "{name}, the [road|day|map] is as [wide|long|bright] as can be / "
        "A [song|map|friend] and a [sandwich|melon|whistle], a view of the sea",
        "{name}, I [roll|hum|turn] down the [hill|lane|road] to you / "
        "A [wave|turn|song] of the [wheel|hand|road] and the sky is blue",
        "[Roll|Drive|Turn] with the [sun|wind|songs] [today|again] to {name} / "
        "[Wipers|Headlights|Raindrops] are [dancing|swinging|blinking] along in the rain",
        "{name}, [keys|maps] in my [hand|pocket|hat] and the [wind|sun|sea] in my hair / "
        "It's [over|under|across] the [bridge|hill|pass] and we're almost there",
        "{name}, [left|right] at the [bend|mill|bridge] and I'm [there|home] so soon / "
        "My [shadow|dog here|best friend] rides [with|by|past] me all afternoon",
        "{name}, [mile after mile|hill after hill] and I [know|see|want] your door / "
        "I've [come|rolled|sung] such a [long|bright] way, just one hill more",
        "[Sun|Wind|Songs] on the [road|windshield|dashboard] [ahead|all day] to {name} / "
        "The [sky|sun|town] in the [mirror|valley|distance], the hills in the rain",
        "{name}, [clean|bright|wide] is the [road|glass|sky] and the [tank|cup|heart] is full / "
        "The [hill|wind|dog] is a [whistle|singer], the sea is a pull",
        "{name}, a [stop|rest|smile] on the [long|big|blue] [road|ride|trip] for me / "
        "A [wave|smile|flash] of your [hand|light] and I'm [glad|light] and free",
        "{name}, [wheels|birds|clouds] going [round|home] and the [radio|engine|whole road] hums / "
        "I [turn|slow|wave] at the [corner|chestnut|windmill] and here it comes",
        "[Wave|Honk|Hum] for the [best|first|last] stop [today|we make], {name} / "
        "The [wipers|cypress|streetlights] say [yes|hush] in the silver rain",
        "{name}, [blue|far|wide] is the [hill|coast|sky] and you're [here|there] on the way / "
        "The [best|joy|heart] of the [road|day|map] is the break in the day",
        "{name}, [north or south|south or north], you're [the star|the friend|the light] of the road / "
        "You [lighten|brighten|shorten] the [miles|hills|fog] and you lighten the load",
        "{name}, the [stars|moths|lights] on the [road|coast|hill] [all|now] lead me to you / "
        "The [night|road|rain] is a [tunnel|river|ribbon], the end is blue",
        "[Wheels|Songs|Bags] at the [gate|curb] and a [big|fine|warm] hello, {name} / "
        "I [knew|spied|found] you by [headlight|moonlight|lantern] in wind and rain",
        "{name}, [one|two] more [hill|song|bend] and the [sign|light|lamp] will glow / "
        "I've [been|sung|rolled] on the [road|coast|hills] since an hour ago",
        "{name}, [park|rest|stop] in the [shade|sun|breeze] and [stretch|breathe|sing] a while / "
        "The [road|day|sky] was a [story|postcard|chorus], a mile by a mile",
        "{name}, [here|home] comes the [road|car|crowd] and the [dog|sun] on the seat / "
        "The [gravel|gearbox|back seat] is [singing|clapping|tapping] along to the beat",
        "[Dust|Sun|Rain] on the [roof|hood|doors] as we [roll|turn] in to {name} / "
        "We [leave|load|turn] it all [shining|humming] and roll out again",
        "{name}, the [road|day|wind] and the [song|sun|miles] have an end / "
        "A [light|lamp|laugh] and a [hand|meal|chair] and the sound of a friend",
    ),
    titles=(
        "The road to {name}",
        "Roll on, {name}",
        "Turn left at {name}",
    ),
)
CAR = Trade(
    verses=(
        "[Knows|Reads] by the rattle and [knows|reads] by the hum / "
        "Every little [bolt|spring] where the [trouble|tapping] is from",
        "[Grease|Oil|Dust] on the fingers and [grease|oil] on the chin / "
        "Pop up the [hood|lid] and let [daylight|sunshine] in",
        "Wheels going [round|home] like a [brand-new|whistled] song / "
        "[Miles|Hills] in the mirror, the [road|day] is long",
        "[Dust|Salt] of the highway, we'll [wipe|wash] it away / "
        "[Clouds|Birds] in the [hood|chrome] of a clear blue day",
        "[Brakes|Belts] that were squeaking are [quiet|silent] as mice / "
        "He shows me the [old|worn] one and [names|says] me the price",
        "[Tires for the winter and tires|Oil for the winter and oil] for the spring / "
        "[Listen|Hear that], the engine is [starting|learning] to sing",
    ),
    choruses=(
        "Roll the windows [right|all] down, [feel|hear] the breeze / "
        "[Toss|Throw] me the map and [toss|hand] me the keys",
        "Engine is [purring|humming|singing] and lights turn green / "
        "[Best|Brightest] little [travelers|wanderers] you've ever seen",
        "[Turn|Test] it and [tune|turn] it and [hear|let] it run / "
        "[Smooth|Quick] as a [swallow|ribbon] into the sun",
        "[Tap|Kick] on the tire and a [nod|pat] to the wheel / "
        "[Steady|Ready] for mountains is [how|just how] we feel",
    ),
    hooks=(
        "{name}, my [engine|motor|old car] is [purring|singing|humming] like new / "
        "The [mountains|valleys|forests] are [green|near|wide] and the road is blue",
        "[Back|Out] on the [road|hills] in the [sun|rain|wind] with {name} / "
        "[Wipers|Headlights|Hubcaps] are [dancing|humming|shining] along in the rain",
        "{name}, you [hear|know|fix] every [rattle|squeak|cough] like a rhyme / "
        "She [used|seemed] to be [grumpy|sleepy|rusty] and now she can climb",
        "{name}, [bolt after bolt|spring after spring|belt after belt] and [all|now] is right / "
        "She [glides|turns|sails] like a [swan|gull|song] in the green of the light",
        "[Rattle|Rumble|Roll] in and [roll|purr] out [again|like new], {name} / "
        "[Listen, my friend|Listen to that|Listen to her], now she's [purring|singing] again",
        "{name}, [tires|brakes|lights] for the [snow|hills|coast] and the [hood|oil] checked too / "
        "The [hills|woods|shores] are just [songs|yawns|miles] and a sandwich from you",
    ),
    titles=(
        "Back on the road with {name}",
        "She's purring again, {name}",
        "The keys, {name}",
    ),
)
CARWASH = Trade(
    verses=(
        "[Foam|Bubbles] on the windows like [clouds|snow] on the sea / "
        "[Somebody|My friend] in the mirror is [laughing|waving] at me",
        "[Mud|Dust] from the mountain and [salt|mud] from the shore / "
        "[Hum|Swish] go the [brushes|rollers], and [dust|mud] is no more",
        "[Rinse|Shine] off the [pollen|winter], the [birds|leaves] and the week / "
        "The [doors|wheels] have a sparkle, the [seats|mats] hardly speak",
        "[Wax on and wipe|Foam on and rinse] off like a [slow|smooth] little dance / "
        "The [moon|sun] on the hood [wants|takes] a second glance",
        "[Coins|Sponge] in my hand and the [sponge|bucket] in foam / "
        "I [sing|hum] as I scrub and I [shine|splash] all the way home",
        "[Crumbs|Coins] from the back seat, [two|old] tickets, one shoe / "
        "[Nothing|Whoosh], says the hose, and the [carpet|whole car] is new",
    ),
    choruses=(
        "[Wash|Splash] it, [wash|splash] it, [bubble|scrub] and foam / "
        "[Drive|Shine] like a [diamond|mirror] the whole way home",
        "[Swish|Whoosh] goes the brush and the [big drops|bubbles] fly / "
        "[All|Half] of the [sky|street] in the hood going by",
        "[Rub|Buff] till it [winks|shines] and [buff|rub] till it glows / "
        "[Even|Also] the hubcaps have [got|put on] new clothes",
        "[Rinse it and soap|Soap it and rinse] it and [let|make] it gleam / "
        "[Clean|Bright] as a [marble|penny] and quick as a dream",
    ),
    hooks=(
        "{name}, [foam|rinse|buff] me a [moon|shine|sky] on the [hood|roof|doors] tonight / "
        "I [drive|roll|glide] to my [sweetheart|mother|office] all sparkling bright",
        "[Bubbles|Rainbows|Foam clouds] all [over|around] my [windows|old car], {name} / "
        "It's the [one|best|first] time of [day|year] that I love the rain",
        "{name}, [splash|swish|whoosh] and it's [gone|all gone], the [mud|dust|salt] of the hill / "
        "The [stars|clouds|trees] on the [hood|roof|doors] are all shining still",
        "{name}, my [car|hood|roof] is a [mirror|marble|lake], you bet / "
        "The [pigeons|robins|neighbors] are [fixing|combing] their hair in it yet",
        "[Shine|Wax|Buff] till the [moon|sun|sky] can [see|find] itself, {name} / "
        "I'd [almost|really|nearly] be [sorry|sulking] to drive in the rain",
        "{name}, the [brush|hose|sponge] and the [foam|song|steam] and the [sky|blue] come through / "
        "I [rolled|crept|came] in all [muddy|dusty|salty] and rolled out new",
    ),
    titles=(
        "Shine on, {name}",
        "Foam and blue sky at {name}",
        "A mirror on wheels, {name}",
    ),
)
STAY = Trade(
    verses=(
        "Set down your [suitcase|backpack|umbrella] and [kick|slip] off your shoes / "
        "[Nothing|No need] to hurry for, [nothing|not much] to lose",
        "Under the [blanket|window|starlight] the [night|rain] feels kind / "
        "[Leave|Lay] your [alarm clock|laptop] and worries behind",
        "[Sun|Wind|Birdsong] through the curtains, [come|so] tap on my cheek / "
        "Could we just [stay|sleep] here for one [more|whole] week",
        "[Fold|Roll] up the map, we have [come|gone] far enough / "
        "[Pillows|Cushions|Blankets] like clouds when the [road|day] was rough",
        "[Breakfast|Coffee] on the balcony, [birds|hills] in a row / "
        "[Not|Nowhere] a thing that is [telling|asking] us go",
        "[Rain|Waves] in the evening, a [book|game] and a light / "
        "The [house|roof] holds its arms [round us|open] all night",
    ),
    choruses=(
        "Stay, oh [stay|sleep|rest] now, just one more night / "
        "[Even|Surely] the moon [left|turned] on a [little|silver] light",
        "We only [planned|booked] on one [night|day] here / "
        "My heart [unpacked|has booked|signed up] [it all|us in] for the year",
        "[Sleep|Rest] like the [valley|meadow] and [wake|rise] like the sun / "
        "[Checkout|Noon] can wait till the [morning|dreaming] is done",
        "[Stars|Leaves] on the roof and the [hush|sound] of the sea / [Time|Tea] on the porch for just you and me",
    ),
    hooks=(
        "{name}, [one|just one] more [night|day|dawn] in the [hush|sound|light] of the sea / "
        "My [suitcase|backpack|road map] has [fallen|drifted|rolled up] asleep with me",
        "[Rest|Lay] your [tired|dusty|wise old] [head|feet|shoes] down at {name} / "
        "[Stars|Leaves|Moths] on the [roof|porch|sill] and the hush of the rain",
        "{name}, the [bed|porch|moon] and the [breeze|stars|quilt] say, [stay|sleep] till late / "
        "The [morning|mailman|checkout] is [somebody|someone here] who can wait",
        "{name}, [sun|birds|coffee] on the [quilt|sill|porch] and [no clock|no plan|no rush] today / "
        "The [hills|waves|birds] are still [there|green|here] and they'll surely stay",
        "[Check|Drift|Slip] in to the [hush|calm|song] of the [night|hills], {name} / "
        "[Drop|Set|Leave] all your [bags|maps|phones] and your troubles again",
        "{name}, [shoes|phones|maps] in the [hall|drawer|bag] and [toes|hearts] to the sky / "
        "I'm [counting|naming|greeting] the [stars|owls|hills] as the clouds go by",
    ),
    titles=(
        "One more night at {name}",
        "Stay, {name}",
        "Stars over {name}",
    ),
)
