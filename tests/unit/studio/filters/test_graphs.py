"""The face of the engine: what a graph loads and saves, and which nodes there are."""

from studio.filters.nodes import read_nodes
from studio.graphs import describe_nodes, list_inputs, rename_inputs, set_prefixes
from tests.unit.studio.filters.photos import A, graph_of


def test_object_info_describes_every_node_as_comfyui_does():
    info = describe_nodes()
    assert info.keys() == read_nodes().keys()
    assert info["ImageBlur"]["input"]["required"]["sigma"] == [
        "FLOAT",
        {"default": 1.0, "min": 0.1, "max": 10.0},
    ]
    assert info["SaveImage"]["output_node"] is True


def test_copies_of_a_graph_load_and_save_under_other_names():
    graph = graph_of("ImageInvert", image=A)
    named = set_prefixes(rename_inputs(graph, {"a.png": "c.png"}), "castad/x")
    assert list_inputs(named) == ("c.png", "b.png")
    assert named["9"]["inputs"]["filename_prefix"] == "castad/x-9"
    assert list_inputs(graph) == ("a.png", "b.png")
