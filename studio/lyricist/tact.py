"""What is not to be sung merrily, and what is not to be praised. Pure."""

import re
from enum import Enum

from studio.lyricist.facts import Fact
from studio.lyricist.registers import Register, register_of
from studio.trades import GROUPS, NEARBY, trade_of

# Grief and quarrels. 상조 is part of other words, as in 영상조명.
SOLEMN = re.compile(
    r"장례|추모|(?<![가-힣])상조|상조(?![가-힣])|납골|봉안|수목장|화장장|장의사|영안실|호스피스|법률|법무|변호사|로펌|소송"
    r"|\b(?:funerals?|mortuary|crematori(?:um|a)|cremations?|memorials?|cemetery|burials?|undertakers?|hospice"
    r"|law|lawyers?|attorneys?|legal|solicitors?|barristers?|notary)\b",
    re.I,
)
# Illness, parting, death, debt and faith. 빚은 is also what is done to dumplings, pain what is baked in France.
GRAVE = re.compile(
    r"이혼|별거|상간|양육권|위자료|이별|채무|부채|빚(?![은어])|파산|회생|신용불량|체납|압류|경매|사별|죽음|"
    r"사채|급전|연체|고인|유족|임종|사망|자살|안락사|시한부|빈소|장례|유골|유품|상속(?!세)|유언|항암|말기|"
    r"(?<![가-힣])(?:유방|위|폐|간|대장|자궁|갑상선|췌장)?암(?= ?(?:환자|치료|수술|회복|재활|검진|$))|"
    r"뇌졸중|성병|에이즈|마약|비만|"
    r"낙태|임신 ?중절|석면|우울|불안|공황|중독|치매|"
    r"트라우마|통증|질환|질병|환자|수술|디스크|염증|탈모|불임|난임|유산|소송|형사|고소|폭력|학폭|발치|"
    r"신경 ?치료|충치|예배|미사|기도|신앙|법회|불공|제사|호스피스"
    r"|\b(?:divorces?|separation|custody|alimony|debts?|bankrupt\w*|insolvency|foreclosures?|grief|"
    r"grieving|bereave\w*|death|dying|deceased|funerals?|cremations?|burials?|probate|inheritance|cancer|"
    r"tumou?rs?|chemo\w*|depress\w*|anxiety|panic|suicid\w*|addictions?|dementia|alzheimer\w*|"
    r"pain(?! au)|diseases?|illness\w*|patients?|surger\w+|miscarriages?|infertility|trauma|abuse|"
    r"euthanasia|put to sleep|palliative|end of life|stillbirths?|abortions?|hiv|stds?|overdoses?|asbestos|"
    r"strokes?(?= (?:survivors?|patients?|rehab\w*|recovery))|payday|bail|dui|evictions?|domestic violence|"
    r"lawsuits?|litigation|criminal|injur\w+|root canals?|extractions?|hair loss|prayers?|worship|faith|"
    r"mass|hospice)\b",
    re.I,
)
# What is convenient rather than made or done: a line may name it, but not dream of it.
AMENITY = re.compile(
    r"주차|와이파이|화장실|엘리베이터|전통|역사|\d년|대째|무료|무휴|24시|영업|배달|포장|예약|가능|할인|이벤트|쿠폰|"
    r"동반|당일|발렛|룸|대기실|샤워실|사물함|연습실|자습실|칸막이석|커플석|좌석|단체석"
    r"|\b(?:parking|wi-?fi|since|years?|free|open|takeaway|takeout|delivery|bookings?|reservations?|discounts?"
    r"|coupons?|wheelchair|24|same.day|walk-ins?|desks?|seats?|lockers?|bench(?:es)?)\b",
    re.I,
)
# What is wrong and is put right here: no line says that it waits for the customer.
TROUBLE = re.compile(
    r"(?:누수|막힘|고장|역류|얼룩|곰팡이|벌레|해충|기스|파손|동파|결로|층간소음|분실|잠김|사고|증후군)$"
    r"|\b(?:leaks?|clogs?|clogged|blocked|broken|blockages?|stains?|rust|dents?|scratches|pests?|mou?ld|breakdowns?"
    r"|lockouts?|accidents?)\b(?! (?:repairs?|removal|service|control))",
    re.I,
)
# A name is solemn where it tells one of these trades, or none.
SOLEMN_TRADES = (None, "law", "funeral", "nursing")
SERVICES = frozenset(("home", "desk", "health", "learn", "solace"))
SERVICE_TRADES = frozenset(("car", "carwash", "pet"))
# What these do is a pleasure as well as a service.
PLEASANT_SERVICES = frozenset(("looks",))
PLEASANT_TRADES = frozenset(("music", "art", "kindergarten", "bike"))


class Kind(Enum):
    """What a fact is, which decides what may be said of it."""

    PLAIN = "plain"
    GOODS = "goods"
    SERVICE = "service"
    TREAT = "treat"
    TROUBLE = "trouble"
    GRAVE = "grave"


def kind_of(fact: Fact, trade: str | None, calm: bool) -> Kind | None:
    """What a fact of such a business is; None where it is better left unsung."""
    if GRAVE.search(fact.text):
        return Kind.GRAVE if calm else None
    if TROUBLE.search(fact.text):
        return Kind.TROUBLE
    group = GROUPS.get(trade or "")
    if group is None or AMENITY.search(fact.text):
        return Kind.SERVICE if calm and group is None else Kind.PLAIN
    if group in PLEASANT_SERVICES or trade in PLEASANT_TRADES:
        return Kind.TREAT
    return Kind.SERVICE if group in SERVICES or trade in SERVICE_TRADES else Kind.GOODS


def is_solemn(name: str, detail: str) -> bool:
    """Whether the name tells of grief or law, or the detail where the name tells no trade.

    A name of any other trade only borrows the words, as "Memorial Park Pizza" does. What the detail says to be
    nearby does not count. A detail that tells no trade is solemn if it is grave.
    """
    named = trade_of(name, "")
    own = NEARBY.sub(" ", detail) if named is None else ""
    grave = trade_of(name, detail) is None and GRAVE.search(own)
    called = named in SOLEMN_TRADES and SOLEMN.search(name)
    return bool(called or SOLEMN.search(own) or grave)


def is_to_be_calm(name: str, detail: str) -> bool:
    """Whether a song about this business neither shouts nor jokes, whatever its music."""
    calm = register_of(trade_of(name, detail)) is Register.CALM
    return calm or is_solemn(name, detail)
