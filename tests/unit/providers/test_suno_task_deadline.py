from resources.providers.suno.band import PerTaskDeadline


def test_patience_runs_for_each_task_from_when_it_was_first_asked_about() -> None:
    now = [0.0]
    patience = PerTaskDeadline(300, clock=lambda: now[0])
    told = []
    for moment, task in ((0, "one"), (200, "two"), (299, "one"), (300, "one"), (499, "two")):
        now[0] = moment
        told.append(patience.has_passed(task))
    assert told == [False, False, False, True, False]


def test_patience_remembers_no_more_than_a_process_needs() -> None:
    now = [0.0]
    patience = PerTaskDeadline(300, clock=lambda: now[0])
    for number in range(1001):
        patience.has_passed(f"task-{number}")
    now[0] = 300.0
    assert (patience.has_passed("task-1000"), patience.has_passed("task-0")) == (True, False)
