"""English lines that wait for something an order tells."""

from studio.lyricist.stock import Frames

PLAIN = (
    "{fact}, [do|just|so|and|now] [keep|bear] [it|that|this] in mind",
    "{fact}, <[all|right|always]> here [every day|in town|for you|today|close by|this week|for all]",
    "[Here's|There's] [one|a little|one small] [thing|word|note] [to know|to keep|for you]: {fact}",
    "[Write it down|Jot it down|Note it down|Keep it near] <[for later|today|for tonight]>: {fact}",
    "[Yes|Here], [of course|as ever|as always|by the way|you know], {fact} <[too|as well|for you]>",
    "{fact}, [come|stop by|drop in|step in] and [see|ask|find out] <[today|for yourself|some time|with us]>",
    "{fact}, [rain or shine|day by day|week by week|all year round] <[for you|in town]>",
    "[Remember|Don't forget|Keep in mind|Pass it on|Just a note|Good to know] <[today|for later|tonight]>: {fact}",
    "{fact}, [yours to share|here to find|yours to find|all for you|here for all|ready for you] "
    "<[today|as well|this week]>",
    "{fact}, [if you need it|when you want it|any time you ask], [we're here|we're near|we're around]",
)

PLAYFUL = (
    "[Have you heard|So have you heard|Did you hear|Now did you hear] <[the news|already|it yet|today]>? {fact}",
    "{fact}, [tell|ask] [a friend|your neighbor|your mom|the street|the town] <[today|about it|for me]>",
    "{fact}, [right|just] [around the corner|past the bend|behind the old front door|down the lane|up the road|"
    "across the street|along the way]",
    "{fact}, [same as ever|just as always|same as always|good as ever|same as yesterday] "
    "<[my friend|right here|you know|for you|once more]>",
    "{fact}, [that's|it's] <all> part of the [story|song|plan|fun|tune|day|show] "
    "<[today|you know|right here|in town|tonight]>",
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
    "{fact}, [now|then|here] you know [who to|who you can|just who to] [ask|call|ring|trust]",
    "{fact}, we [can always|can gladly|can simply|can surely|will gladly|will surely] [talk|see|think] it through "
    "<[with you|together|step by step]>",
    "{fact}, [just|only|simply] [give us a call|drop us a line|leave it to us|say the word]",
    "{fact}, [done|handled|finished|taken on] [right|well|with care|on time] <[for you|today|in town]>",
    "{fact}, we [handle|look after|manage] it all [with care|for you|every day|in time]",
    "{fact}, [leave it to us|hand it to us|bring it to us|trust us with it] and [breathe|rest|relax|smile]",
    "{fact}, [no fuss|no mess|no stress|no noise|no rush], no [worry|hurry|bother|trouble] "
    "<[at all|for you|today]>",
    "{fact}, [start to finish|top to bottom|first to last|end to end], [with care|on time|done right]",
    "[Calling about|Asking about|Wondering about|A question on] {fact}? [Call us|Ask us|We're near|Come in]",
)

CALM_SERVICE = (
    "{fact}, [ask|tell|call] us [any time|any day|when you like|as you are|in your own time|when it suits]",
    "{fact}, we [can|will|can always|will gladly] [talk it|talk this|think it|think this|see this] through "
    "[slowly|with care|with you|together]",
    "{fact}, [clear|plain|honest|careful|open] [and calm|and kind|from the start|to the end|all the way]",
    "{fact}, [explained|looked after|handled|arranged|talked through] "
    "with [care|patience|respect|time to spare|kindness]",
    "{fact}, [step by step|page by page|bit by bit|day by day] "
    "<[with you|with care|together|at your side|at your pace]>",
    "{fact}, [all|always|ever] with a [steady|gentle|careful|patient] [hand|voice|word]",
    "{fact}, and [time|room|patience|care] "
    "for [your questions|every question|each question|all you ask|what you ask|what may come]",
    "{fact}, we [have the|find the|bring the] [time|care|thought] [you need|it takes|it needs]",
    "{fact}, [in plain words|in clear words|in calm words|one by one|bit by bit] "
    "[from the start|with you|at your pace|without haste]",
    "{fact}, [a calm|an honest|a careful|a quiet] [talk|word|plan|answer] [with you|for you|from us|first]",
)

