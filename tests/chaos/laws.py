"""The laws of a history, each a pure function that names what breaks it. Nothing is read and nothing written."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.chaos.event_laws import (
    events_fold_to_rows,
    fences_rise,
    retries_are_of_the_stage,
    seqs_have_no_gap,
    transitions_are_legal,
)
from tests.chaos.hand_laws import (
    ids_are_ones_own,
    nobody_waits_for_the_spoiled,
    orphans_are_stored,
    spoiled_are_set_aside,
)
from tests.chaos.history import History
from tests.chaos.line_laws import free_slots_are_given, waiting_counts_nothing
from tests.chaos.money_laws import books_agree, ids_belong_to_one, stages_are_bought_once
from tests.chaos.order_laws import (
    cancels_hold,
    deaths_are_explained,
    orders_are_one,
    orders_end,
    rows_were_ordered,
)
from tests.chaos.work_laws import (
    claims_have_runs,
    files_are_whole,
    nothing_is_left_half_made,
    one_attempt_at_a_time,
    only_holders_work,
    runs_end_once,
    runs_have_ended,
    the_living_are_left_alone,
)


@dataclass(frozen=True)
class Law:
    """What has to hold; `broken_by` names every breach in one sentence."""

    name: str
    says: str
    broken_by: Callable[[History], Iterator[str]]


LAWS: Sequence[Law] = (
    Law("ended", "every accepted order has ended, or is visibly unknown", orders_end),
    Law(
        "deaths",
        "an order is dead by a lost submission, or by two reported failures",
        deaths_are_explained,
    ),
    Law("ordered", "every row was ordered, every accepted order has its row", rows_were_ordered),
    Law("one", "an order placed again is one request; another is refused", orders_are_one),
    Law("spoiled", "a spoiled row is refused or set aside by name", spoiled_are_set_aside),
    Law("delays", "no other order stands still for a spoiled one", nobody_waits_for_the_spoiled),
    Law(
        "starved", "slots are kept, given at once and in the order of asking", free_slots_are_given
    ),
    Law(
        "paced",
        "waiting counts as nothing, and vendors are called at their rate",
        waiting_counts_nothing,
    ),
    Law("charges", "a stage is bought once, in the vendors' own books", stages_are_bought_once),
    Law("books", "the ledger's submissions are those of the vendors' books", books_agree),
    Law("ids", "an external id belongs to one submission", ids_belong_to_one),
    Law("owners", "no submission is settled with another's id", ids_are_ones_own),
    Law("orphans", "every charge of a deleted order is stored", orphans_are_stored),
    Law("seq", "events are numbered 1 to n", seqs_have_no_gap),
    Law("fold", "events fold to the row", events_fold_to_rows),
    Law("transitions", "only legal transitions", transitions_are_legal),
    Law(
        "retries",
        "retry_count is that of the stage the request stands in",
        retries_are_of_the_stage,
    ),
    Law("attempts", "one attempt holds a request at a time", one_attempt_at_a_time),
    Law("fences", "fences only rise", fences_rise),
    Law("holders", "who holds no lease writes and buys nothing", only_holders_work),
    Law("living", "nobody is given up who lives", the_living_are_left_alone),
    Law("cancels", "nothing happens to an order after its cancel", cancels_hold),
    Law("files", "every file is whole and belongs to somebody", files_are_whole),
    Law(
        "leftovers", "nothing is left half made, but by a killed worker", nothing_is_left_half_made
    ),
    Law("quiet", "no Dagster run is open", runs_have_ended),
    Law("ends", "a Dagster run ends once", runs_end_once),
    Law("runs", "every claim has its Dagster run", claims_have_runs),
)


def breaches(history: History) -> Mapping[str, Sequence[str]]:
    """What breaks each law, by the law's name; laws that hold have none."""
    return {law.name: list(law.broken_by(history)) for law in LAWS}
