"""English lines of the trades that stretch, swim, swing and soak."""

from studio.lyricist.stock import Trade

YOGA = Trade(
    verses=(
        "[Roll|Lay] out the mat and [roll|lay] out the day / "
        "Let all the [noise|hurry|chatter] of it [melt|drift|float] away",
        "Breathe in the [morning|garden|sunrise] and breathe out the [blue|gray, too] / "
        "There's room in your [ribs|chest|heart] for a [song|cloud|bird] or two",
        "[Wobble|Tremble|Giggle] a [little|moment], it's quite all right / "
        "[Trees|Reeds|Boats] do it too in the [wind|breeze] at night",
        "Reach for the [ceiling|sunrise|rafters] and [reach|bend] for the floor / "
        "[Find|Meet] a [bit|piece|part] of you that you never saw before",
        "[Cat and then cow|Cow and then cat], and a [stretch|breath] to the wall / "
        "[Child|Leaf] on the mat, being nothing at all",
        "[Long|Slow] goes the exhale, the [candle|window] is bright / "
        "[Shoulders|Worries] come down like the [snow|leaves] in the night",
    ),
    choruses=(
        "Breathe in [slow|now|deep], and [breathe|let] out slow / "
        "There is [nowhere|no place] [else we|now we|we two] need to go",
        "[Long|Light] and [tall|soft] and [easy|open] and free / Find the [quiet|stillness] inside you and me",
        "[Root|Stand] like a tree and [bend|sway] like a reed / "
        "[Silence|Breath] is the [one|best] kind of thing that we need",
        "[Rise|Float|Rest] on the breath like a [boat|leaf] on the lake / "
        "[Soft|Slow|Mild] is the [morning|silence] and wide awake",
    ),
    hooks=(
        "{name}, [breathe|rest|fold] with me [slow|low|long] and [breathe|rest|reach] with me free / "
        "A [leaf|cloud|moon] on the [water|evening|morning], a breath by the sea",
        "[Breathe|Stretch|Rest] with me [slowly|softly|gently] at {name} / "
        "[Leave|Lay|Drop] on the [mat|floor] all the [worry|hurry] and strain",
        "{name}, [root|stand|sway] like a [tree|pine|reed] in the [light|wind] of day / "
        "The [noise|list|clock] in my [head|bag|coat] just floats away",
        "{name}, [in|slow] with the [morning|lavender] and [out|slow] with the [gray|day] / "
        "My [shoulders|emails|worries] have [gone|flown|sailed] on a holiday",
        "[Slow|Calm|Smooth] it all [down|now] on the [mat|floor|breath] of {name} / "
        "[Stretch|Curl|Yawn] like a [cat|fern|bear] and then breathe again",
        "{name}, the [mat|moon|dawn] and the [breath|hush|calm] and I agree / "
        "There's [nowhere|no need] to [go|run|fly] and there's no one to be",
    ),
    titles=(
        "Breathe, {name}",
        "Slow down at {name}",
        "A leaf on the water at {name}",
    ),
)
SWIM = Trade(
    verses=(
        "[Goggles|Caps] on and [ready|steady], the [blue|pool] is awake / "
        "[Kick|Blow], little [bubbles|flippers], for goodness' sake",
        "[Splash|Crash] goes the [first|big] one and [splash|hush] goes the rest / "
        "[Coach|Mom] counts the laps and we [give|try] it our best",
        "[Arms|Feet] like a windmill and [legs|arms] like a frog / "
        "[Back|Up] like a [happy|proud] little seal on a log",
        "[Float|Lie] on your back and the [ceiling|sky] goes by / "
        "[Quiet|Deep] is the water and [quiet|light] am I",
        "One lap for the [morning|worry|winter], one [more|lap] for fun / "
        "[Water|Light] in my hair and I'm [out|home] in the sun",
        "[Towel|Locker] and [slippers|snack time], the [shivers|wet hair] and grin / "
        "[Tell|Ask] me the truth, did you [let|see] me win",
    ),
    choruses=(
        "[Splash|Kick] it, [splash|kick] it, all the way through / [Dolphins|Mermaids] are jealous of me and you",
        "[Dive|Jump] in the [blue|cool] and [come|pop] up in the light / "
        "[Breathe|Kick] to the left and then [breathe|kick] to the right",
        "[Light|Quick] as a minnow and [slick|fast] as a seal / "
        "[Nothing|No one] can tell you how [happy|easy] I feel",
        "[Lap after lap|Stroke after stroke] and the [clock|wall] says hooray / "
        "[Blue|Cool] is the color of [all of|most of] the day",
    ),
    hooks=(
        "{name}, I [dive|jump|splash] in the [blue|cool|deep] and I'm free / "
        "The [wall|clock|waves] and the [water|bubbles|lifeguard] are cheering for me",
        "[Splash|Jump|Kick] in the [blue|big|cool] [pool|lane] of the day, {name} / "
        "We're [wet|blue|cool] to the [hair|ears|nose] and we laugh at the rain",
        "{name}, [lap after lap|stroke after stroke] I'm as [light|quick|smooth] as a boat / "
        "My [cares|bills|chores] are too [heavy|clumsy|grumpy] to stay afloat",
        "{name}, [goggles|flippers] and [towel|cap on], [here|off] I hop / "
        "I [start|splash|kick] like a [puppy|duckling|rowboat] and glide to a stop",
        "[Kick|Breathe|Float] like a [dolphin|minnow|sailboat] [with me|today], {name} / "
        "My [hair|nose|grin] is all [dripping|shining|bubbles], who cares for the rain",
        "{name}, the [blue|cool|light] of the [lane|pool|deep] in my eyes / "
        "I [come|pop|float] up for [air|sun|more] and a little surprise",
    ),
    titles=(
        "Splash, {name}",
        "In the blue of {name}",
        "One more lap at {name}",
    ),
)
GOLF = Trade(
    verses=(
        "[Swing|Turn] like a [gate|bell] on a breezy day / "
        "[Look|Watch], little ball, you are [on|off on] your way",
        "[Screen|Green] full of morning and [hills|woods] full of light / "
        "[Never|Not once] a [puddle|mosquito] in sight tonight",
        "[Feet|Knees] in the right place and [eyes|mind] on the ball / "
        "[Try|Hush], said the [coach|teacher], don't try it at all",
        "[Bunker|Pond] on the left and a [lake|tree] on the right / "
        "[Mine|Somehow] went [up there|between] them, oh what a flight",
        "[Boss|Dad] hit it far and it's [still|yet] in the air / "
        "[Mine|Yours] took a [walk|nap] by the old wooden chair",
        "[Putt|Tap] it so [softly|gently], it [rolls|creeps] to the rim / "
        "It [leans|peeks] in the cup and then [takes|has] a swim",
    ),
    choruses=(
        "[Swing|Sing] it, [swing|sing] it, [sweet|smooth] and slow / "
        "[Up|Off] like a [swallow|rocket] and watch it go",
        "Four in the [party|sunshine] and [one|two] on the tee / "
        "[Birdies|Bogeys] are [singing|whistling] from tree to tree",
        "[Breathe|Look] and then [turn|swing] and then [look|gaze] to the sky / "
        "[Click|Whoosh] goes the [driver|ball] and the day goes by",
        "[One|Just] good shot and you [come|stroll] back again / "
        "[Ninety|Eighty] today, well, it [was|felt like] just ten",
    ),
    hooks=(
        "{name}, I [swing|turn] like a [gate|bell|song] and it [sails|soars|flies] out of sight / "
        "I'm [calling|naming] it [skill|luck|style] and it might be, it might",
        "[Swing|Putt|Chip] through the [evening|morning|weekend] [with me|again], {name} / "
        "The [green|sky|hill] is all [sunny|velvet|morning], whatever the rain",
        "{name}, the [click|swish|ring] of the [ball|swing|club] is a [song|bell] to me / "
        "I [think|hope|bet] it has [landed|rolled in|vanished] on hole number three",
        "{name}, [easy|breathe slow], [head|eyes] down and [let|watch] it roll / "
        "I [whisper|murmur|send it] a [wish|song|wink] and it drops in the hole",
        "[Fore|Swing|Sing], [once again|easy now|nice and smooth], down at {name} / "
        "I [hit|struck] it just [once|so|right] as in dreams, and again",
        "{name}, [green|wide|far] are the [hills|lanes|holes] on the [screen|wall] for me / "
        "I'm [only|always|maybe] one [shot|swing|putt] from a birdie or three",
    ),
    titles=(
        "Swing it, {name}",
        "One good shot at {name}",
        "On the green of {name}",
    ),
)
BATHHOUSE = Trade(
    verses=(
        "[Steam|Mist] on the [tiles|windows] and my [toes|nose] turning pink / "
        "[Nobody's|No one is] hurried, there's [nothing|no need] to think",
        "[Towel|Ribbon] rolled up like a [sheep's|ram's] curly ears / "
        "[Eggs|Rice drinks] and [sweet drinks|gossip], we [laugh|giggle] to tears",
        "[Hot stone and warm|Warm stone and hot] stone, the [long|whole] day lets go / "
        "[Cheeks|Knees] like a peach in the [amber|salt room's] glow",
        "[Scrub|Soak] off the winter and [rinse|pour] off the week / "
        "[Soft|Smooth] as a [baby|petal], I'm too glad to speak",
        "[Grandma|Auntie] is [napping|snoring], the [clay|floor] is so warm / "
        "[Far|Gone] is the office and [far|gone] is the storm",
        "[Water|Steam] up to here and a [sigh|song] up to there / "
        "[Outside|Somewhere] it's [snowing|raining], and what do we care",
    ),
    choruses=(
        "[Soak|Steam] it out, [soak|steam] it out, [let|feel] it go / "
        "[Pink|Warm] from the [forehead|earlobes] right down to the toe",
        "[Hot|Warm] and then [cool|cold] and then [hot|warm] as before / "
        "[New|Soft] as a [dumpling|daisy] I walk out the door",
        "[Sweat|Steam] like a kettle and [sigh|hum] like the sea / "
        "[Rest|Nap] on the [warm|clay] floor, just you and me",
        "[Drip|Drop] says the [faucet|ceiling] and [ah|oh] says the crowd / "
        "[Half|All] of us [napping|dozing], and [half|some] a bit loud",
    ),
    hooks=(
        "{name}, I [soak|sink|steam] to the [chin|nose|ears] and I sing / "
        "I [came|walked|crept] like a [prune|snail] and I leave like a king",
        "[Steam|Soak|Rest] in the [warm|hot|slow] [hush|glow] of the day, {name} / "
        "My [shoulders|worries|elbows] have [melted|softened|drifted] like butter in rain",
        "{name}, [hot|warm] stones and a [nap|sweet drink|towel] for two / "
        "I [step|float|stroll] out the [door|steam|gate] and I feel brand new",
        "{name}, [towel|sheep ears] on my [head|brow] and a [yawn|snack|grin] like the moon / "
        "It's [always|really|surely] a [warm|slow|soft] Sunday afternoon",
        "[Pink|Warm|Soft] as a [peach|rose|bun] I come [out|home] from {name} / "
        "My [bones|knees|toes] are all [singing|humming|laughing] in sun and in rain",
        "{name}, the [steam|mist|warmth] is a [cloud|quilt|song] for me / "
        "As [soft|slow|round] as a [pillow|dumpling|kitten], as warm as tea",
    ),
    titles=(
        "Steam at {name}",
        "Pink and new, {name}",
        "A long soak at {name}",
    ),
)
