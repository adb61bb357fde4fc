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
            "Caught the [bus|beat|breeze] and caught the sun / "
            "Who would [walk|crawl|wait|stroll] when you can run",
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
            "A little [window|candle|lantern] [glows|shines|wakes] across the way / "
            "It says so [softly|gently|clearly] what I [meant|came|hoped] to say",
            "[Moonlight|Silver|Starlight] [settles|rests] softly on the sill / "
            "For a [while|time|breath] the whole wide [world|town] is still",
            "Like a [letter|ribbon|poem] [folded|opened] long ago / "
            "There are [words|songs|names] in here I [used|loved] to know",
            "[Slowly|Softly|Gently] now, there is no [need|call] to run / "
            "[Flowers|Apples|Songbirds] take their time, [oh,|yes,] every one",
            "We can [sit|rest|wait] and never [say|ask] a thing / "
            "Listen to the [quiet|golden|gentle] [evening|kettle|sparrows] sing",
            "There was [kindness|morning|comfort] [waiting|folded] in your hand / "
            "Some things only [hearts|friends|time] can understand",
            "Even when the [gentle|golden|early] [seasons|swallows] go / "
            "This is a [tender|steady|patient] [light|warmth] I'll always know",
            "Someone [softly|gently|kindly] [called|knew] me by my name / "
            "[Nothing|No day] [ever|quite] after felt the same",
            "[Clouds|Birds|Leaves] drift [slowly|softly] by without a sound / "
            "Rest your [weary|wandering|winter] feet on [kinder|softer] ground",
            "Thank you is so [hard|slow|small] for me to say / "
            "Let me come [back|home|round] again another day",
            "Like an old song's [sweet|slow|warm] and [soft|low] refrain / "
            "You [stay|walk|hum] with me all through the rain",
            "[Evening|Twilight|Winter] [gently|slowly] pulls the curtain to / "
            "One last [golden|quiet|little] [light|song] I keep for you",
            "[Paper|Little|Wooden] boats in [silver|summer|evening] rain / "
            "[Someday|One day] they'll [come|sail|drift] home again",
            "[Shadows|Evenings|Summers] lengthen, [voices|lanterns] low / "
            "There is [time|room|space] to [take|make] it slow",
            "Warm your [hands|heart] and rest your eyes / "
            "[Evening|Daylight|Morning] settles, [softly|slowly] sighs",
            "Autumn [wrote|sang|left] a [note|song] in red / Every [leaf|line|street] another thread",
            "Old piano, [open|quiet|garden] door / [Dust|Light|Song] and gold along the floor",
            "[Simple|Gentle|Quiet] words and [simple|morning] bread / "
            "[Kinder|Dearer|Warmer] things than can be said",
        ),
        choruses=(
            "Lean on me [a while|tonight|right now|today|my dear|this hour] and [close|rest|dry] your eyes / "
            "[Here|Now] we [have|find|see] no [need|cause|call|use] for long goodbyes",
            "It's all [right|well], it's all [right|well|good], let it [be|rest|go] / "
            "You can [rest|breathe|stay|sleep] a [minute|moment|while now] [here with|close to|next to] me",
            "Stay with us a [little|moment|minute], [stay|sit|rest|breathe] a while / "
            "All we [ever|really|truly|only] [ask for|wait for|want|need now] is your smile",
            "Just the way you [are|look|sound|speak], you [are|feel|seem] enough / "
            "Even when the [day|road|night|way|hour] is [long|dark|cold|hard] and rough",
            "Home is not a [distant|far-off|fancy|hidden] [place|thing|town], you [see|know] / "
            "Home is [only|always|simply|surely] where you're [glad|meant|free] to be",
            "When the night is [very|still and|slow and] [long|dark|cold] and deep / "
            "Here's a [song|light|hand|tune] to [gently|slowly|softly] help you sleep",
            "Hold this [quiet|golden|little|early] [moment|morning|evening|hour] [in|within] your hand / "
            "It is [softer|lighter|warmer|finer] than the [softest|finest|summer|silver] sand",
            "I'll be [waiting|here now|watching|shining] [for you|near you|with you] like the moon / "
            "Hum me [back|all the way|slowly|safely|gently|sweetly] home, [hum|sing|know] our tune",
            "[Softly|Gently|Slowly|Lightly], softly, as the [snow|night|rain|dusk] comes down / "
            "Peace is [falling|settling|drifting|resting] [gently|slowly|softly] on the [town|ground]",
            "[Carry|Take back|Bring on] home with you this [little|early|gentle|golden] light / "
            "Keep it by your [window|pillow|bedside|doorway] [through|all] the night",
            "Leaves let the [gentle|early|morning|evening] sunshine [trickle|wander|tumble|ripple] through / "
            "I [saved|kept|held|left] a little [piece|ray|glow|bit] of it for you",
            "No need to [ever|even] say a [single|certain|clever|louder] word / "
            "The [quiet|gentle|tender|simple] part is what I [always|clearly|truly] heard",
            "Be a little [clumsy|sleepy|quiet|weary], [that's|it's] [all|quite] right / "
            "Tomorrow's just the other [side|shore|end|edge] of [night|the night]",
            "Hang your [heart|coat|day|hat] up where the [breezes|swallows|sparrows|branches] play / "
            "It will find its own [slow|soft|sure] [homeward|gentle|golden|peaceful] way",
            "I will [set|keep|leave|place] a little [light|lamp|flame] [by|beside] the pane / "
            "So you can [find|see|hear] me in the [evening|gentle|winter|autumn] rain",
            "Tea is [cooling|waiting|steaming|ready], [slowly|softly|gently] goes the [day|light|year] / "
            "[Nothing|No one] here is [ever|very|really|truly] far away",
            "All the [miles|years|days|roads] between us [softly|gently|slowly] fold / "
            "Into one small [letter|ribbon|picture|story] [you|we] [can|still] hold",
            "Many [things|words|songs|days] [go by|pass by|fall still], but some run deep / "
            "This is one [small|last|good|sweet] [hour|song|light|thought|word] I [will|may] keep",
            "Empty [hands|cups|bags|arms] are [always|gladly|warmly|truly] welcome here / "
            "All you [need|have] to do is [stay|come|draw] [right|so] near",
            "Every little [star|bird|boat|cloud] that [lost|found] its [way|own way] / "
            "Finds a [window|harbor|garden|doorstep] [just|much] like [ours|this] to stay",
            "If you [ever|someday|one day] [lose|miss] your way / "
            "[Follow|Gather] home the [end|light|gold|glow] of day",
            "[Gentle|Quiet|Tender|Patient], gentle, so it [goes|grows|flows] / "
            "Like the [opening|blushing|waking|dreaming] of a rose",
            "[Stars|Hills|Trees|Streams] are patient, so am I / "
            "Take your [time|breath|rest|ease] and let it [lie|fly]",
            "Keep a little [room|song|light|time] [for|with] me / "
            "Like a [harbor|river|window|village] keeps the sea",
            "[Here|Now] is a [chair|bench|place] to [sit|lean|rest] and dream / "
            "[Evening|Morning|Moonlight] settles [gently|softly] on the stream",
            "[Slow|Soft] as the [river|moonlight|rainfall], soft as wool / "
            "All of the [evening|garden|village] is [still and|warm and] full",
        ),
    ),
}
