"""Write the film of a job as a RenderScript or as a template's modifications, and check its links.

RenderScript is a top level (`output_format`, `width`, `height`, `frame_rate`, `duration`, `elements`) and
elements with a track (a higher one is in front), a time and a duration in seconds. Documented and relied
upon: for sound `trim_start`, `trim_duration` and `audio_fade_out`; for text two font sizes between which it
sizes itself and wraps inside fixed dimensions, `stroke_*`, `shadow_*`, and fades as `animations`
(creatomate.com/docs/api/render-script). Undocumented is whether text may hold markup or expressions; see
`escape_markup`. That "Noto Sans KR" is available is inferred from the vendor's Google fonts.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from resources.contract.errors import PermanentError, ProviderError, TransientError
from resources.contract.protocol import Json, StageInput
from resources.http.addresses import HostAllowlist
from resources.http.download import probe_link
from resources.providers.creatomate.brand import (
    LOOK,
    Element,
    build_timing,
    draw_code,
    draw_lights,
    draw_logo,
    draw_pictures,
    draw_shade,
    format_colour,
    has_brand,
    write_contact,
)
from studio.genres import choose_genre
from studio.screenplay import (
    FPS,
    FRAMES,
    Palette,
    Shot,
    brand_palette,
    colour_of,
    left_out,
    plan_shots,
)

_TITLE_SECONDS = 3.5
_END_SECONDS, _SHORTEST_END = 3.5, 1.0
# With more to read, an end card lasts this share of the film, but no longer than that.
_READING_SHARE, _LONGEST_END = 0.27, 6.0
_HELD_SECONDS = 0.4
_SHORTEST = 1 / FPS
_TITLE, _REGION, _CAPTION, _CONTACT, _GROUND, _CODE, _LOGO = range(7)
_MARKUP = str.maketrans("[]{}<>", "［］｛｝＜＞")
_FADE_OUT_SECONDS = 1.0
LinkTo = Callable[[str], str]
"""From the path of a stored file to the link from which a vendor fetches it."""
_BACKDROP, _SHADE, _TEXT, _SONG = 1, 5, 6, 13
Fetched = Callable[[Mapping[str, Json]], str | None]
"""From the reference of a linked picture to the path of its stored copy; None without one."""
_OF_A_PICTURE = "order again with a link that leads to the picture, or with the picture as a file"
_OF_A_KEPT_FILE = "make sure that CASTAD_PUBLIC_URL serves the artifacts of this castad"
_OF_THE_SONG = (
    "set CASTAD_PUBLIC_URL, and the vendor fetches the stored file instead; "
    "`castad redo TASK_ID --from song` has a song made again and pays again"
)


@dataclass(frozen=True)
class AssetLinks:
    """The links from which the vendor downloads the song, the pictures in order, and the logo if any."""

    song: str
    images: tuple[str, ...]
    logo: str | None = None


def collect_links(job_input: StageInput, link_to: LinkTo | None) -> AssetLinks:
    """Collect the links of a job's song, pictures and logo.

    A file without a public address gets one from `link_to`. Raises PermanentError `public_url_missing` if
    there is such a file and `link_to` is None.
    """
    song = job_input.get("song_url") or build_public_link(job_input["song"], link_to)
    return AssetLinks(
        song=str(song),
        images=tuple(_get_picture_link(image, link_to) for image in job_input["images"]),
        logo=_get_picture_link(job_input["logo"], link_to) if "logo" in job_input else None,
    )


def _get_picture_link(image: Mapping[str, Json], link_to: LinkTo | None) -> str:
    return str(image.get("url") or build_public_link(image, link_to))


def build_public_link(reference: Mapping[str, Json], link_to: LinkTo | None) -> str:
    """Build the public link of a stored file. Raises PermanentError `public_url_missing` without `link_to`."""
    if link_to is None:
        raise PermanentError(
            f"creatomate: the vendor cannot fetch {reference['name']} from this machine; set CASTAD_PUBLIC_URL "
            "to the address where vendors can fetch files",
            code="public_url_missing",
        )
    return link_to(str(reference["where"]))


def build_render_script(job_input: StageInput, links: AssetLinks) -> dict[str, Any]:
    """Build the film's RenderScript: backdrop, song, title card, end card and captions."""
    width, height = get_frame(job_input)
    seconds = get_film_seconds(job_input)
    middle, tall, *_ = LOOK["boxes"][job_input["orientation"]]["caption"]
    if links.images:
        backdrop = draw_pictures(_plan_shots(job_input), links.images, _BACKDROP)
    else:
        backdrop = draw_lights(choose_palette(job_input), seconds, job_input["seed"], _BACKDROP)
    song = {
        "type": "audio",
        "name": "Song",
        "track": _SONG,
        **build_timing(0, seconds),
        "source": links.song,
        "trim_start": round(float(job_input.get("song_start", 0.0)), 3),
        "trim_duration": seconds,
        "audio_fade_out": min(_FADE_OUT_SECONDS, seconds)
        if job_input.get("song_fades", True)
        else 0,
    }
    return {
        "output_format": "mp4",
        "width": width,
        "height": height,
        "frame_rate": FPS,
        "duration": seconds,
        "elements": [
            *backdrop,
            draw_shade(middle, 1.8 * tall, seconds, _SHADE),
            *draw_texts(job_input, links.logo, seconds, _TEXT),
            song,
        ],
    }


