"""Ten English and six Korean songs by both singers of the studio, and what a recogniser understands of the mixes.

The words are the studio's own for these businesses and seeds. The plain singer is the one that sings where the
voice's packages are missing.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from bench.listening import Heard, compute_mean, transcribe
from studio.band.song import play
from studio.genres import read_genres
from studio.lyricist.lyric import Facts, write_lyric
from studio.sound import write_wav

WIDTH = 140
ENGLISH, KOREAN = "English", "Korean"


@dataclass(frozen=True)
class Song:
    """What a song is made of."""

    name: str
    region: str
    detail: str
    genre: str
    seconds: int
    language: str


SONGS = (
    Song("Iron Yard Gym", "Toronto", "open all night, personal coaching", "rock", 30, ENGLISH),
    Song("Blue Harbor Coffee", "Busan", "slow coffee, an open terrace", "pop", 20, ENGLISH),
    Song("Maple Street Dental", "Toronto", "gentle dentists, weekend hours", "ballad", 30, ENGLISH),
    Song("Golden Crust Bakery", "Portland", "warm bread every morning", "pop", 20, ENGLISH),
    Song("Riverside Flowers", "Boston", "fresh roses, wedding bouquets", "ambient", 20, ENGLISH),
    Song("Happy Paws Pet Salon", "Austin", "gentle baths, long walks", "edm", 20, ENGLISH),
    Song("Corner Book House", "Dublin", "old novels, quiet chairs", "ballad", 30, ENGLISH),
    Song("Sunny Side Diner", "Chicago", "pancakes all day, hot coffee", "rock", 20, ENGLISH),
    Song("Lotus Yoga Studio", "Seattle", "morning classes, a quiet garden", "ambient", 30, ENGLISH),
    Song("Star Hair Salon", "Brooklyn", "new color, friendly talk", "pop", 30, ENGLISH),
    Song("봄날 베이커리", "전주 한옥마을", "매일 새벽에 굽는 쌀빵, 향긋한 커피", "pop", 20, KOREAN),
    Song("은하다방", "부산 광안리", "손으로 내린 커피, 밤바다가 보이는 창", "ballad", 30, KOREAN),
    Song("튼튼체육관", "대전 둔산동", "새벽반 운동, 일대일 지도", "edm", 20, KOREAN),
    Song("초록꽃집", "서울 성수동", "계절 꽃다발, 작은 화분", "ambient", 20, KOREAN),
    Song("한마음치과", "대구 수성구", "주말 진료, 친절한 설명", "ballad", 30, KOREAN),
    Song("달빛미용실", "광주 동구", "두피 관리, 편안한 의자", "rock", 20, KOREAN),
)


def bench_voice(
    to: Annotated[Path | None, typer.Option(help="Keep the sounds in this folder")] = None,
) -> None:
    """Sing the songs one after the other, listen to them and print the table."""
    console = Console(highlight=False, width=WIDTH)
    with tempfile.TemporaryDirectory() as scratch:
        folder = to or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        rows = []
        for number, song in enumerate(SONGS):
            heard = _listen(song, number, folder)
            rows.append((song, heard))
            console.print(f"{song.name}: {heard['voice'].text}")
    console.print(_build_table(rows))


def _listen(song: Song, number: int, folder: Path) -> dict[str, Heard]:
    facts = Facts(song.name, song.region, song.detail, song.language, song.genre, song.seconds)
    words = write_lyric(f"voice-{number}", facts).text
    heard = {}
    for singer, cache in (("voice", folder / "voice"), ("plain", None)):
        made = play(
            words,
            read_genres()[song.genre],
            song.seconds,
            f"voice-{number}",
            language=song.language,
            voice_cache=cache,
        )
        sound = folder / f"{number}-{singer}.wav"
        write_wav(sound, made.samples)
        sung = [line.text for line in made.lines]
        said = [song.name] if cache else []
        heard[singer] = transcribe(sound, " ".join([*sung, *said]), song.name, song.language)
    return heard


def _build_table(rows: list[tuple[Song, dict[str, Heard]]]) -> Table:
    """Build the table: word errors in English, character errors in Korean, and the means last."""
    table = Table("song", "genre", "words", "characters", "name", "plain: words", "characters")
    for song, heard in rows:
        ours, plain = heard["voice"], heard["plain"]
        table.add_row(
            song.name,
            song.genre,
            f"{ours.word_errors:.2f}",
            f"{ours.character_errors:.2f}",
            "yes" if ours.name else "no",
            f"{plain.word_errors:.2f}",
            f"{plain.character_errors:.2f}",
        )
    for language in (ENGLISH, KOREAN):
        table.add_row(
            *_format_mean(language, [heard for song, heard in rows if song.language == language])
        )
    return table


def _format_mean(language: str, heard: list[dict[str, Heard]]) -> list[str]:
    named = sum(one["voice"].name for one in heard)
    rates = [
        f"{compute_mean([one[singer].word_errors for one in heard]):.2f} "
        f"{compute_mean([one[singer].character_errors for one in heard]):.2f}"
        for singer in ("voice", "plain")
    ]
    ours, plain = (rate.split() for rate in rates)
    return [f"mean, {language}", "", *ours, f"{named} of {len(heard)}", *plain]


if __name__ == "__main__":
    typer.run(bench_voice)
