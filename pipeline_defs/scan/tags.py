"""The situations in which a thing of waste may be seen. Their names are castad's own.

A tag that blocks says that the thing is not fit for its collection until something is done; the rule of its class
says what.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tag:
    """A situation in both languages, and whether it has to be ended first."""

    ko: str
    en: str
    blocks: bool


_BLOCKING = """
내용물_있음 | 안에 내용물이 남아 있습니다. | Something is left inside.
음식물_묻음 | 음식물이 묻어 있습니다. | Food sticks to it.
기름_묻음 | 기름이 묻어 있습니다. | It is oily.
흙_묻음 | 흙이나 모래가 묻어 있습니다. | Soil or sand sticks to it.
세제_남음 | 세제나 화장품이 남아 있습니다. | Detergent or cosmetics are left in it.
약품_남음 | 약품이나 페인트가 남아 있습니다. | Chemicals, medicine or paint are left in it.
가스_남음 | 가스가 남아 있습니다. | Gas is left in it.
꽁초_들어있음 | 담배꽁초가 들어 있습니다. | There are cigarette butts in it.
물에_젖음 | 물에 젖어 있습니다. | It is wet.
물기_많음 | 물기가 많습니다. | Much water is in it.
곰팡이_있음 | 곰팡이가 피었습니다. | It is mouldy.
라벨_붙음 | 라벨이 붙어 있습니다. | A label is attached.
스티커_붙음 | 스티커가 붙어 있습니다. | A sticker is attached.
테이프_붙음 | 테이프가 붙어 있습니다. | Adhesive tape is attached.
송장_붙음 | 택배 송장이 붙어 있습니다. | A parcel's address label is attached.
뚜껑_다른_재질 | 뚜껑의 재질이 몸체와 다릅니다. | The cap is of another material.
펌프_달림 | 펌프나 분무기가 달려 있습니다. | A pump or sprayer is attached.
빨대_붙음 | 빨대가 붙어 있습니다. | A straw is attached.
스프링_달림 | 스프링이나 철핀이 달려 있습니다. | A spiral binding or staple is attached.
손잡이_다른_재질 | 손잡이의 재질이 몸체와 다릅니다. | The handle is of another material.
비닐_코팅됨 | 종이에 비닐이 코팅되어 있습니다. | The paper is coated with plastic.
여러_재질_섞임 | 여러 재질이 섞여 나뉘지 않습니다. | It is of several materials that do not come apart.
색_있음 | 색이 있거나 인쇄되어 있습니다. | It is coloured or printed on.
깨짐 | 깨져 있습니다. | It is broken.
내열_유리 | 열에 강한 유리로 보입니다. | It seems to be heat-resistant glass.
배터리_들어있음 | 배터리가 들어 있습니다. | A battery is inside.
배터리_부풂 | 배터리가 부풀었거나 샙니다. | The battery is swollen or leaks.
단자_드러남 | 전지의 단자가 드러나 있습니다. | The battery's terminals are bare.
분해됨 | 일부가 뜯겨 있습니다. | It has been taken apart.
심하게_해짐 | 심하게 해졌거나 찢어졌습니다. | It is badly worn or torn.
솜_들어있음 | 솜이나 충전재가 들어 있습니다. | It has padding inside.
포장째_있음 | 포장째 그대로 있습니다. | It is still in its packaging.
이물질_섞임 | 다른 것이 섞여 있습니다. | Other things are mixed in.
날카로움 | 날카로운 부분이 있습니다. | It has sharp edges.
물건_들어있음 | 서랍이나 안쪽에 물건이 들어 있습니다. | Belongings are inside.
너무_무거움 | 한 봉투에 너무 무겁게 담겼습니다. | The bag is too heavy.
"""

_HARMLESS = """
깨끗함 | 깨끗합니다. | It is clean.
뚜껑_있음 | 같은 재질의 뚜껑이 있습니다. | It has a cap of the same material.
눌리지_않음 | 아직 눌러 접지 않았습니다. | It is not crushed or flattened yet.
묶이지_않음 | 묶여 있지 않습니다. | It is not tied together.
보증금_표시 | 빈 용기 보증금 표시가 있습니다. | It carries a bottle deposit mark.
개인정보_있음 | 개인정보가 들어 있을 수 있습니다. | It may hold personal data.
크기가_큼 | 종량제봉투에 들어가지 않을 만큼 큽니다. | It is too big for a bag.
여러_개 | 여러 개가 함께 있습니다. | There are several.
"""


def _read(table: str, blocks: bool) -> Iterator[tuple[str, Tag]]:
    for line in table.strip().splitlines():
        name, ko, en = (each.strip() for each in line.split("|"))
        yield name, Tag(ko, en, blocks)


TAGS: Mapping[str, Tag] = dict([*_read(_BLOCKING, True), *_read(_HARMLESS, False)])
"""All tags by name: those that block first."""
