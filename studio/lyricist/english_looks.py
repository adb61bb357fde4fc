"""English lines of the trades that make one look well."""

from studio.lyricist.stock import Trade

GROUP_LOOKS = Trade(
    verses=(
        "The [mirror|window|morning] is [smiling|winking], the chair spins around / "
        "[Humming|Laughter] and [combs|brushes] are the prettiest sound",
        "[Look|Peek] in the mirror, now [who|what] can that be / "
        "A [star|friend] I remember, it [smiles|looks] like me",
        "[Sunday|Friday] is coming, the [blue|good] shoes are out / "
        "[That|This] is the day that I [hummed|dreamed] all about",
        "[Softer|Brighter] the light and a little more care / "
        "You [walk|come] through the doorway, they [smile|turn] and they stare",
    ),
    choruses=(
        "[Shine|Glow], [shine|glow], just [you|like] as you are / "
        "[Somebody|Someone] is [looking|beaming] as bright as a star",
        "[Turn|Spin] to the left and [turn|spin] to the right / "
        "The [mirror|morning] is saying that all looks bright",
    ),
    hooks=(
        "{name}, I [came|crept] in [the rain|a cloud|the gray], [go|leave] in sun / "
        "The [mirror|window|puddle] and I, we [agree|declare], number one",
        "{name}, [look|smile|shine] in the [mirror|window|glass] with me / "
        "A [bit|touch|trace] of a [glow|smile|shine] is so easy to see",
        "[Shine|Smile|Glow] in the [mirror|morning|window] [again|today] at {name} / "
        "[Strut|Dance|Stroll] in the [sunshine|crosswalk|moonlight] and strut in the rain",
        "{name}, [hello|good day|oh my] to the [new|bright|fresh] me in the glass / "
        "I [wink|nod|wave] at the [windows|pigeons|taxis] and bow as I pass",
        "{name}, you [know|see|find] the [best|good|light] side of me / "
        "A [wink|laugh|pose] and a [smile|spin|bow] and it's one, two, three",
        "{name}, [light|soft|bright] is my [step|face|day] when I go / "
        "The [street|day|bus] is a [stage|song|show] and I take it slow",
        "[Turn|Step|Smile] to the [light|mirror|sun] [with me|today|again], {name} / "
        "The me in the [window|mirror|puddle] is [humming|smiling|winking] the same",
        "{name}, a [big|new|fine] [day|look|light] is so [very|sweetly] near / "
        "A [touch|smile|breath] and a [smile|song|glow] and the way is clear",
        "{name}, the [lamps|lights] are [all glowing|all shining|all ready] for me / "
        "The [day|face|light] is a [picture|present|poem] for all to see",
        "{name}, [just one|a whole|one small] [hour|evening] with [care|joy|love] for two / "
        "The [sky|day|light] in the [mirror|window|doorway] is suddenly blue",
        "[Ready|Glowing|Humming], [head|chin] up, [out|home] from {name} / "
        "My [face|hat|nose] to the [sunshine|breezes|rooftops], my heart to the rain",
        "{name}, the [face|one|star] in the [glass|mirror|window] is me / "
        "I'm [taking|giving] a [bow|twirl|turn], I'm as glad as can be",
        "{name}, [bit by bit|touch by touch] and you [bring|lift|turn] the light / "
        "I'm [dressed|bright|set] for the [day|street|dance] and I'm dressed for the night",
        "{name}, [who's|what's] that in the [mirror|window|hallway] so fine / "
        "I'm [taking|walking|strolling] the [long|slow] way to stand in the shine",
        "[Ring|Call|Run] up my [old friends|dear friends], [we meet|I'm off] at {name} / "
        "We [stand|walk|glow] side by [side|side there] and we laugh again",
        "{name}, [today|tonight] I'm the [star|pride|best] of the street / "
        "From [top|crown] of the [hair|head|hat] to the tip of the feet",
        "{name}, a [wink|bow|smile] to the [mirror|window|whole world] and street / "
        "A [brighter|warmer|bigger] [hello|good day|good night] to whoever I meet",
        "[Fresh|Bright|New] as the [morning|springtime|daylight] [again|today] at {name} / "
        "I [glow|gleam|shine] like the [street|trees|roofs] after summer rain",
        "{name}, [hold|keep|catch] me the [best|gold|soft] of the glow / "
        "The [day|week|noise] falls [away|asleep] and the music is low",
        "{name}, [touch|brush] of a [hand|cloud|breeze] and the [day|world] feels right / "
        "I [carry|wear|bring home] the [glow|gold|shine] in the evening light",
    ),
    titles=(
        "The mirror at {name}",
        "Shine, {name}",
        "Bright faces at {name}",
    ),
)
HAIR = Trade(
    verses=(
        "Snip, [snip|clip], snip goes the [silver|merry|morning] tune / "
        "[Yesterday|Worry|Winter] [falls|drifts|sails] like a feather in June",
        "[Who|Now who] is that [stranger|film star|somebody] [in there|out there] looking fine / "
        "[Wait|Stop] a [minute|second], that [face|smile|head] is mine",
        "[Wind|Sun|Song] in my hair and a [spring|swing|bounce] in my heel / "
        "Light on the [inside|shoulders|sidewalk] is [how|just how] I feel",
        "Spin me around [slowly|gently], hold [up|high] the [looking|hand] glass / "
        "Walk [down|up|through] the [street|town|square] with a [touch|dash] of class",
        "[Comb|Brush] and a [mirror|story], the [warm|low] dryer hums / "
        "She [laughs|talks] and she [snips|clips] as the next joke comes",
        "[Short|Long] at the front and a [wave|curl] on the side / "
        "[Nothing|Nobody] left that I [wanted|needed] to hide",
    ),
    choruses=(
        "[Turn|Shake|Toss] your head and [let|make] it [catch and|dance and] shine / "
        "Every [sidewalk's|crosswalk's|hallway's] a [runway|dancing|catwalk] line",
        "All I [changed|cut|trimmed] was [just|simply] my hair / "
        "Now there's [sunlight|music|summer] [almost|nearly] everywhere",
        "[Swing|Sway] it, [swing|sway] it, [let|feel] it go / "
        "[Light|Fresh] as a [feather|ribbon] from head to toe",
        "[Snip|Clip] goes the [winter|long week], [snip|clip] goes the gray / "
        "[Light|Spring] on my [neck|shoulders], I'm [dancing|strutting] away",
    ),
    hooks=(
        "{name}, [snip|clip|trim] off the [gray|long|dark] of the week with care / "
        "The [whole|half|rest] of the [street|bus|town] wants to look at my hair",
        "[Good|Fine|Great] hair [day|week], [oh yes|for sure|at last], at {name} / "
        "[Strut|Stroll|Swing] in the [sun|wind|street] and strut in the rain",
        "{name}, [wind|sun|light] in my [curls|bangs|new hair] as I go / "
        "The [windows|puddles|taxis] are [mirrors|winking|watching], I'm walking slow",
        "{name}, [spin|turn|roll] me [around|about] in the [big|old|red] chair / "
        "The [me|star|one] in the [mirror|window] has wonderful hair",
        "[Snip|Clip|Swish] goes the [silver|evening|happy] [song|tune] at {name} / "
        "I [left|swept|snipped] all my [clouds|gloom|dust] in there, sunshine or rain",
        "{name}, [bangs|curls|waves] to the [left|side|right], [tell|show] me true / "
        "My [mom|boss|dog] didn't [know|greet|spot] me, and nor would you",
    ),
    titles=(
        "Good hair day at {name}",
        "Mirror, mirror, {name}",
        "Snip, snip, {name}",
    ),
)
NAIL = Trade(
    verses=(
        "[Ten|All] little [canvases|postcards|windows], side by side / "
        "[Colors|Ribbons|Blossoms] I [really|surely] don't want to hide",
        "[Hold|Lift] them up high for the [world|moon|street] to see / "
        "[Everything|Every cup|Any pen] now [looks|gleams|feels] better on me",
        "[Blow|Breathe] on them [softly|slowly] and [look at|smile at] the cat / "
        "There's [always|surely] time for a [little|cozy|friendly] chat",
        "[Wave|Point] to the bus [driver|window], [wave|point] to the sun / "
        "[Sparkle|Shimmer|Sunlight] on [each|all] and on every one",
        "[Cherry|Coral] or [lilac|midnight], or [lemon|silver] and lime / "
        "[One|Two] of each color, we've [plenty of|all kinds of] time",
        "[Daisies|Bows] on my [thumbs|pinkies] and [stars|moons] on the rest / "
        "The [left hand is pretty, the right|right hand is pretty, the left] one is best",
    ),
    choruses=(
        "[Sparkle|Twinkle|Glitter], sparkle, [happy|tiny] fingertips / "
        "A [rainbow|garden|birthday] that [nobody|no one] ever skips",
        "Hands up [high|now|all], let's [see|watch|make] them glow / "
        "Ten [little|tiny] [stars|moons|suns] in a shiny row",
        "[Paint|File] them and [dry|shine] them and [wiggle|wave] them all / "
        "[Clap|Snap] for the [shiniest|prettiest] hands at the ball",
        "[Pink on the teacup and red|Red on the teacup and pink] on the keys / "
        "[Ten|All] little [mirrors|ladies] that [dance|do] as they please",
    ),
    hooks=(
        "{name}, [ten|all] little [suns|moons|stars] on my [hands|tips] tonight / "
        "I [point|wave|wink] at the [menu|taxi|moonlight] and oh, what a sight",
        "[Stars|Moons|Pearls] at my [fingertips|pinky tips] [again|today], {name} / "
        "Ten little [suns|moons|stars] in the [wind|snow|fog] and rain",
        "{name}, it is [cherry|coral|lemon] or [blue|pink|plum] I choose / "
        "Ten little [dancers|ladies|singers] in [shiny|sparkling|sunny] shoes",
        "{name}, [paint|tip|top] me a [garden|rainbow|starlight] in a row / "
        "I [wave|point|clap] to the [waiter|driver|baker] and watch them glow",
        "[Wave|Shine|Point] to the [sunshine|taxis|neighbors] [with me|today], {name} / "
        "[Show|Lend] me your [hands|thumbs] and [show|lend] me again",
        "{name}, my [hands|thumbs|tips] are the [stars|talk|moon] of the town / "
        "I [hold|pick|lift] up a [teacup|feather|letter] and don't put it down",
    ),
    titles=(
        "Fingertips of {name}",
        "Sparkle, {name}",
        "Ten little suns at {name}",
    ),
)
BEAUTY = Trade(
    verses=(
        "An [hour|evening] to [myself|breathe in] and a [quiet|cozy] chair / "
        "[Nowhere|No place] to hurry, [music|roses|candles] in the air",
        "[Close|Rest] your eyes, let the [whole|long] day go by / "
        "Breathe [out|in] a long and a [feathery|whispering] sigh",
        "Give [yourself|your heart] something [soft|kind|warm] today / "
        "[Soft|Slow|Light] as a [cloud|swan|sail] going on its way",
        "[Somebody's|Someone is] [smiling|beaming|glowing] right back at me / "
        "[Nothing|No lamp] in the [world|house|street] is as bright to see",
        "[Steam|Perfume] is rising, the [towel|room] is warm / "
        "[Far|Gone] is the [traffic|honking], and [far|gone] is the storm",
        "[Petals|Roses] and [water|sweet oil] and [hands|warmth] that know / "
        "[Tension|Traffic] just melts like the [last|late] spring snow",
    ),
    choruses=(
        "Glow, [glow|shine], just [like|the way] you [really|simply] are / "
        "You were [already|simply and] always a [quiet|little|shining] star",
        "Mirror, mirror, [tell|sing|show] me [true|what's true] / "
        "[Who|What] is that [shining|smiling|glowing]? I [think|know] it's you",
        "[Rest|Breathe], [rest|breathe], and [let|feel] it go / "
        "[Soft|Warm] as a [candle|pillow], [quiet|gentle] and slow",
        "[Dew|Light] on the [petal|window] and [light|dew] on the skin / "
        "[Morning|Evening] comes [softly|gently] to live within",
    ),
    hooks=(
        "{name}, a [quiet|little|gentle] [hour|time|while] for me / "
        "[Soft|Still|Warm] as the [light|moon|sand] on a silver sea",
        "A little [hour|time|rest] for [me|myself] [today|alone] at {name} / "
        "[Soft|Fresh|Calm] as the [light|air|leaf] that comes after the rain",
        "{name}, I [glow|breathe|rest] in the [warm|soft|slow] [light|hush] of the day / "
        "The [worry|Monday|office] lines [pack|roll] up and go away",
        "[Glow|Breathe|Rest] in the [candle|evening|morning] [light now|hush here] at {name} / "
        "[Look|Glance|Peek] in the [mirror|teacup|window] and smile again",
        "{name}, [warm|soft] is the [towel|steam|hand] and the [light|music] is low / "
        "I [came|walked|crept] like a [Monday|rain cloud], like Sunday I go",
        "{name}, [dew|light|rose] on my [skin|cheek|face] and a [sigh|smile] on my lips / "
        "The [morning|evening|springtime] is [soft|kind|warm] in your fingertips",
    ),
    titles=(
        "Glow, {name}",
        "An hour at {name}",
        "Soft light at {name}",
    ),
)
