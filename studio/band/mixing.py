"""From a score and a dry voice to tracks at their level in the mix, and the master. Pure, numpy only.

Loudness is that of ITU-R BS.1770-4.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from studio.band.instruments import INSTRUMENTS, Instrument
from studio.band.melody import Hit, Note
from studio.band.score import Score
from studio.band.tones import Stroke, read_kits
from studio.genres import Style
from studio.sound import RATE, Samples, add_at, convolve

Coefficients = tuple[tuple[float, ...], tuple[float, ...]]
"""A recursive filter's b and a, the first of a being 1."""
BLOCK_SECONDS = 0.4
HOPS_PER_BLOCK = 4
ABSOLUTE_GATE = -70.0
RELATIVE_GATE = -10.0
OFFSET = -0.691
RINGING_SECONDS = 0.15
OVERSAMPLING = 4
PEAK_BLOCK, PEAK_MARGIN = 1 << 14, 1 << 8
TARGET_LUFS = -14.0
# A film's sound is limited so, too: AAC, which raises peaks by a quarter of a decibel, stays under -1 dBTP.
CEILING = 10 ** (-1.6 / 20)
LIMIT = 10 ** (-1.7 / 20)
PASSES = 3
LOW, HIGH = 1, -1
CLOSE_ENOUGH = 0.2
LIMITER_BLOCK = 64
LIMITER_REACH = 16
STRETCH = 1 << 18
FADE_IN_SECONDS = 0.004

LENGTHS_PER_SECOND = 50
HALL_SECONDS = 1.5
HALL_DELAY = 0.012
DRIVE = 5.0
DRUM_PANS = {
    "hat": 0.25, "open": 0.3, "shaker": -0.35, "crash": -0.15, "rim": 0.15, "tambourine": -0.3,
    "tom": 0.2, "low_tom": -0.2,
}  # fmt: skip
LOWEST_HERTZ, HIGHEST_HERTZ = 300.0, 3400.0
"""Where a voice is understood: the band of a telephone."""
WINDOW = 4096
CONTROL = 256
"""Samples per value of a gain curve."""
RATIO = 3.0
THRESHOLD_BELOW_LOUD = 10 ** (-12 / 20)
ATTACK, RELEASE = 0.012, 0.15
DIP_ATTACK, DIP_RELEASE = 0.04, 0.25
AUDIBLE_BELOW_LOUD = 10 ** (-26 / 20)
ECHO_LEVEL = 0.02
RIDDEN_SHARE, FARTHEST_RIDE = 0.75, 8.0
Spans = Sequence[tuple[float, float]]


def chain_filters(filters: tuple[Coefficients, ...], length: int) -> NDArray[np.float64]:
    """Return the impulse response of recursive filters one after the other, its first `length` samples.

    `length` has to outlast the filters' ringing, because the rest folds back onto the start.
    """
    turns = np.exp(-2j * np.pi * np.fft.rfftfreq(length))
    spectra = [
        np.fft.rfft(np.fft.irfft(np.polyval(b[::-1], turns) / np.polyval(a[::-1], turns), length))
        for b, a in filters
    ]
    return np.fft.irfft(np.prod(spectra, axis=0), length)


def design_bell(hertz: float, decibels: float, q: float) -> Coefficients:
    """Design a bell. Source: R. Bristow-Johnson, Audio EQ Cookbook, peakingEQ."""
    turn, amplitude = 2 * np.pi * hertz / RATE, 10 ** (decibels / 40)
    alpha, middle = np.sin(turn) / (2 * q), -2 * np.cos(turn)
    b = (1 + alpha * amplitude, middle, 1 - alpha * amplitude)
    return _normalise(b, (1 + alpha / amplitude, middle, 1 - alpha / amplitude))


def design_pass(hertz: float, q: float, side: int) -> Coefficients:
    """Design a fall of twelve decibels per octave on a side. Source: Audio EQ Cookbook, LPF and HPF."""
    turn = 2 * np.pi * hertz / RATE
    alpha, cosine = np.sin(turn) / (2 * q), np.cos(turn)
    edge = 1 - side * cosine
    return _normalise((edge / 2, side * edge, edge / 2), (1 + alpha, -2 * cosine, 1 - alpha))


