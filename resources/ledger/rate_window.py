"""A vendor's sliding rate window: which calls still count, and when the next one may be sent. Pure.

Every call counts (docs/vendors/suno.md, docs/vendors/creatomate.md). A *submission* costs money and waits for a
permit. A *question* (a job's status, its captions, a dry run) follows a submission or precedes it. While both
wait, submissions may use a third of the window and questions two thirds,
because at least two questions follow each submission;
either may use all of the window while the other does not wait.
"""

import json
from bisect import bisect_right
from dataclasses import dataclass, replace
from math import ceil

from resources.contract.protocol import Rate

# A call is sent a moment after it is counted, and may reach the vendor later than a call counted after it.
_MARGIN = 1.02
# A refused question asks again within this share of the window; for that long submissions leave its share free.
_REFUSAL_MEMORY_SHARE = 1 / 4


@dataclass(frozen=True)
class RateWindow:
    """The vendor's calls that count at one moment; times are seconds since 1970, ascending.

    `refused_at` is when a question was last refused.
    """

    rate: Rate
    submissions: tuple[float, ...] = ()
    questions: tuple[float, ...] = ()
    refused_at: float = 0.0

    @classmethod
    def read(cls, text: str | None, rate: Rate, at: float) -> "RateWindow":
        """The window stored as `text`, without calls that no longer count or lie in the future.

        So a clock that was set back blocks the window no longer than its length. A list is the format of
        earlier releases; its calls count as questions. Unreadable text is an empty window.
        """
        try:
            stored = json.loads(text or "{}")
            stored = {"questions": stored} if isinstance(stored, list) else stored
            submissions, questions = (
                tuple(
                    sorted(
                        float(call)
                        for call in stored.get(kind, ())
                        if at >= call > at - _MARGIN * rate.seconds
                    )
                )
                for kind in ("submissions", "questions")
            )
            refused = float(stored.get("refused_at", 0.0))
        except (ValueError, TypeError, AttributeError, RecursionError):
            return cls(rate)
        return cls(rate, submissions, questions, refused if refused <= at else 0.0)

    def text(self) -> str:
        """The window as text for `read`."""
        kept = {
            "submissions": self.submissions,
            "questions": self.questions,
            "refused_at": self.refused_at,
        }
        return json.dumps(kept)

    def room_for_submissions(self, at: float) -> int:
        """The number of submissions that may be sent at the moment `at`."""
        free = self._free(at)
        if at - self.refused_at < self.rate.seconds * _REFUSAL_MEMORY_SHARE:
            free = min(free, self._share - _since(self.submissions, at - self._seconds))
        return max(free, 0)

    def room_for_questions(self, at: float, *, submissions_wait: bool) -> int:
        """The number of questions that may be asked at the moment `at`."""
        free = self._free(at)
        if submissions_wait:
            free = min(
                free,
                max(self.rate.calls - self._share, 1) - _since(self.questions, at - self._seconds),
            )
        return max(free, 0)

    def next_submission_at(self, at: float, count: int = 1) -> float:
        """The first moment from `at` on at which `count` submissions may be sent, if no other call is made."""
        if count > self.rate.calls:
            return at + self._seconds
        free = self._frees_at((*self.submissions, *self.questions), self.rate.calls - count)
        reserved_until = self.refused_at + self.rate.seconds * _REFUSAL_MEMORY_SHARE
        if count <= self._share:
            reserved_until = min(
                reserved_until, self._frees_at(self.submissions, self._share - count)
            )
        return max(at, free, reserved_until)

    def next_question_at(self, at: float) -> float:
        """The first moment from `at` on at which a question may be asked."""
        return max(at, self._frees_at((*self.submissions, *self.questions), self.rate.calls - 1))

    def _frees_at(self, calls: tuple[float, ...], most: int) -> float:
        """When at most `most` of the calls still count."""
        surplus = len(calls) - most
        return 0.0 if surplus <= 0 else sorted(calls)[surplus - 1] + self._seconds

    def with_submission(self, at: float) -> "RateWindow":
        """The window with one more submission."""
        return replace(self, submissions=(*self.submissions, at))

    def with_question(self, at: float) -> "RateWindow":
        """The window with one more question."""
        return replace(self, questions=(*self.questions, at))

    def with_refusal(self, at: float) -> "RateWindow":
        """The window after a refused question."""
        return replace(self, refused_at=at)

    @property
    def _seconds(self) -> float:
        return self.rate.seconds * _MARGIN

    @property
    def _share(self) -> int:
        """The submissions' share of the window while questions wait."""
        return ceil(self.rate.calls / 3)

    def _free(self, at: float) -> int:
        since = at - self._seconds
        return self.rate.calls - _since(self.submissions, since) - _since(self.questions, since)


def _since(calls: tuple[float, ...], moment: float) -> int:
    return len(calls) - bisect_right(calls, moment)
