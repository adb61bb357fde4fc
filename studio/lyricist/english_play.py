"""English lines of the trades where one plays, sings and cuddles."""

from studio.lyricist.stock import Trade

GROUP_PLAY = Trade(
    verses=(
        "[Friday|Sunday] is [here|calling] with a [grin|wink] and a wave / "
        "[Wild|Tired] as we are, we will [all|not] behave",
        "[Grab|Bring] all your [brothers|neighbors], your [friends|dogs] and your hat / "
        "[Nobody|No one] is too [old|grown] for that",
    ),
    choruses=(
        "[Play|Laugh] with me, [play|laugh] with me, don't be shy / "
        "[Giggles|Good times] are bouncing right up to the sky",
        "[Jump up and shout|Hop up and cheer] now and [sing|laugh] along / "
        "[Everyone's|All of us] lucky and [no one's|nothing's] wrong",
    ),
    hooks=(
        "{name}, I [run|skip|race] to the [door|lights|fun] and I [laugh|wave|clap] with you / "
        "The [clock|moon|bus] has gone [home|off|by], we have lots to do",
        "{name}, [who's|I'm] up for a [laugh|game|song]? It's [me|us], it's [me|us] too / "
        "The [moon|cat|street] stays [awake|up late] just to see what we do",
        "[Play|Laugh|Jump] with the [best|loud|whole] gang [tonight|again] at {name} / "
        "[Shoes|Socks|Paws] in the [puddles|hallway|popcorn] and who minds the rain",
        "{name}, the [week|rain|bus] was too [long|gray|slow], but [look|hey], we are here / "
        "The [loudest|warmest|wildest] [hello|hooray] in the town, my dear",
        "{name}, [one|just one] more [round|go|time] and then [home|bed|no more], I swear / "
        "I've [said|sworn|sung] it each [time|week|day] since I first came there",
        "{name}, [friends|fun] to the [left|front|back] and [songs|fun] to the right / "
        "We're [laughing|jumping|dancing] so [loud|high|hard] that we light up the night",
        "[Wag|Grin|Hop] if you're [glad|ready|happy] [today|again], {name} / "
        "The [sillier|louder|jollier], the [better|brighter], in sun or in rain",
        "{name}, my [heart|grin|hope] is as [big|wide|light] as a big balloon / "
        "We [came|ran|skipped] before [supper|sunset|evening], we'll leave with the moon",
        "{name}, [big ones and small|small ones and big] ones, [pile|run|tumble] right in / "
        "The [winner|best one|high score] is [always|surely] the biggest grin",
        "{name}, it's [time now|hurrah] for the [fun|good|loud] of the day / "
        "The [sensible|serious|sorrowful] [shoes|hats|frowns] can all stay away",
        "[Cheer|Clap|Jump] for the [shy one|small one|loud one] [again|tonight] at {name} / "
        "The [giggles|cheers now|high fives] are [running|tumbling|bouncing] like summer rain",
        "{name}, [pick|call|tag] me for your [team|side|gang] and [watch|see] me fly / "
        "I'm [not|hardly] very [good|tall|quick], but I'm glad to try",
        "{name}, [ready|steady], and [go|jump|hop], all the [gang|crowd] along / "
        "The [silliest|happiest|wobbliest] [dance|step|hop] to the silliest song",
        "{name}, [who|what] made me [laugh|sing|jump] [all night|all day|like this]? It's you / "
        "A [high five|big hug|loud cheer] for [everyone|Grandpa and|neighbors and], dogs and all too",
        "[Loud|Light|Free] as a [kite|drum|bird] [tonight|today] at {name} / "
        "I [left|lost|lent] my [umbrella|good raincoat], so let it rain",
        "{name}, my [whole|big|long] week was [one|just] a [yawn|sigh|queue] for you / "
        "I [jump|hop|leap] in the [air|hall|street] and my hat jumps too",
        "{name}, [ten|two] minutes [more|left], then [ten|two|five] more for fun / "
        "The [moon|wind|cat] wants to [join|race|hug] us, so up and run",
        "{name}, the [gang's|fun's] all [here|set], and the [snacks|lights|songs] are too / "
        "A [cheer|song|treat] for the [evening|weekend|small ones], a cheer for you",
        "[Five, four|Count down|Ready], three, two, and we're [off|in|up] at {name} / "
        "The [giggles|high fives|songs here] are [louder|brighter] than thunder and rain",
        "{name}, [laugh|wink|wave] and the [rain|gray|day] goes [off|away] to sleep / "
        "The [best|good|loud] kind of [hours|friends|nights] we will always keep",
    ),
    titles=(
        "One more round at {name}",
        "Ready, {name}",
        "The whole gang at {name}",
    ),
)
PCBANG = Trade(
    verses=(
        "[Headphones|Goggles] on tight and the [noodles|dumplings] are hot / "
        "[Team|Squad] on the left side, now [give|show] what you've got",
        "[Mouse|Keys] like a drumroll, the [monster|dragon] is near / "
        "[Left|Right], shouts my brother, and [all|both] of us hear",
        "[One|Two] life is left and the [tower|castle] is tall / "
        "[Heart|Thumbs] like a rabbit, we [climb|jump] up the wall",
        "[Lights|Keys] like a rainbow, the [chair|seat] like a throne / "
        "[Tired|Beaten] at five, but I'm [not|never] alone",
        "[Rank|Level] up, [rank|level] up, [silver|bronze] to gold / "
        "The [legend|hero] has ramen, it [mustn't|can't] get cold",
        "[Lag|Luck] is for [yesterday|mortals], the [screen|line] is so quick / "
        "[Click|Jump] and a [jump|dodge] and a [click|spin] and a click",
    ),
    choruses=(
        "[Press|Hit] it, [press|hit] it, [dodge|jump] and run / "
        "[Victory|Winning] tastes like a [noodle|hot dog] bun",
        "[Ready|Player] one, [ready|player] two, three and four / "
        "[Win it or lose|Lose it or win] it, we [play|want] some more",
        "[Save|Heal] me, [save|heal] me, I'm [right|just] by the gate / "
        "[Homework|Bedtime] can wait, it can [learn to|really] wait",
        "[Up|Left], up, [down|right], down, and the [castle|dragon] falls / "
        "[High fives|Good game] are bouncing from all the walls",
    ),
    hooks=(
        "{name}, [log|jump|dive] in with the [squad|team|gang], my [seat|screen] is on / "
        "The [dragon|monster|final boss] was [laughing|yawning|roaring], the dragon is gone",
        "[Noodles|Headphones|High scores] and [heroes|friends|glory] [tonight|again] at {name} / "
        "We're [saving|racing|winning] the [world|moon|cup] and it starts to rain",
        "{name}, [one|two] more [round|life|boss] and I'm [home|done] by ten / "
        "I [said|swore|typed] it at [seven|supper], I say it again",
        "{name}, [left|right] at the [tower|bridge|gate] and [up|run] to the throne / "
        "The [hero|wizard|captain] has [noodles|snacks now|dumplings] and won't go alone",
        "[Level|Rank|Gear] up with the [gang|squad|team] [tonight|again], {name} / "
        "The [castle|treasure|tower] is [ours|safe|gold] in the sun and rain",
        "{name}, [keys|lights] like a [storm|drum|rainbow] and [snacks|friends] by my side / "
        "We [jump|climb|hop] on the [dragon|griffin|whale there] and go for a ride",
    ),
    titles=(
        "Player one at {name}",
        "Level up, {name}",
        "One more round, {name}",
    ),
)
KARAOKE = Trade(
    verses=(
        "[Mic|Song] in my hand and the [room|light] going blue / "
        "[My|Our] [mother's|boss's] old song, and I [dance|sing] to it too",
        "[Tambourine|Maracas], the [shy|tall] one goes wild / "
        "He [sings|hops] like a [trumpet|rooster] and grins like a child",
        "[Echo|Sparkle] on [everything|high now], [lights|stars] on the wall / "
        "[Out|Way] of tune never sounded so [good|well] at all",
        "[Coin after coin|Song after song], we are [stars|queens] till it's two / "
        "The [ballad|love song] is his and the [dance|rock] one is you",
        "Ninety-[eight|nine] points, says the [screen|box], and we fly / "
        "The [angels|pigeons] are holding their [ears|hats] in the sky",
        "[Boss|Dad] on the table, the [tie|scarf] on his head / "
        "[Quiet|Normal] on Mondays, he [hardly|never quite] said",
    ),
    choruses=(
        "Sing it [loud|high], [sing|shout] it low, [sing|scream] it wrong / "
        "[All|Half] of us [know|love] it, it's that kind of song",
        "[One|Two] more [song|hit], [one|just one] more song for me / "
        "[Everyone's|Somebody's] screaming in [perfect|every last] key",
        "[Pass|Toss] me the mic and then [pass|toss] it along / "
        "The [chorus|high note] is coming and we are so strong",
        "[Turn|Crank] up the echo and [dim|turn] down the light / "
        "[Stars|Legends] are born in this [room|box] tonight",
    ),
    hooks=(
        "{name}, [mic|song] in my [hand|fist|heart] and I'm [ready|dying|burning] to sing / "
        "I [came|slunk|walked] in a [tie|coat|yawn] and I leave like a king",
        "[Sing|Shout|Scream] till the [stars|walls|lights] [all dance|fall down] at {name} / "
        "A [ballad|love song|slow dance] for [sunshine|heartaches|grandma], a rock song for rain",
        "{name}, one more [song|hit|chorus], [one|just one] more, [then one|and one] more / "
        "We [sing|howl|shout] to the [ceiling|moonlight|lampshade], we dance on the floor",
        "{name}, the [high|last|long] [note|song] is for [me|us] and for you / "
        "A [hundred|million|thousand] in [points|stars|cheers] and a hug or two",
        "[Loud|Wild|Proud] and all [out of|over the] [tune|place] [tonight|again], {name} / "
        "We [sing|shine|clap] like the [sun|birds|sea] and we dance like the rain",
        "{name}, [pass|throw|bring] me the [mic|song book|spotlight] and [turn|dim] down the light / "
        "The [star|voice|king] of the [office|family|back row] is born tonight",
    ),
    titles=(
        "One more song at {name}",
        "The high note of {name}",
        "Star of {name}",
    ),
)
PET = Trade(
    verses=(
        "[Tail|Paws|Heart] like a drum on the [kitchen|wooden] floor / "
        "[Somebody|Someone small] [heard|smelled] you right through the door",
        "[Cold|Wet|Small] little nose on the [back|palm] of my hand / "
        "Needs no [words|clock|speech] to [really|truly] understand",
        "[Ears|Eyes|Tails] going up at the [sound|smell] of a snack / "
        "[Throw|Roll] it [once|twice] more and it's always coming back",
        "Four [muddy|happy|tired] paws and a [heart|grin] so wide / "
        "[Nothing|No trick] to [prove|learn] and [nothing|no need] to hide",
        "[Bubbles|Bath foam] on whiskers, a [shake|sneeze] and a sigh / "
        "[Ribbon|Bow] on the left ear and the [tail|chin] up high",
        "[Cat|King] on the cushion, the [queen|boss] of the hall / "
        "[Purrs|Blinks] like an engine and [pardons|inspects] us all",
    ),
    choruses=(
        "Wag it, [wag it|wiggle], here we go / [Happiest|Fuzziest] little [feet|paws] I know",
        "Run, [run|hop|roll], on four [little|muddy] feet / "
        "You are the [boss|king|star] of the [whole|big] long street",
        "[Sit|Stay], says the [lady|man], but the [tail|nose] says go / "
        "[Biscuit|Snack] for the [best|good] one from head to toe",
        "[Purr for the morning and wag|Wag for the morning and purr] for the day / "
        "[Love|Joy] has four feet and it [runs|comes] my way",
    ),
    hooks=(
        "{name}, [who's|where's] my good [friend|one|pup]? It's [you|him|her], so fine / "
        "A [tail|paw|nose] in the [air|hall|wind] like a question sign",
        "[Wag|Run|Hop] to the [door|lady|smell] of the [treats|friends] at {name} / "
        "[Tails|Ears|Wags] in the [sunshine|tall grass|doorway] and paws in the rain",
        "{name}, [brush|trim|wash] me so [soft|gentle|smooth] like a [cloud|lamb] for a day / "
        "My [ears|paws|cheeks] are all [fluffy|silky|shiny], my nose leads the way",
        "{name}, [four|eight] little [feet|paws|socks] going [tap|hop|trot] to your door / "
        "My [tail|heart|bark] is a [drum|song] and it wants to play more",
        "[Walk|Run|Pull] me on [over|quickly|down now] [today|again] to {name} / "
        "[Wag|Bark|Hop] when you [hear|smell|see] it and wag it again",
        "{name}, [purr|wag|bark] if you [love|know|like] every [hand|scratch|pat] in here / "
        "A [kiss|tap|lick] on the [nose|chin|cheek] and a scratch on the ear",
    ),
    titles=(
        "Four little feet to {name}",
        "Wag for {name}",
        "Who's a good friend, {name}",
    ),
)
