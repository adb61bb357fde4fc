"""The face of the engine: what a graph loads and saves, and which nodes there are."""

from studio.filters.nodes import NODES
from studio.graphs import inputs_of, object_info, saved_under, with_inputs
from tests.unit.studio.filters.photos import A, graph_of


def test_object_info_describes_every_node_as_comfyui_does() -> None:
    info = object_info()
    assert info.keys() == NODES.keys()
    assert info["ImageBlur"]["input"]["required"]["sigma"] == [
        "FLOAT",
        {"default": 1.0, "min": 0.1, "max": 10.0},
    ]
    assert info["SaveImage"]["output_node"] is True


def test_copies_of_a_graph_load_and_save_under_other_names() -> None:
    graph = graph_of("ImageInvert", image=A)
    named = saved_under(with_inputs(graph, {"a.png": "c.png"}), "castad/x")
    assert inputs_of(named) == ("c.png", "b.png")
    assert named["9"]["inputs"]["filename_prefix"] == "castad/x-9"
    assert inputs_of(graph) == ("a.png", "b.png")
