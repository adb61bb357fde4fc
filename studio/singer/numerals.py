"""Numbers as they are read in Korean. Pure."""

DIGITS = "영일이삼사오육칠팔구"
PLACES = ("", "십", "백", "천")
MYRIADS = ("", "만", "억")
LONGEST_READ = 4 * len(MYRIADS)


def in_hangul(number: str) -> str:
    """How a number such as "24", "3,000", "10:30" or "010" is read, one Hangul letter per syllable.

    Decimal digits of any script; with a leading zero, or more of them than numbers have names for, they are read
    one by one. A decimal point is read; a comma between thousands and other signs are not.
    """
    whole, point, decimals = number.replace(",", "").partition(".")
    parts = "".join(digit if digit.isdecimal() else " " for digit in whole).split()
    read = "".join(_whole(part) for part in parts)
    return read + "점" + _one_by_one(decimals) if point else read


def _whole(digits: str) -> str:
    if len(digits) > LONGEST_READ or (int(digits[0]) == 0 and len(digits) > 1):
        return _one_by_one(digits).replace("영", "공")
    values = [int(digit) for digit in reversed(digits)]
    groups = [values[first : first + 4] for first in range(0, len(values), 4)]
    read = "".join(
        _group(group, bare=number == 1) + MYRIADS[number]
        for number, group in reversed(list(enumerate(groups)))
        if any(group)
    )
    return read or DIGITS[0]


def _group(values: list[int], *, bare: bool) -> str:
    """Up to four digits, lowest first; a one is not said before its place, nor where `bare` before 만."""
    if bare and values[0] == 1 and not any(values[1:]):
        return ""
    return "".join(
        ("" if value == 1 and place else DIGITS[value]) + PLACES[place]
        for place, value in reversed(list(enumerate(values)))
        if value
    )


def _one_by_one(digits: str) -> str:
    return "".join(DIGITS[int(digit)] for digit in digits if digit.isdecimal())