def _normalise(b: tuple[float, ...], a: tuple[float, ...]) -> Coefficients:
    return tuple(float(value / a[0]) for value in b), tuple(float(value / a[0]) for value in a)


def measure_loudness(samples: NDArray[np.float32], rate: int) -> float:
    """Return the gated loudness in LUFS of samples (n, channels), full scale 1.0; -inf for silence.

    Source: ITU-R BS.1770-4, annex 1: K-weighting, mean square per channel (weights 1 for left and right),
    blocks of 400 ms with 75 % overlap, gates at -70 LUFS and 10 LU below what passes that.
    """
    kernel = _compute_k_weighting(rate)
    hop = int(BLOCK_SECONDS / HOPS_PER_BLOCK * rate)
    power: NDArray[np.float64] = np.zeros(len(samples) // hop)
    for channel in samples.T:
        weighted = convolve(channel, kernel)[: len(power) * hop]
        power += np.square(weighted, dtype=np.float64).reshape(-1, hop).mean(axis=1)
    if len(power) < HOPS_PER_BLOCK:
        return float("-inf")
    blocks = np.convolve(power, np.full(HOPS_PER_BLOCK, 1 / HOPS_PER_BLOCK), "valid")
    audible = blocks[blocks > 10 ** ((ABSOLUTE_GATE - OFFSET) / 10)]
    if not len(audible):
        return float("-inf")
    heard = audible[audible > audible.mean() * 10 ** (RELATIVE_GATE / 10)]
    return float(OFFSET + 10 * np.log10(heard.mean()))


def measure_peak(samples: NDArray[np.float32]) -> float:
    """Return the highest level between the samples, linear: four times oversampled (BS.1770-4, annex 2)."""
    return float(measure_peaks(samples, PEAK_BLOCK).max(initial=0.0))


def measure_peaks(samples: NDArray[np.float32], block: int) -> NDArray[np.float32]:
    """Return the true peak of every `block` samples (n, channels); `block` is a power of two."""
    count = -(-len(samples) // block)
    highest = np.zeros(-(-len(samples) // PEAK_BLOCK) * (PEAK_BLOCK // block), np.float32)
    for channel in samples.T:
        padded = np.pad(channel, (PEAK_MARGIN, PEAK_BLOCK + PEAK_MARGIN))
        for first in range(0, len(channel), PEAK_BLOCK):
            piece = padded[first : first + PEAK_BLOCK + 2 * PEAK_MARGIN]
            fine = np.fft.irfft(np.fft.rfft(piece), OVERSAMPLING * len(piece)) * OVERSAMPLING
            inner = np.abs(fine[OVERSAMPLING * PEAK_MARGIN : -OVERSAMPLING * PEAK_MARGIN])
            part = highest[first // block :][: PEAK_BLOCK // block]
            np.maximum(part, inner.reshape(len(part), -1).max(axis=1), out=part)
    return highest[:count]


def _compute_k_weighting(rate: int) -> NDArray[np.float64]:
    """Return the impulse response of both K-weighting filters, for any sampling rate.

    The standard tabulates coefficients at 48 kHz only; these are the analogue prototypes that give them
    (high shelf +4 dB at 1682 Hz, high pass at 38 Hz), as in the reference meters of EBU R 128.
    """
    k = np.tan(np.pi * 1681.974450955533 / rate)
    q, high = 0.7071752369554196, 10 ** (3.999843853973347 / 20)
    middle, norm = high**0.4996667741545416, 1 + k / q + k * k
    b = (high + middle * k / q + k * k, 2 * (k * k - high), high - middle * k / q + k * k)
    a = (1.0, 2 * (k * k - 1) / norm, (1 - k / q + k * k) / norm)
    shelf = tuple(float(value / norm) for value in b), a
    k, q = np.tan(np.pi * 38.13547087602444 / rate), 0.5003270373238773
    norm = 1 + k / q + k * k
    cut = (1.0, -2.0, 1.0), (1.0, 2 * (k * k - 1) / norm, (1 - k / q + k * k) / norm)
    return chain_filters((shelf, cut), 1 << int(RINGING_SECONDS * rate).bit_length())


def fade_edges(track: Samples, seconds: float) -> None:
    """Let the track start and end in silence; its end takes that long."""
    opening = min(len(track), int(FADE_IN_SECONDS * RATE))
    ending = min(len(track), int(seconds * RATE))
    track[:opening] *= np.linspace(0, 1, opening, dtype=np.float32)[:, None]
    track[-ending:] *= np.linspace(1, 0, ending, dtype=np.float32)[:, None] ** 1.5


def master(mix: Samples) -> tuple[Samples, float]:
    """Return the mix at `TARGET_LUFS` under `CEILING`, and its gain before the limiter."""
    gain, reached = 1.0, mix.copy()
    peaks = measure_peaks(mix, LIMITER_BLOCK)
    loudness = measure_loudness(mix, RATE)
    for _ in range(PASSES):
        if not np.isfinite(loudness):
            break
        gain *= 10 ** ((TARGET_LUFS - loudness) / 20)
        np.multiply(mix, np.float32(gain), out=reached)
        _limit(reached, peaks * gain)
        loudness = measure_loudness(reached, RATE)
        if abs(loudness - TARGET_LUFS) < CLOSE_ENOUGH:
            break
    under = min(1.0, CEILING / max(measure_peak(reached), 1e-9))
    reached *= np.float32(under)
    return reached, gain * under


def _limit(track: Samples, peaks: NDArray[np.floating]) -> None:
    """Turn the peaks above the ceiling down softly, from a little before they come.

    `peaks` has the highest level of every `LIMITER_BLOCK` samples.
    """
    gain = np.minimum(1.0, LIMIT / np.maximum(peaks, 1e-9))
    reach = np.pad(gain, LIMITER_REACH, mode="edge")
    lowest = np.lib.stride_tricks.sliding_window_view(reach, 2 * LIMITER_REACH + 1).min(axis=1)
    window = np.hanning(LIMITER_REACH + 2)[1:-1]
    smooth = np.convolve(
        np.pad(lowest, LIMITER_REACH // 2, mode="edge"), window / window.sum(), "same"
    )
    smooth = smooth[LIMITER_REACH // 2 : LIMITER_REACH // 2 + len(peaks)]
    centres = (np.arange(len(peaks)) + 0.5) * LIMITER_BLOCK
    for first in range(0, len(track), STRETCH):
        part = track[first : first + STRETCH]
        part *= np.interp(np.arange(first, first + len(part)), centres, smooth)[:, None]


def make_silence(seconds: float) -> Samples:
    """Return zeros of shape (n, 2), n the samples of that time, rounded."""
    return np.zeros((round(seconds * RATE), 2), np.float32)


def add_notes(
    track: Samples, notes: Iterable[Note], instrument: Instrument, level: float, pan: float = 0.0
) -> None:
    """Play the notes into `track`. `pan` is in [-1, 1]; stereo instruments keep their own width."""
    played: dict[tuple[int, int], Samples] = {}
    for note in notes:
        length = max(3, round(note.seconds * LENGTHS_PER_SECOND))
        key = (note.pitch, length)
        if key not in played:
            played[key] = _pan(instrument(note.pitch, length / LENGTHS_PER_SECOND), pan)
        sound = played[key] * np.float32(level * note.strength)
        add_at(track, round(note.start * RATE), sound)


def add_drums(track: Samples, hits: Iterable[Hit], kit: Mapping[str, Stroke], level: float) -> None:
    """Play the strokes into `track`."""
    played: dict[str, Samples] = {}
    for hit in hits:
        if hit.drum not in played:
            played[hit.drum] = _pan(kit[hit.drum](), DRUM_PANS.get(hit.drum, 0.0))
        sound = played[hit.drum] * np.float32(level * hit.strength)
        add_at(track, round(hit.start * RATE), sound)


def pump(track: Samples, kicks: Iterable[float], depth: float) -> None:
    """Press `track` down at every kick; it recovers within a quarter of a second."""
    dip = 1 - depth * np.linspace(1, 0, int(0.25 * RATE), dtype=np.float32) ** 2
    for moment in kicks:
        first = round(moment * RATE)
        part = track[first : first + len(dip)]
        part *= dip[: len(part), None]


def amplify(track: Samples) -> None:
    """Distort all strings together, as one amplifier does, and play it through its cabinet."""
    cabinet = chain_filters(
        (
            design_pass(90, 0.7, HIGH),
            design_bell(2_200, 4, 0.9),
            design_pass(4_600, 0.8, LOW),
            design_pass(5_200, 0.7, LOW),
        ),
        4096,
    )
    for side in (0, 1):
        track[:, side] = convolve(np.tanh(DRIVE * track[:, side]), cabinet)


def add_hall(track: Samples, level: float) -> None:
    """Add the sound of a hall to the track, different left and right."""
    middle = track.mean(axis=1)
    for side, hall in enumerate(_compute_hall()):
        track[:, side] += np.float32(level) * convolve(middle, hall)


@lru_cache(maxsize=1)
def _compute_hall() -> tuple[Samples, Samples]:
    """Return two impulse responses of unit energy: noise whose highs die before its lows."""
    count = int(HALL_SECONDS * RATE)
    time = np.arange(count) / RATE
    white = np.random.default_rng(11).standard_normal((2, count)).astype(np.float32)
    dark = sum(np.roll(white, shift, axis=1) for shift in range(6)) / np.sqrt(6)
    tail = dark * np.exp(-3.4 * time) + 0.6 * white * np.exp(-9 * time)
    tail *= np.clip((time - HALL_DELAY) / HALL_DELAY, 0, 1)
    tail /= np.sqrt(np.square(tail).sum(axis=1, keepdims=True))
    left, right = tail.astype(np.float32)
    return left, right


def _pan(samples: Samples, pan: float) -> Samples:
    if samples.ndim == 2:
        return samples
    angle = (pan + 1) * np.pi / 4
    sides = np.array([np.cos(angle), np.sin(angle)], np.float32) * np.float32(np.sqrt(2))
    return samples[:, None] * sides


def play_tracks(
    score: Score, style: Style, seconds: float, *, sung: bool
) -> Iterator[tuple[str, Samples]]:
    """Play lead, chords, bass and drums: each (n, 2) at its level in the mix, made when it is asked for.

    The lead plays the melody where it is not sung.
    """
    levels = style.levels
    played = {part: INSTRUMENTS[name] for part, name in style.sounds.items()}
    lead = make_silence(seconds)
    tune = (*score.lead, *(() if sung else score.melody))
    add_notes(lead, tune, played["lead"], levels["lead"], pan=0.12)
    add_hall(lead, style.echo)
    yield "lead", lead
    chords = make_silence(seconds)
    add_notes(chords, score.comping, played["comping"], levels["comping"], pan=-0.2)
    if style.drive:
        amplify(chords)
    add_notes(chords, score.chords, played["pad"], levels["pad"])
    pump(chords, (hit.start for hit in score.drums if hit.drum == "kick"), style.pump)
    add_hall(chords, style.echo)
    yield "chords", chords
    bass = make_silence(seconds)
    add_notes(bass, score.bass, played["bass"], levels["bass"])
    yield "bass", bass
    drums = make_silence(seconds)
    add_drums(drums, score.drums, read_kits()[style.kit], levels["drums"])
    yield "drums", drums


def produce_voice(dry: Samples, beat: float, room: float) -> Samples:
    """Make a voice (n,) ready for the mix, (n, 2): even words, no rumble, presence, echo and hall.

    The echo comes three quarters of a beat later; `room` is the hall's level.
    """
    presence = (design_pass(100, 0.7, HIGH), design_bell(320, -2, 1.0), design_bell(3_000, 3, 0.8))
    voice = convolve(dry, chain_filters(presence, 4096))
    voice *= _spread_gains(_compress(_measure_levels(voice)), len(voice))
    track = np.stack([voice, voice], axis=1)
    delay = round(0.75 * beat * RATE)
    for side, times in ((0, 1), (1, 2)):
        track[times * delay :, side] += np.float32(ECHO_LEVEL / times) * voice[: -times * delay]
    add_hall(track, room)
    return track


def make_room(track: Samples, dry: Samples, decibels: float) -> None:
    """Press the track down by that much while the voice sounds, gently in and out."""
    levels = _measure_levels(dry)
    sounding = (levels > AUDIBLE_BELOW_LOUD * _find_loud(levels)) & (levels > 0)
    here = _follow(sounding.astype(np.float64), DIP_ATTACK, DIP_RELEASE)
    track *= _spread_gains(10 ** (-decibels / 20 * here), len(dry))[:, None]


def ride(vocals: Samples, band: Samples, spans: Spans) -> None:
    """Bring the lines nearer to each other in how far they are over the band, moving between them."""
    over = [measure_voice(vocals, band, [span]) for span in spans]
    heard = [decibels for decibels in over if np.isfinite(decibels)]
    if not heard:
        return
    middle = float(np.median(heard))
    moves = [middle - here if np.isfinite(here) else 0.0 for here in over]
    gains = 10 ** (np.clip(moves, -FARTHEST_RIDE, FARTHEST_RIDE) * RIDDEN_SHARE / 20)
    moments = [moment * RATE / CONTROL for span in spans for moment in span]
    levels = np.interp(np.arange(-(-len(vocals) // CONTROL)), moments, np.repeat(gains, 2))
    vocals *= _spread_gains(levels, len(vocals))[:, None]


def measure_voice(vocals: Samples, band: Samples, spans: Spans) -> float:
    """Return how many decibels the voice is over the rest between 300 and 3400 Hz while it sings.

    Both are (n, 2) at their level in the mix; `spans` are the sung lines' starts and ends in seconds. It is
    the ratio of their power over all of that time; -inf without a voice, inf without a band.
    """
    voice, rest = (_measure_power(track, spans) for track in (vocals, band))
    if not voice:
        return float("-inf")
    return float(10 * np.log10(voice / rest)) if rest else float("inf")


def _measure_power(track: Samples, spans: Spans) -> float:
    """Add up the power in a voice's band over windows that overlap by half."""
    hertz = np.fft.rfftfreq(WINDOW, 1 / RATE)
    heard = (hertz >= LOWEST_HERTZ) & (hertz <= HIGHEST_HERTZ)
    window = np.hanning(WINDOW).astype(np.float32)[:, None]
    total = 0.0
    for start, end in spans:
        for first in range(round(start * RATE), round(end * RATE), WINDOW // 2):
            piece = track[first : first + WINDOW]
            spectrum = np.fft.rfft(piece * window[: len(piece)], WINDOW, axis=0)[heard]
            total += float(np.square(np.abs(spectrum)).sum())
    return total


def _measure_levels(samples: Samples) -> NDArray[np.float64]:
    """Return the RMS of every `CONTROL` samples."""
    count = -(-len(samples) // CONTROL)
    padded = np.pad(samples, (0, count * CONTROL - len(samples))).reshape(count, CONTROL)
    return np.sqrt(np.square(padded).mean(axis=1)).astype(np.float64)


def _find_loud(levels: NDArray[np.float64]) -> float:
    sounding = levels[levels > 0]
    return float(np.percentile(sounding, 95)) if len(sounding) else 0.0


def _compress(levels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the gains of a compressor for these levels."""
    threshold = THRESHOLD_BELOW_LOUD * _find_loud(levels)
    if not threshold:
        return np.ones_like(levels)
    followed = _follow(levels, ATTACK, RELEASE)
    over = np.maximum(1.0, followed / threshold)
    return np.asarray(over ** (1 / RATIO - 1))


def _follow(values: NDArray[np.float64], attack: float, release: float) -> NDArray[np.float64]:
    """Smooth the values: they rise within `attack` and fall within `release` seconds."""
    rise, fall = (1 - np.exp(-CONTROL / RATE / seconds) for seconds in (attack, release))
    here, followed = 0.0, []
    for value in values.tolist():
        here += (rise if value > here else fall) * (value - here)
        followed.append(here)
    return np.array(followed)


def _spread_gains(gains: NDArray[np.float64], count: int) -> Samples:
    """Return the gains, one for every `CONTROL` samples, as one for every sample."""
    centres = (np.arange(len(gains)) + 0.5) * CONTROL
    return np.interp(np.arange(count), centres, gains).astype(np.float32)
