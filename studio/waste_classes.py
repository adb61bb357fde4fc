"""The classes that household waste is told apart by in Korea.

A major class says which stream a thing goes to. Recyclables are told apart further, by a middle class; in every
other major class, and where nothing is known, the middle class has the name of the major one.
"""

RECYCLABLE = "재활용폐기물"
UNKNOWN = "미분류"
MAJORS = (
    RECYCLABLE,
    "일반종량제폐기물",
    "불연성종량제폐기물",
    "음식물류폐기물",
    "대형폐기물",
    "공사장생활폐기물",
    "생활계유해폐기물",
    UNKNOWN,
)
"""All major classes, UNKNOWN among them."""

MIDDLES = (
    "종이",
    "종이팩",
    "무색페트병",
    "플라스틱류",
    "비닐류",
    "발포합성수지",
    "유리병",
    "금속류",
    "의류및원단",
    "전지",
    "조명제품",
    "전기전자제품",
)
"""The middle classes of RECYCLABLE."""