def build_template_values(job_input: StageInput, links: AssetLinks) -> dict[str, str]:
    """Build the values of a template, by `Element.property`; a template may use no others."""
    images = {f"Image-{number}.source": link for number, link in enumerate(links.images, 1)}
    call, contact = job_input["call_to_action"], write_contact(job_input)
    return {
        "Title.text": escape_markup(job_input["customer_name"]),
        "Region.text": escape_markup(job_input["region"]),
        "Lyrics.text": escape_markup("\n".join(line["text"] for line in job_input["timeline"])),
        "Song.source": links.song,
        **({"CallToAction.text": escape_markup(call)} if call else {}),
        **({"Contact.text": escape_markup(contact)} if contact else {}),
        **({"Logo.source": links.logo} if links.logo else {}),
        **images,
    }


def _plan_shots(job_input: StageInput) -> tuple[Shot, ...]:
    moments = sorted(line["start"] for line in job_input["timeline"])
    return plan_shots(
        get_film_seconds(job_input), moments, max(1, len(job_input["images"])), job_input["seed"]
    )


def draw_texts(
    job_input: StageInput, logo: str | None, seconds: float, track: int
) -> list[Element]:
    """Build title card, end card and captions of a film of these seconds, on seven tracks from `track`."""
    boxes = LOOK["boxes"][job_input["orientation"]]
    title_card = (0, min(_TITLE_SECONDS, seconds))
    box = boxes["title_under_logo" if logo else "title"]
    title = _draw_text(job_input["customer_name"], box, *title_card)
    region = _draw_text(job_input["region"], boxes["region"], *title_card)
    accent = format_colour(choose_palette(job_input).accent)
    logos = [draw_logo(logo, boxes["title_logo"], *title_card)] if logo else []
    elements = [
        {**title, "name": "Title", "track": _TITLE, "font_weight": 800},
        {**region, "name": "Region", "track": _REGION, "fill_color": accent},
        *({**each, "name": "TitleLogo", "track": _CONTACT} for each in logos),
        *(_draw_brand_card if has_brand(job_input) else _draw_end_card)(
            job_input, logo, boxes, seconds
        ),
        *_draw_captions(job_input, boxes, seconds),
    ]
    return [{**element, "track": track + element["track"]} for element in elements]


def list_text_fades(job_input: StageInput, seconds: float) -> list[tuple[float, float]]:
    """List the spans, in seconds, in which a text of the film fades in or out."""
    spans = []
    for element in draw_texts(job_input, None, seconds, 0):
        begin, lasts = element["time"], element["duration"]
        fade = max((each["duration"] for each in element.get("animations", ())), default=0.0)
        spans += [(begin, begin + fade), (begin + lasts - fade, begin + lasts)]
    return spans


