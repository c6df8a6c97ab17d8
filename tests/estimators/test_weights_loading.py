"""What a load needs beside the weights that stay: a bound and its rule (formula sheet 2.4, D7)."""

from layouts import linear, loading, model
from workloads import workload

from fiche.estimators.weights_loading import MEMBER
from fiche.kernel.checkpoint import Checkpoint, CheckpointFile, TensorGroup
from fiche.kernel.trace import walk


def transient(of, **told):
    return MEMBER.estimate(loading(of, **told), None)


def test_it_is_an_item_of_the_load_alone():
    assert (MEMBER.phases, MEMBER.resident, MEMBER.per_case) == (("model_load",), False, False)
    assert not MEMBER.applies(workload(model__parameters=8))


def test_without_files_all_that_is_stored_is_the_bound():
    """On the fly, 16-bit values come before the packed ones."""
    (node,) = transient(model(linear(8, 8)), formats__loaded="nf4")
    assert (node.id, node.low, node.high) == ("weights_loading", 0, 128)
    assert any(each.id == "weights_stored" for each in walk(node))
    because = next(each.origin.because for each in walk(node) if each.id == "weights_loading")
    assert "a run settles it" in because


def test_the_largest_file_is_the_bound_where_files_are_known():
    files = tuple(
        CheckpointFile(name=name, num_bytes=size, header_bytes=8, sha256="0" * 64)
        for name, size in (("a", 70), ("b", 90))
    )
    held = TensorGroup(name="x.weight", dtype="BF16", shape=(8, 8), count=1, num_bytes=128)
    checkpoint = Checkpoint(
        format="safetensors",
        groups=(held,),
        files=files,
        metadata={},
        sha256="1" * 64,
        file="tensors.json",
    )
    (node,) = transient(model(checkpoint=checkpoint), formats__loaded="nf4")
    assert (node.low, node.high) == (0, 90)


def test_loaded_as_stored_the_largest_tensor_twice_is_the_bound():
    """Tensor by tensor from host memory: 8 x 16 values of 2 bytes, and what they are merged into."""
    (node,) = transient(model(linear(8, 8), linear(8, 16), linear(64, 2), linear(16, 8)))
    assert (node.low, node.high) == (0, 2 * 128 * 2)
    assert "torch.load with map_location" in node.left_out[0]
    (whole,) = transient(model(linear(8, 8)))
    assert whole.high == 128  # never more than all of it


def test_nothing_is_said_of_a_model_that_says_nothing():
    assert transient(model()) == ()
