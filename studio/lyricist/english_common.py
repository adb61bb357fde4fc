"""English couplets for any business."""

from studio.lyricist.stock import Lines

COMMON = Lines(
    verses=(
        "Come right in <from the rain>, hang up your [coat|old coat|wet coat] / "
        "The [radio|old piano|kettle] [hums|sings|finds] its favorite note",
        "Leave [all of|most of|half of] your [worries|troubles|hurry] by the door / "
        "You [really|hardly|simply] won't [need|want|miss] them anymore",
        "Little things we [do|make|mend] with [steady|careful|gentle] hands / "
        "That's what a [tired|busy|happy] heart [understands|still understands]",
        "Round the [corner|bend and], [halfway|partway|straight on] down the lane / "
        "[You are|Friends are|All are] always [welcome|wanted], sun or rain",
        "Every [single|passing|tired] [face|soul] becomes a friend / "
        "Every [road|street|path] comes [back|round|home] here in the end",
        "We keep a [little|steady|yellow] light [on|lit] just for you / "
        "[Shining|Glowing|Burning] [softly|gladly|away] the whole night through",
        "A [gentle|quiet|kindly] word, a [friendly|knowing|happy] nod, a smile / "
        "[Sit down|Lean back|Settle] and stay for [quite a|just a] little while",
        "The street is [loud|wild] and [busy|hurried], people run / "
        "In here the [day|fun|song] has [only|barely|really] just begun",
        "[Old|Good] friends [meeting|laughing|waving], new friends, side by side / "
        "Here's a [little|quiet|sunny] place to [rest|slow|ease] your stride",
        "Nothing [fancy|flashy|hurried], nothing overdone / "
        "Just some [honest|simple|steady] work in [morning|golden] sun",
        "You can tell it [all|well] by how they care / "
        "A bit of [kindness|gladness|sunshine] [hanging|floating|dancing] in the air",
        "Come tell us [everything|all the best] about your [day|long day] / "
        "There's [time|room] to [listen|hear it|take in], come what may",
        "[Seasons|Summers] turn [again|around] and leaves come down / "
        "[Still|Yet it's] our [favorite|dearest|warmest] corner of the town",
        "Pictures never [really|fully|truly] [get|tell|hold] it right / "
        "You have to see it [glowing|shining|waking] in the [light|evening light]",
        "[Whistle|Humming|Singing] [softly|gently|gladly] on your way back home / "
        "You never have to [walk|go] the [road|street] alone",
        "Funny how [quickly|early|soon it] feels like yours / "
        "Four plain [walls|steps] and [two|some] [wide|big] open doors",
        "Bring your [brother|mother|sister], bring your [neighbor|cousin|old boss] too / "
        "There's [always|surely|gladly] a [corner|table] saved for you",
        "Grey old [rainy|cloudy|sleepy] skies above the street / "
        "In here there's a [rhythm|tickle|gladness] in our feet",
        "Some [little|simple|quiet] things you can never fake / "
        "Here's the [extra|patient|tender] [little|loving] care we take",
        "Half past [tired|busy|hungry] and a quarter to [done|fun] / "
        "Here is where the [better|brighter|sweeter] half's begun",
        "Put your phone [face down|away] and look [around|all around] / "
        "Hear that [happy|quiet|friendly] [humming|laughter], hear that sound",
        "You came [in here|by here|through here] by chance the other day / "
        "Funny how your [feet|shoes] have [learned|found|kept] the way",
        "Someone [over there|by the wall] has saved your seat / "
        "Someone's [softly|gladly|slowly] [tapping|swaying] with their feet",
        "Nobody's [ever|really|truly] a [stranger|newcomer] long / "
        "[Two|Three] little hellos and you belong",
        "The [mailbox|lamppost|scarecrow] tipped its [shiny|dusty|Sunday] hat to me / "
        "The [lazy|sleepy|curly] cat [looked down|woke up|came out] to see",
        "I only meant to [quickly|quietly|sneak and] look inside / "
        "An hour [later|onward], [oh I'm|I am|and I'm] still wide-eyed",
        "The weatherman said [dark clouds|cold wind|wet shoes] and gloom all day / "
        "He never [thought|cared|came round] to look this way",
        "Kicked a [pebble|bottle top|chestnut] [all|half] along the street / "
        "It [stopped|came] right here at [both|just] my feet",
        "[Practiced|Studied] smiling in the [glass|lift|hall] all week / "
        "Here it happens when I [only|simply|barely] speak",
        "Got here [early|running|whistling], [only|I just] took a peek / "
        "I could [gladly|surely|easy] stay another week",
        "Even the [pigeons|sparrows|traffic lights] here know the place / "
        "Every [brick|door|lamp] has a [friendly|smiling|knowing] face",
        "My shopping list had [only|really|lately] one small line / "
        "Remember to be [very|mostly|extra] fine",
    ),
    choruses=(
        "La la la, [let's|we] [sing|hum|send] it up and down / "
        "Best-kept [little|happy|sunny] secret in the town",
        "Take my hand and [come and|gladly|softly] [sing|hum|sway] along / "
        "Everybody [here|now|soon] [knows|loves] this song",
        "Open [up|all] your [arms|hearts] and open doors / "
        "What is ours is [always|gladly|surely] also yours",
        "Feel the [rhythm|music|morning], feel it in your [shoes|old shoes] / "
        "Chase away [those|the|your] [rainy|heavy|sleepy]-day blues",
        "Smiles are [blooming|growing|waking] [brightly|sweetly|gladly], left and right / "
        "Making every [single|gloomy|little] [corner|window] bright",
        "Here's to [all of|both of|each of] us and here's to you / "
        "Here's to every [little|secret|daring] [dream|wish] come true",
        "Oh, what a [lovely|golden|happy] day to be around / "
        "Turn your [grumpy|sleepy|Monday] [frown|mood] the other way round",
        "One more time [now|then], everybody sing / "
        "Isn't it a [simple|tiny|lovely] [happy|silly|golden] thing",
        "Everyone you [love|like|know] is [standing|singing|smiling] near / "
        "[Oh|Yes,] I am so [glad|pleased] that we are here",
        "Count the [lucky|early|brightest] stars and count your friends / "
        "Here's [hoping|betting|singing] that this never ends",
        "Clap your hands [together|with me now], one, two, three / "
        "There's [room|space] for you [right|up] [here|close] next to me",
        "If you're [feeling|looking] [lost|blue], just follow the sound / "
        "It's the very [warmest|kindest|gladdest] place around",
        "Come [on|by] tomorrow, come today / You know we'd [love|like] it if you'd [stay|only stay]",
        "Hum it on the [bus|train], and hum it on the stairs / "
        "Hum it till the [whole|long] street has [lost|dropped] its cares",
        "Rain or [shine|snow], we'll [always|gladly|surely] see it through / "
        "There's a bit of [sky|sun|warmth] here just for you",
        "Oh, the world is [very|awfully|truly] big and wide / "
        "Still the [best|heart|pearl] of it is here inside",
        "[Pocketful|Basketful|Armful] of [borrowed|early|golden] morning light / "
        "Hand it to the next one [here|soon|well] in sight",
        "Sing it to the [baker|teacher|postman], sing it to the bus / "
        "Nobody [ever|really] has it [better|sweeter] than us",
        "Once is luck and [maybe|surely|likely] twice is fate / "
        "[Three times|Next time] and you're [always|gladly] running late",
        "Leave a little [laughter|sunshine|whistle] on the [chair|spare chair] / "
        "Someone's going to find it [waiting|shining|humming] there",
        "Good news travels [quicker|lighter|faster] than a bike / "
        "Come and find the [very|only|lucky] thing you like",
        "Knock on [wood|glass] and knock on every door / Happiness is [always|truly|surely] worth much more",
        "All my [friends|aunts] are [waving|calling|smiling] from the door / "
        "Room for one and [even|gladly|maybe] room for four",
        "[Shout|Sing|Wave] hello to [nearly|almost] all you meet / "
        "Friendship has the very [fastest|lightest|quickest] feet",
        "Long way [round|home] or [maybe|even] shortcut through / "
        "Either way it [brings|leads|takes] me [home|back] to you",
        "If my [heart|hat] had [little|dancing|winter] [walking|running] shoes / "
        "This would be the [street|door|place] they choose",
        "Tell your [grandma|grandpa|uncle], tell the mayor too / "
        "[Oh|Yes,] we [have got|just wrote|now have] a tune for you",
        "Two left feet and [still|yet] I [want|need|have] to sway / "
        "[Carry|Hurry] me along the [livelong|lovely] day",
        "Ask the [lamppost|baker|pigeons], ask the traffic light / "
        "Everyone is [coming|walking|dancing] here tonight",
        "Draw a [great big|big red|bright gold] heart around the day / "
        "[Color|Fill] it in and [run|dance|skip] away",
        "Half a [smile|wink] is [half|most of] the journey done / "
        "Share the other [half|part] with [everyone|anyone]",
        "Hum a [little|cheerful|second] line for every friend / "
        "Let the [happy|silly|sunny] chorus never end",
        "Up the [hill|street] and [over|halfway|dancing] down the lane / "
        "Everybody knows the [sweet|glad|same] refrain",
        "Here's a [song|tune|joke] to [always|surely|gently] make you grin / "
        "Door is [open|never locked], [step|come|walk] right in",
        "Knock three times and [simply|softly|gladly] say my name / "
        "Nothing [ever|really|after] [feels|looks|sounds] the same",
        "Sky of [silver|copper|amber], sky of blue / Any [weather|season|Monday] looks like you",
        "Tap the [table|railing|window], [softly|gently|gladly] tap your feet / "
        "Everything in [life|town] is [twice as|extra] sweet",
        "Here's my [heart|hand] and here's my [hat|old hat] / Life is [sometimes|really|simply] good as that",
        "What a [sound|day] and what a sight / Even [shadows|lampposts|sparrows] [dance|sway] in light",
    ),
)
