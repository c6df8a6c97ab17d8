"""Benchmarks that no verdict rests on, and the first reason why (D3)."""

import pytest
from evaluate.build import bench, decision, latency, quality, taken, throughput

from fiche.evaluate.unused import unused


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
