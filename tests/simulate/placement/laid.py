"""Small models on one rank, and what the ledger saw: used by the tests of this folder."""

WIDTH = 256


def blocks(depth=3, width=WIDTH, bias=True, checkpointed=False):
    """A model of `depth` blocks of one linear layer each, and a head outside of them.

    Checkpointed ones run again in the backward pass, hooks and all, as those of transformers do.
    """
    import torch
    from torch.utils.checkpoint import checkpoint

    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(width, width, bias=bias)

        def __call__(self, values):
            if checkpointed and torch.is_grad_enabled():
                return checkpoint(super().__call__, values, use_reentrant=False)
            return super().__call__(values)

        def forward(self, values):
            return self.linear(torch.relu(values))

    class Model(torch.nn.Module):
        _no_split_modules = ("Block",)

        def __init__(self):
            super().__init__()
            self.layers = torch.nn.ModuleList(Block() for _ in range(depth))
            self.head = torch.nn.Linear(width, width, bias=False)

        def forward(self, values):
            for layer in self.layers:
                values = layer(values)
            return self.head(values)

    with torch.device("cpu"):
        return Model()


def run(program, **options):
    from fiche.simulate.simulated import run

    return run(program, **options)


def placement(**words):
    from fiche.simulate.placement.asked import Placement

    return Placement.of(words)


def named(simulation, name):
    """Bytes as asked for of every allocation of one name, in order."""
    table = simulation.entries
    return [
        num_bytes
        for origin, num_bytes in zip(table.origins, table.num_bytes, strict=True)
        if origin.operator == name
    ]


def most(simulation, name):
    """The most bytes of one name alive at once."""
    events, table = simulation.events[0], simulation.entries
    now = peak = 0
    for op, entry in zip(events.ops, events.ids, strict=True):
        if op in (0, 1) and table.origins[entry].operator == name:
            now += table.num_bytes[entry] * (1 if op == 0 else -1)
            peak = max(peak, now)
    return peak


def workload(folder, kind="training", model="llama", config=None, **options):
    """A ready workload of a tiny model."""
    from measure.tiny_models import model_folder

    from fiche.measure.workloads import ready

    one = ready(kind)
    told = {"model": str(model_folder(folder, model, **(config or {}))), "dtype": "bf16"}
    return one.build(one.checked({**told, **options}))


def simulated(folder, words, turns=("first",), **options):
    """The workload on one rank."""
    from fiche.simulate.placement.workload import placed
    from fiche.simulate.simulated import simulated

    told = placement(**words)
    one = placed(workload(folder, **options), told)
    return simulated(one, devices=told.stand_ins, turns=turns)


def kinds_at_end(simulation, phase, kinds):
    """Bytes of some kinds at the peak of the last phase of a name, on the first device."""
    found = [each for each in simulation.phases() if each.name == phase and each.device == 0][-1]
    return sum(each.num_bytes for each in found.groups if each.kind in kinds)