GRAVE = (
    "{fact}, we [listen|will listen|are listening] "
    "[at your side|to the end|with care|quietly|to each word|with patience]",
    "{fact}, you [need not|do not|will not|never have to] [face|bear|carry|go through] it alone",
    "{fact}, [spoken of|looked after|taken up|met|answered] with [care|respect|quiet care|all respect|patience]",
    "{fact}, [gently|quietly|patiently|plainly], "
    "[step by step|in your time|at your pace|side by side|day by day|word by word]",
    "{fact}, [someone|somebody|a quiet ear|a calm voice] is [here|near|close by|at hand] "
    "<[for you|today|tonight|each day]>",
    "{fact}, [someone|somebody] is [listening|by your side|at your side|here with you] <[today|tonight|each day]>",
    "{fact}, [nothing hurried|never hurried|never rushed], [one step|one day|one word|one thing] at a time",
    "{fact}, [time|room|a quiet hour|a quiet room] "
    "[to speak of it|to talk it through|to be heard|to take it slow]",
    "{fact}, [a quiet|a calm|a gentle|a patient] [word|room|ear|hand] "
    "[for you|with us|in here|any day|when you need]",
)

QUOTES = (
    "{fact}, and [you know|we know|they say|now you know] it's [true|so|all true|still true]",
    "{fact}, <[yes|you see|and]> that's [what we do|how we work|our way|our word]",
    "[And here is|Now here is|Here is] our [word|promise|plan|way]: {fact}",
    "{fact}, [just|you|now] [wait and see|come and see|ask and see|look and see|come and ask]",
    "It's a [simple|plain|little|friendly|happy] [fact|truth|thing] <[today|you know|in town]>: {fact}",
    "{fact}, [today|this week|as ever] and [tomorrow|every day|all year]",
)

PAIRS = (
    "{fact} and {more} <[too|as well|for you|in town|right here|every day|for all|today|tonight|this week|"
    "all year|close by|at hand|all day|nearby|with care]>",
    "{fact} and [even|also] {more} <[too|here|today|for you|in town|this week]>",
    "{fact}, and {more} [too|as well|besides|to boot|on top|of course|you know|as ever|at that]",
    "{fact}, [plus|and] {more} [for you|in town|right here|every day|for all|today|as ever|this week|nearby]",
    "{fact} and {more}, [side by side|all in one place|under one roof|all of it here|all right here|"
    "both in one place|all for you|all close by|both close by|day by day|week by week]",
    "{fact}, {more}, [all here|all day|all year|all yours|right here|in town|near you|for you|for all|day by day|"
    "all for you|it's all here|all close by]",
    "{fact}, {more}[ and more| and still more| and much more| and time for you| and time to ask|"
    " and room for you]",
    "[Yes|So|Now|Here|Still|Always|As ever|Once more|Today|In town|Each day], {fact} and {more}",
    "[Both|With both|Find both] {fact} and {more} [here|in town|at hand|close by|today|this week|for you|in one]",
    "[For one|To begin|To begin with|For a start|To start with], {fact}, [then|and then|and next|next] "
    "{more}",
    "[Right here|In here|Today|This week|All yours|For you|All year|In town|Nearby]: "
    "{fact}[ and| and even|, and also|, then|, plus] {more}",
    "[Not only|Not just|Not merely] {fact} but {more} [too|as well|besides|also]",
    "[We have|You'll find|You get|We bring you|Here you'll find|Count on] {fact} "
    "[and|plus|along with|as well as] {more}",
    "[Come in for|Stop by for|Come by for|Ask here for|Drop in for|Step in for|Look here for] "
    "{fact}[ and for|, or for| as well as| and also for|, then for] {more}",
    "[Look for|Come for|Turn to us for|Ask for|Head here for] {fact}[ and|, or| and for| and also| as well as] "
    "{more}",
)

FRAMES = Frames(PLAIN + PLAYFUL, GOODS, SERVICE, GRAVE, QUOTES, PAIRS)
CALM_FRAMES = Frames(PLAIN, (), CALM_SERVICE, GRAVE, QUOTES, PAIRS)
