"""espeak-ng in a process of its own: `python worker.py LIBRARY DATA SECONDS`, standard library only.

It answers every line of JSON on its standard input with a line of JSON, and with the sound after it:

    {"voice": "ko+f2", "spell": [text, ...]}        {"phonemes": [[name, ...], ...]}
    {"voice": .., "pitch": .., "rate": ..,          {"sounds": [[bytes, [[name, sample], ...]], ...]}
     "speak": [phonemes, ...]}                      and the samples one after the other, 16 bits, 22050 Hz

Names of phonemes are those of espeak-ng; what cannot be loaded is answered with {"missing": reason}. It ends
with its input, and after so many seconds in any case.
"""

import ctypes
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

RETRIEVE_NOW = 2
PHONEME_EVENTS, DO_NOT_EXIT = 0x0001, 0x8000
UTF_8, PHONEME_INPUT = 0x01, 0x100
RATE, PITCH, RANGE = 1, 3, 4
LIST_ENDS, PHONEME = 0, 7
SEPARATED = ord("|") << 8
CERTAIN_FILE = "phontab"
VARIANTS = "voices/!v"


class Event(ctypes.Structure):
    """espeak_EVENT of speak_lib.h."""

    _fields_ = (
        ("type", ctypes.c_int),
        ("message", ctypes.c_uint),
        ("text_position", ctypes.c_int),
        ("length", ctypes.c_int),
        ("audio_position", ctypes.c_int),
        ("sample", ctypes.c_int),
        ("user_data", ctypes.c_void_p),
        ("name", ctypes.c_char * 8),
    )


CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.POINTER(Event)
)


class Espeak:
    """The library, ready to speak."""

    def __init__(self, library: str, data: str) -> None:
        # The library keeps paths in buffers of 160 characters; a relative one is never too long.
        os.chdir(Path(data).parent)
        self._library = ctypes.CDLL(library)
        if not Path(data, CERTAIN_FILE).is_file():  # the library would crash
            raise OSError("its data are not there")
        self._variants = Path(Path(data).name, VARIANTS)
        if self._library.espeak_Initialize(RETRIEVE_NOW, 0, b".", PHONEME_EVENTS | DO_NOT_EXIT) < 0:
            raise OSError("its data cannot be read")
        self._spell = self._library.espeak_TextToPhonemes
        self._spell.restype = ctypes.c_char_p
        self._sound = bytearray()
        self._phones: list[tuple[str, int]] = []
        self._callback = CALLBACK(self._hear)
        self._library.espeak_SetSynthCallback(self._callback)

    def answer(self, request: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
        """Answer a question as the module's docstring says."""
        voice = request["voice"]
        variant = voice.partition("+")[2]
        # The library says nothing of a variant that it has not got.
        known = not variant or (self._variants / variant).is_file()
        if not known or self._library.espeak_SetVoiceByName(voice.encode()):
            return {"missing": f"it has no voice {voice}"}, b""
        if "spell" in request:
            return {"phonemes": [self._spell_text(text) for text in request["spell"]]}, b""
        for parameter, value in ((RATE, request["rate"]), (PITCH, request["pitch"]), (RANGE, 0)):
            self._library.espeak_SetParameter(parameter, value, 0)
        sounds = [self._speak(phonemes) for phonemes in request["speak"]]
        answer = [[len(sound), phones] for sound, phones in sounds]
        return {"sounds": answer}, b"".join(sound for sound, _ in sounds)

    def _spell_text(self, text: str) -> list[str]:
        rest = ctypes.c_char_p(text.encode())
        names: list[str] = []
        while rest.value is not None:
            clause = self._spell(ctypes.byref(rest), UTF_8, SEPARATED)
            names += clause.decode("utf-8", "replace").replace(" ", "|").split("|")
        return [name for name in names if name]

    def _speak(self, phonemes: str) -> tuple[bytes, list[tuple[str, int]]]:
        self._sound.clear()
        self._phones = []
        text = f"[[{phonemes}]]".encode()
        self._library.espeak_Synth(text, len(text) + 1, 0, 1, 0, UTF_8 | PHONEME_INPUT, None, None)
        self._library.espeak_Synchronize()
        return bytes(self._sound), self._phones

    def _hear(self, samples: Any, count: int, events: Any) -> int:
        if samples and count:
            self._sound += ctypes.string_at(samples, 2 * count)
        number = 0
        while events[number].type != LIST_ENDS:
            event = events[number]
            if event.type == PHONEME:
                self._phones.append((event.name.decode("utf-8", "replace"), event.sample))
            number += 1
        return 0


def main(library: str, data: str, seconds: str) -> None:
    """Answer until the input ends."""
    signal.setitimer(signal.ITIMER_REAL, float(seconds))
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever the library prints must not get between the answers
    try:
        espeak = Espeak(library, data)
    except (OSError, AttributeError) as error:
        output.write(json.dumps({"missing": str(error)}).encode() + b"\n")
        output.flush()
        return
    for line in sys.stdin.buffer:
        answer, sound = espeak.answer(json.loads(line))
        output.write(json.dumps(answer).encode() + b"\n" + sound)
        output.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
