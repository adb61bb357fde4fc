"""English lines of the trades that look after people, animals and things."""

from studio.lyricist.stock import Trade

HAIR = Trade(
    verses=(
        "Snip, snip, snip goes the silver tune / Yesterday falls like a feather in June",
        "Who is that stranger <in there> looking fine / Wait a minute, that face is mine",
        "Wind in my hair and a spring in my heel / Light on the inside is how I feel",
        "Spin me around slowly, hold up the glass / Walk down the street with a touch of class",
    ),
    choruses=(
        "Turn your head and let it shine / Every sidewalk's a runway line",
        "All I changed was <just> my hair / Now there's sunlight <almost> everywhere",
    ),
    hooks=(
        "Look in the mirror, {name} / Nothing about me will look the same",
        "Good hair day at {name} / Strut in the sun and <strut> in the rain",
    ),
    titles=("Good hair day at {name}", "Mirror, mirror, {name}"),
)
NAIL = Trade(
    verses=(
        "Ten little canvases, side by side / Colors I really don't want to hide",
        "Hold them up high for the world to see / Everything <now> looks better on me",
        "Blow on them softly and pet the cat / There's always time for a <little> chat",
        "Wave to the bus driver, <wave> to the sun / Sparkle on each and <on> every one",
    ),
    choruses=(
        "Sparkle, <sparkle>, fingertips / A rainbow that nobody ever skips",
        "Hands up high, <let's> see them glow / Ten little stars in a <shiny> row",
    ),
    hooks=(
        "Right at my fingertips, {name} / Ten tiny suns in the <wind and> rain",
        "Shine with me, <oh> {name} / Show me your hands and show me again",
    ),
    titles=("Fingertips of {name}", "Sparkle, {name}"),
)
BEAUTY = Trade(
    verses=(
        "An hour to myself and a quiet chair / Nowhere to hurry and no one to care",
        "Close your eyes, let the <whole> day go by / Breathe out a long and a feathery sigh",
        "Give yourself something <soft> today / Soft as a cloud going on its way",
        "Somebody's smiling <right> back at me / Nothing in the world is as bright to see",
    ),
    choruses=(
        "Glow, <glow>, just like you are / You were already <always> a star",
        "Mirror, mirror, tell me true / Who is the one smiling? I think it's you",
    ),
    hooks=(
        "A little time for me at {name} / Soft as the light <that comes> after the rain",
        "Glow with me, {name} / Look in the mirror and smile again",
    ),
    titles=("Glow, {name}", "An hour at {name}"),
)
YOGA = Trade(
    verses=(
        "Roll out the mat and roll out the day / Let all the noise <of it> melt away",
        "Breathe in the morning, <and> breathe out the blue / There's room in your ribs for a song or two",
        "Wobble a little, it's quite all right / Trees do it too in the wind at night",
        "Reach for the ceiling, <then> reach for the floor / Find a bit of you that you never saw before",
    ),
    choruses=(
        "Breathe in slow, <and> breathe out slow / There is nowhere else we need to go",
        "Long and tall and <light and> free / Find the quiet inside you and me",
    ),
    hooks=(
        "Breathe with me at {name} / Leave on the mat all the worry and strain",
        "Slow it all down at {name} / Stretch like a cat, <and then> breathe again",
    ),
    titles=("Breathe, {name}", "Slow down at {name}"),
)
GYM = Trade(
    verses=(
        "Tie up your laces and chalk up your hands / Run to the rhythm <that> your heart demands",
        "One more, <just> one more, that's what they say / You against you from <just> yesterday",
        "Sweat never lies and it never pretends / We came here alone, <and> we'll leave here as friends",
        "Quit on a Tuesday? That's quite all right / Start it all over on Wednesday night",
    ),
    choruses=(
        "Lift it, <lift it>, lift up the day / Put down your worries and walk away",
        "Don't give up, <there's> one more to go / Heart like a drum and we let it show",
    ),
    hooks=(
        "One more time for {name} / Stronger than rain and <much> louder than rain",
        "Get up, <get up>, {name} / Shake yourself down and let's go again",
    ),
    titles=("One more for {name}", "Get up, {name}"),
)
FLOWER = Trade(
    verses=(
        "Buckets of color lined up by the door / Petals like <tiny> love notes on the floor",
        "Ribbons and paper, a careful bow / Say it with roses and say it <right> now",
        "Words can go wrong in a thousand ways / Flowers know what a <shy> heart says",
        "Bought them for nothing, <just> passing through / Now it's a kind of birthday too",
    ),
    choruses=(
        "Bloom, <bloom>, wherever you are / Carry the garden home in the back of the car",
        "One little stem and the room turns gold / Love is a secret that flowers told",
    ),
    hooks=(
        "Say it with {name} <today> / Petals will <always> know what to say",
        "In full bloom at {name} / Smile like a garden that's after the rain",
    ),
    titles=("In bloom at {name}", "What the flowers of {name} say"),
)
STAY = Trade(
    verses=(
        "Set down your suitcase, <and> kick off your shoes / Nothing to hurry for, <and> nothing to lose",
        "Under the blanket the night feels kind / Leave your alarm clock and worries behind",
        "Sun through the curtains, come tap on my cheek / Could we just stay here for one more week",
        "Fold up the map, we have come far enough / Pillows like clouds when the road was rough",
    ),
    choruses=(
        "Stay, <oh stay>, just one more night / Even the moon left on a <little> light",
        "We only planned on one night here / My heart unpacked it all for the year",
    ),
    hooks=(
        "Rest your head at {name} / Stars on the roof and the hush of the rain",
        "Check in to {name} / Drop all your bags and your troubles again",
    ),
    titles=("One more night at {name}", "Stay, {name}"),
)
BOOKS = Trade(
    verses=(
        "Paper and ink and a creaky floor / Somebody's world behind every door",
        "One more chapter, <oh> just one more / That's what I said an hour before",
        "Somebody underlined <just> how I feel / Strange how a stranger's words can heal",
        "My bag is heavy, <but> my heart is light / <I'm> bringing a dozen friends home tonight",
    ),
    choruses=(
        "Turn the page <now>, turn the page / You can fall in love at any age",
        "Once upon a <happy> time it said / Now it's singing <softly> in my head",
    ),
    hooks=(
        "Once upon a time at {name} / Lost in a story and hiding from rain",
        "Next page, <next page>, {name} / Every good ending starts <over> again",
    ),
    titles=("Once upon a time at {name}", "The first page of {name}"),
)
CLINIC = Trade(
    verses=(
        "Somebody listens right up to the end / Talks to you just like a patient old friend",
        "Hands that were shaking can rest for a while / Gentle the question and gentle the smile",
        "Put down your worry and take a chair / Ask what you like, there is someone to care",
        "Walking back home with a bit lighter tread / Sun on the sidewalk and sun overhead",
    ),
    choruses=(
        "Tell us, <tell us> where it aches / We have got all the time it takes",
        "You don't have to carry it all alone / Kindness is a kind of <second> home",
    ),
    hooks=(
        "In good hands at {name} / Someone who knows you and knows you by name",
        "Take good care, <take care>, {name} / Someone to talk to when life is a pain",
    ),
    titles=("Take care, {name}", "In good hands at {name}"),
)
DENTAL = Trade(
    verses=(
        "Nervous? Aren't we all, that's fine / Hold on tight to this hand of mine",
        "Open up wide and then sing out Ah / Let the sun in on your <little> la la la",
        "No more hiding <it> behind your hand / Smile for the camera, smile for the band",
        "Brush up and down to the bubbly beat / Morning and night in your slippered feet",
    ),
    choruses=(
        "Smile, <oh smile>, and let it show / Brightest <little> window in the row",
        "Brush, brush, brush it and sing along / Everyone smiles in a toothpaste song",
    ),
    hooks=(
        "Show me your smile at {name} / Bright as the sun coming out of the rain",
        "Open up wide for {name} / Grin like a kid and <then> grin it again",
    ),
    titles=("Smile, {name}", "Open wide, {name}"),
)
PHARMACY = Trade(
    verses=(
        "A white paper bag with my name on the fold / Somebody asking <me> how is that cold",
        "Take it with water, <and> don't skip a meal / It's nice to be asked how you really feel",
        "Sniffles and sneezes all over the street / Here is a voice that's <both> calm and sweet",
        "Sounds like my mother: now rest, drink your tea / Somebody's looking <right> out for me",
    ),
    choruses=(
        "How did you sleep and how have you been / A kind little question, <so> come on in",
        "Bundle up warm and take care out there / A wave and a word and a bit of care",
    ),
    hooks=(
        "Look after yourself, says {name} / Scarf round your neck in the wind and the rain",
        "Just ask {name} <today> / They'll listen to all that you came to say",
    ),
    titles=("Take care, says {name}", "Just ask {name}"),
)
ACADEMY = Trade(
    verses=(
        "Pencils are whispering across the page / Big ideas for so small an age",
        "Why is the sky up, <and> why is it blue / Ask it again and <then> ask it anew",
        "Wrong on a Monday, <but> right by the third / Somebody's learning a <great> big word",
        "Little hands up, oh me, pick me / Sunshine as far as the eye can see",
    ),
    choruses=(
        "You can do it, try it one more time / Every little step is a step to climb",
        "Grow, <grow>, an inch or two / The whole wide world is waiting for you",
    ),
    hooks=(
        "Growing up at {name} / Splashing through puddles and learning from rain",
        "Hands up high for {name} / Try it, <and> miss it, and try it again",
    ),
    titles=("An inch taller at {name}", "Hands up for {name}"),
)
PET = Trade(
    verses=(
        "Tail like a drum on the kitchen floor / Somebody heard you <right> through the door",
        "Cold little nose on the back of my hand / Needs no words to <really> understand",
        "Ears going up at the sound of a snack / Throw it once more and it's <always> coming back",
        "Four muddy paws and a heart so wide / Nothing to prove and nothing to hide",
    ),
    choruses=(
        "Wag it, <wag it>, here we go / Happiest <little> feet I know",
        "Run, <run>, on four little feet / You are the boss of the <whole> long street",
    ),
    hooks=(
        "Who's a good friend? It's {name} / Tails in the sunshine and paws in the rain",
        "Walk me on over to {name} / Wag when you hear it and wag it again",
    ),
    titles=("Four little feet to {name}", "Wag for {name}"),
)
PHOTO = Trade(
    verses=(
        "Chin up a little, <and> eyes this way / Let's put a frame on a <perfect> day",
        "Lean in together, don't look so grim / Somebody tickle the shoulder of him",
        "Years will go running and won't look back / This one will stay <here> in white and black",
        "Grandma was young in a silver frame / One day they'll ask us for all of our names",
    ),
    choruses=(
        "One, two, three, and hold it there / Wind and a laugh and the light in your hair",
        "Click, <click>, one more time / Even the blink is a favorite of mine",
    ),
    hooks=(
        "Say cheese, <say cheese>, {name} / Frame all the sunshine and keep all the rain",
        "Hold that smile at {name} / Click, and we're young there forever again",
    ),
    titles=("Hold that smile, {name}", "Click, {name}"),
)
CAR = Trade(
    verses=(
        "Knows by the rattle and knows by the hum / Every little bolt where the trouble is from",
        "Grease on the fingers and grease on the chin / Pop up the hood and let daylight in",
        "Wheels going round like a brand new song / Miles in the mirror, the road is long",
        "Dust of the highway, we'll wash it away / Clouds in the hood of a clear blue day",
    ),
    choruses=(
        "Roll the windows <right down>, feel the breeze / Toss me the map and toss me the keys",
        "Engine is purring and lights turn green / Best little travelers you've <ever> seen",
    ),
    hooks=(
        "Back on the road with {name} / Wipers are dancing along in the rain",
        "Rattle and roll to {name} / Listen to that, <now> she's purring again",
    ),
    titles=("Back on the road with {name}", "Roll on, {name}"),
)
MARKET = Trade(
    verses=(
        "Basket is swinging from my arm / Every little shelf has got its charm",
        "Came for one thing, <but> I'm leaving with ten / Probably tomorrow I'll do it again",
        "Rows of good things <all> saying hello / Take your own time, there's no place to go",
        "Just looking, <just looking>, that's what I said / My arms are full and my <poor> face is red",
    ),
    choruses=(
        "Pick it, <pick it>, which one's best / Take a <little> time, put it to the test",
        "Something for you and something for me / The chatting, of course, is entirely free",
    ),
    hooks=(
        "Off to the shop, <off> to {name} / Bags in the sun and bags in the rain",
        "Look what I found at {name} / Show all your neighbors and show them again",
    ),
    titles=("Look what I found at {name}", "A basket of {name}"),
)
