"""English couplets for any business."""

from studio.lyricist.stock import Lines

COMMON = Lines(
    verses=(
        "Come [right|straight] in from the [rain|cold|street], hang up your coat / "
        "The [radio|kettle|hallway] hums its favorite note",
        "[Leave|Hang|Drop] all your [worries|Mondays|troubles] by the door / "
        "You [really|surely|truly] won't need them anymore",
        "[Little|Simple|Careful] things we do with [steady|gentle] hands / "
        "That's what a [tired|busy|hungry] heart understands",
        "Round the [corner|garden|fountain], [halfway|straight on] down the lane / "
        "You are [always|truly] welcome, [sun|wind|snow] or rain",
        "Every [single|passing|sleepy] face becomes a [friend|good friend] / "
        "Every [road|bus|path] comes back here in the end",
        "We keep a [little|steady|friendly] light on [just|here] for you / "
        "[Shining|Burning|Glowing] away the whole night through",
        "A [gentle|kindly|cheerful] word, a [friendly|sunny] nod, a smile / "
        "[Sit|Lean] back and stay for [quite|just] a little while",
        "The street is [loud|fast|gray] and [busy|hurried], people run / "
        "In here the [day|best|song] has only just begun",
        "[Old friends|Good friends|Your friends] meeting, new friends, side by side / "
        "Here's a [little|quiet|sunny] place to rest your stride",
        "[Nothing|Not much] fancy, nothing [overdone|left undone] / "
        "Just some [honest|patient|cheerful] work in [morning|early] sun",
        "You can [tell|see|feel] it all by how they care / "
        "A bit of [kindness|sunshine|music] [hanging|floating] in the air",
        "[Come|Sit|Do] and tell us all about your day / There's [time|tea|room] to listen, come what may",
        "[Seasons|Summers|Winters] turn again and [leaves|flakes] come down / "
        "Still our [favorite|friendly|sunny] corner of the town",
        "[Pictures|Postcards|Letters] never [really|ever] get it right / "
        "You have to [see|find] it [glowing|smiling] in the light",
        "[Whistle|Hum it|Sing it] [softly|gladly] on your way back home / "
        "You [never|won't ever] have to walk the [road|streets|night] alone",
        "[Funny|Lovely|Happy] how [quickly|warmly] it feels like yours / "
        "Four [plain|bright|good] walls and two wide open doors",
        "Bring your [brother|sister|teacher], bring your [neighbor|mother] too / "
        "There's [always|surely] a [corner|good seat|window] saved for you",
        "[Grey|Low|Old] and [rainy|sleepy] skies above the street / "
        "In here there's a [rhythm|sparkle|summer] in our feet",
        "Some [little|quiet|honest] things you can [never|hardly] fake / "
        "Here's the [extra|special|patient] little care we take",
        "[Half past|Quarter past|Way past] tired and a quarter to [done|fun] / "
        "Here is where the [better|brighter|sweeter] half's begun",
        "Put your phone [face down|away now] and look around / "
        "Hear that [happy|lively|gentle] humming, hear that sound",
        "You [came|stopped|looked] in here by [chance|luck] the other day / "
        "[Funny|Lucky|Happy] how your feet have learned the way",
        "[Someone|One friend] over there has [saved|kept] your seat / "
        "[Somebody's|Someone is] softly [tapping|dancing|swaying|keeping time] with their feet",
        "[Nobody's|No one's] [ever|really] a stranger long / Two [little|sunny|shy] hellos and you belong",
        "The [mailbox|lamppost|snowman|signpost] tipped its [shiny|crooked|Sunday|silly] hat to me / "
        "The [lazy|clever|corner|yellow] cat [looked|came|leaned] down to see",
        "I [only|just] meant to [quickly|shyly] look inside / An hour [later|older], I'm [still|all|so] wide-eyed",
        "The weatherman said [clouds|rain] and [gloom|storms] all day / "
        "He never [thought|cared|dared] to look this way",
        "[Kicked|Rolled|Chased] a [pebble|chestnut] all along the street / "
        "It [stopped|came] right here [beside|before] my feet",
        "Practiced [smiling|laughing|singing] in the glass all week / "
        "Here it [happens|blossoms] when I [only|simply] speak",
        "Got here [early|humming|hungry], only [took|had] a peek / "
        "I could [gladly|surely] stay [another|one more] week",
        "[Even|Surely] the [pigeons|sparrows] here know the place / Every [brick|step|chair] has a friendly face",
        "My [shopping|morning|pocket|weekend] list had only one [small|good|short] line / "
        "[Remember|Don't forget|Promise now] to [stop and|get out and|look up and] shine",
    ),
    choruses=(
        "La la la, [let's|we] [sing|hum|dance|swing] it up and down / "
        "[Best-kept|Brightest|Sweetest|Warmest] little [secret|corner|wonder|street now] [in|of] the town",
        "Take my [hand|arm|hat] and come and sing along / "
        "[Everybody|Half the village] here [knows|loves] this [song|old song]",
        "Open up your [arms|hearts] and [open|paint your] doors / "
        "What is [ours|mine|here] is [always|also|gladly] yours",
        "[Feel|Hear|Keep] the [rhythm|music|morning], feel it in your shoes / "
        "Chase [away|off all|out all] those [rainy-day|Monday-night|early-bird|homework-time] blues",
        "[Smiles|Songs|Lights|Bells] are [blooming|dancing|ringing|waking] brightly, left and right / "
        "Making every [single|sleepy|empty] [corner|window|doorway] bright",
        "Here's to [all|both|each] of us and [here's|cheers] to [you|you too] / "
        "Here's to every [little|big old|sleepy|secret] [dream|wish|hope|plan] come true",
        "Oh, what a [lovely|sunny|happy] day to be around / "
        "Turn your [grumpy|rainy|Monday|sleepy] [frown|face] the [other|better] way round",
        "[One more|Oh one more|Sing one more] [time|verse|round] now, [everybody|everyone come] sing / "
        "Isn't it a [simple|pretty|lucky|lovely] [happy|little|silly|sunny] thing",
        "[Everyone|All that] you love is [standing|dancing|sitting] near / "
        "Oh I am so [glad|proud|pleased] that [we|you|they] are [here|all here]",
        "Count the [lucky|early|silver] stars and [count|hug|greet] your friends / "
        "[Here's hoping|I'm wishing|I'm betting|I promise] that [this|it|fun] never [ends|quite ends]",
        "Clap your [hands|palms] together, one, two, three / "
        "There's [room|space] for you [right here|up close] next to me",
        "If you're [feeling|getting] lost, just [follow|trust in|run to] the sound / "
        "It's the very [warmest|brightest|kindest] place around",
        "Come on [tomorrow|on Sunday|this evening], come today / "
        "You [know|see] we'd [love|like] it if you'd [stay|just stay]",
        "Hum it on the [bus|train|swing], and [hum|sing] it on the stairs / "
        "[Hum|Sing] it till the [street|town|moon|night] has [lost|dropped|sung] its cares",
        "[Rain|Wind|Snow] or shine, we'll [always|surely|gladly] see it through / "
        "There's a [bit|slice] of [sky|sun] here just for you",
        "Oh, the world is [very|lovely] big and wide / Still the [best|heart] of it is [here inside|safe inside]",
        "[Pocketful|Basketful|Armful now] of borrowed morning light / "
        "[Hand|Pass] it to the [next one|first one|small one|old one] here in sight",
        "Sing it to the [baker|mailman|doorman], sing it to the [bus|old bus] / "
        "Nobody ever [has|had] it [better|nicer] than us",
        "Once is [luck|chance] and [maybe|surely] twice is fate / "
        "Three times and you're [always|gladly] running late",
        "Leave a little [laughter|sunlight|music] on the chair / "
        "Someone's going to [find|keep|love] it [waiting|shining] there",
        "[Good|Glad|Best] news travels quicker than a bike / Come and [find|meet] the very [thing|song] you like",
        "Knock on [wood|glass] and [knock|call] on every door / "
        "Happiness is [always|surely|truly] worth [much|so much] more",
        "All my [friends|aunts|pals] are [waving|singing|smiling|shouting] [from|by|at] the door / "
        "Room for [one|two|three] and [even|maybe] room for four",
        "[Shout|Sing] [hello|good day] to [nearly|simply] all you meet / "
        "Friendship has the [very|truly] [fastest|lightest|warmest] feet",
        "[Long|Slow|Old] way round or maybe shortcut through / [Either way|Any road] it brings me home to you",
        "If my [heart|day|song] had little walking shoes / [This|Here] would be the [street|door] they choose",
        "Tell your [grandma|teacher|barber], tell the [mayor|baker|neighbor] too / "
        "Oh we have [got|found] a [tune|song] for you",
        "Two left [feet|shoes] and still I want to sway / [Carry|Dance] me along the [livelong|whole long] day",
        "Ask the [lamppost|mailbox|snowman|pigeon|baker], ask the [traffic|corner|kitchen] light / "
        "[Everyone|All the town|Half the world] is [coming|dancing|walking|singing] here tonight",
        "Draw a [great big|bright gold|big round|bright red] [heart|star|sun|ring] around the day / "
        "[Color it in|Color it gold|Sign it with love|Frame it in blue] and [run|dance|skip|sing] away",
        "[Half a smile|One hello|One good song|One kind word] is half the "
        "[journey|distance|Monday|homework] done / "
        "[Share|Split] the [other|better] half with [everyone|anyone]",
        "[Hum|Sing] a little [line|song|tune] for every friend / "
        "Let the [happy|sunny|silly] [chorus|music] never end",
        "Up the [hill|steps|road] and over down the lane / "
        "[Everybody|Half the village] [knows|sings] the [sweet|glad] refrain",
        "Here's a [song|wink|wave] to [always|surely] make you grin / Door is [open|wide now], step right in",
        "Knock three [times|notes] and [simply|softly] say my name / "
        "Nothing [ever|after] [feels|looks|sounds] the same",
        "Sky of [silver|copper|velvet|thunder], sky of blue / "
        "Any [weather|morning|season] [looks|feels|sounds] like you",
        "[Tap|Drum] the [table|counter], softly tap your feet / Everything in life is [twice as|doubly] sweet",
        "Here's my [heart|hand|song|coat] and here's my [hat|old hat|best hat] / [Life|Town] is "
        "[sometimes|always|often] good as that",
        "What a [sound|day|song] and what a sight / Even [shadows|puddles|lampposts] dance in light",
    ),
)
