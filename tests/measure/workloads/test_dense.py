"""The dense network as a ready workload: its options and their types (F3)."""

import pytest

from fiche.measure.job import Job
from fiche.measure.workloads import build, ready


def test_it_has_the_options_of_f3():
    one = ready("dense")
    assert {"batch": int, "context": int, "width": int, "dtype": str}.items() <= one.options.items()
    made = one.build({"batch": 2, "context": 128, "width": 1024, "dtype": "float32"})
    assert made.declared == {"batch": 2, "context": 128, "width": 1024}


@pytest.mark.parametrize("options", [{"batch": "2"}, {"batch": True}, {"dtype": 32}, {"tokens": 1}])
def test_an_option_of_another_type_is_refused_in_a_sentence(options):
    with pytest.raises(ValueError, match=next(iter(options))) as caught:
        build(Job(workload="dense", output="m.json", options=options))
    assert "\n" not in str(caught.value)


def test_the_seed_of_a_job_is_that_of_the_network():
    """A1: the seed."""
    assert build(Job(workload="dense", output="m.json", seed=7))._seed == 7
    assert build(Job(workload="dense", output="m.json"))._seed == 0


def test_an_unknown_workload_names_the_known_ones():
    with pytest.raises(ValueError, match="'magic' is no workload: there are dense"):
        ready("magic")
