"""English lines of the trades that look after one's papers."""

from studio.lyricist.stock import Trade

GROUP_DESK = Trade(
    verses=(
        "[Papers|Letters|Pages] [in a pile|on the desk|by the lamp] and a chair drawn near / "
        "[Line by line|Page by page|Word by word] [we make|we read|we turn] it clear",
        "[Long|Hard|New] words [turn|come] into [plain|clear|short] ones, one by one / "
        "[Step by step|Day by day] the [careful|steady|honest] work is done",
        "[Ask us|Tell us] [twice|once|now] and [ask us|tell us] once again / "
        "We [write|put|set] it [down|out] with a [careful|steady|patient] pen",
        "[No one|Nobody] has to [know|do] it [all|quite] alone / "
        "[Someone|A voice] who [knows|cares] is right here on the phone",
    ),
    choruses=(
        "[Plain|Clear|Calm] words and a [steady|careful|patient] hand / "
        "[Someone|Somebody] here will [always|truly|gladly] understand",
        "[Step by step|Page by page] and [line by line|down the line] / "
        "[Slowly|Surely|Calmly] the [tangle|puzzle] comes out fine",
        "[Sleep|Rest] a little [better|easier] tonight / "
        "[Somebody|Someone] is [here|near] to [set|put] things right",
    ),
    hooks=(
        "{name}, [plain|clear|calm] [words|talk|lines] from the [very|honest] start / "
        "[Careful|Steady|Patient] in [hand|word|thought] and kind at heart",
        "{name}, a [steady|careful|patient] [hand|pen|mind] at your [side|left side] / "
        "[Someone|A friend] who [knows|walks|reads] the road as a guide",
        "[Ask|Call|Trust] the [calm|kind|clear] [voice|word] of {name} / "
        "We will [explain it|tell you|read it], we [will|can] make it plain",
        "{name}, [line by line|page by page|word by word] [made|kept] clear / "
        "[Someone|Somebody|A voice] to [ask|call|trust] is always near",
        "{name} [takes|makes|has] the [time|care] to [read|see] it through / "
        "And [puts|writes|finds] the [answer|clear way|steps] in words for you",
        "[Bring|Take|Show] your [papers|letters|questions] to {name} / "
        "We [read|check|weigh] every [line|word|page] and we make it plain",
        "{name}, where [your|each] [word|question|letter] is [heard|read] with care / "
        "[Open|Quiet|Wide] is the [door|room|ear], and there's a chair",
        "{name}, [one|each] [step|page|day] [done|set] at a time / "
        "[Line after line|Word after word|Step after step] and a quiet rhyme",
        "{name}, the [lamp|light] is [on|warm] and the [desk|room|page] is clear / "
        "[Say|Tell us|Ask us] what you [need|wish|think], we are listening here",
        "[Turn|Come|Go] to the [honest|quiet|steady] [desk|door] of {name} / "
        "[Word after word|Line after line|Page after page], we will keep it plain",
        "{name} [keeps|holds] a [promise|word|secret] [safe|well] and sound / "
        "[Feet|Plans|Hopes] on the [level|path here] and [solid|steady] ground",
        "{name}, [calm|clear|sure] in the [middle|long run|small print] of it all / "
        "[Someone|A voice] you [know|trust] when you [need|want] to call",
        "{name} [knows|shows|finds] the [way|path|road] through the [small|long] print maze / "
        "[Calm|Clear|Kind] in the [middle|noise and|hurry] of busy days",
        "[Sit|Rest|Talk] for a [while|bit|time] with {name} today / "
        "[Tell|Ask|Show] us, and [we will|we can|somehow] find a way",
        "{name}, [good|plain|sound] [advice|counsel] and an open door / "
        "You can [always|gladly|surely] [ask for|bring us|tell us] one thing more",
        "{name}, [hand|pen|word] on the [table|paper], [here's|that's] our word / "
        "[Every|Any|Each] small [question|worry|number] will be heard",
        "{name} is [here|near] when the [words|lines] are [old|long|small] and new / "
        "[Patient|Careful|Gentle] and [steady|honest|quiet] to help you through",
        "[Think|Look|Plan] ahead [calmly|gently|slowly] with {name} / "
        "A [folder|pencil|window], a [lamp|chair|talk] and the answer is plain",
        "{name}, [we|you] [find|see] the [thread|line|way] and we [hold|keep] it tight / "
        "[Somebody|Someone] is [here|glad|near] to [set|put] it right",
        "{name}, [time|room] for a [talk|question|word] and a [cup|pot] of tea / "
        "[Plain|Clear|Calm] as a [window|morning|river], for all to see",
    ),
    titles=(
        "In plain words, {name}",
        "A steady hand, {name}",
        "Page by page with {name}",
    ),
)
LAW = Trade(
    verses=(
        "[Tell it|Say it] in your own [words|time], there's [time|room] enough / "
        "[Some|Most] roads are [quiet|gentle] and some roads are rough",
        "A [folder|letter|paper], a [lamp|chair], and a careful ear / "
        "[Word after word|Line after line] till the whole is clear",
        "[Rights|Words] that are [written|printed] [need|want] a voice to speak / "
        "[Someone|A friend] who will find the page you seek",
        "[Before|Until] the [morning|hearing|meeting] we [read|go|look] it through / "
        "[Someone|Somebody] will [stand|sit|walk] next to you",
        "[Nobody|No one] [raises|lifts] a voice in here / "
        "[Quiet|Patient|Honest] is the talk and the words are clear",
        "[Every|Any] [matter|question] has [its|two] [sides|parts] to weigh / "
        "We [hear|weigh|read] them [both|all] and we find a way",
    ),
    choruses=(
        "[Fair is fair|Right is right] and a word's a bond / "
        "[Someone|A voice] will [speak|stand] for you, and [go|look] beyond",
        "We [stand|walk|go] with you [here|now] in the light of day / "
        "[Calm|Clear] and [prepared|on time] all the [long|whole] way",
        "[Steady|Careful] in [counsel|question] and in [word and|every] deed / "
        "[Someone|A voice] at your side in the [hour|time] of need",
        "[Heard|Met] with [respect|patience] and [told|shown] with care / "
        "[Firm|Calm] in the [right|law] and [always|ever] fair",
    ),
    hooks=(
        "{name}, [a voice|a word|a hand] when the [way|road|day] is long / "
        "[Calm|Firm|Kind] in the [answer|question|morning], clear and strong",
        "[Heard|Read|Weighed] with [respect|patience|good care] [here at|down at] {name} / "
        "We'll [stand|stay|sit] at your [side|word|left] and we'll make it plain",
        "{name} will [stand|stay|walk] [here|close] by your [right|left] side / "
        "[Calm|Clear|Firm] on the [narrow|winding|long old] road, calm on the wide",
        "{name}, [the|each] [word|line|right] [that is|that was] [yours|read] with care / "
        "[Calm|Kind|Firm] in the [counsel|answer|hearing] and always fair",
        "[Call on|Turn to|Trust in] the [calm|clear|fair] [word|hand] of {name} / "
        "[Someone|A voice] that will [listen|hear you|read it] and then explain",
        "{name}, we [weigh|hear|read] [both|all] the sides of it / "
        "[Sure|Calm|Kind] in the [corner|window|lamplight] where you sit",
    ),
    titles=(
        "By your side, {name}",
        "A fair word, {name}",
        "Heard at {name}",
    ),
)
TAX = Trade(
    verses=(
        "[Slips|Bills|Notes] in a [shoe box|drawer|folder], all out of line / "
        "[Give|Hand] us the [box|lot] and it [comes|turns] out fine",
        "[Columns|Numbers|Figures] that [wander|scatter] fall into place / "
        "And [that|such] is a [smile|calm] on a [tired|busy] face",
        "[Spring|March|May] brings the [forms|letters], and the lines are small / "
        "[Somebody|Someone] [kind|here] [knows|reads] them all",
        "[Add it|Sum it] up [slowly|neatly] and check it again / "
        "[Clear|Plain] is the [table|total] and calm the pen",
        "You [run|keep] the [shop|store] and we keep the books / "
        "It's [calmer|simpler] by far than it [ever|first] looks",
        "[Dates|Forms] on the [table|deskpad] marked in blue / "
        "[We|They] [never|hardly] [forget|slip by], so you need not too",
    ),
    choruses=(
        "[Sorted|Counted] and [signed|filed] in [good|due] time / "
        "[Every|Each] little [figure|number] is [there|here] in rhyme",
        "[Count|Add] it with [care|us] and then [count|add] it again / "
        "[Clear|Neat] is the [page|book] and sharp is the pen",
        "[Rest|Breathe] a bit [easy|deeper], the [books|sums] are right / "
        "[Somebody|Someone] has [turned|put] on the light",
        "[Numbers|Figures] can [sing|rhyme] when they're [set|put] in a row / "
        "[Calmly|Neatly] they [tell us|show us] what we should know",
    ),
    hooks=(
        "{name}, [all the|my own] [numbers|figures|papers] in line today / "
        "[Neat|Clear|Bright] is the [page|desk|book] and the clouds blow away",
        "[Sorted|Counted|Added] and [clear|right|neat] [here at|down at] {name} / "
        "A [pencil|folder|ledger], a [lamp|stamp|smile] and it all comes out plain",
        "{name}, [you|we all] [keep|tend] the [shop|store|work] and they keep the book / "
        "[Calmer|Simpler|Neater] than [ever|numbers|Mondays] used to look",
        "{name}, [down|right] [to|through] the [last|small|long] [row|line] on time / "
        "The [box|pile|bag] of receipts [has come out|is finished|is sorted] in rhyme",
        "[Hand|Bring|Leave] all your [numbers|papers|folders] to {name} / "
        "We [count|sort|add] and we [check|sign|file] and we count again",
        "{name} [knows|reads|checks] the [forms|dates|lines], so [you|we] sleep tight / "
        "[The books|The sums|The forms] are in [order|columns|daylight] and all is right",
    ),
    titles=(
        "In good order, {name}",
        "The numbers of {name}",
        "On time with {name}",
    ),
)
INSURANCE = Trade(
    verses=(
        "[Rain|Wind|Snow] on the [window|rooftop], a [roof|light] that will hold / "
        "[Plans|Words] for the [young|small] ones and [plans|words] for the old",
        "[Some|Most] days are [sunny|gentle], and some bring the rain / "
        "[Good|Wise] to [have|hold] a [cover|shelter] again",
        "We [talk|read] through the [small|long] print, the [what|when] and the how / "
        "[Later|Tomorrow] is [easy|lighter] when you [ask|plan] it now",
        "[Children|Parents] [asleep|at rest] in the [house|home] down the lane / "
        "[Somebody|Someone] [thought|planned] of the wind and the rain",
        "A [table|kitchen], a [pencil|teapot], the [years|plans] up ahead / "
        "[Nothing|No word] was [pushed|rushed], it was [calmly|plainly] said",
        "[Keys|Shoes] by the [front door|hallway], a [home|house] that is yours / "
        "[Someone|A friend] who [looks|plans] past the [roof|walls] and the doors",
    ),
    choruses=(
        "Come what [may|will], there's a [hand|plan|friend] to hold / "
        "[Warm|Calm] in the [winter|wind] and [safe|dry] from the cold",
        "[Look|Plan] for the [rainy|windy] days in the sun / [Calm|Rest] is [a gift|the best gift] for everyone",
        "[Under|Below] one [roof|shelter], [dry|safe] and sound / "
        "[Somebody|Someone] [thought|looked] ahead all around",
        "[Year after year|Day after day] we are [by|on] your side / "
        "[Calm|Sure] on the [narrow|winding], [calm|sure] on the wide",
    ),
    hooks=(
        "{name}, [a roof|a hand|a plan] in the [wind|cold|snow] and rain / "
        "[Calm|Warm|Dry] and [together|all cozy|all happy] at home again",
        "{name}, [thinking|planning|looking] [ahead|along|around] with you today / "
        "A [roof|hand|plan] for whatever may [come|pass|blow] our way",
        "[Safe|Sound|Dry] in the [wind|rain|storm] [here|now] with {name} / "
        "A [calm|kind|true] word, a [clear|sound|wise] plan, a hand in the rain",
        "{name}, [a plan|a hand|a roof] for the [ones|home|hearts] you hold / "
        "Steady and [kind|warm|sure] in the [wind|snow|dark] and cold",
        "{name}, come [sun or wind|wind or frost|calm or wind] or [rain|snow] this year / "
        "[Someone|A friend] who [planned|knows|holds] it is [always|ever] near",
        "[Talk|Think|Look] it [over|through] [calmly|gently|slowly] with {name} / "
        "We [read|say|check] every [line|word|page] till the small print is plain",
    ),
    titles=(
        "Come what may, {name}",
        "An umbrella from {name}",
        "A calm tomorrow, {name}",
    ),
)
