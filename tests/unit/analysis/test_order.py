"""The order of an analysis: every usual spelling of a repository is understood, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pipeline_defs.analysis.order import GitHubRepository, Order, is_sha, parse_repository
from pipeline_defs.analysis.pipeline import PIPELINE
from pipeline_defs.capabilities import check_remote
from resources.contract.errors import InvalidInputError
from tests.tables import rows_beside

SHA = "0123456789abcdef0123456789abcdef01234567"


@rows_beside
def test_repository_of_github_is_one_however_it_is_spelt(spelt):
    order = Order(repository=spelt)
    assert order.repository == "Dagster-IO/dagster.js"
    assert order.github == GitHubRepository("Dagster-IO", "dagster.js")


@pytest.mark.parametrize(
    "hostile",
    [
        "",
        "name",
        "../x",
        "/srv/../etc",
        "o/..",
        "o/.git",
        "-o/r",
        "o-/r",
        "o/r/s",
        "https://github.com.evil.example/o/r",
        "https://user@github.com/o/r",
        "https://github.com/o/r?token=x",
        "file:///etc",
        "ext::sh -c id",
        "git@gitlab.com:o/r",
        "/srv/\0x",
        "o/r\n",
        "/" + 1_000 * "a",
    ],
)
def test_what_names_no_repository_is_refused(hostile):
    order = {"repository": hostile}
    if hostile.strip() != hostile:  # outer blanks are no part of an order
        assert PIPELINE.parse(order).repository == hostile.strip()
        return
    with pytest.raises(InvalidInputError) as refused:
        PIPELINE.parse(order)
    assert refused.value.field == "repository"


@given(st.text(max_size=60))
def test_accepted_repository_is_a_path_or_two_plain_names(text):
    try:
        repository = Order(repository=text).repository
    except ValidationError:
        return
    found = parse_repository(repository)
    assert repository.startswith("/") if found is None else str(found) == repository
    assert Order(repository=repository).repository == repository


@pytest.mark.parametrize("ref", ["HEAD", "main", "feature/x", "v1.2.3", SHA, SHA[:7], "가지"])
def test_ref_is_a_name_that_git_allows(ref):
    assert Order(repository="o/r", ref=ref).ref == ref


@pytest.mark.parametrize(
    "ref", ["", "-x", "a b", "a..b", "HEAD~1", "x^{}", "@{u}", "a:b", "/a", "a.lock"]
)
def test_ref_that_is_an_expression_is_refused(ref):
    with pytest.raises(InvalidInputError) as refused:
        PIPELINE.parse({"repository": "o/r", "ref": ref})
    assert refused.value.field == "ref"


def test_full_sha_is_kept_in_small_letters():
    ref = Order(repository="o/r", ref=SHA.upper()).ref
    assert (ref, is_sha(ref)) == (SHA, True)


def test_local_path_is_not_ordered_over_http():
    with pytest.raises(InvalidInputError, match="only be ordered by `castad make`"):
        check_remote(PIPELINE, {"repository": "/srv/git/shop"})
    check_remote(PIPELINE, {"repository": "o/r"})
