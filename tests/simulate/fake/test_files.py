"""Files of real tensors, read by a program on the GPU that is not there."""

import pytest

pytestmark = pytest.mark.torch

MIB = 2**20


@pytest.fixture
def checkpoint(tmp_path):
    """1 MiB of weights, of which the file has a view too."""
    import torch

    weight = torch.randn(512, 512)
    torch.save({"weight": weight, "row": weight[3]}, tmp_path / "model.pt")
    return tmp_path / "model.pt"


def levels(program):
    from fiche.simulate.simulated import run

    found = []

    def whole(rec):
        for _ in program():
            found.append(rec.ledger.live_bytes[0] / MIB)

    return found, run(whole)


@pytest.mark.parametrize("mmap", [False, True])
def test_what_is_loaded_to_the_device_takes_its_bytes_there_until_it_goes(checkpoint, mmap):
    import torch

    def program():
        for _ in range(2):
            state = torch.load(checkpoint, map_location="cuda", mmap=mmap)
            assert state["weight"].is_cuda
            assert state["row"].storage_offset() == 3 * 512
            yield state
            layer = torch.nn.Linear(512, 512, bias=False, device="cuda")
            yield layer
            layer.load_state_dict({"weight": state["weight"]}, assign=True)
            yield layer
            layer(torch.randn(1, 512, device="cuda")).sum().backward()
            del state, layer
        yield None

    # Loaded; beside a layer; in its place. Two threads' workspaces of cuBLAS stay from the first pass on.
    cublas = 2 * 8.125
    taken = [1, 2, 1]
    assert levels(program)[0] == [*taken, *(each + cublas for each in taken), cublas]


def test_what_is_loaded_to_the_host_takes_nothing_of_the_device(checkpoint):
    import torch

    def program():
        state = torch.load(checkpoint, map_location="cpu")
        yield state
        layer = torch.nn.Linear(512, 512, bias=False, device="cuda")
        layer.load_state_dict({"weight": state["weight"]})
        yield layer

    assert levels(program)[0] == [0, 1]


def test_nothing_is_saved_and_the_answers_say_so(tmp_path):
    import torch

    def program():
        torch.save(torch.nn.Linear(512, 512, device="cuda").state_dict(), tmp_path / "made.pt")
        yield None

    found, simulation = levels(program)
    assert found == [0]
    assert not (tmp_path / "made.pt").exists()
    assert "torch.save" in [each["asked"] for each in simulation.answers]
