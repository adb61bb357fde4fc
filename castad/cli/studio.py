"""The commands of `castad studio`, for those who edit what is sung and shown."""

import re
from dataclasses import asdict
from typing import Annotated, Literal

import typer

from castad.cli.context import AsJson
from resources.contract.errors import InvalidInputError

_REGIONS = {"Korean": "전주", "English": "Portland"}

app = typer.Typer(add_completion=False)
studio = typer.Typer(
    help="Check and try the studio's content: lyrics, scenes and words (docs/content.md).",
    no_args_is_help=True,
)
app.add_typer(studio, name="studio")


@studio.command(
    "check", epilog="castad studio check\n\nCASTAD_STUDIO_DATA=content castad studio check --json"
)
def check(as_json: AsJson = False) -> None:
    """Read all content, also that of CASTAD_STUDIO_DATA, and print each problem with its file and line.

    The exit code is 1 where there is a problem, else 0.
    """
    from castad.stack.output import print_json, print_line, print_status
    from resources.process.settings import settings
    from studio.editing import check_content

    settings()
    checked = check_content()
    if as_json:
        problems = [
            {"file": str(problem.path), "line": problem.line, "message": problem.message}
            for problem in checked.problems
        ]
        print_json(
            {
                "ok": not problems,
                "files": checked.files,
                "trades": checked.trades,
                "problems": problems,
                "remarks": list(checked.remarks),
            }
        )
    else:
        for line in (*(problem.message for problem in checked.problems), *checked.remarks):
            print_line(line)
        count = len(checked.problems)
        print_status(f"{checked.files} files, {count} {'problem' if count == 1 else 'problems'}")
    raise typer.Exit(int(bool(checked.problems)))


@studio.command(
    "try",
    epilog='castad studio try "봄날 베이커리" --trade bakery --count 20\n\n'
    'castad studio try "Blue Door" --detail "rye bread, strong tea" --genre ballad --seconds 30',
)
def try_name(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of the business")],
    trade: Annotated[
        str | None, typer.Option(help=r"The trade \[that of the name and details]")
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=1000, help="How many lyrics")] = 5,
    language: Annotated[
        Literal["Korean", "English"] | None,
        typer.Option(help=r"The language \[that of the name's letters]"),
    ] = None,
    region: Annotated[
        str | None, typer.Option(help=r"Where the business is \[전주, or Portland]")
    ] = None,
    detail: Annotated[str, typer.Option(help="What it tells of itself")] = "",
    genre: Annotated[str, typer.Option(help="The music")] = "pop",
    seconds: Annotated[int, typer.Option(min=10, max=120, help="The length of the song")] = 20,
    as_json: AsJson = False,
) -> None:
    """Print lyrics for a business without making a song."""
    from castad.stack.output import print_json, print_line, print_status
    from resources.contract.studio_errors import translate_studio_errors
    from resources.contract.written_text import normalize_to_nfc
    from resources.process.settings import settings
    from studio.editing import Facts, count_repeats, write_lyric
    from studio.trades import get_trades

    settings()
    name = normalize_to_nfc(name)
    spoken = language or ("Korean" if re.search("[가-힣]", name) else "English")
    place = region if region is not None else _REGIONS[spoken]
    facts = Facts(
        name, normalize_to_nfc(place), normalize_to_nfc(detail), spoken, genre, seconds, trade
    )
    with translate_studio_errors():
        if trade is not None and trade not in get_trades():
            known = ", ".join(sorted(get_trades()))
            raise InvalidInputError("--trade", f"expected one of {known}")
        lyrics = [write_lyric(str(seed), facts) for seed in range(1, count + 1)]
    if as_json:
        print_json({"language": spoken, "lyrics": [asdict(lyric) for lyric in lyrics]})
        return
    for number, lyric in enumerate(lyrics, 1):
        print_line(f"{'' if number == 1 else chr(10)}{number}. {lyric.title}\n\n{lyric.text}")
    line, times = count_repeats(lyrics)
    lyric_count = "1 lyric" if count == 1 else f"{count} lyrics"
    print_status(f"{lyric_count}; the line that comes most often comes in {times}: {line}")