def _draw_brand_card(
    job_input: StageInput, logo: str | None, boxes: Mapping[str, Any], seconds: float
) -> list[Element]:
    """Build the end card with logo, name, contact, QR code and call to action; empty if time is too short."""
    longest = min(_LONGEST_END, max(_END_SECONDS, _READING_SHARE * seconds))
    times = max(_TITLE_SECONDS, seconds - longest), seconds
    if times[1] - times[0] < _SHORTEST_END:
        return []
    name = _draw_text(job_input["customer_name"], boxes["name"], *times)
    found = [{**name, "name": "EndName", "track": _REGION, "font_weight": 800}]
    if logo:
        found.append({**draw_logo(logo, boxes["logo"], *times), "name": "EndLogo", "track": _LOGO})
    told, link = write_contact(job_input), job_input.get("link")
    if told:
        contact = {**_draw_text(told, boxes["contact"], *times), "name": "Contact"}
        found.append({**contact, "track": _CONTACT})
    if told and link:
        # The QR code of the link stands to the left of the text.
        left, right = boxes["beside"]
        found[-1] |= {
            "x": f"{(left + right) / 2:g}%",
            "width": f"{right - left:g}%",
            "x_alignment": "0%",
        }
        ground, code = draw_code(link, boxes, times)
        found += [{**ground, "track": _GROUND}, {**code, "track": _CODE}]
    if job_input["call_to_action"]:
        call = _draw_text(job_input["call_to_action"], boxes["call"], *times)
        found.append({**call, "name": "CallToAction", "track": _TITLE, "font_weight": 800})
    return found


def _draw_end_card(
    job_input: StageInput, logo: str | None, boxes: Mapping[str, Any], seconds: float
) -> list[Element]:
    """Build the end card with the call to action above the name; empty without one or if time is too short."""
    since = max(_TITLE_SECONDS, seconds - _END_SECONDS)
    if not job_input["call_to_action"] or seconds - since < _SHORTEST_END:
        return []
    call = _draw_text(job_input["call_to_action"], boxes["title"], since, seconds)
    name = _draw_text(job_input["customer_name"], boxes["region"], since, seconds)
    return [
        {**call, "name": "CallToAction", "track": _TITLE, "font_weight": 800},
        {**name, "name": "EndName", "track": _REGION},
    ]


def _draw_captions(
    job_input: StageInput, boxes: Mapping[str, Any], seconds: float
) -> list[Element]:
    """Build one element per sung line; each ends when the next one starts."""
    lines = sorted(job_input["timeline"], key=lambda line: line["start"])
    starts = [min(max(line["start"], 0.0), seconds) for line in lines]
    captions: list[Element] = []
    for line, start, following in zip(lines, starts, [*starts[1:], seconds], strict=False):
        end = min(line["end"] + _HELD_SECONDS, following)
        if end - start < _SHORTEST:
            continue
        caption = _draw_text(line["text"], boxes["caption"], start, end)
        name = f"Caption-{len(captions) + 1}"
        captions.append({**caption, "name": name, "track": _CAPTION})
    return captions


def _draw_text(text: str, box: Sequence[float], start: float, end: float) -> Element:
    """Build a text that fades in and out; `box` is middle, height, smallest and largest font size in percent."""
    fade = round(min(0.25, (end - start) / 4), 3)
    middle, height, smallest, largest = box
    return {
        **LOOK["text"],
        **build_timing(start, end),
        "text": escape_markup(text),
        "y": f"{middle:g}%",
        "height": f"{height:g}%",
        "font_size_minimum": f"{smallest:g} vmin",
        "font_size_maximum": f"{largest:g} vmin",
        "animations": [
            {"type": "fade", "time": "start", "duration": fade},
            {"type": "fade", "time": "end", "duration": fade, "reversed": True},
        ],
    }


def escape_markup(text: str) -> str:
    """Replace brackets that might be markup or an expression by full-width ones.

    RenderScript's documentation mentions neither; that text is shown as it is, is inferred.
    """
    return text.encode("utf-8", "replace").decode().translate(_MARKUP)


