"""English lines of the trades that bake and steam what is sweet."""

from studio.lyricist.stock import Trade

GROUP_BAKED = Trade(
    verses=(
        "[Warm|Sweet|Soft] is the [window|counter|paper bag], cold is the street / "
        "[Somebody|Someone] is [baking|making] a thing to eat",
        "[Early|Softly] before [even|ever] the bird can sing / "
        "[Hands|Thumbs] in the flour do a [wonderful|delicate] thing",
        "[Birthdays|Weddings] and [Mondays|rainy days], [large|big] or small / "
        "[Something|A bite] that is sweet will [do for|bring joy to] us all",
        "[Sugar|Sesame|Honey] [stars|snow] on the [top|side] of my thumb / "
        "[Nothing|Nobody] left of it, [hardly|barely] a crumb",
    ),
    choruses=(
        "[Bite|Taste] it, [share|break] it, [bring|take] it along / "
        "[Soft|Warm] in the middle like an [old|easy] song",
        "[Wrap|Tie] it in [paper|ribbon] and [off|home] you go / "
        "[Sweet|Warm] is the [bag|box] with a [tag|smile] and a bow",
    ),
    hooks=(
        "{name}, [warm|soft|sweet] in the [hand|bag|box] like the sun / "
        "I [bought|picked|took] two for [home|tea|Mom] and I'm left with one",
        "{name}, [morning|early|Sunday] [smells|tastes|feels] [like you|so sweet|so warm] to me / "
        "[Half|Some|One] for the [mouth|walk|bus] and a box for tea",
        "[Follow|Trust] your [nose|heart|feet] through the [lane|park] to {name} / "
        "[Warm|Sweet|Soft] little [parcels|bundles|morsels] to take on the train",
        "{name}, the [oven|steamer|kitchen] [wakes up|gets up|is on] before dawn / "
        "By the time I am [yawning|dreaming|waking] the [first|big|good] batch is gone",
        "{name}, [open|untie|unwrap] the [box|bow|bag] today / "
        "A [little|tiny|whole lot] bit [sweeter|softer|lighter] is how I will stay",
        "{name}, [sugar|honey|cinnamon] [snow|rain|dust] on my nose / "
        "I [came|asked|stopped] for just [one|crumbs|bread] and that's how it goes",
        "[Soft|Warm|Sweet] as a [pillow|cloud|hug] [today|again] from {name} / "
        "A [bite|piece|bag] for the [walk|bench|park] and a bite for the train",
        "{name}, my [pocket|basket|bicycle] [smells|glows] like a treat / "
        "[Children|Neighbors|Sparrows] are [following|trailing] me down the street",
        "{name}, [song|rice|love] on the [table|board|tray] and a laugh / "
        "I [promised|intended] to [share|wait|save], but I just gave half",
        "[Look|Peek|Stop] in the [steamy|bright|warm] [window|shop front] of {name} / "
        "My [nose|hand|cheek] on the [glass|door] and my breath on the pane",
        "{name}, a [birthday|good morning|thank you] [today|for you|for me] on a plate / "
        "I [couldn't|wouldn't] be [calm|good|slow] and I couldn't be late",
        "{name}, [baked|made|shaped] by the [hand|heart] in the [blue|still|dark] of the night / "
        "[Golden|Tender|Crusty] and [good|warm|bright] in the morning light",
        "{name}, [one|two|three] for the [bus|road|tea], [one|two] for love / "
        "[Softer|Lighter|Sweeter] than [clouds|stars|moons] in the blue above",
        "[Hands|Bags] full of [morning|sunshine|sweetness] [today|again] from {name} / "
        "The [smell|warmth|joy] fills the [bus|street|lift] and the smell fills the train",
        "{name}, [roll|fold|pat] it and [let|watch] it [slowly|really] glow / "
        "The [best|rest] of the [good things|sweet things|morning] [is|comes] simple and slow",
        "{name}, the [tray|batch|bell] is [out|hot|here] and the [line|queue] is long / "
        "We [pass|spend|sweeten] the [time|wait|line] with a sugary song",
        "{name}, [bring|take|hand] me the [warm|soft|big] one, [the last|the round|the sweet] one there / "
        "I'd [give up|hand out|pass round] the [crumbs|bag|box], but I'm not sure I'd share",
        "{name}, [half|most|all] of the [town|street|hill] smells [of you|like home|so good] by five / "
        "A [yawn|bun|tart] and a [bite|stretch|smile] and I'm fully alive",
        "[Sweet|Warm] on the [table|pillow|tongue] [tonight|today|again] from {name} / "
        "A [plate|bag|lap] full of [kindness|sunshine|crumbs], and a walk in the rain",
        "{name}, [sweet|soft|small] is the [gift|bite|bow] and [big|wide|bright] is the smile / "
        "I [carried|guarded|cradled] it [home|close|high] for a mile",
    ),
    titles=(
        "Warm from {name}",
        "A box from {name}",
        "Sweet morning at {name}",
    ),
)
BAKERY = Trade(
    verses=(
        "[Follow|Trust in] your [nose|heart|feet] all the way down the street / "
        "[Something|The dough] is [rising|baking], [warm|fresh] and sweet",
        "[Flour|Sugar|Crumbs] on the sleeves and [flour|sugar] on the floor / "
        "The smell of [bread|rolls|cake] has [found|reached] the door",
        "[Crackle|Song|Whisper] of the crust, then [soft|warm|light] inside / "
        "[Crumbs|Flakes] on my collar that I [cannot|can't quite] hide",
        "Came for just [one|a] loaf, I [swear|know|say] it's true / "
        "Left with [three|four] and a [little|tiny] tart or two",
        "[Raisin|Rye|Butter] and [walnut|honey|cinnamon], row on row / "
        "[Twisted|Folded] and braided, [rising|shining] slow",
        "[Baker|Papa] is up with the [moon|stars] in the sky / [Bread|Sun] will be [ready|golden] by and by",
    ),
    choruses=(
        "[Butter|Cheer|Sweeten] me up and [bake|make|warm] my day / "
        "[Golden|Crusty|Toasty] and warm in [every|each little] way",
        "Rise, rise, [rise|glow] like the [morning|Sunday|golden] dough / "
        "[Love|Joy] is a thing that you [learn|get] to knead slow",
        "[Tear|Break] it and [share|spread] it and pass it round / "
        "[Crust|Crunch] is a [simple|lovely] and [honest|crackly] sound",
        "[Loaf|Roll] in the [basket|bag] and the day is made / "
        "[Butter|Jam] on the [bread|crust] in the apple shade",
    ),
    hooks=(
        "{name}, [fresh|warm|straight] from the [oven|window|baker] to me / "
        "The [bag|box|smell] is a [pillow|blanket|garden] of bread for three",
        "Follow the [smell|steam|song] [all the way|down the lane|right on home] to {name} / "
        "[Warm|Brown|Good] paper [bag|sack] in the [wind|fog] and the rain",
        "{name}, [warm|sweet|gold] is the [bun|roll|bread] and the tart / "
        "A [crust|crunch|glow] on the [outside|edges|corners] and soft at heart",
        "{name}, [crust|crumb] and the [butter|honey|sweet jam], [oh my|oh yes], hooray / "
        "A [roll|loaf|bun] in my [pocket|backpack|basket] to brighten the day",
        "[Fresh|Hot|Straight] from the [oven|tray|stone], [hello|good day|at last], {name} / "
        "Two [bites|crumbs|sniffs] and you're [coming|running] back again",
        "{name}, [one|two] for the [hand|toast|jam], and [one|two] for the road / "
        "I'm [carrying|cycling] home such a [golden|crusty|fragrant] load",
    ),
    titles=(
        "Follow the smell to {name}",
        "Fresh from {name}",
        "The first loaf of {name}",
    ),
)
RICECAKE = Trade(
    verses=(
        "[Steam|Clouds] from the [basket|big pot] and the [rice|bell] so white / "
        "[Pounded|Rolled] and [folded|patted] till it [comes out|turns out] right",
        "[Sesame|Chestnut|Red bean] inside like a [secret|wish] to keep / "
        "[Moons|Pearls] on a tray in a [small|neat] sweet heap",
        "[Pink|White] ones and [green|gold] ones, a [rainbow|garden] of sweet / "
        "[Grandma|Auntie] is [tapping|keeping] the time with her feet",
        "[Birthdays|Harvests] and [weddings|first days], the young and old / "
        "[Wrapped|Tied] up in [ribbon|paper] of [red|blue] and gold",
        "[Chew|Bite] it slow, [slow|friend], there's a [sugar|honey] heart / "
        "[Warm|Soft] is the [middle|ending], and [soft|warm] is the start",
        "[Hundred|Thousand] good wishes on [tray|plate] after tray / "
        "[Move|Move in] next door and we'll [bring|share] some today",
    ),
    choruses=(
        "[Pound|Stamp] it and [pull it and roll|roll it and pull] it thin / "
        "[Chewy|Honey] and sweet with a [sesame|sugary] grin",
        "[Soft|Round] as the moon on the [harvest|autumn] tray / "
        "[Share|Pass] it with [neighbors|friends] and the luck will stay",
        "[Sweet|Warm] is the [rice|steam] and the hand that kneads / "
        "[Chestnut|Honey] and [beans|pine nuts] and sesame seeds",
        "[Steam|Song] in the [morning|kitchen], the drum of the day / "
        "[Chewy|Honey] and sweet in the [old-fashioned|grandmother's] way",
    ),
    hooks=(
        "{name}, [soft|white|sweet] as the [moon|snow|cloud] on the sea / "
        "[Chewy|Honey|Gentle] and [warm|round|soft] with a wish for me",
        "{name}, [steam|song] in the [basket|morning|window] [so white|so sweet|rising] today / "
        "A [tray|box|lap] full of [moons|clouds|pearls] and a wish on the way",
        "[Round|Soft|Sweet] as the [harvest|autumn|rising] [moon is|moons from] {name} / "
        "A [bite|heart|pinch] full of [honey|sesame|bean paste] and chestnut and grain",
        "{name}, [tie|wrap] me a [ribbon|box|bundle] of [luck|moons|joy] for home / "
        "[Sweet|Wide|Bright] is the [road|street|door] that the good neighbors roam",
        "{name}, [pat|roll|fold] me a [wish|song|dream] in the rice / "
        "[Sesame|Cinnamon], [honey|chestnut|ginger], and sweeter than spice",
        "[Chewy|Honey] and [soft|sweet|warm] and [good luck|good day|hello], {name} / "
        "The [rice|nuts|steam] and the [beans|moon|drum] and a hundred-year grain",
    ),
    titles=(
        "A moon from {name}",
        "Soft and sweet, {name}",
        "Good luck from {name}",
    ),
)
