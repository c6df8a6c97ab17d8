"""Operators remembered: the same tensors, and the same events, as PyTorch's own way makes."""

import pytest
from simulate.tiny_runs import tiny_run

pytestmark = pytest.mark.torch


def events_of(name):
    from fiche.simulate.simulated import run

    tiny = tiny_run(name, "cuda")
    simulation = run(lambda rec: tiny.work(lambda: None, *tiny.build()))
    [events] = simulation.events
    origins = [str(each) for each in simulation.entries.origins]
    return events.ops, events.ids, events.num_bytes, events.streams, origins


@pytest.mark.parametrize(
    "name", ["llama", "qwen3_moe checkpointed", "deepseek_v3 inference", "convolutions", "lstm"]
)
def test_a_run_gives_the_events_of_the_usual_way(name, monkeypatch):
    from torch._subclasses.fake_tensor import FakeTensorMode

    from fiche.simulate.ledger.fakes import Fakes
    from fiche.simulate.ledger.ledger import Ledger

    ours = events_of(name)
    monkeypatch.setattr(Fakes, "dispatch", FakeTensorMode.dispatch)
    monkeypatch.setattr(Ledger, "operate", lambda _, func, args, kwargs: func(*args, **kwargs))
    assert ours == events_of(name)


@pytest.mark.parametrize("name", ["gemma3", "encoder"])
def test_a_tensor_made_again_is_as_pytorch_made_it(name, monkeypatch):
    """Every call that is answered from memory is asked of PyTorch as well."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    from fiche.simulate.ledger.fakes import Fakes

    usual, compared = Fakes.dispatch, []

    def both(mode, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        known = mode._recipes.get(mode._key(func, args, kwargs))
        if known is None or func._schema.is_mutable:
            return usual(mode, func, types, args, kwargs)
        wanted = FakeTensorMode.dispatch(mode, func, types, args, kwargs)
        made = usual(mode, func, types, args, kwargs)
        assert type(made) is type(wanted)
        assert seen(made, args) == seen(wanted, args), func
        compared.append(func)
        return made

    monkeypatch.setattr(Fakes, "dispatch", both)
    events_of(name)
    assert len(set(compared)) > 30


def seen(made, args):
    """All that tells one fake tensor from another, and whose memory it shares."""
    import torch

    def storage(tensor):
        return tensor.untyped_storage()._cdata

    tensors = [one for one in args if isinstance(one, torch.Tensor)]
    return [
        (
            (one.dtype, one.shape, one.stride(), one.storage_offset()),
            (one.untyped_storage().nbytes(), one.fake_device, one.requires_grad),
            (one.is_inference(), one._is_view(), str(torch._C._dispatch_keys(one))),
            sorted(one.__dict__),
            [storage(given) == storage(one) for given in tensors],
        )
        if isinstance(one, torch.Tensor)
        else one
        for one in (made if isinstance(made, tuple | list) else (made,))
    ]


def test_numbers_that_are_equal_are_told_apart():
    from fiche.simulate.ledger.fakes import Fakes

    with Fakes():
        import torch

        whole = torch.ones(2, dtype=torch.int32)
        for factor, dtype in ((2, torch.int32), (2.0, torch.float32), (2, torch.int32)):
            assert (whole * factor).dtype == dtype


def test_what_pytorch_does_not_keep_is_worked_out_each_time():
    from fiche.simulate.ledger.fakes import Fakes

    with Fakes() as fakes:
        import torch

        tensor = torch.ones(2, 3)
        for _ in range(3):
            tensor.unsqueeze_(0)
        assert tensor.shape == (1, 1, 1, 2, 3)
        key = fakes._key(torch.ops.aten.unsqueeze_.default, (tensor, 0), {})
        assert fakes._recipes.get(key) is None


def test_a_copied_tensor_stays_in_its_mode():
    import copy

    from fiche.simulate.ledger.fakes import Fakes

    with Fakes() as fakes:
        import torch

        copied = copy.deepcopy(torch.nn.Linear(2, 2))
        assert copied.weight.fake_mode is fakes