def choose_palette(job_input: StageInput) -> Palette:
    """Return the film's colours: those of the genre, or of the brand if it names any."""
    genre, _ = choose_genre(job_input["genre"])
    brand = [colour_of(each) for each in job_input.get("brand_colors", ())]
    return brand_palette(genre.name, job_input["seed"], brand)


def get_frame(job_input: StageInput) -> tuple[int, int]:
    """Return the film's width and height in pixels."""
    return FRAMES[job_input["orientation"]]


def get_film_seconds(job_input: StageInput) -> float:
    """Return the film's length in seconds, rounded to milliseconds."""
    return round(float(job_input["song_seconds"]), 3)


def describe_unused_pictures(job_input: StageInput) -> list[str]:
    """Return a note for the customer about pictures that the film leaves out; empty without any."""
    return left_out(_plan_shots(job_input), len(job_input["images"]), get_film_seconds(job_input))


@dataclass(frozen=True)
class SourceChecker:
    """A checker of jobs' links, which downloads their beginning.

    `link_to` builds public links to stored files, None without a public address. `fetched` finds the stored copy
    of a linked picture. `ours` are the hosts of songs and stored files, which may be private like those of
    `allow_hosts`. An order's own links may lead only to public hosts and to `allow_hosts`.
    """

    link_to: LinkTo | None
    fetched: Fetched
    ours: tuple[str, ...]
    allow_hosts: tuple[str, ...]
    deadline_seconds: float

    def check_links(self, job_input: StageInput) -> AssetLinks:
        """Check the job's links and return them; a song's broken link is replaced by the stored file's.

        Raises PermanentError `public_url_missing`, and PermanentError or TransientError `source_unreachable`.
        """
        links = collect_links(job_input, self.link_to)
        images = map(self._check_picture, job_input["images"], links.images)
        logo = links.logo and self._check_picture(job_input["logo"], links.logo)
        return replace(
            links, images=tuple(images), logo=logo, song=self._check_song(job_input, links.song)
        )

    @property
    def _trusted(self) -> HostAllowlist:
        return HostAllowlist((*self.ours, *self.allow_hosts))

    def _check_picture(self, image: Mapping[str, Json], link: str) -> str:
        """Return the link of the picture's stored copy if it works, else the job's own link after a check."""
        name = str(image["name"])
        if not image.get("url"):
            self._probe(link, name, self._trusted, _OF_A_KEPT_FILE)
            return link
        fetched = self.fetched(image)
        if self.link_to is not None and fetched is not None:
            kept = self.link_to(fetched)
            with suppress(ProviderError):
                self._probe(kept, name, self._trusted, _OF_A_KEPT_FILE)
                return kept
        public = HostAllowlist(self.allow_hosts, plain_http=True)
        self._probe(link, name, public, _OF_A_PICTURE)
        return link

    def _check_song(self, job_input: StageInput, link: str) -> str:
        """Return the song's link after a check, or the stored file's link if that one fails."""
        if not job_input.get("song_url"):
            self._probe(link, "the song", self._trusted, _OF_A_KEPT_FILE)
            return link
        try:
            self._probe(link, "the song", self._trusted, _OF_THE_SONG)
        except ProviderError as error:
            if self.link_to is None:
                raise
            trouble = error
        else:
            return link
        kept = build_public_link(job_input["song"], self.link_to)
        try:
            self._probe(kept, "the song", self._trusted, _OF_A_KEPT_FILE)
        except PermanentError as error:
            raise (trouble if isinstance(trouble, TransientError) else error) from None
        return kept

    def _probe(self, link: str, name: str, allowlist: HostAllowlist, hint: str) -> None:
        """Check that the link works; `hint` is added to the error's message."""
        field = f"creatomate: {name}"
        try:
            probe_link(
                link, field=field, allowlist=allowlist, deadline_seconds=self.deadline_seconds
            )
        except TransientError as error:
            message, wait = f"{error.message}; {hint}", error.retry_after
            raise TransientError(message, code=error.code, retry_after=wait) from None
        except PermanentError as error:
            raise PermanentError(f"{error.message}; {hint}", code=error.code) from None
