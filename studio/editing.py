"""What those who edit content ask for: whether every file can be read, and what is sung with them."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from studio.band.tones import read_kits
from studio.camera.palettes import load_palettes
from studio.camera.scenes.compositions import read_scenes
from studio.camera.scenes.drawings import find_drawings, read_drawings
from studio.camera.scouting import load_choices
from studio.camera.shots import load_manners
from studio.camera.text import load_calls
from studio.content import (
    BUILT_IN,
    ContentError,
    find_files,
    own_folder,
    read_text,
    read_toml,
    read_typed,
)
from studio.genres import Genre, read_names, read_timbres
from studio.korean import spell_counts
from studio.lyricist.facts import is_solemn
from studio.lyricist.lyric import Facts, Lyric, write_lyric
from studio.lyricist.stock import FOLDERS, get_stock, read_lyrics
from studio.lyricist.template import get_capitals
from studio.trades import get_trades
from studio.words import list_sung_lines, read_spelling

__all__ = ["Checked", "Facts", "Lyric", "check_content", "count_repeats", "write_lyric"]
LANGUAGES = tuple(FOLDERS)
# Each trade has a file in these folders.
OF_TRADES = {**{f"lyrics/{folder}": ".txt" for folder in FOLDERS.values()}, "scenes": ".yaml"}
# Where the user's folder may have files of any name; elsewhere they have the names of built-in ones.
FREE = {**OF_TRADES, "props": ".txt"}
# Each reads a file of words, or several that have to agree.
READERS: tuple[Callable[[], object], ...] = (
    get_trades,
    get_capitals,
    load_calls,
    load_palettes,
    load_choices,
    load_manners,
    read_kits,
    find_drawings,
    read_names,
    read_spelling,
    read_timbres,
    partial(spell_counts, ""),
    partial(is_solemn, "", ""),
    *(partial(get_stock, language, calm) for language in LANGUAGES for calm in (False, True)),
)


@dataclass(frozen=True)
class Checked:
    """What a check of all content has found: a problem for each file that cannot be used."""

    files: int
    trades: int
    problems: tuple[ContentError, ...]
    remarks: tuple[str, ...]


def check_content() -> Checked:
    """Read all files of content, those of the user's folder too."""
    missing = _find_error(partial(find_files, "words", ".toml"))
    if missing:
        return Checked(0, 0, (missing,), ())
    files = list(_find_all_files())
    reads: list[Callable[[], object]] = [partial(_read_file, *file) for file in files]
    found = [error for read in [*reads, *READERS] if (error := _find_error(read))]
    problems = {(error.path, error.line): error for error in (*found, *_find_strays())}
    if problems:
        return Checked(len(files), 0, tuple(problems.values()), ())
    return Checked(len(files), len(get_trades()), (), tuple(_find_gaps()))


def count_repeats(lyrics: Sequence[Lyric]) -> tuple[str, int]:
    """Return the line that is in the most lyrics, and in how many it is."""
    lines = Counter(line for lyric in lyrics for line in set(list_sung_lines(lyric.text)))
    return max(lines.items(), key=lambda item: item[1], default=("", 0))


def _find_all_files() -> Iterator[tuple[str, Path]]:
    """Yield the files that the studio reads, with their folders."""
    folders = {path.parent.relative_to(BUILT_IN).as_posix() for path in BUILT_IN.rglob("*.*")}
    for folder in sorted(folders):
        for suffix in (".txt", ".yaml", ".toml"):
            for path in find_files(folder, suffix).values():
                yield folder, path


def _read_file(folder: str, path: Path) -> None:
    if folder.startswith("lyrics/"):
        read_lyrics(path)
    elif folder == "scenes":
        read_scenes(path)
    elif folder == "props":
        for drawing in read_drawings(path):
            drawing.compile()
    elif folder == "genres":
        read_typed(path, Genre, name=path.stem)
    elif path.suffix == ".toml":
        read_toml(path)
    else:
        read_text(path)


def _find_error(read: Callable[[], object]) -> ContentError | None:
    try:
        read()
    except ContentError as error:
        return error
    return None


def _find_strays() -> Iterator[ContentError]:
    """Yield an error for each file of the user's folder that is never read."""
    own = own_folder()
    for path in sorted(own.rglob("*")) if own else ():
        place = path.relative_to(own or path)
        if path.is_dir() or any(part.startswith(".") for part in place.parts):
            continue
        if FREE.get(place.parent.as_posix()) != path.suffix and not (BUILT_IN / place).exists():
            places = "lyrics/en/NAME.txt, scenes/NAME.yaml, props/NAME.txt"
            expected = f"a place that is read, as {places} or that of a built-in file"
            yield ContentError(path, None, expected, place.as_posix())


def _find_gaps() -> Iterator[str]:
    """Yield what a trade has not: there it is sung or filmed as a business of no trade."""
    for folder, suffix in OF_TRADES.items():
        for trade in sorted(set(get_trades()) - set(find_files(folder, suffix))):
            yield f"{trade}: no file {folder}/{trade}{suffix}"
