"""English lines of the trades that sell books, flowers and what a farm grows."""

from studio.lyricist.stock import Trade

BOOKS = Trade(
    verses=(
        "Paper and [ink|dust|rain] and a [creaky|sunny] floor / "
        "[Somebody's|Someone's] [world|voice] behind every door",
        "One more [chapter|page|poem], [oh|yes] just one more / "
        "[That's|It's] what I [said|swore|thought] an hour before",
        "[Somebody|Someone here] underlined [just|right] how I feel / "
        "[Strange|Sweet] how a stranger's [words|lines] can heal",
        "My bag is [heavy|bulging], but my [heart|step] is light / "
        "[I'm bringing|I carry] a dozen [friends|heroes] home tonight",
        "[Ladders|Lamps] and [corners|armchairs], a [cat|seat] in the sun / "
        "[Spines|Rows] full of voices that [call|wait], every one",
        "[Pencils|Notebooks] and [paper|ribbons], an [eager|empty] new page / "
        "[Write it a map or draw|Draw it a map or write] it a stage",
    ),
    choruses=(
        "Turn the page now, [softly|slowly|gladly] turn the page / You can [fall|be] in love at [any|every] age",
        "Once upon a [happy|rainy|quiet] time it said / "
        "Now it's [singing|dancing|walking] [softly|slowly] in my head",
        "[Read|Lend] me a [story|poem], [lend|read] me a rhyme / [Back|Lost] on an island till [supper|bed] time",
        "[Shelf after shelf|Row after row] of the [wise|bold] and the strange / "
        "[Little by little|Page after page now] we wander and change",
    ),
    hooks=(
        "{name}, [once upon a|there was a] [time|night|day] on the [second|topmost|old] shelf / "
        "I [opened|borrowed|finished] a [story|novel|poem] and found myself",
        "[Once|Deep|Lost] in a [story|chapter|corner] [today|again] at {name} / "
        "A [lamp|page|cat] and a [chair|quilt|cup] and the sound of the rain",
        "{name}, [one|two] more [page|tale|line] and I'm [home|yours|done] by ten / "
        "I [turn|skip|fly] to the [first|next|best] one and start it again",
        "{name}, the [shelves|lamps|spines] are [whispering|calling|glowing] to me / "
        "An [island|ocean|attic], a [ship|key|map] and a cup of tea",
        "[Next|First|Last] page, [turn|next] page, [softly|slowly|sweetly], {name} / "
        "[Every|Any] good [ending|story|chapter] will start over again",
        "{name}, [paper|ink] and the [hush|light] of a [long|still|late] afternoon / "
        "The [hero|dragon|lady] is [riding|walking|sailing] home under the moon",
    ),
    titles=(
        "Once upon a time at {name}",
        "The first page of {name}",
        "One more chapter, {name}",
    ),
)
FLOWER = Trade(
    verses=(
        "[Buckets|Bundles] of [color|tulips|roses] lined up by the door / "
        "Petals like [tiny|secret] love [notes|songs] on the floor",
        "[Ribbons|Bows] and [paper|green leaves], a [careful|tender] fold / "
        "[Say|Tell] it with roses, in [pink|red] and gold",
        "[Words|Speeches] go [wrong|pale] in so many ways / [Flowers|Roses] will say it for [days|weeks] and days",
        "[Bought|Chose] them for nothing, just passing [on through|right through] / "
        "[Now|Look], it's a kind of [birthday|feast day] too",
        "[Snip|Trim] goes the stem and the [room|shop] smells of rain / "
        "[Lilies|Daisies] and [lilac|fern] on the window pane",
        "[Mother|Teacher|Grandma], I'm sorry, I [love|thank] you, hello / "
        "[All|Half] of it [said|sung] in a [neat|bright] little bow",
    ),
    choruses=(
        "Bloom, [bloom|shine|glow], wherever you are / "
        "[Carry|Bring] the [garden|springtime|meadow] home in the back of the car",
        "One [little|simple] [stem|rose|bloom] and the room turns gold / "
        "[Love|Spring|Thanks] is a secret that flowers [told|hold]",
        "[Roses|Tulips] for [sorry|morning] and [daisies|lilies] for yes / "
        "[All|More] that I meant, but could [never|hardly] express",
        "[Tie|Wrap] it with [ribbon|paper] and [hold|hug] it tight / "
        "[Half|All] of the [garden|meadow] is yours tonight",
    ),
    hooks=(
        "{name}, [say|send] it in [roses|tulips|daisies], [say|send] it today / "
        "[Petals|Roses|Tulips] will [always|surely|softly] know what to say",
        "[Bloom|Spring|Color] in the [window|morning|doorway] [again|today] at {name} / "
        "[Smile|Shine|Bloom] like a [garden|meadow|windowsill] that's after the rain",
        "{name}, a [stem|bunch|bloom] for my [mother|sweetheart|teacher] to hold / "
        "The [room|heart|day] was all [gray|still|plain] and the room turns gold",
        "{name}, [snip|tie|fold] with a [ribbon|bow|leaf] and [off|home] I go / "
        "The [words|thanks|songs] that I [couldn't|wanted|whispered] are all in a row",
        "[Roses|Lilies|Violets] for [love|luck] and for [thanks|joy], says {name} / "
        "I [carry|cradle|bring] the [garden|meadow|springtime] right home on the train",
        "{name}, in [full|bright|soft] [bloom|leaf|color] [again|for us] today / "
        "The [bees|birds|kids] on the [corner|rooftop|doorstep] are showing the way",
    ),
    titles=(
        "In bloom at {name}",
        "What the flowers of {name} say",
        "A ribbon from {name}",
    ),
)
FARM = Trade(
    verses=(
        "[Rooster|Sparrow] is up and the [dew|sun] on the gate / "
        "[Baskets|Boots] by the door and we [hardly can|cannot] wait",
        "[Straw hats|Red boots] and rows running up to the hill / "
        "[Pick one and taste|Taste one and pick] one, and [nobody's|no one is] still",
        "[Hands|Knees] in the [earth|warm soil] and the [lark|sun] up above / "
        "[All|What] that we grow here is [growing|green] with love",
        "[Apples|Berries] so [red|ripe] that they [fall|jump] in your palm / "
        "The [tractor|brook] hums along and the [morning|valley] is calm",
        "[Goats|Lambs] at the fence and they [know|want] what you hold / "
        "[Clover|Carrots] for [silver|Daisy] and [corn|bread] for Gold",
        "[Rain on the furrow and sun|Sun on the furrow and rain] on the leaf / "
        "The [first|best] of the harvest is [sweet|good] past belief",
    ),
    choruses=(
        "[Pick|Dig] it and [wash|taste] it and [eat|crunch] it right here / "
        "[Green|Sweet] is the [garden|valley] this time of the year",
        "[Up with the sun|Out in the hay] and home with the moon / "
        "[Grow|Ripen], you good things, we'll [eat|pick] you in June",
        "[Boots|Mud] on the doorstep and [straw|sun] in our hair / "
        "[Smell|Breathe] all the [clover|apples] that [sing|dance] in the air",
        "[Seed|Sun] and the [rain|bee] and a [year|hand] full of care / "
        "[Fill|Bring] up the basket, there's [plenty|enough] to share",
    ),
    hooks=(
        "{name}, [pick|dig|bite] me a [red|sweet|round] one right [here|now] in the sun / "
        "The [basket|bucket|barrow] is [full|heavy] and the day's just begun",
        "[Boots|Hats] on and [off|out|up] to the [fields|hills|rows] of {name} / "
        "A [smile|wave|song] for the [sun|bees|goats] and a thanks for the rain",
        "{name}, where the [apples|berries|melons] [grow|laugh|shine] up the hill / "
        "We [picked|sang|tasted] for an [hour|evening] and we're picking still",
        "{name}, the [rooster|tractor|brook] sings [its good|a fine|a big] hello / "
        "[Straw|Sun|Wind] in our [hair|hats|sleeves] and the seeds in a row",
        "[Sun|Dew] on the [leaves|gate|rows] [today|again] at {name} / "
        "The [sweetest|finest|roundest] of [things|plums|peas] take the sun and the rain",
        "{name}, [ripe|sweet|fresh] from the [tree|vine|earth] to the plate / "
        "A [goat|lamb|hen] is [saying|singing|bleating] hello at the gate",
    ),
    titles=(
        "Up on the hill at {name}",
        "Sun and rain, {name}",
        "Boots on for {name}",
    ),
)
