"""English lines of the trades that feed people."""

from studio.lyricist.stock import Trade

CAFE = Trade(
    verses=(
        "Hear the grinder softly start to hum / One by one the <sleepy> people come",
        "Two cold hands <wrapped> around a cup / Tell the <tired> sun it's time to get up",
        "Steam is drawing question marks in air / The answer's in the cup right there",
        "Ice is ringing like a little bell / Summer has a story left to tell",
    ),
    choruses=(
        "One sip, <one sip> and the day begins / Two sips and the tired Monday grins",
        "Coffee in the morning, coffee in my song / Stir it <gently>, sip it all day long",
    ),
    hooks=(
        "First sip, <first sip> at {name} / Wake me up <gently>, wake me again",
        "Pour me a cup, <oh> {name} / I could pick that smell out of the rain",
    ),
    titles=("First sip at {name}", "A cup of {name}"),
)
BAKERY = Trade(
    verses=(
        "Follow your nose <all the way> down the street / Something is rising, warm and sweet",
        "Flour on the sleeves and flour on the floor / The smell of bread has found the door",
        "Crackle of the crust, <then> soft inside / Crumbs on my collar that I cannot hide",
        "Came for just one loaf, I swear it's true / Left with three and a <little> tart or two",
    ),
    choruses=(
        "Butter me up and bake my day / Golden and warm in every way",
        "Rise, <rise>, rise like the morning dough / Love is a thing that you learn to knead slow",
    ),
    hooks=(
        "Follow the smell to {name} / Warm paper bag in the wind and the rain",
        "Fresh from the oven, {name} / One bite and you're coming back again",
    ),
    titles=("Warm from {name}", "Follow the smell to {name}"),
)
RESTAURANT = Trade(
    verses=(
        "Forks are singing, plates are going round / Now that is what I call a happy sound",
        "Pull up a chair, there's room for one / Supper's a story that's <only> just begun",
        "Something is sizzling <on the stove> tonight / The table is set and the mood is right",
        "Diets begin <on> some other day / <Tonight> we'll eat the hours away",
    ),
    choruses=(
        "Pass me the bread and pass me the news / There's nothing on the menu you could lose",
        "Save some room for one more bite / Nobody's <ever> going hungry tonight",
    ),
    hooks=(
        "Are you hungry? <Then> head to {name} / Second helpings and a seat out of the rain",
        "Table for two at {name} / Bring the whole family next time again",
    ),
    titles=("A table at {name}", "Seconds at {name}"),
)
SOUP = Trade(
    verses=(
        "Blow on the spoon and count to three / Steam on my glasses, I cannot see",
        "Something is simmering soft and slow / It warms you from your hat <right> down to your toe",
        "Slurp it <up proudly>, nobody cares / Heaven is served on <plain> wooden chairs",
        "Down to the <very> last drop in the bowl / It is good for the stomach and good for the soul",
    ),
    choruses=(
        "Ladle it out, ladle it hot / Sing to the bubbling, blubbering pot",
        "One big bowl and we'll be fine / Your spoon, my spoon, yours and mine",
    ),
    hooks=(
        "Cold outside? Then come to {name} / A big warm bowl on the windowpane",
        "A bowl of {name} <for me> / Warm as a blanket and wide as the sea",
    ),
    titles=("A bowl of {name}", "Slow and warm, {name}"),
)
GRILL = Trade(
    verses=(
        "Hear that sizzle, hear that smoke / Somebody's telling the same old joke",
        "Tongs in the hand of the king tonight / Turn it <over slowly>, do it right",
        "Napkins are flying, sleeves rolled high / Nobody's leaving here clean and dry",
        "Fire down low and the laughter loud / It smells so good it has drawn a crowd",
    ),
    choruses=(
        "Sizzle, <sizzle>, one more round / Dinner never had a better sound",
        "Gather around the fire, gather near / Pass that plate <on> over here",
    ),
    hooks=(
        "Light up the fire at {name} / Smoke in our hair and we do not complain",
        "Sizzle and smoke at {name} / Loosen your belt and we'll go again",
    ),
    titles=("Smoke and song at {name}", "Sizzle, {name}"),
)
CHICKEN = Trade(
    verses=(
        "Crunch goes the supper, <and> louder than boom / Everyone's running into the room",
        "Open the box and hear angels sing / Who gets the last one, who will be king",
        "Lick every finger and don't be shy / Manners can wait till the day we die",
        "Carry it home like a <birthday> prize / Look at the light in everyone's eyes",
    ),
    choruses=(
        "Just one more piece, just one more / That is what tomorrow's diet is for",
        "Crunchy, <crunchy>, can't slow down / The happiest <supper> sound in town",
    ),
    hooks=(
        "Hot in the box from {name} / We said one piece and we lied again",
        "Crunch time, <crunch time>, {name} / Nobody's talking and no one's to blame",
    ),
    titles=("Just one more, {name}", "Crunch time at {name}"),
)
SNACK = Trade(
    verses=(
        "Red hot sauce on a <paper> plate / School is out and I just can't wait",
        "Pockets of pennies and friends in a row / It tastes like the summers we used to know",
        "Hot, hot, hot, <oh> give me some more / Tears in my eyes and my heart wants four",
        "One little skewer, one little bite / Share it with me and we'll be all right",
    ),
    choruses=(
        "Spicy and sweet like growing up / Sip a little soup from a paper cup",
        "Give me one bite, <just> one small bite / Sharing it doubles the <whole> delight",
    ),
    hooks=(
        "After school at {name} / We're all <of us> sixteen again",
        "Little bites, <big smiles>, {name} / One plate, two forks, <and it's> gone again",
    ),
    titles=("After school at {name}", "Spicy and sweet, {name}"),
)
SEAFOOD = Trade(
    verses=(
        "Salt on the air and a silver tide / The ocean came in and it sat by our side",
        "Hear the gulls gossip, <and> see them dive / Everything's shining, <so> glad and alive",
        "Waves on the plate in a <neat> little row / Taste what the fishermen <fathers> know",
        "Far from the harbor, the table's a boat / Lift up your glass and we'll stay afloat",
    ),
    choruses=(
        "Taste the tide, <oh> taste the sea / A little bit of ocean for you and me",
        "Splash, <splash>, here comes a wave / This is a moment that I'm going to save",
    ),
    hooks=(
        "Catch of the day, {name} / A splash of the sea coming in with the rain",
        "Sail away to {name} / The tide's going out but we will remain",
    ),
    titles=("Taste the tide, {name}", "{name} by the sea"),
)
BAR = Trade(
    verses=(
        "Neon lights are blinking, night's awake / Half the stories here are probably fake",
        "Clink, goes the glass, and down falls a star / Funny how short all the <long> roads are",
        "Loosen your collar, <and> let out a sigh / Tomorrow can wait and so can goodbye",
        "Somebody nods like they understand / Jukebox and ice are the only band",
    ),
    choruses=(
        "Raise it <up higher>, here's to the night / Here's to the friends in the <half> dim light",
        "One for the moon and one for the tune / Whoever said it's over said it <far> too soon",
    ),
    hooks=(
        "Last stop tonight is {name} / Shake off your coat and shake off the rain",
        "Lights down low at {name} / Everyone here <already> knows your name",
    ),
    titles=("A night at {name}", "Last stop, {name}"),
)
