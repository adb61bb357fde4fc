"""English lines of those who look after mothers and the old."""

from studio.lyricist.stock import Trade

OBGYN = Trade(
    verses=(
        "[Softly|Quietly] we [talk|speak] and the door [stays|is] closed / "
        "[Nobody|No one] is hurried, the [room|day] is composed",
        "[Each|Every] [age|stage] of a [life|woman] has its words / [Quiet|Gentle] the room as a nest of birds",
        "[Time|Room] to be [heard|asked] in a calm and [gentle|friendly] way / "
        "[All|What] that you [think|wish] you are free to say",
        "A [hand|voice] close to yours, and a [song|hum] so low / "
        "[Someone|Somebody] [is|stays] with you wherever you go",
        "[Lamps|Lights] in the [hallway|night room] are [low|soft] and warm / "
        "[Somebody|Someone] [wakes|stays] through the [night|rain] and the storm",
        "[Rest|Sleep] when you [need|want] it, and [eat|drink] it warm / "
        "[Quiet|Safe] is the [house|room] in the [snow|rain] and storm",
    ),
    choruses=(
        "[You come|Your word comes] first, you [set|choose] the pace / "
        "[Gently|Calmly] we [ask|talk], in a [quiet|friendly] place",
        "[Softly|Slowly], [softly|slowly], you're in good hands here / "
        "[Someone|Somebody] who [knows|cares] is [always|truly] near",
        "[Rest a bit, breathe|Breathe a bit, rest] a bit, [take|have] your time / "
        "[Quiet|Gentle] and [soft|slow] as a cradle rhyme",
        "[Any|Every] question is [welcome|all right] here / "
        "[Gently|Softly] we [speak|talk] and the answer is clear",
    ),
    hooks=(
        "{name}, [softly|gently|kindly] [close by|near you] through [all|each] the days / "
        "[Kind|Calm|Soft] is the [voice|hand|word] in so many ways",
        "[Kind|Calm|Soft] are the [hands|words] and the [days|rooms] at {name} / "
        "You can [ask|tell] us [once|now|first] or ask us again",
        "{name}, a [quiet|gentle] [room|word|hour] that is [yours|safe] today / "
        "[Someone|A friend] who [listens|wakes up|answers] to all you say",
        "{name}, with you in the [day|week|dawn] and [with you|close by] at night / "
        "[Warm|Soft|Kind] is the [word|hand|room] and the window light",
        "{name}, [respect|good care|kind words] and a [gentle|quiet|friendly] hand / "
        "[Here|There|These] are the [people|women|good hearts] who understand",
        "[Gently|Softly|Kindly] [along|ahead] on the [way|path] with {name} / "
        "A [hand|word|song] in the night and the [sound|hush|sigh] of the rain",
    ),
    titles=(
        "Softly, {name}",
        "A quiet room at {name}",
        "Close by, {name}",
    ),
)
NURSING = Trade(
    verses=(
        "[Slippers|Footsteps] in the [hallway|sunroom], a [song|tune] on the air / "
        "[Somebody|Someone] is [combing|brushing] her [silver|soft white] hair",
        "[Stories|Songs] from the old days, we [love|like] every one / "
        "Tea by the [window|garden], a [square|patch] of sun",
        "[Names|Songs] that you [love|miss] and the [songs|names] you know / "
        "We [hum|say] them [together|softly], and [take|keep] it slow",
        "[Cards|Threads] on the table, [slow|warm] tea to pour / "
        "[Nobody|No one] is [counting|watching] the [clock|time] anymore",
        "[Soup|Rice] that is [warm|soft] and a [lap|quilt] that's warm / "
        "[Somebody|Someone] is [here|near] in the [snow|rain] and storm",
        "[Sunday|Daytime] brings [children|family] and [flowers|laughter] in / "
        "[Smiles|Eyes] light the [room|hall] and the [songs|talks] begin",
    ),
    choruses=(
        "[Slowly|Gently] we go at the [pace|speed] you choose / "
        "[Soft|Warm] is the [blanket|carpet] and soft the shoes",
        "[Day after day|Night after night] we are by your side / "
        "[Patient|Gentle] in [heart|hand] and with [doors|arms] open wide",
        "[Someone|Somebody] who [looks|comes] when you call at night / "
        "[Someone|Somebody] who [leaves|turns] you a little light",
        "[Years|Days] full of [stories|music], we [love|know] them all / "
        "[Photos|Faces] you love on the [hallway|bedroom] wall",
    ),
    hooks=(
        "{name}, [a home|a hand|a song] for the [long|kind|late] golden days / "
        "[Someone|A friend] in a [hundred|dozen|thousand] ways",
        "[Home|Rest] in the [kind|warm|calm] [light|hands] of {name} / "
        "[Slippers|Roses|Stories] and [songs|tea|cards] and a window pane",
        "{name}, [the song|the tea|the sun] and the [gentle|friendly|quiet] talk / "
        "[Arm in arm|Hand in hand] on the [garden|morning|sunny] walk",
        "{name}, [someone|a friend] who [knows|asks] [the way|just how] you spend the day / "
        "[Someone|A nurse] who is [here|kind|near] and is glad to stay",
        "{name}, we [care|cook|sing|stay] as if you were [truly|always] our own / "
        "[No one|No heart] should [sit|dine|wake] in the dark alone",
        "[Warm|Calm] is the [evening|morning|sunroom] [at home|in here] at {name} / "
        "[Hands|Arms] that will [hold|lead|warm] you in [sun|wind|snow] and rain",
    ),
    titles=(
        "A home at {name}",
        "Hand in hand, {name}",
        "Golden years with {name}",
    ),
)
