"""English couplets for lively and for tender songs."""

from studio.lyricist.stock import LIVELY, TENDER, Lines

MOODS = {
    LIVELY: Lines(
        verses=(
            "Lace your [running|dancing|yellow] shoes and hit the street / "
            "Your heart is [drumming|stomping|chasing] up the beat",
            "[Green|Go|Bright] light, green light, all the way / "
            "[Nothing is|No one is] going to slow us down today",
            "Turn the [speakers|sunshine|music] up and shake the wall / "
            "There is [room|space|fun] in here for one and all",
            "Two steps [up|on], don't you [wait|sleep] in line / Tell the [sleepy|rainy] city it's time to shine",
            "[Jump|Run|Dive] right in, now don't you hesitate / [Good|Bright] things never come to those who wait",
            "Sunshine's [playing|dancing|running] on the winning side / Grab a [friend|hat|bus], enjoy the ride",
            "[Boring|Sleepy|Rainy] afternoons, you're out the door / We know [what|who] tonight is for",
            "[Wind|Sun|Song] in your hair, come on, here we go / Wide-open [streets|skies] and many miles to go",
            "Snap your [lucky|happy|ten cold] fingers, stomp the floor / Shout it [louder|higher], give us more",
            "[Monday's|Tuesday's] only Friday in disguise / You can [see|tell] it in our shining eyes",
            "[Throw|Toss|Fling] your hat and throw your hands up high / We could [nearly|surely] touch the sky",
            "Down was only [yesterday|Saturday], up is now / Take a [running|flying] jump and take a bow",
            "[Red|Green|Pink] umbrella, yellow boots / Grandpa's in his [dancing|velvet|Sunday] suits",
            "Caught the [bus|beat|breeze] and caught the sun / [Who|Why] would [walk|crawl] when you can run",
            "Hear the [traffic|raindrops|engines] find a beat / Trouble's got two [tired|clumsy] feet",
            "[Lemon|Orange|Cherry] soda, fizz and pop / Ride the [laughter|bubbles] to the top",
            "[Rolling|Dancing|Skipping] down the avenue / Every [window|lamppost|doorway] waves at you",
            "Borrowed [bike|hat] and borrowed bell / Any [luck|road] and all is well",
            "[Clouds|Kites|Dogs] are racing, so are we / Last one there makes [cups|pots] of tea",
            "Dogs are [barking|dancing] out in time / Even [buses|pigeons|doorbells] start to rhyme",
        ),
        choruses=(
            "Hands up, [hands|thumbs|hats] up, let it go / Make some [happy|silly] noise now, row by row",
            "[Run|Dance|Jump] with me, run, run with me / This is where we're [always|simply] meant to be",
            "[Louder|Higher|Brighter], louder, sing it loud / "
            "You're the very [heart|spark|drum] of this here crowd",
            "Feel it [beating|jumping|buzzing], feel the beat / Feel the [fire|thunder] rising in your feet",
            "Turn it [up|on|round] and turn it up again / [Sing|Shout] it loud and clear, count to ten",
            "Dance like [nobody|no one here] can see you dance / "
            "Give this [crazy|lovely|sunny] day just half a chance",
            "Don't stop [now|here], don't stop for the rain / [Shout|Sing|Stomp] it out and shout it out again",
            "We are burning [bright|gold], we are on fire / [Lift|Turn|Take] it up now, lift it higher",
            "Kick the old grey [clouds|gloom] right off the sky / Never [stop|try] to ask the reason why",
            "This is our [now|night] and this is ours / Light the [street|town|room] up like a sky of stars",
            "One two, one two, [stamp|shake|thump] the ground / Wake up every [single|sleepy] sleeping sound",
            "Cloud, move [over|along], sun, come through / We've got [dancing|singing|shouting] still left to do",
            "[Higher|Wilder|Brighter] than the rooftops, higher than the kites / "
            "[Higher|Louder] than the city lights",
            "Jump so [high|far] you nearly lose your hat / [Nobody's|No one's] ever too old for that",
            "[Rev|Turn|Wind] it up and let the engine roar / [Quiet|Yawning] is what sleepy nights are for",
            "Everybody, everybody, on your [feet|own two feet] / "
            "We're the [only|loudest|finest] band upon this street",
            "Throw the [sofa|pillow|blanket] right out of your mind / Leave your [lazy|sleepy] bones behind",
            "[Fast|Wild|Bright] and even faster, don't look down / "
            "We're the [loudest|brightest] color in the town",
            "[Knees|Walls|Stars] are shaking, hands are in the air / Confetti and [laughter|music] everywhere",
            "[Louder|Wilder] than the thunder, brighter than the sun / "
            "Nobody's [leaving|sleeping] till the song is done",
            "[Bang|Beat|Thump] the drum and shake the floor / Give us [half|just] a dozen more",
            "Up, up, up, and [never|no more] down / [Paint|Spill] the color on the town",
            "[Ready|Hungry|Happy], steady, off we go / Faster than the [radio|river's flow]",
            "Spin around and [stomp|shake|rock] the ground / [Nothing|No song] beats a happy sound",
            "Shake your [shoulders|feathers], roll your sleeves / [Autumn's|Morning's] dancing in the leaves",
            "Skip the [Monday|sofa|mumbling], steal the show / [Everybody|Half the city] shout hello",
        ),
    ),
    TENDER: Lines(
        verses=(
            "A little [window|candle|lantern] glows across the way / "
            "It says so [softly|gently] what I meant to say",
            "[Moonlight|Silver|Starlight] settles softly on the sill / "
            "For a [while|time] the whole wide world is still",
            "Like a [letter|ribbon|poem] folded long ago / There are [words|songs|names] in here I used to know",
            "[Slowly|Softly|Gently] now, there is no need to run / "
            "[Flowers|Apples] take their time, each every one",
            "We can [sit|rest] and never say a thing / Listen to the [quiet|golden|gentle] evening sing",
            "There was [kindness|morning|comfort] waiting in your hand / "
            "Some things only [hearts|friends] can understand",
            "Even when the [gentle|golden|early] seasons go / This is a [tender|steady] light I'll always know",
            "Someone [softly|gently|kindly] called me by my name / Nothing [ever|quite] after felt the same",
            "[Clouds|Birds|Leaves] drift slowly by without a sound / "
            "Rest your [weary|wandering] feet on kinder ground",
            "Thank [you|you all] is so [hard|much] for me to say / Let me come [back|home] again another day",
            "Like an old song's [sweet|slow|warm] and soft refrain / You [stay|walk] with me all through the rain",
            "[Evening|Twilight|Winter] gently pulls the curtain to / One last [golden|quiet] light I keep for you",
            "[Paper|Little|Wooden] boats in silver rain / Someday they'll [come|sail] home again",
            "[Shadows|Evenings] lengthen, voices low / There is [time|room] to take it slow",
            "Warm your [hands|heart] and rest your eyes / [Evening|Daylight] settles, softly sighs",
            "Autumn [wrote|sang|left] a note in red / Every [leaf|line] another thread",
            "Old piano, [open|quiet|garden] door / [Dust|Light] and gold along the floor",
            "[Simple|Gentle] words and simple bread / [Kinder|Dearer] things than can be said",
        ),
        choruses=(
            "Lean on me [a while|tonight] and close your eyes / [Here|Now] we have no need for long goodbyes",
            "It's all right, it's all right, let it [be|just be] / "
            "You can [rest|breathe|stay] a minute here with me",
            "Stay with us a [little|moment], stay a while / All we [ever|really] ask for is your smile",
            "Just the way you [are|come], you are enough / Even when the [day|road|night] is long and rough",
            "Home is not a [distant|far-off|fancy] place, you see / Home is [only|always] where you're glad to be",
            "When the night is [very|still and] long and deep / Here's a [song|light] to gently help you sleep",
            "Hold this [quiet|golden|little] moment in your hand / It is [softer|lighter] than the softest sand",
            "I'll be [waiting|here now] for you like the moon / Hum me [back|all the way] home, hum our tune",
            "[Softly|Gently|Slowly], softly, as the snow comes down / "
            "Peace is [falling|settling] gently on the town",
            "[Carry|Take back] home with you this little light / "
            "Keep it by your [window|pillow] through the night",
            "Leaves let the [gentle|early|morning] sunshine trickle through / "
            "I saved a little [piece|ray] of it for you",
            "No need to [ever|even] say a single word / The [quiet|gentle] part is what I always heard",
            "Be a little [clumsy|sleepy|quiet], that's all right / "
            "Tomorrow's just the other [side|shore] of night",
            "Hang your [heart|coat|day] up where the breezes play / "
            "It will find its own slow [homeward|gentle] way",
            "I will set a little [light|lamp] by the pane / So you can [find|see] me in the [evening|gentle] rain",
            "Tea is [cooling|waiting|steaming], slowly goes the day / Nothing here is [ever|very] far away",
            "All the [miles|years] between us softly fold / Into one small [letter|ribbon] you can hold",
            "Just before I [drift|float] away to sleep / This is one small [hour|song|light] I will keep",
            "Empty [hands|cups] are always welcome here / All you need to [bring|do] is just being near",
            "Every little [star|bird|boat] that lost its way / Finds a [window|harbor] just like ours to stay",
            "If you [ever|someday] lose your way / Follow home the [end|light] of day",
            "[Gentle|Quiet], gentle, so it goes / Like the [opening|blushing] of a rose",
            "[Stars|Hills] are patient, so am I / Take your [time|breath] and let it lie",
            "Keep a little [room|song|light] for me / Like a [harbor|river] keeps the sea",
        ),
    ),
}
