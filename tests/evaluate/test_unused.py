"""Pieces that no verdict rests on, and the first reason why (D3)."""

import pytest
from evaluate.build import (
    GPU,
    MACHINE,
    attest,
    bench,
    bytes_of,
    candidate,
    decision,
    declared,
    document,
    latency,
    printing,
    quality,
    requirement,
    taken,
    throughput,
    typed,
)

from fiche.evaluate.unused import unused
from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE


@pytest.mark.parametrize(
    ("asked", "facts", "why"),
    [
        (quality(), {}, "no requirement asks for its rates and times"),
        (throughput(), {"engine.version": "0.27.1"}, "engine.version"),
        (latency(), {}, "its rates and times settle nothing"),  # no time of the first token in it
    ],
)
def test_a_benchmark_that_settles_nothing_says_why(asked, facts, why):
    piece = bench(taken("output_throughput", "900", "tokens/s"), facts=facts)
    (only,) = unused(decision(None, [piece], [asked]))
    assert (only.piece, why in only.why) == ("bench", True)


def test_a_benchmark_that_answers_is_used():
    piece = bench(taken("output_throughput", "900", "tokens/s"))
    assert unused(decision(None, [piece], [throughput()])) == ()


RAM = requirement("host_memory", at_least=bytes_of("128 GiB"))
ECC = requirement("ecc", state="on")


def page(id="page", **scope):
    value = declared(256 * 2**30, BYTE)
    made = document(id, attest("host_memory", id=id, value=value))
    return replace(made, typed={key: typed(told) for key, told in scope.items()})


@pytest.mark.parametrize(
    ("pieces", "asked", "who", "why"),
    [
        ([page(gpu=GPU)], [RAM], "page", "it attests no host memory"),
        ([page(gpu=GPU)], [ECC], "page", "no requirement asks for what it attests"),
        ([page(gpu="nvidia-l4-24g")], [RAM], "page", "facts of no candidate"),
        (
            [page("a", machine=MACHINE), page("b", machine=MACHINE)],
            [RAM],
            None,
            "",
        ),
        ([printing("a", ecc="on"), printing("b", ecc="on")], [ECC], "b", "other pieces decide"),
        ([printing("a", ecc="on"), printing("b", ecc="on")], [RAM], "b", "no run"),
        ([printing(machine="node-8", ecc="on")], [ECC], "print", "no candidate names its machine"),
        ([printing(machine=None, ecc="on")], [ECC], "print", "machine untold"),
        (
            [document("s", attest("form_factor", id="s", value="OAM"), gpu=GPU)],
            [requirement("form_factor", one_of=["PCIe single-slot"])],
            None,
            "",
        ),
    ],
)
def test_what_is_of_a_machine_says_why_it_settles_nothing(pieces, asked, who, why):
    """A page about a card, a second print, a machine that nobody offers."""
    found = {one.piece: one.why for one in unused(decision([candidate()], pieces, asked))}
    assert (why in found[who]) if who else found == {}
