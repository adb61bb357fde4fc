"""The words a fake chat model answers with: always the same for the same prompt."""

import json
import re

_KOREAN = (
    "아침 햇살 따라 걷는 이 거리에",
    "반가운 웃음이 문을 열어 주네",
    "천천히 머물다 가도 좋은 자리",
    "오늘도 우리 함께 노래해 볼까",
    "따뜻한 마음이 가득 담긴 곳",
    "언제나 그 자리에서 기다릴게요",
)
_ENGLISH = (
    "Morning light is dancing down the street",
    "Every open door has friends to meet",
    "Take your time and stay a little more",
    "Sing along with us inside the door",
    "Warm and bright is every smile you see",
    "This is where we always love to be",
)
_SECTION = re.compile(r"\[([^\]\n]{1,40})\] and (\d{1,2}) lines")
_NAME = re.compile(r'"business_name": ("(?:[^"\\]|\\.)*")')
_HANGUL = re.compile(r"[가-힣]")
_PLAIN = (("Verse", 3), ("Chorus", 3))


def lyric(prompt: str) -> str:
    """A titled lyric in the prompt's language, in the sections it asks for, the chorus with the name."""
    korean = _is_korean(prompt)
    lines, at = (_KOREAN if korean else _ENGLISH), 0
    found = _NAME.search(prompt)
    name = json.loads(found.group(1)) if found else ("우리 동네" if korean else "Our town")
    written = [f"Title: {name}", ""]
    for mark, count in [(m, int(n)) for m, n in _SECTION.findall(prompt)] or _PLAIN:
        written.append(f"[{mark}]")
        for index in range(count):
            sung = lines[at % len(lines)]
            written.append(f"{name}, {sung}" if mark.startswith("Chorus") and not index else sung)
            at += 1
    return "\n".join(written)


def _is_korean(prompt: str) -> bool:
    if re.search(r"\bin Korean\b", prompt):
        return True
    return not re.search(r"\bin English\b", prompt) and bool(_HANGUL.search(prompt))
