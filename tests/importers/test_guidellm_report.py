"""GuideLLM: figures of the requests that succeeded, one benchmark a traffic strategy (C13)."""

import json
from fractions import Fraction

import pytest

from fiche.importers._detect import read as detect
from fiche.importers.guidellm_report import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32


def spread(mean, count=100):
    told = {"mean": mean, "median": mean, "std_dev": 1.5, "min": 0, "max": mean * 2, "count": count}
    told["percentiles"] = {"p001": 0.1, "p95": mean * 1.5, "p99": mean * 1.75}
    empty = {"mean": 0.0, "median": 0.0, "count": 0, "percentiles": {"p99": 0.0}}
    return {"successful": told, "errored": empty, "incomplete": empty, "total": told}


METRICS = {
    "requests_per_second": spread(4.0),
    "request_latency": spread(2.5),
    "time_to_first_token_ms": spread(80.0),
    "output_tokens_per_second": spread(512.0),
    "inter_token_latency_ms": spread(0.0, count=0),
}
NEWER = {
    "metadata": {"version": 2, "guidellm_version": "0.8.1"},
    "benchmarks": [
        {
            "config": {
                "strategy": {"type_": "constant", "rate": 4.0},
                "backend": {"type_": "openai_http", "model": "org/model"},
            },
            "scheduler_metrics": {"start_time": 1763546400.0},
            "metrics": {
                **METRICS,
                "request_totals": {"successful": 100, "errored": 3, "incomplete": 0, "total": 103},
            },
        }
    ],
}
OLDER = {
    "benchmarks": [
        {
            "args": {"strategy": {"type_": "synchronous"}},
            "worker": {"backend_model": "org/model"},
            "start_time": 1763546400.0,
            "request_totals": {"successful": 100, "errored": 0, "incomplete": 1, "total": 101},
            "metrics": METRICS,
        }
    ]
}


def read(told):
    return detect(json.dumps(told).encode(), DIGEST)


def named(reading, metric, stat):
    (found,) = [r for r in reading.results if (r.metric, r.stat) == (metric, stat)]
    return found


@pytest.mark.parametrize(
    ("told", "label", "version"),
    [(NEWER, "0: constant, rate 4.0", "0.8.1"), (OLDER, "0: synchronous", "")],
)
def test_both_layouts(told, label, version):
    reading = read(told)
    assert (reading.kind, reading.version) == ("guidellm_report", version)
    first = named(reading, "time_to_first_token", "p99")
    assert (first.low, first.unit, first.label) == (Fraction("0.14"), "s", label)
    path = "/benchmarks/0/metrics/time_to_first_token_ms/successful/percentiles/p99"
    assert first.pointer.path == path
    assert named(reading, "request_latency", "mean").unit == "s"
    assert named(reading, "completed", "total").low == 100
    facts = {path: fact.value for path, fact in reading.facts.items()}
    assert facts == {"model.name": "org/model", "measured_on": "2025-11-19"}
    assert any(text.startswith("requests_failed: ") for text in reading.warnings)


def test_statistics_of_no_request_are_no_figures():
    """C2: the program writes zeros where nothing was counted."""
    assert not [r for r in read(NEWER).results if r.metric == "inter_token_latency"]


@pytest.mark.parametrize("told", [{"benchmarks": {}}, {"benchmarks": [1]}, {"benchmarks": []}, []])
def test_another_shape_is_refused(told):
    with pytest.raises(Refused) as refused:
        MEMBER.read(json.dumps(told).encode(), DIGEST)
    assert refused.value.diagnostics[0].code == "F429"
