"""English lines of the trades that move, clean and wash for a home."""

from studio.lyricist.stock import Trade

GROUP_HOME = Trade(
    verses=(
        "[Key|Light] in the [hall|window] and the [walls|floor] in the sun / "
        "[Somebody|Someone] [rolls|pulls] up the sleeves, and it's done",
        "[Drip|Creak] in the [evening|hallway], a [crack|squeak] in the door / "
        "[One|Just one] little call and you [hear|mind] it no more",
        "[Steady|Careful] the [ladder|hammer], and [steady|careful] the hand / "
        "[Somebody|Someone] who works just the way it was planned",
        "[Kettle|Toast] in the [kitchen|morning] and [socks|toys] on the stair / "
        "Home is a thing that [needs|wants] [someone to|daily] care",
    ),
    choruses=(
        "[Home|Sweet] is the [roof|light] and the [tap|key] and the wall / "
        "[Someone|Somebody] [comes|runs] if you give them a call",
        "[Fixed|Clean] in the [morning|evening], [clean|fixed] and true / "
        "[Home|This] is a little bit [more home|better] for you",
    ),
    hooks=(
        "{name}, [hands|tools] for my [walls|roof|home], and the [kettle|light|tea] is on / "
        "You [whistle|hum me|sing me] a [tune|song] and the trouble is gone",
        "{name}, [ring|call|wave] and you [come|climb|park] with a box and a grin / "
        "The [kettle|radio|doorbell] is [singing|humming], so please come in",
        "[Home|Warm|Light] is my [house|place|hall] [today|again] with {name} / "
        "The [lamp|cat|light] in the [window|hallway|kitchen], the roof in the rain",
        "{name}, [sleeves|ladders|boots] up and the [van|song|sun] at my door / "
        "The [house|hall|stairs] can start [breathing|singing|laughing] and humming once more",
        "{name}, [neat|quick|right] is the [work|job|day] and you [smile|sing|hum] as you go / "
        "The [neighbors|grandmas|people] are [asking|waving|staring], I let them know",
        "{name}, [home after home|house after house], you [come|work|sing] day by day / "
        "You [do|bring|mend] what you [promised|told us|measured], and that is the way",
        "{name}, you [know|see|find] every [corner|nail|creak] of a home / "
        "From [under|down on] the [floor|stairs] to the roof and the dome",
        "[Hands|Tools] that are [handy|steady|friendly] and [quick|neat] are {name} / "
        "My [house|hall|tap] is all [humming|shining|happy] in sun and in rain",
        "{name}, my [house|hall|home] has a [smile|song|shine] to the street / "
        "You [nod|smile|stop] in the [doorway|hallway] and wipe your feet",
        "{name}, [one|just one] [call|ring|note] and the [day|house|hall] comes right / "
        "I [sleep|purr|dream] like a [cat|king|child] in the house tonight",
        "{name}, the [van|bell|truck] at the [gate|bend|door], [hello|good day], come in / "
        "The [kettle|radio|hallway] is [on|bright|yours] and the work can begin",
        "{name}, [brick by brick|board by board|step by step] and it's [good|fine|neat] to see / "
        "You [care for|sing to|look after] my [house|home|things], as [kind|glad] as can be",
        "[Knock|Ring|Call] in the [morning|evening] [and smile|and hum], {name} / "
        "The [roof|stairs|lamp] and the [walls|chairs|floor] and the tap in the rain",
        "{name}, [top|roof] of the [house|stairs] to the [bottom|cellar|last] floor / "
        "I [hear|know] you [whistle|humming|coming] and open the door",
        "{name}, [rain|wind] on the [roof|wall|glass], and we're [dry|warm|snug] today / "
        "You [came|knocked|smiled] and you [fixed|cleaned|turned] it and went your way",
        "{name}, [tidy|honest|careful] [today|work] and tidy again / "
        "You [sweep|wipe|clean] up the [floor|step|dust] and you smile now and then",
        "[Light|Life|Warmth] in the [hall|rooms|house] and a tune from {name} / "
        "The [roof|lamp|house] is all [steady|sturdy|cozy], whatever the rain",
        "{name}, my [key|mat|bell] says [hello|come in|good day] with pride / "
        "The [house|hall|kitchen] is [sunny|tidy|rosy] and [warm|bright|home] inside",
        "{name}, you [sing|hum|laugh] with a [wrench|mop|brush] in your hand / "
        "The [house|cat|street] is all [ears|smiles|hush] for a one-man band",
        "{name}, [better|warmer|brighter] a [bit|lot] than before / "
        "I [stand|sing|beam] in the [hallway|kitchen] and look at the door",
    ),
    titles=(
        "Home again with {name}",
        "Sleeves up, {name}",
        "A call to {name}",
    ),
)
MOVING = Trade(
    verses=(
        "[Boxes|Books] to the ceiling and [tape|dust] on my nose / "
        "Where is the [kettle|kitten|toothbrush]? [Nobody|Somebody|No one here] knows",
        "[Lift|Hup], two, and [easy|slowly], the [sofa|piano] can fly / "
        "[Round|Down] the tight stairs and the [neighbors|cats] say bye",
        "[Goodbye|So long], little [kitchen|window], [goodbye|so long], little tree / "
        "[Hello|Good day], empty [rooms|walls] that are waiting for me",
        "[Fragile|Careful], it says, and you [carry|hold] it like light / "
        "The [mirror|teapot|lamp there] is riding and [sleeping|wrapped up|sitting] tight",
        "[Truck|Road] like a whale with my [whole|small] life inside / "
        "[Bears|Plants] by the window, enjoying the ride",
        "[Bed|Lamp] on the [left|right] side and [plant|desk] on the sill / "
        "The [first|new] night is funny and [wonderfully|quiet and] still",
    ),
    choruses=(
        "[Lift|Roll] it, [lift|roll] it, [easy|gently] now / [All|Half] of my life on the road, and wow",
        "[Box after box|Lamp after lamp], and the [door|van] open wide / "
        "[Wave|Honk] to the [corner|old street], enjoy the ride",
        "[New|Wide] is the window and [new|wide] is the view / [Same|Good] little sofa and [same|good] old you",
        "[Up|In] go the boxes and [down|off] goes the sun / [Tea|Noodles] on the floorboards, the moving is done",
    ),
    hooks=(
        "{name}, [lift|pack|load] up my [life|home|books], we are off today / "
        "The [sofa|toaster|teapot] is [singing|smiling|humming], the plants want to sway",
        "[Boxes|Sofas|Teacups] go [dancing|flying|sailing] away with {name} / "
        "The [lamp|box|chair] holds the [cat|books|clock] and the cat holds the rain",
        "{name}, [easy|gently|slowly] now [down|up] all the [long|steep|old] stairs / "
        "The [grandfather|grandmother] clock and the three little bears",
        "{name}, [new|blue|big] is the [door|street|view] and the [key|sun|bell] is mine / "
        "You [carried|cradled|wrapped up] the [mirror|piano|cabinet], not one little line",
        "[Pack|Lift|Wave] and [goodbye|goodbye now] and [hello|good day] there, {name} / "
        "The [fern|cat|lamp] in the [window|new room|corner] enjoys the new pane",
        "{name}, [my bed|my books|my life] in a [truck|row|line] like a [song|parade] to go / "
        "You [carry|lift|wheel] it [fast|high|well] and you set it down slow",
    ),
    titles=(
        "On the move with {name}",
        "Hello, new door, {name}",
        "Easy now, {name}",
    ),
)
CLEANING = Trade(
    verses=(
        "[Dust|Crumbs] in the corner has [packed|rolled] up to go / "
        "[Windows|Mirrors] like [rivers|mornings], and [counters|tiles] like snow",
        "[Under|Behind] the sofa, a [sock|coin] and a pea / "
        "[Nobody|No one] had seen them since [spring|last] holiday tea",
        "[Swish|Splash] goes the bucket and [swoosh|swish] goes the broom / "
        "[Somebody|Sunshine] just opened the [light in|door to] the room",
        "[Lemon|Mint] in the hallway and [shine|light] on the tap / "
        "The [cat|dog] on the carpet is [starting|enjoying] a nap",
        "[Bathroom|Oven] and [oven|kitchen], the [worst|job] of them all / "
        "You [laugh|hum] and you scrub it from floor to wall",
        "I [come|walk] from the office, the [keys|shoes] in my hand / "
        "[Whose|What] is this palace? I don't [yet|quite] understand",
    ),
    choruses=(
        "[Scrub|Mop] it, [scrub|mop] it, [rinse|wipe] it bright / [Even|All of] the teaspoons are full of light",
        "[Sweep|Brush] out the [winter|gray day] and sweep in the sun / "
        "[Dance|Slide] on the floor when the [work|wash] is done",
        "[Fresh|Clean] is the [pillow|morning] and [clean|fresh] is the air / "
        "[Sparkle|Sunlight] is skipping along the stair",
        "[Wash|Wipe] all the windows and [wipe|sweep] all the floors / "
        "[Breathe|Laugh] in the breeze of the [wide|big] open doors",
    ),
    hooks=(
        "{name}, [sweep|mop|wash] in the [sun|spring|light] and [sweep|mop|wash] out the gray / "
        "The [house|hall|bed] takes a [breath|sip|bath] of the month of May",
        "[Swish|Shine|Sweep] till the [windows|kitchen|hallway] [all sing|is bright], {name} / "
        "The [light|sun|spring] has come [in|back|home] through the window pane",
        "{name}, my [floor|sink|hall] is a [mirror|lake|moon] and so / "
        "I [dance|slide|glide] in my [socks|robe|bare feet] and I'm humming low",
        "{name}, you [scrub|rub|mop] and the [tiles|taps|pans] [all|now] shine back at me / "
        "I [found|met|hugged] the lost [sock|spoon|coin] and the house is free",
        "[Fresh|Clean|Bright] as a [lemon|morning|daisy] [today|again], {name} / "
        "The [tap|pot|sink] has a [twinkle|sparkle], the glass has no stain",
        "{name}, my [home|house] is a [fresh|blue|wide] [May|June|spring] day / "
        "I [hang|throw|fold] up my [coat|hat|scarf] and I want to stay",
    ),
    titles=(
        "Shine, shine, {name}",
        "The lost sock, {name}",
        "Fresh as a lemon, {name}",
    ),
)
LAUNDRY = Trade(
    verses=(
        "[Tumble and turn|Turn and tumble], the [socks|stripes] go around / "
        "[Bubbles|Buttons] are making a [drumming|thumping] sound",
        "[Coffee|Sauce] on my collar, oh [dear|no], what a sight / "
        "[Tomorrow|Thursday] it's [spotless|fluffy] and [snowy|happily] white",
        "[Steam|Soap] on the [window|iron], the [shirts|sheets] in a row / "
        "[Crisp|Smooth] as a letter and [smooth|soft] as the snow",
        "[Grandpa's|Father's] old coat has [come|gone] back like new / "
        "[Somebody|Someone] has [sewn|put] on the button too",
        "[Blankets|Curtains] too big for my [own|small] machine / "
        "[Warm|Soft] in the bag and so [lemony|lovely and] clean",
        "[Two|Three] little socks, and the [third|next] one is where? / "
        "The [dryer|spin] has a secret it never [will|would] share",
    ),
    choruses=(
        "[Wash|Spin] it and [spin|dry] it and [hang|fold] it up high / "
        "[Fresh|Clean] as the [morning|linen], and [warm|soft] and dry",
        "[Round and|Tumble] round, [round and|tumble] round, bubbles go by / "
        "[White|Blue] as the [washing|clouds] in an April sky",
        "[Press it and fold|Fold it and press] it and [tie|bag] it with care / "
        "[Sunday|Monday] is [ready|hanging] for someone to wear",
        "[Warm|Soft] from the dryer, I [hug|hold] it tight / "
        "[Sheets|Sleeves] like a meadow to [sleep|dream] in tonight",
    ),
    hooks=(
        "{name}, [round|spin] and [around|we spin] go the [socks|sheets|stripes] with a song / "
        "The [stain|mud|soup] on my [collar|elbow|cuff here], it won't be for long",
        "[Warm|Soft|Fresh] from the [dryer|iron|basket] [again|today], {name} / "
        "My [sleeves|sheets|socks] smell of [meadow|lemon|April] and sunshine and rain",
        "{name}, you [press|fold|steam] all the [creases|wrinkles] [away|from my day] / "
        "My [shirt|sheet|skirt] is as [smooth|clean|blue] as the sea in the bay",
        "{name}, [wash|steam] all the [winter|mud|week] from my coat, my friend / "
        "The [buttons|ribbons|zippers] were [missing|broken], you had some to lend",
        "[Bubbles|Lemon|Steam] in the [window|morning] [tonight|again] at {name} / "
        "The [sheets|towels|socks] are like [clouds|lambs] coming out of the rain",
        "{name}, [white|clean|bright] is my [shirt|coat|quilt] like a [sail|cloud|gull] on the sea / "
        "You've [folded|ironed|hung up] the [morning|meadow|weekend] up neatly for me",
    ),
    titles=(
        "Round and round, {name}",
        "Warm from {name}",
        "Fresh sheets from {name}",
    ),
)
