"""What ComfyUI would answer to a graph; and any graph against that answer."""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from studio.errors import GraphError
from studio.filters.nodes import Input, read_nodes
from studio.graphs import MOST_NODES, check_graph
from tests.unit.studio.filters.photos import A, B, graph_of, node, rendered, saved_pixels

WRONG: Mapping[str, tuple[Mapping[str, Any], str]] = {
    "missing": ({"image": A}, "required_input_missing"),
    "no link": ({"image": "1", "blur_radius": 1, "sigma": 1.0}, "invalid_input_type"),
    "half a link": ({"image": ["1"], "blur_radius": 1, "sigma": 1.0}, "bad_linked_input"),
    "no such node": (
        {"image": ["7", 0], "blur_radius": 1, "sigma": 1.0},
        "exception_during_inner_validation",
    ),
    "no such output": (
        {"image": ["1", 5], "blur_radius": 1, "sigma": 1.0},
        "exception_during_inner_validation",
    ),
    "a mask": ({"image": ["1", 1], "blur_radius": 1, "sigma": 1.0}, "return_type_mismatch"),
    "no number": ({"image": A, "blur_radius": "many", "sigma": 1.0}, "invalid_input_type"),
    "too little": ({"image": A, "blur_radius": 0, "sigma": 1.0}, "value_smaller_than_min"),
    "too much": ({"image": A, "blur_radius": 32, "sigma": 1.0}, "value_bigger_than_max"),
    "not a number": (
        {"image": A, "blur_radius": 1, "sigma": float("nan")},
        "value_smaller_than_min",
    ),
    "itself": ({"image": ["3", 0], "blur_radius": 1, "sigma": 1.0}, "dependency_cycle"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_named_by_comfyuis_own_type(case):
    inputs, kind = WRONG[case]
    checked = check_graph(graph_of("ImageBlur", **inputs), lambda name: True)
    assert checked.error is not None
    assert checked.error["type"] == "prompt_outputs_failed_validation"
    assert checked.node_errors["3"]["errors"][0]["type"] == kind
    assert checked.node_errors["3"]["dependent_outputs"] == ["9"]


@pytest.mark.parametrize(
    ("graph", "kind"),
    [
        (None, "no_prompt"),
        ({}, "prompt_no_outputs"),
        ({"1": {}}, "invalid_prompt"),
        ({"1": {"class_type": "KSampler", "inputs": {}}}, "invalid_prompt"),
        ({"1": {"class_type": "ImageInvert", "inputs": {}}}, "prompt_no_outputs"),
        ({str(each): {} for each in range(MOST_NODES + 1)}, "invalid_prompt"),
    ],
)
def test_graph_that_is_none_is_refused_as_a_whole(graph, kind):
    checked = check_graph(graph, lambda name: True)
    assert checked.error is not None
    assert checked.error["type"] == kind


def test_valid_output_beside_an_invalid_one_is_executed(photos):
    graph = graph_of("ImageInvert", image=A)
    graph["8"] = {"class_type": "PreviewImage", "inputs": {"images": ["3", 4]}}
    checked = check_graph(graph, lambda name: True)
    assert (checked.error, checked.outputs, [*checked.node_errors]) == (None, ("9",), ["8"])
    assert len(rendered(graph, photos)) == 1


def test_picture_that_is_not_there_fails_custom_validation():
    checked = check_graph(graph_of("ImageInvert", image=A), lambda name: False)
    assert checked.node_errors["1"]["errors"][0]["type"] == "custom_validation_failed"


def test_only_nodes_of_a_cycle_are_in_it_and_what_needs_them_has_no_error():
    graph = graph_of("ImageInvert", image=["4", 0])
    graph |= {"4": node("ImageInvert", image=["5", 0]), "5": node("ImageInvert", image=["4", 0])}
    checked = check_graph(graph, lambda name: True)
    assert [*checked.node_errors] == ["4", "5"]
    assert {each["dependent_outputs"][0] for each in checked.node_errors.values()} == {"9"}


def test_output_that_is_wrong_itself_is_told_in_the_answer():
    graph = graph_of("ImageInvert", image=A)
    graph["9"]["inputs"]["images"] = ["nowhere", 0]
    checked = check_graph(graph, lambda name: True)
    assert checked.error is not None
    assert checked.error["details"].startswith("Exception when validating node: ")
    assert checked.node_errors["9"]["errors"][0]["type"] == "exception_during_validation"


def test_wrong_node_that_no_output_needs_harms_nothing(photos):
    graph = {**graph_of("ImageInvert", image=A), "4": node("ImageInvert", image=["4", 0])}
    checked = check_graph(graph, lambda name: True)
    assert (checked.error, checked.node_errors, checked.outputs) == (None, {}, ("9",))
    assert [each.node for each in rendered(graph, photos)] == ["9"]


def test_inputs_that_a_class_does_not_have_count_for_nothing(photos):
    graph = graph_of("ImageInvert", image=A, upload="image", other=["3", 0], output=["9", 0])
    assert check_graph(graph, lambda name: True).error is None
    assert len(rendered(graph, photos)) == 1


def test_wrapped_value_is_the_value(photos):
    wrapped = {"image": A, "blur_radius": {"__value__": "2"}, "sigma": {"__value__": 1}}
    plain = {"image": A, "blur_radius": 2, "sigma": 1.0}
    seen, expected = (
        saved_pixels(photos, graph_of("ImageBlur", **inputs))[0] for inputs in (wrapped, plain)
    )
    assert (seen == expected).all()


def test_choice_that_there_is_not_is_named_with_those_that_there_are():
    for value in ("diagonal", 5, None, {"a": 1}):
        graph = graph_of("ImageFlip", image=A, flip_method=value)
        [error] = check_graph(graph, lambda name: True).node_errors["3"]["errors"]
        assert error["type"] == "value_not_in_list"
        assert "x-axis: vertically" in error["details"]


def test_graph_that_is_refused_names_its_node_when_it_is_rendered(photos):
    with pytest.raises(
        GraphError, match=r"node 3 \(ImageInvert\) failed: Required input is missing"
    ):
        rendered(graph_of("ImageInvert"), photos)
    with pytest.raises(GraphError, match="workflow: Prompt has no outputs"):
        rendered({"1": node("ImageInvert", image=A)}, photos)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
VALUE = JSON | st.tuples(st.sampled_from(["1", "2", "3"]), st.integers(-1, 3)).map(list)
NODE = st.sampled_from([*read_nodes()]).flatmap(
    lambda kind: st.fixed_dictionaries(
        {
            "class_type": st.just(kind),
            "inputs": st.fixed_dictionaries(
                {},
                optional={
                    name: VALUE | st.just(about.default)
                    for name, about in read_nodes()[kind].inputs.items()
                },
            ),
        }
    )
)


@given(JSON | st.dictionaries(st.sampled_from(["1", "2", "3"]), NODE | JSON, max_size=3))
def test_any_json_gets_an_answer(graph):
    checked = check_graph(graph, lambda name: True)
    assert (checked.error is None) == bool(checked.outputs)


SOURCES = {
    "4": node("EmptyImage", width=3, height=40, batch_size=2, color=0x8040FF),
    "5": node("SolidMask", value=0.5, width=7, height=5),
    "6": node("PrimitiveInt", value=2),
    "7": node("PrimitiveFloat", value=0.5),
    "8": node("PrimitiveInt", value=-(2**62)),
}
"""Pictures of several sizes, a batch, masks and numbers, for a node to take."""
FEW = 40
LINKS = {
    "IMAGE": st.sampled_from([A, B, ["4", 0]]),
    "MASK": st.sampled_from([["1", 1], ["5", 0]]),
    "INT": st.sampled_from([["6", 0], ["8", 0]]),
    "FLOAT": st.just(["7", 0]),
}


def valid(name: str, about: Input) -> st.SearchStrategy[Any]:
    """Values within the limits of an input, or links to what fits."""
    low, high = about.minimum or 0, about.maximum or 0
    match about.kind:
        case "INT":
            return st.integers(int(low), int(min(high, FEW))) | st.just(int(high)) | LINKS["INT"]
        case "FLOAT":
            few = 0.05 if name == "megapixels" else min(high, 4.0)
            return st.floats(low, few) | LINKS["FLOAT"]
        case "BOOLEAN":
            return st.booleans()
        case "STRING":
            return st.just("a.png") if about.is_file else st.text(max_size=5)
        case "COMBO":
            return st.sampled_from(about.choices)
    return LINKS[about.kind]


def of_kind(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    """Graphs of a node of the class, whose first picture's corner is saved."""
    inputs = {name: valid(name, about) for name, about in read_nodes()[kind].inputs.items()}
    required = {
        name: inputs[name] for name, about in read_nodes()[kind].inputs.items() if about.is_required
    }
    optional = {name: each for name, each in inputs.items() if name not in required}
    return st.fixed_dictionaries(required, optional=optional).map(
        lambda given: {**SOURCES, **graph_of(kind, **given), **_corner(read_nodes()[kind].outputs)}
    )


def _corner(outputs: tuple[str, ...]) -> dict[str, Any]:
    image = ["10", 0] if outputs == ("MASK",) else ["3", 0] if "IMAGE" in outputs else A
    return {
        "10": node("MaskToImage", mask=["3", 0]),
        "11": node("ImageFromBatch", image=image, batch_index=0, length=1),
        "12": node("ImageCrop", image=["11", 0], width=8, height=8, x=0, y=0),
        "9": node("SaveImage", images=["12", 0], filename_prefix="castad"),
    }


def contents_or_failure(graph: Mapping[str, Any], photos: Path) -> Any:
    """The bytes of what is saved, by node, or the message of the node that failed."""
    try:
        saved = rendered(graph, photos)
    except GraphError as error:
        return error.node, error.message
    return [
        (each.node, (photos / each.type / each.subfolder / each.filename).read_bytes())
        for each in saved
    ]


@pytest.mark.parametrize("kind", read_nodes())
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_graph_that_passes_renders_the_same_each_time_or_names_the_node_that_failed(
    photos, kind, data
):
    graph = data.draw(of_kind(kind))
    checked = check_graph(graph, lambda name: True)
    assert checked.error is None, checked
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = contents_or_failure(graph, photos)
    assert first == contents_or_failure(graph, photos)
    assert isinstance(first, list) or first[0] in graph
