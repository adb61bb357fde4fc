"""What a film says in writing. Pure."""

import random
from dataclasses import dataclass

from studio.camera.contact import NO_CONTACT, Contact
from studio.camera.looks import DEFAULT_LOOK
from studio.timeline import Line

LONGEST_PLACE = 12
# None of them promises anything: no hours, no prices, no gifts. The first ones stand without a place.
CALLS = {
    "Korean": (
        ("지금 만나러 오세요", "오늘 한번 들러 보세요", "여기서 기다릴게요"),
        ("오늘, {region}에서 만나요", "{region}에서 기다릴게요"),
    ),
    "English": (
        ("Come see us today", "Stop by and say hello", "We can't wait to meet you"),
        ("See you in {region}", "Find us in {region}"),
    ),
}


@dataclass(frozen=True)
class Text:
    """What a film says: the business, its place, the sung lines, and what the viewer is asked to do.

    Without a call to action none is shown; `call_for` chooses one. `caption_style` is one of `looks.LOOKS`.
    Cards leave room for a logo of `logo_shape`, width to height, where there is one.
    """

    customer_name: str
    region: str
    lines: tuple[Line, ...]
    call_to_action: str = ""
    language: str = "Korean"
    caption_style: str = DEFAULT_LOOK
    contact: Contact = NO_CONTACT
    logo_shape: float | None = None


def call_for(text: Text, seed: str) -> str:
    """The text's own call to action, or one of the studio's: the same for the same text and seed."""
    if own := " ".join(text.call_to_action.split()):
        return own
    anywhere, somewhere = CALLS.get(text.language, CALLS["English"])
    region = " ".join(text.region.split())
    calls = (*anywhere, *somewhere) if 0 < len(region) <= LONGEST_PLACE else anywhere
    call = random.Random(f"call {seed}").choice(calls)  # noqa: S311
    return call.replace("{region}", region)
