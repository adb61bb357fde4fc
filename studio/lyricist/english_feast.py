"""English lines of the trades that fry, grill and steam."""

from studio.lyricist.stock import Trade

GRILL = Trade(
    verses=(
        "[Hear|Smell|See] that sizzle, [hear|smell|see] that smoke / "
        "[Somebody's|Uncle is|Grandpa is] telling the same [old|good|long] joke",
        "[Tongs|Forks|Gloves] in the hand of the [king|chef] tonight / "
        "[Turn|Flip] it over [slowly|gently], do it right",
        "[Napkins|Aprons] are flying, [sleeves|plates|smiles] rolled high / "
        "[Nobody's|No one is] [leaving|walking] out clean and dry",
        "[Fire|Coals] down low and the [laughter|music|talking] loud / "
        "It [smells|tastes|sounds] so good it has [drawn|brought] a crowd",
        "[Wrap|Fold] it in [lettuce|green leaves] with a [dab|touch] of spice / "
        "[Once|One] is a [taste|promise], so let's make it twice",
        "[Salt|Smoke] on the [edges|ribs] and [juice|fire] within / "
        "[Wipe|Turn] up your sleeves and then wipe your chin",
    ),
    choruses=(
        "[Sizzle|Crackle|Turn it], sizzle, [one|just one] more round / "
        "[Dinner|Supper|Hunger] never had a better sound",
        "[Gather|Huddle|Crowd] around the fire, [gather|come on] near / "
        "[Pass|Send] that [plate|platter] on over here",
        "[Char|Smoke] and a [song|laugh] and a [clink|toast] and a cheer / "
        "[Nobody|No one] [counts|minds all] the calories here",
        "[Turn|Flip] it, turn it, [let|make] it glow / "
        "[Hot|Brown] on the [high side|outside], [tender|juicy] below",
    ),
    hooks=(
        "{name}, [light|stoke|fan] up the [fire|coals|grill] and we'll [sing|cheer|eat] all night / "
        "[Sizzle|Crackle|Laughter] and [smoke|song|sauce] in the lantern light",
        "[Sizzle|Smoke|Fire] and a [song|laugh|toast] [tonight|again] at {name} / "
        "[Loosen|Let out|Open] your [belt|sleeves|tie] and we'll go again",
        "{name}, the [coals|grill|ribs] are [red|hot|ready] and so am I / "
        "A [ribbon|feather|river] of [smoke|song|steam] in the evening sky",
        "{name}, [one|two] for the [fire|friends|grill], [one|two] for the plate / "
        "I've been [hungry|dreaming|waiting] since [half past|way past] eight",
        "[Light|Heat|Fire] up the [grill|coals|night] [with me|again] at {name} / "
        "Smoke in our [hair|coats|hats] and we [do not|never] complain",
        "{name}, [pass|hand] me the [tongs|salt|sauce] and the [big|last|best] piece, please / "
        "A [pinch|touch|shake] of the [pepper|garlic|sunshine], a bit of a breeze",
    ),
    titles=(
        "Smoke and song at {name}",
        "Sizzle, {name}",
        "Round the fire at {name}",
    ),
)
SEAFOOD = Trade(
    verses=(
        "[Salt|Spray|Light] on the [air|wind] and a silver tide / "
        "The ocean [came|rolled] in and it [sat|sang] by our side",
        "[Hear|Watch] the gulls [gossip|chatter|giggle], [and|then] see them dive / "
        "[Everything's|Everyone's] [shining|dancing|splashing], so glad and alive",
        "[Waves|Shells|Pearls] on the plate in a [neat|long] little row / "
        "[Taste|Try] what the [fishermen|sailors] [all|must] know",
        "Far from the [harbor|ocean|islands], the [table's|dinner's] a boat / "
        "[Lift|Raise] up your glass and we'll [stay|dance] afloat",
        "[Nets|Boats] at the [sunrise|daybreak] came heavy and bright / "
        "[Now|Here] it is [lemon|ginger] and [steam|fire] and light",
        "[Crack|Open] the [shell|claw] and the [butter|broth] runs down / "
        "The [best|bluest] of the [sea|bay] is right here in town",
    ),
    choruses=(
        "[Taste|Smell|Feel] the tide, [oh taste|and taste] the sea / "
        "A [little|tiny] bit of ocean for [you|him|her] and me",
        "[Splash|Swish|Whoosh], splash, [here|there] comes a [silver|giant] wave / "
        "This is a [moment|supper|morsel] that I'm [going|longing] to save",
        "[Ride|Sail] on the [tide|breeze] to the [captain's|harbor] chair / "
        "[Salt|Sun] on the [lips|nose] and the wind in our hair",
        "[Heave|Haul] up the [anchor|net] and [off|away] we go / "
        "[Butter|Lemon] and [garlic|ginger] and [seas|waves] below",
    ),
    hooks=(
        "{name}, [catch|fish|scoop] me a [wave|star|song] from the sea / "
        "A [lemon|candle|ginger], a [plate|spoon|breeze], and a view for me",
        "[Catch|Taste] of the [day|tide|morning], [hello|ahoy|come in], {name} / "
        "A [splash|taste|song] of the [sea|waves|coast] coming in with the rain",
        "{name}, [sail|row|drift] me [off|out|home] to the [wide|cool] bright / "
        "The [plate|night|moon] is an [island|ocean] of [silver|lantern] light",
        "{name}, the [gulls|boats|waves] are [calling|singing|dancing] my name / "
        "The [supper|music|moonlight] [tonight|today] and the sea are the same",
        "[Sail|Swim|Float] away [with me|tonight|this evening] to {name} / "
        "The [tide's|boat's|gull's] going [out|home] but we [all will|will] remain",
        "{name}, [fresh|straight|bright] from the [boat|net|bay] at sunrise / "
        "The [ocean|morning|harbor] is here in a [small|neat] bright surprise",
    ),
    titles=(
        "Taste the tide, {name}",
        "{name} by the sea",
        "Catch of the day, {name}",
    ),
)
CHICKEN = Trade(
    verses=(
        "[Crunch|Crack|Snap] goes the [supper|drumstick], and louder than boom / "
        "[Everyone's|Everybody's] [running|dancing] into the room",
        "Open the [box|bag] and hear [trumpets|angels|music] sing / "
        "Who gets the [last|big] one, [who will|who'll] be king",
        "Lick [every|each little] finger and [don't|never] be shy / "
        "[Manners|Napkins] can [wait|fly] in the wide blue sky",
        "[Carry|Hurry] it home like a [birthday|golden|first place] prize / "
        "Look at the [light|joy] in [everyone's|all of their] eyes",
        "[Hot|Warm] in the [box|bag] as I [run|skip] up the stairs / "
        "[Steam|Pepper] and [crunch|spice] and the whole hallway stares",
        "[Sweet|Hot] on the left side and [salt|spice] on the right / "
        "[Half|Some] and half [makes|keeps] the [peace|calm] tonight",
    ),
    choruses=(
        "Just [one|two] more piece, [just|come on,] one more / "
        "[That|This] is what tomorrow's [diet|jogging] is for",
        "[Crunchy|Crispy|Golden], crunchy, [can't|won't] slow down / "
        "The [happiest|loudest|merriest] [supper|dinner] sound in town",
        "[Wings|Drumsticks|Napkins] in the [air|sky] like you just don't care / "
        "[Crumbs|Sauce] on my [chin|cheek] and a [bit|dot] in my hair",
        "[Dip|Dunk] it, crunch it, [pass|hand] it along / "
        "[Nobody's|No one is] talking, we're [humming|munching] a song",
    ),
    hooks=(
        "{name}, [hot|fresh|gold] in the [box|bag|pan] and it's [all|just|here] for me / "
        "I [said|swore|vowed] only [one|two] and [it's|that's] number three",
        "[Hot|Warm] in the [box|bag|car] [tonight|again|at last] from {name} / "
        "We [said|swore|vowed] [one piece|one wing|just one] and we lied again",
        "{name}, [crunch time|snack time|game time] with [all my|the best] friends tonight / "
        "The [louder|later|bigger] the [supper|party|crunching], the better the bite",
        "{name}, [ring|knock|call] and the [whole|big|loud] house sings / "
        "[Somebody|Someone] [grab|save|hand] me a pair of the wings",
        "[Crunch|Snack|Game] time, [fun|munch|crunch] time, [come on|all hail], {name} / "
        "[Nobody's|No one is] [talking|sharing|speaking] and no one's to blame",
        "{name}, [one|two] for the [match|show|kids], [one|two] for the road / "
        "A [hot|big|full] little [box|bag|wing] with a golden load",
    ),
    titles=(
        "Just one more, {name}",
        "Crunch time at {name}",
        "Golden, {name}",
    ),
)
SNACK = Trade(
    verses=(
        "[Red|Sweet|Bright] hot sauce on a [paper|small blue|plastic] plate / "
        "[School|Work|Class] is [out|done] and I just can't wait",
        "[Pockets|Handfuls] of pennies and [friends|pals] in a row / "
        "It [tastes|smells] like the [summers|autumns] we used to know",
        "[Hot, hot|Ouch, hot], hot, oh [give|hand|bring] me some more / "
        "[Tears|Stars] in my eyes and my [heart|spoon|mouth] wants four",
        "[One|Just one] little [skewer|dumpling|rice cake], one little bite / "
        "[Share|Split] it with me and we'll be [just|quite] all right",
        "[Steam|Light] from the [cart|shop] on the [corner|busy] street / "
        "[Stamp|Tap|Dance] in the cold to a [dumpling|noodle] beat",
        "[Dip|Dunk] it in [sauce|soup] and then [dip|dunk] it again / "
        "[Fingers|Chopsticks] are faster than [fork|book] and pen",
    ),
    choruses=(
        "[Spicy|Salty|Saucy] and sweet like [growing|waking] up / "
        "[Sip|Slurp] a little [soup|broth] from a paper cup",
        "Give me one [bite|taste], just [one|a] small bite / "
        "Sharing it [doubles|triples] the [whole|plain] delight",
        "[Roll|Fold] it and [dip|dunk] it and [pop|toss] it in / "
        "[Sauce|Salt] on [my|your] nose and a great big grin",
        "[One|Two] for the [bus|road] and [one|two] for my friend / "
        "[Snack|Good] time should [never|not] come to an end",
    ),
    hooks=(
        "{name}, [after|straight from] [school|work|class] we [come|run|race] to you / "
        "A [plate|tray|bowl] and two [forks|sticks|friends] and we'll split it in two",
        "[After|Straight from] [school|class|work] [we meet|we run|I'm off] to {name} / "
        "We're [all of us|suddenly|everyone] [sixteen|fifteen|eighteen] again",
        "{name}, [red|hot|sweet] on my [tongue|lips|plate] and it [burns|stings|shines] like the sun / "
        "I [blow|breathe] on it [twice|once|hard] and it's gone, that one",
        "{name}, [little|tiny|happy] [bites|plates], [big|wide|loud] smiles / "
        "I [smelled|heard|sensed] it and [followed|ran here|hurried] for two long miles",
        "[One|Two] [plate|bowl], two [forks|friends|sticks], [at last|today|right here], {name} / "
        "[Sauce|Soup|Spice] on my [sleeve|chin|nose] and it's gone again",
        "{name}, a [pocket|handful|jar full] of [change|coins] and a song / "
        "A [plate|song|cup] in the [middle|corner|window], we stay all day long",
    ),
    titles=(
        "After school at {name}",
        "Spicy and sweet, {name}",
        "Two forks at {name}",
    ),
)
