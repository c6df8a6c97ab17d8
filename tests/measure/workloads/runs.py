"""Runs of a ready workload on a simulated device: the order of calls is real, and no number is a GPU's."""

import json

from measure.simulated import simulated
from measure.tiny_models import SEQ2SEQ, model_folder

from fiche.measure.protocol.recorder import recorder
from fiche.measure.protocol.turns import measured
from fiche.measure.workloads import ready

TEXT = "CUDA out of memory. Tried to allocate 2.00 GiB."


def built(name, folder, kind="llama", **options):
    """A workload of a tiny model, whose folder is made where it is missing."""
    model = folder / f"tiny-{kind}"
    if not model.exists():
        model_folder(folder, kind)
    if kind in SEQ2SEQ:
        options = {"encoder_tokens": 7, **options}
    workload = ready(name)
    return workload.build(workload.checked({"model": str(model), "dtype": "bf16", **options}))


def record_of(workload, path, ordering="phased", warmups=0, repeats=1):
    """The record of its turns."""
    with recorder(path, device=simulated(), workload=workload.words) as rec:
        told = {"warmups": warmups, "repeats": repeats, "empty_cache": "never"}
        measured(rec, workload, ordering=ordering, **told)
    return json.loads(path.read_text())


def failed(workload, path, error, ordering="phased"):
    """The record that is left when this very exception comes out of the workload."""
    import pytest

    with pytest.raises(type(error)) as raised:
        record_of(workload, path, ordering)
    assert raised.value is error
    return json.loads(path.read_text())


def names(record):
    return [phase["name"] for phase in record["phases"]]


def last(record, name):
    return [phase for phase in record["phases"] if phase["name"] == name][-1]


def shape(phase, name):
    return next(seen["shape"] for seen in phase["tensors"] if seen["name"] == name)


def raising(error):
    def instead(*args, **kwargs):
        raise error

    return instead
