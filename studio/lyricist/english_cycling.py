"""English lines of those who sell and mend bicycles."""

from studio.lyricist.stock import Trade

BIKE = Trade(
    verses=(
        "[Spokes|Wheels] in the sunlight go [ticking|humming|spinning] around / "
        "[Left foot and right|Right foot and left] foot, my [heels|toes] off the ground",
        "A [drop|touch|dab] of oil on the [chain|gears], and the [squeaking|grinding|clicking] is gone / "
        "The [bell|front wheel|road] says good morning, the [lane|path|road] carries on",
        "He [spins|lifts] up the [back|front] wheel and [listens|squints] a while / "
        "A quarter-turn [here|now], and it [runs|rolls] with a smile",
        "[Patch on the tube and then|Glue on the patch and then] [pump|in] goes the air / "
        "The [hill|lane] that I [walked|pushed] up, I'll [fly|ride] it, I swear",
        "[Basket|Saddlebag] of [cherries|lemons|lilacs], the [loaf|bread] still warm / "
        "I'm [racing|chasing] the [clouds|wind] and outriding the storm",
        "[Saddle|Handlebars] set [higher|lower], my [knees|legs] give thanks / "
        "The [ducks|swans] of the river look up from the banks",
        "My first [pair|set] of wheels had a [bell|horn] and a [flag|star] / "
        "Two [streets|blocks] and a [garden|puddle] were ever so far",
        "[Chain|Grease] on my trouser leg, [wind|sun] in my face / "
        "I [came|rolled] in the last and I still [loved|won] the race",
        "No [key|queue] and no [engine|meter], no ticket, no fare / "
        "Just [two feet|two wheels] and [morning|river] and plenty of air",
        "[Brakes|Gears] that were [moaning|rubbing] are [quiet|silent] again / "
        "I [coast|float] like a leaf to the end of the lane",
    ),
    choruses=(
        "[Ring|Ding], [ring|ding], goes the bell, make [room|way] for the day / "
        "Two wheels and a [whistle|song|wave] and we're well on our way",
        "[Pedal|Roll] with me, [pedal|roll] with me, [over|down to] the bridge / "
        "[Coast|Fly] like a [swallow|sparrow] from off the high ridge",
        "[Up|On] off the saddle and over the hill / "
        "[Down|Home] on the other side, [feet|legs] holding still",
        "[Wind|Sun] in my [sleeves|shirt|hair] and the [road|street] running free / "
        "The [world|town] at the pace that it [ought|has] to be",
        "[Round and round|On and on] go the spokes and [away|off] go the blues / "
        "[Grass|Dew] on the tires and [dust|dew] on my shoes",
        "[Lean|Turn] to the left now and [lean|turn] to the right / "
        "[Follow|Chase] the [little|round] lamp on my bars through the night",
    ),
    hooks=(
        "{name}, [true|tune|mend] my wheels and I'm [off|gone|out] like new / "
        "The [river|towpath|valley] is [green|long|wide] and the sky is blue",
        "[Pump up my tires|Patch up my tubes|Polish my chain|Straighten my bars] [today|again|once more] "
        "at {name} / I'll [coast|roll|fly] down the [hill|lane|bank] in the [sun|wind] or the rain",
        "{name}, a [drop|dab|touch] on the chain and it [sings|hums|purrs] to me / "
        "I [ride|roll] by the [mill|pond|bridge] and [along|away|down] to the sea",
        "{name}, the [bell|breeze|road] says [go|come] and I [ring|roll|ride] to you / "
        "[Left|Right] at the [bakery|lamppost|chestnut], the [hill|bridge|path] and through",
        "[Spoke after spoke|Turn after turn|Click after click], all [straight|true|right] with {name} / "
        "My wheel is as [round|bright|light] as a [drop|pearl] of the rain",
        "{name}, [out|down] of the [garden|alley|side street] and [over|up] the hill / "
        "If [no one|nothing] had stopped me, I'd be [rolling|riding] still",
        "{name}, you [hear|know|find] every [click|squeak|creak] that my [gears|pedals|wheels] make / "
        "You [turn|set|ease] one small [screw|bolt|nut] and you [quiet|soothe] the brake",
        "[Ring|Ding] goes the [bell|new bell] for the [friends|folks|hands] of {name} / "
        "[Mud|Dust|Salt] on my [calves|fenders|frame] and a [grin|laugh] in the rain",
        "{name}, [hang|clamp] up my [bike|frame|wheels] and it's [mended|ready|singing] by three / "
        "There's a [road|path|hill] with a [view|bend|bench] and it's waiting for me",
        "{name}, two wheels and a [chain|bell|song] and the [whole|wide] day is mine / "
        "The [hill|lane|wind] is a [friend|breeze|gift] and the [gears|brakes|spokes] are fine",
        "[Swing|Hop|Climb] on the saddle, [we leave|I leave|it starts] at {name} / "
        "The [lanes|fields|docks] smell of [hay|bread|salt] and of [summer|morning|April] rain",
        "{name}, a [bench|stool|stand] and a [wrench|rag|lamp] and a [steady|patient|careful] hand / "
        "My [old|tired|rusty] bike is the [best|youngest|smoothest] in [all the|half the] land",
        "{name}, [up|high] on the [wall|rack|hook] hangs the [red|blue|green] one I see / "
        "One [ring|lap|turn] round the [block|square|pond] and it's going with me",
        "[Roll|Wheel|Push] it right in and [ride|roll|fly] out again, {name} / "
        "The [squeak|wobble|rattle] went home in the [wind|sun] and the rain",
        "{name}, [first|third] gear on the [hill|climb|bridge] and then [top|tenth] gear down / "
        "I'm the [lightest|happiest|fastest] old [postman|neighbor|rider] in town",
        "{name}, [safe|snug] in my [helmet|new helmet], I wave and go / "
        "The [bus|queue|traffic] is [standing|waiting|sulking], the [wheels|spokes] say so",
        "{name}, [spin|true|turn] me a wheel till it [glides|runs|rolls] like a dream / "
        "We [coast|roll|ride] by the [bridge|reeds|boats] and we follow the stream",
        "[Bread|Books|Plums] in my basket and a [tailwind|new bell|soft seat] from {name} / "
        "I [hum|ring|wave] past the [market|chapel|station] and [home|round|back] again",
        "{name}, a [twist|tweak|tap] and my [gears|brakes|bars] are all [set|fit|clear] to go / "
        "The [hill|lane|ramp] that was [steep|long|mean] is the best one I know",
        "{name}, [there|off] goes my [daughter|nephew|neighbor] with no hand to hold / "
        "On two [little|sturdy|shining] wheels down the [path|lane|hill], feeling bold",
        "[Late|Slow|Home] with my lamp [lit|bright|on], I go [humming|rolling|coasting], {name} / "
        "The [dusk|fog|dew] on the [river|cobbles|meadow] smells lightly of rain",
    ),
    titles=(
        "Two wheels and {name}",
        "Ring the bell, {name}",
        "Rolling home with {name}",
        "Downhill from {name}",
    ),
)
