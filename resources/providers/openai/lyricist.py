"""The lyricist by chat completions of OpenAI or of any compatible server.

Protocol facts: docs/vendors/openai.md.
"""

from collections.abc import Mapping
from pathlib import Path

from resources.contract.errors import SubmissionFailedError
from resources.contract.protocol import BeforeSend, Json, Product, StageInput
from resources.http.vendor_client import one_line
from resources.providers.openai.client import Reply
from resources.providers.openai.completion import (
    BAD_ANSWER,
    Asked,
    UnusableCompletion,
    Wanted,
    WrittenLyric,
    read_lyric,
    visible_lines,
)
from resources.providers.openai.completions import ChatCompletions
from studio.words import SHORTEST_LYRIC, list_sung_lines

MOST_TOKENS_OUT = 3_000


class OpenAILyricist(ChatCompletions):
    """Lyrics by a chat model: result title, text, model, tokens_in and tokens_out.

    Beyond the errors of every completion, `submit` and `poll` raise SubmissionFailedError `lyric_empty` or
    `lyric_too_short`, charged.
    """

    wanted = Wanted("the lyric", refused="lyric_refused", cut="lyric_cut")

    def fetch(self, job_input: StageInput, answer: Mapping[str, Json], folder: Path) -> Product:
        """Return the title and the lyric."""
        lyric = read_lyric(answer["text"])
        known = {name: answer[name] for name in ("model", "tokens_in", "tokens_out")}
        result = {"title": lyric.title, "text": lyric.text, **known}
        return Product(result, cost=self._actual_cost(job_input, answer))

    def _completed(self, job_input: StageInput, token: str, before_send: BeforeSend) -> Reply:
        asked = Asked(job_input["prompt"]["system"], job_input["prompt"]["user"])
        return self._send(job_input, asked, token, before_send)

    def _most_tokens_out(self, job_input: StageInput) -> int:
        return MOST_TOKENS_OUT

    def _read(self, job_input: StageInput, text: str) -> Mapping[str, Json] | UnusableCompletion:
        written = "\n".join(visible_lines(text))
        return _shortcoming(read_lyric(written)) or {"text": written}


def _shortcoming(lyric: WrittenLyric) -> UnusableCompletion | None:
    if not list_sung_lines(lyric.text):
        return UnusableCompletion(SubmissionFailedError, "lyric_empty", "the model wrote no lyric")
    if len(lyric.text) < SHORTEST_LYRIC:
        short = f"the lyric has {len(lyric.text)} characters, expected at least {SHORTEST_LYRIC}"
        return UnusableCompletion(SubmissionFailedError, "lyric_too_short", short)
    if not lyric.has_form:
        remark = f"the model wrote a remark and no lyric: {one_line(lyric.text)}"
        return UnusableCompletion(SubmissionFailedError, BAD_ANSWER, remark)
    return None
