"""What moves by itself - steam, dust, rain, snow, petals, confetti - and an umbrella. Pure."""

from studio.camera.scenes.brush import mix, trace
from studio.camera.scenes.motions import Steam
from studio.camera.scenes.paints import ELM
from studio.camera.scenes.pen import Pen, lighten
from studio.camera.scenes.props.learning import TOYS

# More of it would cost more than two milliseconds a frame: a share of the shorter side.
WIDEST_STEAM = 0.12


def draw_steam(pen: Pen, wide: float = 1.0) -> None:
    """Draw steam that rises from the origin."""
    x, y = pen.place(0, 0)
    widest = WIDEST_STEAM * min(pen.canvas) / pen.canvas[0]
    reach = min(pen.share(wide), widest)
    pen.moving.append(Steam(x, y, reach, pen.shape, float(pen.chance.random())))


def draw_dust(pen: Pen, wide: float = 5.0, high: float = 4.0) -> None:
    """Draw dust that floats in the light."""
    pen.fall(-wide / 2, high, wide, high, 0.075, 16, -0.035, sway=0.2, level=0.4)


def draw_umbrella(pen: Pen) -> None:
    """Draw an open umbrella, broad enough for those under it."""
    tone = mix((206, 74, 66), pen.palette.accent, 0.3)
    pen.line(ELM, 0.12, (0, 0), (0, 3.4))
    for number in range(6):
        left = -3.0 + number
        hem = trace("0,2.9 0.5,3.05 1,2.9", left)
        shade = tone if number % 2 else lighten(tone, 0.2)
        pen.blob(shade, *hem, ((left + 1) * 0.6, 4.2), (0, 4.8), (left * 0.6, 4.2))
    pen.line(ELM, 0.12, (0, 4.7), (0, 5.1))


def draw_rain(pen: Pen) -> None:
    """Draw rain that falls."""
    pen.fall(-5, 7, 10, 7, 0.07, 14, 0.9, long=9.0, level=0.5)


def draw_snow(pen: Pen) -> None:
    """Draw snow or seeds that sink slowly."""
    pen.fall(-5, 7, 10, 7, 0.14, 14, 0.05, sway=0.4, level=0.55)


def draw_petals(pen: Pen) -> None:
    """Draw petals that drift down."""
    pen.fall(-4.5, 7, 9, 7, 0.2, 12, 0.09, long=0.65, sway=0.5, colour=(250, 190, 200), level=0.85)


def draw_confetti(pen: Pen) -> None:
    """Draw scraps of colour that drift down."""
    for number, tone in enumerate((*TOYS, pen.palette.accent)):
        pen.fall(
            -4.5, 7, 9, 7, 0.14, 4, 0.13, long=0.7, sway=0.4, colour=tone, level=0.9, salt=number
        )
