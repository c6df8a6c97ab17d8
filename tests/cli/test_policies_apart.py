"""Series of different empty_cache policies, cold and warm passes, side by side and never mixed (C7)."""

import copy
import json

import pytest
from importers.ranks import rank
from importers.records import GIB, document_bytes, record


def series(policy, peak):
    def change(document):
        document["workload"]["attention"] = "sdpa"
        document["series"].update(id=f"series-{policy}", empty_cache=policy)
        first = document["phases"][1]
        first.update({"pass": "first", "covers": ["model_load", "prefill", "decode"]})
        first["devices"][0]["process_device_bytes"]["peak"] = peak
        later = copy.deepcopy(first)
        later.update({"index": 2, "pass": "later"})
        later["devices"][0]["process_device_bytes"]["peak"] = peak - GIB
        document["phases"].append(later)

    return record(change)


@pytest.fixture
def decided(fiche, tmp_path):
    """The decision and the page of a fiche with two series of one load."""
    names = []
    for policy, peak in (("never", 19 * GIB), ("between_phases", 17 * GIB)):
        path = tmp_path / f"{policy}.json"
        path.write_bytes(document_bytes(series(policy, peak)))
        names += ["--from", path]
    assert fiche("new", *names, tmp_path / "mine").code == 0
    ended = fiche(
        "report", tmp_path / "mine/fiche.yaml", "-o", tmp_path / "out", "--formats", "json,html"
    )
    assert ended.code == 0, ended.err
    decision = json.loads((tmp_path / "out" / "decision.json").read_text("utf-8"))
    return decision, (tmp_path / "out" / "report.html").read_text("utf-8")


def test_a_verdict_rests_on_one_series_and_one_pass(decided):
    decision, _ = decided
    (memory,) = [each for each in decision["findings"] if each["requirement"] == "memory"]
    assert memory["verdict"] == "admissible"
    assert memory["pieces"] == ["between_phases"]
    assert memory["need"]["bytes"] == 17 * GIB


def test_every_pass_of_every_series_has_a_row_of_its_own(decided):
    _, page = decided
    table = page.partition("id=table-counters>")[2].partition("</table>")[0]
    for policy in ("never", "between_phases"):
        for index in (0, 1, 2):
            assert f"{policy}/series-{policy}.{index}." in table
    for peak in ("19.00", "18.00", "17.00", "16.00"):
        assert table.count(f"{peak}\N{NO-BREAK SPACE}GiB") == 1, peak


def test_the_policy_of_each_series_is_told(decided):
    _, page = decided
    table = page.partition("id=table-environment>")[2].partition("</table>")[0]
    assert "between_phases" in table
    assert "never" in table


def test_two_devices_of_one_rank_have_a_row_each(fiche, tmp_path):
    """C9: of a rank that has not been put together with the others, under its own names."""

    def two(document):
        only = document["environment"]["devices"][0]
        document["environment"]["devices"].append({**only, "index": 7, "uuid": "GPU-7"})
        first = document["phases"][1]["devices"][0]
        document["phases"][1]["devices"].append({**copy.deepcopy(first), "device": "cuda:7"})
        document["phases"][1]["devices"][1]["peak"] = {"reserved_bytes": 9 * GIB}

    path = tmp_path / "r1.json"
    path.write_bytes(document_bytes(rank(1, two)))
    assert fiche("new", "--from", path, tmp_path / "mine").code == 0
    fiche("report", tmp_path / "mine/fiche.yaml", "-o", tmp_path / "out", "--formats", "html")
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    table = page.partition("id=table-counters>")[2].partition("</table>")[0]
    assert "cuda:1, rank 1" in table
    assert "cuda:7, rank 1" in table
    assert "14.00\N{NO-BREAK SPACE}GiB" in table
    assert "9.00\N{NO-BREAK SPACE}GiB" in table
