"""English lines of the trades that teach music and art, and where one learns alone."""

from studio.lyricist.stock import Trade

MUSIC = Trade(
    verses=(
        "[Do|One], re, mi says the [window|morning], the [cat|moon] says me too / "
        "[Ten|Two] little fingers with so much to do",
        "[Black keys and white|White keys and black] keys, the [rain|sun] on the wall / "
        "[Somebody's|Someone is] playing the best note of all",
        "[Breathe|Hum] from the belly and [open|lift up] the tone / "
        "[Now|Soon] I can fill up the [hall|street] on my own",
        "[Strings|Wood] under my [fingers|ear] and oh, what a tune / "
        "[Six|Four] little strings and a [slice|bit] of the moon",
        "[One|Two], two, and three, and the [metronome|old clock] goes tick / "
        "[Slow|Soft] for a week and then [suddenly|Friday it's] quick",
        "[Wrong|Sour] note, says Grandpa, and [winks|nods] from his chair / "
        "[Next|Last] time it [shines|sings] like the sun in the air",
    ),
    choruses=(
        "La la la, [higher|softer], la la la, [low|slow] / "
        "[Open|Lift] up your heart and the [song|tune] will know",
        "[Press|Strike] down the [key|string] and the [morning|evening] will ring / "
        "[Everyone|Somebody] [near us|out there] is learning to sing",
        "[Clap|Tap] on the two and then [clap|tap] on the four / "
        "[Play|Sing] it again, oh [play|sing] it once more",
        "[Hum|Sing] on the bus and [hum|sing] on the stair / "
        "[Music|Rhythm] is [dancing|floating] around in the air",
    ),
    hooks=(
        "{name}, [do|hum] re mi, [play|sing] me the [sun|moon|rain] again / "
        "I'm [slow|lost|shy] on the [one|two] and I'm there on ten",
        "[Strum|Play|Sing] me a [song|chord|tune] [today|again] at {name} / "
        "The [notes|chords|birds] on the [window|rooftop|lamppost] are dancing like rain",
        "{name}, my [voice|hands|songs] can [fly|shine|ring] up [high|bright] and free / "
        "I [never|hardly] [knew|guessed|dreamed] all of this [lived|slept] in me",
        "{name}, [la la|do re|ah ah], and my [heart|song|voice] is in tune / "
        "The [first|sweet|next] little [piece|song|waltz] to the man in the moon",
        "[Keys|Strings|Drums] under my [fingers|hands] [tonight|today], {name} / "
        "The [quiet|morning|hallway] is [humming|singing|ringing], the roof sings with rain",
        "{name}, [soft|slow] on the [first|low] note and [sweet|long] on the high / "
        "The [song|tune|note] that I [wanted|whistled|dreamed of] is up in the sky",
    ),
    titles=(
        "Do re mi, {name}",
        "Sing it for {name}",
        "First song at {name}",
    ),
)
ART = Trade(
    verses=(
        "[Clay|Paint] on my elbows and [blue|red] on my chin / "
        "[Something|A shape] that I [dreamed|saw] is about to begin",
        "[Brush|Sponge] in the water, the [water|sky] turns rose / "
        "[Where|How] does the green come from? [Nobody|Anyone] knows",
        "[Spin|Turn] goes the wheel and the [bowl|cup] starts to rise / "
        "[Mud|Clay] in the hands and the [moon|sea] in the eyes",
        "[Crooked|Wobbly] the house is, but [warm|bright] is the light / "
        "[Purple|Orange] the cow, and I [think|know] she's right",
        "[Smudge|Line] of the charcoal, the [shadow|corner] of you / "
        "[Look|Hush] now, my pencil is looking [there|up] too",
        "[Glaze|Paint] it and [fire|dry] it and [wait|sleep] for a week / "
        "[Open|Look in] the kiln for the [jug|bowl] that I seek",
    ),
    choruses=(
        "[Paint|Splash] it, [paint|splash] it, a [red|big] wide sea / "
        "[Yellow|Golden] for you and then [blue|green] for me",
        "[Spin|Roll] it and [press|pinch] it and [let|watch] it grow / "
        "[Thumb|Heart] in the middle and [soft|wet] and slow",
        "[Every|Any] color is [welcome|dancing] here / [Draw|Paint] what you [feel|hear] and it all comes clear",
        "[Red|Gold] on my [sleeve|nose] and a [star|bird] on the wall / "
        "[Nothing|No line] that you draw is a [blunder|mistake] at all",
    ),
    hooks=(
        "{name}, [paint|draw|dream] me a [red|wide|big] little sun with a grin / "
        "I [hold|lift|pick] up the [brush|paint|sponge] and the sky runs in",
        "[Paint|Clay|Blue] on my [elbows|sleeves|fingers] [again|today] at {name} / "
        "The [purple|orange|polka] old [cow|cat|sheep] is at home in the rain",
        "{name}, [spin|shape|press] me a [cup|moon|bowl] and the [day|wheel] hums along / "
        "My [hands|sleeves|thumbs] are all [mud|paint|clay] and my heart's all song",
        "{name}, [one|two|three] little [lines|dots|smudges] and [see|look], a face / "
        "The [white|edge|heart] of the [paper|canvas] is a wonderful place",
        "[Red|Gold|Green] with a [brush|splash|dab] of the [sun|moon|sea], {name} / "
        "I [signed|smiled|dripped] in the [corner|sunlight], you see my name",
        "{name}, what my [hands|thumbs|eyes] [wished|dreamed|meant] is here on the sill / "
        "The [bowl|cup|vase] is still [warm|round|blue] and it's wobbly still",
    ),
    titles=(
        "Paint on my sleeve, {name}",
        "The purple cow of {name}",
        "Made by hand at {name}",
    ),
)
STUDYCAFE = Trade(
    verses=(
        "[Hush|Quiet] is the [light|lamp], and the [chair|desk] is my own / "
        "[Phone|Noise] is asleep and I'm [left|here] all alone",
        "[Page after page|Line after line] with the [clock|rain] going slow / "
        "[Underline|Circle] this and then [off|on] we go",
        "[Tea|Coffee] at [ten|nine] and a [stretch|yawn] at the wall / "
        "[Everyone's|Somebody's] [quiet|dreaming] and reaching, all",
        "[Highlighter|Pencil] and [sticky note|eraser], a [yellow|hopeful] line / "
        "[Tomorrow|Friday] the answers will all be mine",
        "[Outside|Downstairs] it is [noisy|snowing], in here it is June / "
        "[I|Me] and my book and a lamp like the moon",
        "[Socks|Slippers] on my feet and a [blanket|hoodie] so warm / "
        "[Study|Reading] goes well in the [snow|rain] and the storm",
    ),
    choruses=(
        "[Breathe|Sip] and then [turn|read] it and [breathe|sip] again / "
        "[Nine|Eight] little pages and now it's ten",
        "[Quiet|Hush], now, [quiet|hush], now, the [page|lamp] is bright / "
        "[Dreams|Hopes] grow a [bit|lot] in the lamp at night",
        "[Line after line|Word after word] and the [hill|stairs] gets small / "
        "[Someday|One day] we [laugh|smile] at the climb of it all",
        "[Good luck|Well done], says the [lamp|clock], and [well done|good luck], says the chair / "
        "[Step by step|Page by page] you are almost there",
    ),
    hooks=(
        "{name}, the [lamp|desk|page] is [my|a] [moon|friend|boat] tonight / "
        "A [chapter|pencil|notebook], a [breath|dream|sip] and a pool of light",
        "[Hush|Quiet|Calm] is the [light|page|hour] [tonight|today] at {name} / "
        "A [pencil|page|window], a [dream|lamp|tea] and the sound of the rain",
        "{name}, [one|two] more [page|line|hour] and the [hill|day|list] is done / "
        "I'll [walk|skip|hum] home so [lightly|softly|proudly] to meet the sun",
        "{name}, my [corner|window|lamp] and [me|dreams|hope] and the [clock|rain] so low / "
        "I'm [nearer|closer] to [morning|Friday|dreaming] than you would know",
        "[Page after page|Step after step|Line after line] [today|again] at {name} / "
        "The [dream|hope|word] in my [notebook|margin|pocket] has got my name",
        "{name}, [phone|worries] in the [bag|drawer|locker], the [world|street|noise] far away / "
        "I'm [building|drawing|writing] [tomorrow|next summer] with pages today",
    ),
    titles=(
        "The lamp at {name}",
        "One more page at {name}",
        "Hush, {name}",
    ),
)
