"""Laws of the events: they are numbered, fold to the row, tell legal transitions under rising fences. Pure."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from resources.ledger.rules import TRANSITIONS
from tests.chaos.history import History
from tests.fold import fold
from tests.retries import retries_told

_FREE = ("created", "edited")


def seqs_have_no_gap(history: History) -> Iterator[str]:
    for story in history.sound_stories:
        seqs = [event["seq"] for event in story.events]
        if seqs != list(range(1, len(seqs) + 1)):
            yield f"{story.task_id}: its events are numbered {_shown(seqs)}"
        elif story.request["seq"] != len(seqs):
            yield f"{story.task_id}: its row is at {story.request['seq']}, its events at {len(seqs)}"


def events_fold_to_rows(history: History) -> Iterator[str]:
    for story in history.sound_stories:
        try:
            folded = fold(event["data"] for event in story.events)
        except KeyError as error:
            yield f"{story.task_id}: its events never tell {error}"
            continue
        different = {
            name: (value, story.request[name])
            for name, value in folded.items()
            if value != story.request[name]
        }
        if different:
            yield f"{story.task_id}: told and written differ in {different}"


def transitions_are_legal(history: History) -> Iterator[str]:
    for story in history.sound_stories:
        for event in story.events:
            edge = (event["from"], event["to"])
            if event["type"] not in _FREE and edge not in TRANSITIONS.get(event["type"], ()):
                yield f"{story.at(event)}: {event['from']} → {event['to']} is no legal transition"
        for earlier, later in pairwise(story.events):
            if later["from"] != earlier["to"]:
                yield f"{story.at(later)}: from {later['from']}, but it was {earlier['to']}"


def fences_rise(history: History) -> Iterator[str]:
    for story in history.sound_stories:
        fence = 0
        for event in story.events:
            now = event["data"]["set"].get("fence", fence)
            claims = event["type"] == "claimed"
            if now < fence or (claims and now == fence):
                yield f"{story.at(event)}: the fence went from {fence} to {now}"
            fence = now


def retries_are_of_the_stage(history: History) -> Iterator[str]:
    for story in history.sound_stories:
        told = retries_told((event["type"], event["data"]) for event in story.events)
        counted = story.request["retry_count"]
        if counted != told:
            yield f"{story.task_id}: {counted} retries are counted, its events tell of {told}"


def _shown(numbers: Sequence[int], most: int = 12) -> str:
    listed = ", ".join(str(number) for number in numbers[:most])
    return f"{listed} …" if len(numbers) > most else listed
