"""Work and its throughputs: results of pieces that count what the work counts, or a person's guess (C14)."""

import json

import pytest
from importers.test_vllm_bench import SERVE
from loading import fiche_of, refusals

from fiche.importers.vllm_bench import MEMBER
from fiche.kernel.origin import Assumed, Stated

FILES = {"bench.json": json.dumps(SERVE)}
PIECE = "pieces:\n  - {id: bench, file: bench.json}\n"


def told(throughput="", *, of="tokens", amount="3000000"):
    more = f", throughput: {throughput}" if throughput else ""
    return (
        f'workload:\n  work: {{amount: {amount}, of: {of}, because: "all of it"{more}}}\n' + PIECE
    )


def work(*args, **changes):
    return fiche_of(told(*args, **changes), files=FILES, importers=[MEMBER]).workload.work


def codes(*args, **changes):
    found = refusals(told(*args, **changes), files=FILES, importers=[MEMBER])
    return [code for code, _, _ in found]


def test_without_work_there_is_none():
    assert fiche_of().workload.work is None


def test_an_amount_counts_what_it_is_of():
    found = work()
    assert (found.amount.low, found.amount.unit.word, found.of) == (3_000_000, "tokens", "tokens")
    assert isinstance(found.amount.origin, Stated)
    assert found.amount.origin.because == "all of it"
    assert (found.measured, found.assumed) == ((), None)


def test_work_is_neither_a_fact_nor_a_count_of_the_workload():
    load = fiche_of(told(), files=FILES, importers=[MEMBER]).workload
    assert not [path for path in (*load.facts, *load.figures) if path.startswith("work")]


@pytest.mark.parametrize("listed", [False, True])
def test_a_throughput_names_a_result_of_a_piece(listed):
    one = "{piece: bench, metric: output_throughput}"
    (found,) = work(f"[{one}]" if listed else one).measured
    assert (found.piece.value, found.metric.value) == ("bench", "output_throughput")


def test_a_guess_has_a_person_and_a_reason():
    found = work('{value: 1500, by: J. Okafor, because: "an older card did"}').assumed
    assert (found.low, found.unit.word) == (1500, "tokens/s")
    assert isinstance(found.origin, Assumed)
    assert (found.origin.by, found.origin.because) == ("J. Okafor", "an older card did")
    assert codes("{value: 1500}") == ["F302"]
    assert codes("{value: 0, because: none}") == ["F212"]


@pytest.mark.parametrize(
    ("throughput", "of", "code"),
    [
        ("{piece: bench, metric: output_throughpt}", "tokens", "F362"),
        ("{piece: bench, metric: request_throughput}", "tokens", "F362"),
        ("{piece: bench, metric: output_throughput}", "requests", "F362"),
        ("{piece: bench, metric: mean_ttft}", "tokens", "F362"),
        ("{piece: nowhere, metric: output_throughput}", "tokens", "F307"),
        ("{piece: bench}", "tokens", "F302"),
    ],
)
def test_a_result_must_be_there_and_count_what_the_work_counts(throughput, of, code):
    assert codes(throughput, of=of) == [code]


def test_requests_over_requests():
    assert work("{piece: bench, metric: request_throughput}", of="requests").measured


def test_an_amount_is_a_plain_count():
    assert codes(amount="3M") == ["F202"]
    assert codes(amount="0") == ["F305"]


def test_hours_with_a_name_are_a_guess_and_without_one_are_stated():
    duration = 'workload:\n  duration: {{value: 40 h, because: "planned"{by}}}\n'
    stated = fiche_of(duration.format(by="")).workload.figures["duration"].origin
    assumed = fiche_of(duration.format(by=", by: J. Okafor")).workload.figures["duration"].origin
    assert isinstance(stated, Stated)
    assert isinstance(assumed, Assumed)
    assert assumed.by == "J. Okafor"
