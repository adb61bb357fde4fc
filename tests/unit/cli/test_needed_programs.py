"""What `castad doctor` says of the programs that vendors need."""

import pytest

from castad.cli.doctor import check_program
from resources.providers.studio.vendor import VENDOR
from resources.providers.vendor import NeededProgram
from studio.errors import MissingPartError


def _find_nothing() -> str:
    raise MissingPartError("it is not there")


@pytest.mark.parametrize("is_optional", [False, True])
def test_missing_program_is_a_notice_only_where_works_are_made_without_it(is_optional):
    finding = check_program(NeededProgram("x", _find_nothing, "install it", is_optional))
    assert (finding.fine, finding.broken) == (False, not is_optional)


def test_only_the_singer_is_optional():
    assert [each.name for each in VENDOR.needs if each.is_optional] == ["singer"]
