"""English lines for businesses that people turn to in grief or in a quarrel: nothing in them is merry."""

from studio.lyricist import english_lines as lines
from studio.lyricist.stock import TENDER, Lines

NAMELESS, PLACELESS = lines.NAMELESS, lines.PLACELESS

TITLES = ("Here with you, {name}", "By your side, {name}", "{name} in {region}")

OPENINGS = (
    "Morning comes <softly> to {region}",
    "Walking slowly down through {region}",
    "<A> quiet morning in {region}",
    "The lights come on in {region} tonight",
    "Somewhere in the heart of {region}",
    "Here we are in {region} <again>",
)

FRAMES, GOODS_FRAMES = lines.FRAMES, ()

QUOTES = (
    "{fact}, and <you know> it's true",
    "{fact}, <that's> what we do",
    "<And> here is our word: {fact}",
    "It's a <simple> fact: {fact}",
)

HOOKS = (
    "{name} is <right> here / Someone who listens is <always> near",
    "You can <always> turn to {name} / We'll keep our word and we'll stay the same",
    "<Here> with you is {name} / Steady as morning, <and> calm as rain",
    "Remember the name of {name} / Quiet and honest, <and> clear and plain",
    "With care, <with care>, {name} / No one should walk on alone in the rain",
)

COMMON = Lines(
    verses=(
        "Take a seat and take <your> time to speak / No one has to be <so> strong all week",
        "Tell us only what you want to say / We will listen <to you> all the way",
        "When the road is <long and> hard to see / One small step is <all it> has to be",
        "Some words take a <little> while to find / We have patience, <care> and peace of mind",
        "Steady hands and <quiet> honest eyes / Plain and simple, <never> in disguise",
        "What you trust us with we <gently> keep / Promises like ours are <rooted> deep",
        "When you do not know <just> where to start / Bring us what is heavy on your heart",
        "Every question <has> its time and place / We will meet it <with you> face to face",
        "Nothing hurried, nothing left undone / We go through the pages one by one",
        "There's a quiet room we set aside / No one needs to <worry> or to hide",
        "Rain may fall a <little> while outside / Here is someone walking at your side",
        "When it feels too much for <only> one / Half is carried, half is <nearly> done",
        "Names are spoken <here> with all respect / Every <single> detail has been checked",
        "Somebody will answer <when you> call / There is no such thing as one too small",
    ),
    choruses=(
        "We are here, <we are> by your side / Through the narrow places and the wide",
        "Step by step <and> day by day / We will help you find the way",
        "Lean on us, you <do not> stand alone / There's a voice that answers on the phone",
        "Take your time, <we are> listening still / We have said we would and so we will",
        "Carry less and let us share the weight / It is never <ever> much too late",
        "Keep the things that matter <safe and> sound / We will help you stand on solid ground",
        "With respect and <with> a steady hand / We will try our best to understand",
        "Quiet care and honest word / Every voice <in here> is heard",
        "Light a lamp to <help you> see ahead / Mindful of the words that must be said",
        "Hold your head up, <slowly> breathe again / We are here for now and here till then",
        "Time goes on and <still> the heart holds fast / What was built with care is made to last",
        "Ask us once or ask us once again / Ask us how, <and> ask us why or when",
        "After rain the <open> sky will clear / Until it does we will be here",
        "Plainly told and <gently> shown / No one has to <walk it> all alone",
    ),
)

MOODS = {TENDER: lines.MOODS[TENDER]}
