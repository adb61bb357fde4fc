"""English lines that wait for something an order tells."""

from studio.lyricist.stock import Frames

PLAIN = (
    "{fact}, [do|just|so|and|now] [keep|bear] [it|that|this] in mind",
    "{fact}, <[all|right|always]> here [every day|in town|for you|today]",
    "[Here's|There's] [one|a little|another] [thing|word|note] [to know|to keep|for you]: {fact}",
    "[Write it down|Jot it down|Note it down|Keep it near] <[for later|today|for tonight]>: {fact}",
    "[And|Plus], [of course|as ever|as always|by the way|you know], {fact} <[too|as well|for you]>",
    "{fact}, [come|stop by|drop in] and [see|ask|find out] <[today|for yourself|some time]>",
    "{fact}, [rain or shine|day by day|week by week|all year round] <[for you|in town]>",
    "[Remember|Don't forget|Keep in mind|Pass it on] <[today|for later|tonight]>: {fact}",
    "{fact}, [yours to share|here to find|yours to find|all for you|here for all|ready for you] "
    "<[today|as well|this week]>",
    "{fact}, [if you need it|when you want it|any time you ask], [we're here|we're near|we're around]",
)

PLAYFUL = (
    "[Have you heard|So have you heard|Did you hear|Now did you hear] <[the news|already|it yet|today]>? {fact}",
    "{fact}, [tell|ask] [a friend|your neighbor|your mom|the street] <[today|about it]>",
    "{fact}, [right|just] [around the corner|past the bend|behind the old front door|down the lane]",
    "{fact}, [same as ever|just as always|same as always|good as ever|same as yesterday] <[my friend|right here]>",
    "{fact}, [that's|it's] <all> part of the [story|song|plan|fun] <[today|you know]>",
    "[Tell me|Sing me|Whisper|Bring me] [the news|the good news|the best part|the best of it]: {fact}",
    "{fact}, [can you|could you|will you] [believe it|picture it|imagine it] <[today|my friend]>",
)

GOODS = (
    "{fact}, [only|just] a [door|word|step|street] [away|from you|from here] <[today|right now]>",
    "{fact}, <[oh|well|and]> [what a|such a|now that's a] [find|treat|joy|delight]",
    "{fact}, [always|still|forever] on my [mind|list|lips]",
    "{fact}, [who could|nobody could|how could I] [ask for|want|dream of] [more|better]",
    "{fact}, [well worth|so worth|just worth] [a smile|a song|the walk|the wait] <[today|my friend]>",
    "{fact}, [come and|go on and|won't you] [make|brighten|sweeten|color] my [day|week|morning]",
    "{fact}, [so|now|come] [sing along|hum along|clap along|smile along]",
    "[Say it|Sing it|Hum it] [loud|proud|sweet|slow], [say it|sing it] [again|once more|with me]: {fact}",
    "Nothing <[ever|around here|in the world]> [beats|tops|matches] {fact}",
    "[One more|A little|Just a] [thing we love|reason to smile|reason to sing|reason to stay]: {fact}",
    "{fact}, [sweet|bright|good|fresh] as the [morning|springtime|sunshine|day]",
    "{fact} and [a smile|a song|a story|the sun] <[for you|to go|today]>",
    "[Smile|Wink|Dream|Hum] and [think of|say|ask for] {fact} <[today|again]>",
    "{fact}, [that's our|now that's our|it's still our] favorite [thing|part|news|kind of day]",
)

SERVICE = (
    "{fact}, <[simply|just|only]> [ask us how|ask us when|call us first|tell us when|let us know]",
    "{fact}, [now|then|here] you know who to [ask|call|ring|trust]",
    "{fact}, we can [always|gladly|simply|surely] [talk|see|think] it through <[with you|together|step by step]>",
    "{fact}, [just|only|simply] [give us a call|drop us a line|leave it to us|say the word]",
    "{fact}, [done|handled|finished] [right|well|with care|on time] <[for you|today]>",
    "{fact}, we [handle|look after|manage] it all [with care|for you|every day|in time]",
    "{fact}, [leave it to us|hand it to us|bring it to us|trust us with it] and [breathe|rest|relax|smile]",
    "{fact}, [no fuss|no mess|no stress|no noise|no rush], no [worry|hurry|bother|trouble] "
    "<[at all|for you|today]>",
    "{fact}, [start to finish|top to bottom|first to last|end to end], [with care|on time|done right]",
    "[Calling about|Asking about|Wondering about|A question on] {fact}? [Call us|Ask us|We're near|Come in]",
)

CALM_SERVICE = (
    "{fact}, [ask|tell|call] us [any time|when you like|as you are|in your own time]",
    "{fact}, we can [talk it|walk it|see it] through [slowly|with care|with you|together]",
    "{fact}, [clear|plain|honest] [and calm|and kind|from the start|to the end]",
    "{fact}, [explained|looked after|handled] with [care|patience|respect|time to spare]",
    "{fact}, [step by step|page by page|bit by bit|day by day] <[with you|with care|together]>",
    "{fact}, [all|always|ever] with a [steady|gentle|careful|patient] hand",
    "{fact}, and [time|room|patience|care] "
    "for [your questions|every question|each question|all you ask|what you ask|what may come]",
    "{fact}, we [take the|give it|make the] time [you need|it takes|it needs]",
)

GRAVE = (
    "{fact}, we [listen|will listen|are listening] [at your side|to the end|with care|quietly]",
    "{fact}, you [need not|do not|will not] [face|bear|carry|go through] it alone",
    "{fact}, [spoken of|looked after|taken up|met] with [care|respect|quiet care|all respect]",
    "{fact}, [gently|quietly|patiently|plainly], [step by step|in your time|at your pace|side by side]",
    "{fact}, [someone|somebody] is [here|near|listening|by your side] <[for you|today]>",
    "{fact}, [nothing hurried|never hurried|never rushed], [one step|one day|one word] at a time",
)

QUOTES = (
    "{fact}, and [you know|we know|they say] it's [true|so|all true]",
    "{fact}, <[yes|you see|and]> that's [what we do|how we work|our way|our word]",
    "[And here is|Now here is|Here is] our [word|promise|plan|way]: {fact}",
    "{fact}, [just|you|now] [wait and see|come and see|ask and see]",
    "It's a [simple|plain|little|friendly] [fact|truth|thing]: {fact}",
    "{fact}, [today|this week|as ever] and [tomorrow|every day|all year]",
)

PAIRS = (
    "{fact} and {more} <[too|as well|for you|in town|right here|every day|for all|today|tonight]>",
    "{fact} and even {more}",
    "{fact}, and {more} [too|as well|besides|to boot|on top|of course]",
    "{fact}, [plus|and] {more} [for you|in town|right here|every day|for all|today|as ever]",
    "{fact} and {more}, [side by side|all in one place|under one roof|all of it here|all right here]",
    "[First|To begin|First of all], {fact}, [then|and then|and next] {more}",
    "[Right here|In here|Today|This week|All yours]: {fact}[ and| and even|, and also] {more}",
    "[Not only|Not just] {fact} but {more} [too|as well|besides]",
    "[We have|You'll find|You get|We bring you] {fact} [and|plus|along with|as well as] {more}",
    "[Come in for|Stop by for|Come by for|Ask here for] {fact}[ and for|, or for| as well as] {more}",
)

FRAMES = Frames(PLAIN + PLAYFUL, GOODS, SERVICE, GRAVE, QUOTES, PAIRS)
CALM_FRAMES = Frames(PLAIN, (), CALM_SERVICE, GRAVE, QUOTES, PAIRS)
