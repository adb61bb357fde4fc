"""The lines of an .ass document: its head, events, times, colours and shapes as libass reads them. Pure."""

from collections.abc import Iterator, Mapping

from studio.camera.palettes import Colour

# How far the handles of a Bézier curve stand from its ends to make a quarter of a circle, in radii.
ROUND = 0.5523


def head(
    width: int, height: int, family: str, styles: Mapping[str, tuple[str, str, str]]
) -> Iterator[str]:
    """What comes before the events: styles have a colour, one while not yet sung, and one of the outline."""
    yield "[Script Info]"
    yield "ScriptType: v4.00+"
    yield f"PlayResX: {width}"
    yield f"PlayResY: {height}"
    yield "WrapStyle: 2"
    yield "ScaledBorderAndShadow: yes"
    yield "YCbCr Matrix: TV.709"
    yield "[V4+ Styles]"
    yield (
        "Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold,"
        " Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow,"
        " Alignment, MarginL, MarginR, MarginV, Encoding"
    )
    for name, (fill, unsung, outline) in styles.items():
        yield (
            f"Style: {name},{family},60,{fill},{unsung},{outline},&H70000000,"
            "0,0,0,0,100,100,0,0,1,0,0,5,0,0,0,1"
        )
    yield "[Events]"
    yield "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text"


def event(layer: int, start: float, end: float, style: str, text: str) -> str:
    """Something that is shown from `start` to `end`, in seconds; never before the film."""
    times = f"{stamp(hundredths(start))},{stamp(hundredths(end))}"
    return f"Dialogue: {layer},{times},{style},,0,0,0,,{text}"


def hundredths(seconds: float) -> int:
    """The unit of all times here, not below zero."""
    return max(0, round(seconds * 100))


def stamp(centiseconds: int) -> str:
    """A time as libass writes it: 0:00:02.50."""
    minutes, rest = divmod(centiseconds, 6000)
    return f"{minutes // 60}:{minutes % 60:02}:{rest // 100:02}.{rest % 100:02}"


def hue(colour: Colour) -> str:
    """An opaque colour: &HBBGGRR&."""
    red, green, blue = colour
    return f"&H{blue:02X}{green:02X}{red:02X}&"


def rounded(wide: float, high: float, radius: float) -> str:
    """A rectangle with round corners as a drawing, with the tag that begins one."""
    arm = radius * (1 - ROUND)
    right, bottom = wide - radius, high - radius

    def corner(*points: tuple[float, float]) -> str:
        return "b " + " ".join(f"{x:.1f} {y:.1f}" for x, y in points)

    return " ".join(
        (
            f"{{\\p1}}m {radius:.1f} 0 l {right:.1f} 0",
            corner((wide - arm, 0), (wide, arm), (wide, radius)),
            f"l {wide:.1f} {bottom:.1f}",
            corner((wide, high - arm), (wide - arm, high), (right, high)),
            f"l {radius:.1f} {high:.1f}",
            corner((arm, high), (0, high - arm), (0, bottom)),
            f"l 0 {radius:.1f}",
            corner((0, arm), (arm, 0), (radius, 0)),
        )
    )
