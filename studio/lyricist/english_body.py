"""English lines of the trades that train the body."""

from studio.lyricist.stock import Trade

GROUP_BODY = Trade(
    verses=(
        "[Bag|Towel] on my shoulder and [shoes|laces] in a knot / "
        "[Tired|Lazy] I may be, but I [give|bring] all I've got",
        "[Heart|Feet] going faster, the [city|worry] goes slow / [Look|Hey], there's a [hero|dancer] in me, hello",
        "[Week after week|Month after month] and the mirror [can|must] see / "
        "[Stronger|Lighter] and taller and [prouder|happier] of me",
        "[Monday|Winter] is heavy, but [here|now] I am light / "
        "The [best|good] kind of tired will [sleep|dream] well tonight",
    ),
    choruses=(
        "[Move|Shake], [move|shake], let the [good|old] heart go / "
        "[Light|Strong] from the [shoulder|forehead] right down to the toe",
        "[One|Two] for the body and [one|two] for the mind / [Leave|Shake] all the [hurry|office] and dust behind",
    ),
    hooks=(
        "{name}, I [run|jump|skip] up the [steps|street|hill] to you / "
        "A [bag|song|friend] and a [towel|bottle|rhythm] and lots to do",
        "{name}, [heart|feet] like a [drum|song|bell] and I'm [wide|so|all] awake / "
        "A [little|tiny|whole lot] bit [stronger|lighter|calmer] with each breath I take",
        "{name}, [breathe|move|reach] with me, [breathe|move|reach] [up|far] and on / "
        "The [worry|headache|gray cloud] I [came with|carried|walked in with] is already gone",
        "[Heart|Head|Chin] up and [breathe|smile|go] [with me|again], {name} / "
        "[Stronger|Taller|Braver] than [yesterday|Monday was], lighter than rain",
        "{name}, a [lap|step|breath] and a [lap|step|breath] and a grin / "
        "I'm [nodding|waving|winking] to [me|clocks] and I let me win",
        "{name}, the [old|gray|long] day [melts|falls|runs] off my back / "
        "My [shoes|feet|breath] and my [heart|hopes|smile] are back on the track",
        "{name}, [light|tall|strong] on my [feet|legs|toes] [again|at last] I go / "
        "The [best|sun|joy] of my [week|day|year] is this hour or so",
        "[Shake|Stretch|Warm] up the [morning|Monday|muscles] with me, {name} / "
        "A [laugh|sip|stretch] and a [breath|song|clap] and we're going again",
        "{name}, it's [me|us] and the [beat|breath|clock] and the air / "
        "The [worries|papers|gray days] I [had|brought|kept] aren't anywhere",
        "{name}, [good|kind] to my [heart|knees|bones] and [good|kind] to my mind / "
        "The [couch|desk|chips] and the [phone|rain|news] can stay far behind",
        "{name}, [slow|low] at the [start|front] and then [off|up|on] we go / "
        "I [didn't|couldn't] [know|guess] I had this much [to|left to] show",
        "[Laces|Sleeves|Spirits] all [up|high] for the [hour|warm-up] at {name} / "
        "We [came|walked|crept] here [alone|as strangers] and we'll meet again",
        "{name}, [ready|steady], the [heart|day|crowd] says [go|yes] to me / "
        "I'm [feeling|running|floating] as [light|free|fresh] as the wind on the sea",
        "{name}, [one|two] for the [warm-up|stretching], then [three|four] for the fun / "
        "I'm [glowing|humming|grinning] all [over|along] like the rising sun",
        "[Sweat|Smile|Breathe] till the [long|gray|loud] day [fades|melts] down at {name} / "
        "The [good|best|sweet] kind of [tired|hungry|thirsty], the sunshine again",
        "{name}, [day by day|week by week] there's a [bit|spark] more [spring|swing] in me / "
        "My [knees|toes|hips] and my [shoulders|elbows] are all feeling free",
        "{name}, my [mat|bag|spot] by the [window|wall|mirror] is free / "
        "An [hour|evening] in the [week|rain|sun] that belongs to me",
        "[Tired|Rested|Happy] and [proud|warm|tall] I walk [out|home] from {name} / "
        "My [bag|smile|song] on my [back|lips|sleeve] and no care for the rain",
        "{name}, [come|go] on, [come|go] on, one [more|last] for fun / "
        "The [hour|climb|song] has been [long|wild|good], but it feels like one",
        "{name}, [coach|friends] at my [side|back] and the [sun|light] on the stairs / "
        "I'm [leaving|shaking|dropping] behind me the [week|day] and its cares",
    ),
    titles=(
        "One hour at {name}",
        "Heart like a drum, {name}",
        "Stronger with {name}",
    ),
)
GYM = Trade(
    verses=(
        "Tie up your [laces|hoodie] and [chalk|rub] up your hands / "
        "[Run|Lift] to the [rhythm|tempo] that your heart demands",
        "[One|Ten] more, just [one|ten] more, that's [all|what] they [always|only] say / "
        "You [against|racing] you from [just|only] yesterday",
        "[Sweat|Iron|Effort] never lies and it [never|hardly] pretends / "
        "We [came|walk] here alone, and we'll [leave|go] here as friends",
        "[Quit|Slept] on a [Tuesday|Thursday]? That's quite all right / "
        "Start it all [over|again] on [Wednesday|Friday] night",
        "[Bars|Plates] going clang and the [playlist|speaker] is loud / "
        "[Ten|Nine], and a [last|good] one, and [look|oh], I'm proud",
        "[Spot|Cheer] me, my [neighbor|partner], and [hold|wait] it till ten / "
        "[Breathe|Count] in and [lift|push] it, and [do|run] it again",
    ),
    choruses=(
        "Lift it, [lift it|push it|press it], lift [up|off] the day / "
        "Put down your [worries|handbag|mobile] and [walk|run] away",
        "[Don't give up|Don't stop now|Breathe now], there's [one|two] more to go / "
        "[Heart|Feet] like a [drum|song|spring] and we let it show",
        "[Push|Row] and then [pull|rest] and then [breathe|grin] and then go / "
        "[Louder|Stronger] than [thunder|engines] from head to toe",
        "[Two|One] more to the [left|front] and [two|one] more to the right / "
        "[Muscles|Shoulders] are singing all [Friday|Monday] night",
    ),
    hooks=(
        "{name}, [lift|push|pull] me the [heavy|gray] old week off the ground / "
        "The [clang|ring|hum] of the [iron|barbells|rowers] is a beautiful sound",
        "{name}, [one|two] more [rep|round|lap] and I'm [not|never] done / "
        "I'm [racing|chasing|beating] the [me|clock|ghost] of the day before, run",
        "One [more|last] time [with me|for us|and breathe], one [more|last] time, {name} / "
        "[Stronger|Prouder|Faster] than [rain|yawns|hills] and much louder than rain",
        "{name}, [chalk|clap|grip] and [go|breathe] and the [iron|city|whole room] will fly / "
        "I [touched|gripped|hugged] what was [heavy|iron|tiny] and flung it up high",
        "[Get|Up] up, [get|wake] up, it's [go|show|our] time, {name} / "
        "[Shake|Wipe|Rub] yourself [down|off] and let's go again",
        "{name}, the [bars|bells|bags] and the [beat|drum|bass] count ten / "
        "I [promised|planned on|begged for] just [one|five|two] and I'm there again",
    ),
    titles=(
        "One more for {name}",
        "Get up, {name}",
        "Louder than rain, {name}",
    ),
)
DANCE = Trade(
    verses=(
        "[Five, six, seven|Six and seven], eight, and we're off the floor / "
        "[Mirrors|Windows] all dancing, so [one|let's do] more",
        "[Slippers|Sneakers] are [whispering|squeaking] the [beat|time] of the song / "
        "[Left|Right] foot went right, but it [won't|can't] be for long",
        "[Arms|Hearts] like the [branches|swallows] and [toes|heels] like the rain / "
        "[Turn|Slide] and a [stumble|giggle], then turn it again",
        "[Shy|Stiff] at the doorway, I [hid|stood] at the back / "
        "[Now|Look], I'm in front with the [moves|beat] on the track",
        "[Piano|Speaker] is calling, the [barre|floor] is aglow / "
        "[Up|Rise] on your toes like the [first|light] little snow",
        "[Grandpas|Toddlers] and [students|neighbors], we're all in one line / "
        "[Step|Clap] on the four and your [heart|smile] is mine",
    ),
    choruses=(
        "[Spin|Turn] it, [spin|turn] it, [let|make] it fly / "
        "[Shoes|Feet] on the wood and the [head|heart] in the sky",
        "[Step|Slide] to the left and [sway|slide] to the right / "
        "[Shadows|Streetlights] are [learning|dancing] our steps tonight",
        "[Feel|Hear] the [beat|drums] from the [floor|heel] to the heart / "
        "[Once|Again] from the top, now the [good|wild] bits start",
        "[Dance|Leap] like the [wind|rain] in a [field|street] of wheat / "
        "[Nobody|No one] can [argue|quarrel] with happy feet",
    ),
    hooks=(
        "{name}, [spin|turn|swing] me around till the [mirrors|windows|streetlights] glow / "
        "I'm all out of [breath|step|time] and I [just say|whisper|holler], go",
        "[Five, six, seven|Six and seven|Six, then seven], eight, [here we go|we go now|from the top], {name} / "
        "[One|Two|Three] from the [shoulder|corner|kneecap] and over again",
        "{name}, [toes|heels|hands] to the [left|beat|sky] and [hop|slide|sway] with me / "
        "The [floor|night|street] is a [drum|sea|song] and my feet are free",
        "{name}, my [shoes|feet|knees] know the [song|steps|beat] by heart / "
        "The [first|last|wild] of the [violins|trumpets now|drumbeats now], here we start",
        "[Spin|Leap|Slide] with the [beat|drums|shy ones] [again|tonight] at {name} / "
        "The [mirror|hallway|floor now] is [full|hot|bright] and we're dancing like rain",
        "{name}, from the [top|wall|door] to the [stage|floor] we leap / "
        "I'm [dancing|spinning|swaying] at [breakfast|bus stops|school] and in my sleep",
    ),
    titles=(
        "From the top, {name}",
        "Five, six, {name}",
        "The floor of {name}",
    ),
)
MARTIAL = Trade(
    verses=(
        "[Barefoot|White belt] and bowing, the [mat|hall] smells of pine / "
        "[Knees|Legs] like a spring and a heart [so calm|just] like mine",
        "[Kick|Jump] like a grasshopper, [shout|count] like a drum / "
        "[Small|Shy] at the start and [look|see] what we've become",
        "[White|Yellow] belt, [green|orange] belt, [blue|brown] and then more / "
        "[Bow|Nod] to your partner and [bow|wave] to the floor",
        "[Fall|Roll] and get up and [fall|roll] and get up / [Brave|Calm] as a [lion|tiger] and soft as a pup",
        "[Yes|Thank you], teacher, we [stand|sit] in a row / "
        "[Strong|Quick] in the middle and [quiet|polite] and slow",
        "[Boards|Clouds] cannot [stop|scare] me, I [breathe|shout] and I see / "
        "The [bravest|kindest] of fighters is [friendly|gentle] like me",
    ),
    choruses=(
        "[Kick|Punch] up the [air|sky] and [shout|count] it out loud / "
        "[Small|Short] as I am, I stand [tall|straight] and proud",
        "[Bow|Breathe] and then [ready|steady], the left and the right / "
        "[Heart|Calm] in the middle, as [bright|clear] as light",
        "[One, two|Kick, two|Bow, two], three, four, and a [spin|kick] in the air / "
        "[Kind|Strong] is the heart that is [quick to|learning to] care",
        "[Bow|Bend] to the [big|old] ones and [help|lift] up the small / "
        "[Up|Stand], if you fall, is the [best|first] rule of all",
    ),
    hooks=(
        "{name}, [kick|jump|shout] to the [sky|roof|moon] and [bow|land] down low / "
        "A [belt|bow|kick] and a [dream|drum|friend] and a long way to go",
        "[Kick|Jump|Shout] like a [drum|spring|tiger] [with me|today] at {name} / "
        "We [fall|roll|kick] and we [bow|breathe|laugh] and we stand again",
        "{name}, [knees|fists] up and [hearts|heads] up, and [ready|steady], ho / "
        "My [belt|suit|heart] is all [white|bright|clean] like the new-fallen snow",
        "{name}, my [bow|kick|belt] is the [best|first|pride] of the day / "
        "I [help|pull|lift] up my [friend|mate|twin] in the gentle way",
        "[Yes|Hey|Ho], we are [strong now|so brave|so quick] and we're [kind|calm], {name} / "
        "We [bow|nod|wave] to our [teacher|partner|neighbor] and bow again",
        "{name}, [big ones and small|small ones and big] ones, one [bow|shout|hall] for all / "
        "The [first|best|next] thing we [learn|love|train] here is how to fall",
    ),
    titles=(
        "Bow and ready, {name}",
        "White belt at {name}",
        "Stand tall, {name}",
    ),
)
