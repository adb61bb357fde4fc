"""English lines of the trades that pour drinks."""

from studio.lyricist.stock import Trade

GROUP_DRINK = Trade(
    verses=(
        "The [bell|sign|lamp] at the door gives a [little|cheerful|friendly] ring / "
        "[Somebody's|Someone is] [humming|smiling|pouring], so come and sing",
        "[Two|Three|Four] [old|good|new] friends at a [window|corner|table] seat / "
        "[Talking|Laughing|Humming] the [rain|noise|cold] right off the street",
        "[Hang up|Put down|Shake off] your [coat|hat|day] and [pull up|find|take] a chair / "
        "There's a [glass|cup|sip] and a [story|joke|smile] to share",
        "[Spoons|Cups|Plates] and [glasses|voices|laughter] [chime|ring|sing] in tune / "
        "[Slow|Long|Warm] as a [Sunday|holiday|summer] afternoon",
    ),
    choruses=(
        "[Pour|Fill|Lift] it [up|full|high] and [hear|let|make] it ring / "
        "[Good|Old|New] friends [know|find|love] a song to sing",
        "One for the [road|rain|moon] and one for you / [Nothing|No one|No day] here is [ever|really|simply] blue",
    ),
    hooks=(
        "{name}, [pour|fill|hand] me a [cup|glass|song] of the sun / "
        "[Here's|A toast|A song] to the [work|road|week] and the [day|race|work] well done",
        "{name}, my [corner|window|table] seat [by the light|for the night|feels right] / "
        "The [talk|glow|song] is [soft|low|warm] and the [room|street|glass] is bright",
        "[Meet|Find|Join] me [by|near] the [window|lamplight|counter] of {name} / "
        "A [stool|seat|smile] and a [glass|cup|friend] and the song of the rain",
        "{name}, [one more|a new|the last] [sip|song|glass] before I go / "
        "The [best|good|heart] of the [talk|night|day] is the [talk|sip|song] that's slow",
        "[Here's|Sing|Cheers] to the [friends|nights|days|songs] at {name} / "
        "We [laugh|talk|hum] till the [glass|moon|street] and the windows shine",
        "{name}, the [lamp is lit|glass is full|ice will ring] and [you're in|we're in|come in] / "
        "[Easy|Slow|Good] as the [sound|song|sigh] of a violin",
        "[Slow|Calm|Pour] the [whole|long|wide] day down at {name} / "
        "A [sip|laugh|toast] and a [smile|song|sigh] and we're human again",
        "{name}, [hear the|let the] [door|bell|rain] [chime|ring|hum] along in time / "
        "It is [half|just] past the hour and the [stars|songs|lamps] all climb",
        "[Save|Keep|Find] a [stool|seat|glass] for me at {name} / "
        "I'm [in|off|home] from the [cold|street|bus] and the wind and the rain",
        "{name}, [what shall|what will|what do] we [drink to|toast to|sing to] tonight / "
        "To [friends|songs|talk] and to [rain|us|love] in the window light",
        "[There|Down|Right] by the [counter|corner|mirror] of {name} / "
        "A [nod|smile|wave] and a [glass|cup|joke], and they know my name",
        "{name}, [fill|warm|light] [my|our|the] [evening|hours|heart] again / "
        "[Hum|Sing|Nod] to the [glass|lamp|rain] and the window pane",
        "Oh, {name}, [stir|shake|pour] it [slow|sweet|right] with love / "
        "[Half|Most|All] of the [moon|stars|night] on a roof above",
        "{name}, [ring the|hear the] [ice|spoon|bell] [like a|again and] chime / "
        "The [talk|glass|song] is [good|warm|long] and we have the time",
        "[Clink|Ring|Raise|Lift] your [cup|glass] [with|to] [us at|all at] {name} / "
        "[Here's|A toast] to the [sun|stars|streets] coming [out|home] after rain",
        "{name}, it [smells|tastes|sounds] like the [summer|springtime|weekend] here / "
        "[Warm|Good] and [slow|gold|soft] and [sweet|cool] and clear",
        "[Sit|Stay|Talk] with me [here at|down at|over at] {name} tonight / "
        "[One|Just one] more [sip|song|laugh] in the [amber|golden|window] light",
        "{name}, the [best|good|long] [half|part|hour] of the [working|busy] week / "
        "It's the [sip|smile|breath] you [take|share|need] before you speak",
        "[Nobody|No one] [hurries|rushes] [here at|down at|over at] {name} / "
        "The [clock|coat|bell] on the [wall|hook|door] is asleep again",
        "{name}, [put|set] [the kettle|a glass|a cup] [on for me|by for me|out for me] / "
        "I'm [over|down by|crossing] the [bridge|street|park], I'll be there by three",
    ),
    titles=(
        "The corner seat at {name}",
        "Here's to {name}",
        "One more sip at {name}",
    ),
)
CAFE = Trade(
    verses=(
        "[Hear|Let|And] the grinder [softly|slowly|gently] [start to|wake and|stir and] hum / "
        "One by [one|two|three] the [sleepy|dreamy|morning] people come",
        "[Two cold hands|Ten cold fingers|Both my hands] [wrapped|closed|warm] around a cup / "
        "[Tell|Ask|Let] the [tired|winter|lazy] sun, it's time to get up",
        "[Steam|Milk|Light] is drawing [question marks|little clouds|tiny hearts] in air / "
        "The [answer|morning|secret] [is|sits|waits] in the cup right there",
        "[Ice is|Spoons are|Cups are] ringing like a [little|silver|tiny] bell / "
        "[Summer|Morning|Sunday] has a [story|secret|dream] left to tell",
        "[Foam|Cream|Milk] on my lip and a [book|friend|song] on my knee / "
        "[Half|Most|All] of the [world|street|town] can [wait|pass|turn] for me",
        "[Cinnamon|Chocolate|Vanilla] [clouds|snow|stars] on a [sea|lake|cup] of foam / "
        "It [smells|tastes|feels] like the [morning|evening|winter] you first came home",
        "[Dark|Sweet|Warm] as the evening, [slow|smooth|soft] as a song / "
        "[Ten|Five|Two] little minutes can [last|be|feel] so long",
        "The window is [misty|foggy|silver], I [draw|make|put] a star / "
        "[Somebody|Someone] here [knows|shows] where the good beans are",
    ),
    choruses=(
        "One sip, <one sip> and the [day|song|week] [slowly|gently|softly] begins / "
        "Two sips and the [tired|gloomy|grumpy] [Monday|morning|rain cloud] grins",
        "Coffee in the [morning|evening|garden], coffee in [my|our|each] song / "
        "[Stir|Pour|Blow] it [gently|softly|sweetly], sip it all day long",
        "[Wake|Warm|Lift] me up with a [cup|pot|sip] of light / "
        "[Roasted|Toasted] and [dark|warm|sweet] and it tastes so right",
        "[Pour|Stir|Sip] it [slow|long|sweet] and drink it in / "
        "[Let|Now|See] the [good part|slow part|bright half] of the day begin",
    ),
    hooks=(
        "{name}, [first|one|warm] [sip|cup|breath] of the [new|wide|long] week / "
        "[Steam|Light|Rain] in the [window|morning|doorway], no need to speak",
        "[First sip|Slow sip|One sip] of the [morning|weekend|evening] at {name} / "
        "[Warm|Good|Smooth] in the [hand|cup|heart] like the sun after rain",
        "{name}, [pour|brew|stir] me a [cup|pot|drop] of the [early|gentle|whole bright] spring / "
        "[Bitter|Creamy|Mellow] and [sweet|slow|bright] and everything",
        "{name}, the [smell|sound|steam] of the [beans|grind|cup] so near / "
        "[Two|Three|Four] little [hearts|leaves|clouds] in the foam are here",
        "[Wake|Warm|Lift] me up [gently|slowly|sweetly] at {name} / "
        "A [spoon|sip|smile] and a [cup|breath|song] and I'm human again",
        "{name}, [save|keep] my [cup|seat|spoon] [by the light|warm tonight|in sight] / "
        "The [foam|steam|song] is [high|soft|sweet] and the roast is right",
        "[Milk|Cream|Snow] and a [heart|leaf|star] in the [cup|foam] of {name} / "
        "I [sip|stir|smile] to the [rim|end|brim] and I draw it again",
    ),
    titles=(
        "First sip at {name}",
        "A cup of {name}",
        "Slow morning at {name}",
    ),
)
BAR = Trade(
    verses=(
        "[Neon|Yellow|Amber] lights are [blinking|winking|shining], night's awake / "
        "[Half|Most|Some] the [stories|heroes|tall tales] here are [surely|partly|proudly] fake",
        "[Clink|Ring|Ding] goes the glass, and [down|here] [falls|comes] a star / "
        "[Funny|Lucky|Strange] how [short|smooth|soft] all the [long|rough|dark] roads are",
        "[Loosen|Open|Unbutton] your collar and [let out|breathe out|set down] a sigh / "
        "[Tomorrow|The morning|The Monday] can [wait|rest|sleep] and so can goodbye",
        "Somebody [nods|smiles|winks] like they [really|always|clearly] understand / "
        "[Jukebox|Laughter] and [ice|glass|rain] are the only band",
        "[Foam|Light|Gold] to the [brim|top|rim] and a [bowl|dish|plate] of chips / "
        "A [joke|song|tune] on its way to a [thousand|hundred|dozen] lips",
        "[Olive|Cherry|Lemon] on a [toothpick|long spoon], [moon|light] in my glass / "
        "We [wave|sing|smile] at the [late|last|night] bus and let it pass",
        "The [barman|bartender] [shakes|stirs] like a [drummer|dancer], slow and neat / "
        "[Ice|Lime|Mint] in the [tin|glass] and a [four-four|backroom|steady] beat",
        "[Work|Noise|Rain] took its [shoes|hat|coat] off, sat down by my side / "
        "[Half|One] of a [laugh|song|smile] and it opened up wide",
    ),
    choruses=(
        "[Raise|Lift|Hold] it [up higher|up gently], [here's|cheers] to the night / "
        "Here's to the [friends|songs|talk] in the [half|warm|soft] dim light",
        "One for the [moon|road|band] and one for the [tune|moon] / "
        "[Whoever|Somebody] [said|says] it's over, it's [far|much] too soon",
        "[Pour|Shake|Mix] it [slow|cold|long], let it shine like gold / "
        "[The nights|The songs|The friends] that we [laugh with|sing with] will never grow old",
        "[Sing|Hum|Drink] to the [tall ones|small ones|late ones], sing to the slow / "
        "There's [always|ever] one [story|chorus|good joke] before we all go",
    ),
    hooks=(
        "{name}, [light|pour|raise] up the [night|town|dark] [once more|some more] / "
        "[Boots|Feet|Hands] keep the [time|beat] on the [wooden|dancing|old oak] floor",
        "[Last stop|First stop|Best stop] [tonight|this evening|of the day] is {name} / "
        "[Shake|Hang|Throw] off your [coat|hat|week] and shake off the rain",
        "{name}, the [lamps|lights|blinds] are [low|down] and the [talk|song|moon] is high / "
        "A [glass|bowl|heart] full of [stars|songs|ice] and a slice of sky",
        "{name}, [one|two|three] for the [friends|band|road] [we know|so slow|let's go] / "
        "The [ice|glass|bell] rings [twice|soft|out] and the [lamps|lights] burn low",
        "[Clink|Ring|Sing] with the [late ones|good ones|old friends] at {name} / "
        "[Tell|Sing|Hum] us the [joke|tale|one] and then tell it again",
        "{name}, [hold|keep|save] me a [stool|seat|glass] till ten / "
        "We [tell|hear|love] the [old|long|same] joke and we laugh again",
        "[Cheers|Good night|Well met], [old|dear|good] [moon|friends|town], from {name} / "
        "The [jukebox|bartender|neon] is [humming|swinging|winking] along with the rain",
    ),
    titles=(
        "A night at {name}",
        "Last stop, {name}",
        "The low lights of {name}",
    ),
)
