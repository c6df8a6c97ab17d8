"""GenAI-Perf and AIPerf: every metric states its unit (B1, C13)."""

import json
from fractions import Fraction

import pytest

from fiche.importers._detect import read as detect
from fiche.importers.genai_perf import MEMBER
from fiche.kernel.diagnostic import Refused

DIGEST = "ab" * 32
EXPORT = {
    "request_throughput": {"unit": "requests/sec", "avg": 3.5},
    "request_latency": {"unit": "ms", "avg": 2100.5, "p50": 2000, "p99": 3000.25, "std": 90.5},
    "output_token_throughput_per_user": {"unit": "tokens/sec/user", "avg": 55.0},
    "goodput": {"avg": 3.0},
    "input_config": {"model_names": ["org/model"]},
}


def read(told):
    return detect(json.dumps(told).encode(), DIGEST)


def named(reading, metric, stat):
    (found,) = [r for r in reading.results if (r.metric, r.stat) == (metric, stat)]
    return found


def test_units_are_those_that_the_file_states():
    told = read(EXPORT)
    assert (told.kind, told.shape) == ("genai_perf", "genai-perf json")
    found = named(told, "request_latency", "p99")
    assert (found.low, found.unit, found.text) == (Fraction("3.00025"), "s", "3000.25 ms")
    assert named(told, "output_token_throughput_per_user", "mean").unit == "tokens/s/user"
    assert told.facts["model.name"].value == "org/model"


def test_a_metric_without_its_unit_is_left_out_and_told():
    told = read(EXPORT)
    assert not [r for r in told.results if r.metric == "goodput"]
    assert any(text.startswith("no_unit: goodput") for text in told.warnings)


def test_aiperf_says_its_version_what_failed_and_whether_it_ended():
    more = {
        "schema_version": "1.4",
        "aiperf_version": "0.13.0",
        "error_request_count": {"unit": "requests", "avg": 4},
        "is_complete": False,
        "incomplete_reason": "records stalled",
        "start_time": "2026-11-03T10:15:00",
    }
    told = read({**EXPORT, **more})
    assert (told.shape, told.version) == ("aiperf json", "0.13.0")
    keys = {text.partition(":")[0] for text in told.warnings}
    assert {"requests_failed", "run_incomplete"} <= keys
    assert told.facts["measured_on"].value == "2026-11-03"


@pytest.mark.parametrize("told", [[], {"request_latency": {"unit": "ms"}}])
def test_without_a_figure_it_is_refused(told):
    with pytest.raises(Refused) as refused:
        MEMBER.read(json.dumps(told).encode(), DIGEST)
    assert refused.value.diagnostics[0].code == "F429"
