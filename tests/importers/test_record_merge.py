"""Ranks of one run put together: no rank is credited with what another did (C9, C11, D6)."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from importers.ranks import failed, put_together, rank
from importers.records import GIB, journal_bytes

from fiche.importers.fiche_record import MEMBER
from fiche.kernel.diagnostic import Refused


def read(document):
    content = json.dumps(document).encode()
    return MEMBER.read(content, hashlib.sha256(content).hexdigest())


def refusal(*documents):
    with pytest.raises(Refused) as refused:
        put_together(*documents)
    return [(told.code, told.message) for told in refused.value.diagnostics]


def dims(**executed):
    return lambda d: d["phases"][1].update(executed=executed, declared=executed)


# --- Together -------------------------------------------------------------------------------------


def test_each_device_has_an_index_of_its_own_and_keeps_whose_it_is():
    document = put_together(rank(1), rank(0))
    devices = document["environment"]["devices"]
    assert [(d["index"], d["rank"], d["local_device"], d["node"], d["uuid"]) for d in devices] == [
        (0, 0, "cuda:0", "0", "GPU-0"),
        (1, 1, "cuda:1", "0", "GPU-1"),
    ]
    serve = document["phases"][1]
    assert [d["device"] for d in serve["devices"]] == ["cuda:0", "cuda:1"]
    peaks = [d["process_device_bytes"]["peak"] for d in serve["devices"]]
    assert peaks == [15 * GIB, 15 * GIB + 1_000_000]
    assert document["series"]["run"] == document["series"]["id"] == "run-1"
    assert "rank" not in document["series"]


def test_ranks_that_each_see_one_device_are_told_apart_by_its_uuid():
    """A launcher may show each process its own card only: all of them are cuda:0."""
    document = put_together(rank(0, device=0), rank(1, device=0))
    serve = document["phases"][1]
    assert [d["device"] for d in serve["devices"]] == ["cuda:0", "cuda:1"]
    assert [d["local_device"] for d in document["environment"]["devices"]] == ["cuda:0", "cuda:0"]


def test_several_devices_of_a_rank_follow_each_other():
    def second(document):
        only = document["environment"]["devices"][0]
        document["environment"]["devices"] = [only, {**only, "index": 5, "uuid": "GPU-9"}]
        first = document["phases"][1]["devices"][0]
        document["phases"][1]["devices"] = [{**first, "device": "cuda:5"}, first]

    document = put_together(rank(0, second), rank(1))
    assert [(d["rank"], d["local_device"]) for d in document["environment"]["devices"]] == [
        (0, "cuda:0"),
        (0, "cuda:5"),
        (1, "cuda:1"),
    ]
    assert [d["device"] for d in document["phases"][1]["devices"]] == ["cuda:1", "cuda:0", "cuda:2"]


def test_the_merged_record_reads_as_one_run_and_names_its_originals():
    documents = [rank(0), rank(1)]
    merged = put_together(*documents)
    reading = read(merged)
    serve = reading.runs[1]
    assert (serve.outcome, serve.whole_loop, serve.first_pass) == ("success", True, True)
    assert {(seen.device_index, seen.rank) for seen in serve.observations} == {(0, 0), (1, 1)}
    assert [each["rank"] for each in merged["merged"]["from"]] == [0, 1]
    digests = [hashlib.sha256(json.dumps(d).encode()).hexdigest() for d in documents]
    assert [each["sha256"] for each in merged["merged"]["from"]] == digests
    assert [reading.facts[f"merged.{number}"].value for number in (0, 1)] == digests
    assert not any(w.startswith(("one_rank", "ranks_")) for w in reading.warnings)
    assert [c.device_index for c in reading.capacities] == [0, 0, 1, 1]


def test_the_originals_are_not_touched():
    documents = [rank(0), rank(1)]
    before = json.dumps(documents)
    put_together(*documents)
    assert json.dumps(documents) == before


def test_the_order_of_the_files_says_nothing():
    one, other = rank(0), rank(1)
    assert put_together(one, other) == put_together(other, one)


def test_the_slowest_rank_is_the_duration():
    slow = rank(1, lambda d: d["phases"][1].update(duration_ns=90_000_000_000))
    assert put_together(rank(0), slow)["phases"][1]["duration_ns"] == 90_000_000_000
    silent = rank(1, lambda d: d["phases"][1].pop("duration_ns"))
    assert "duration_ns" not in put_together(rank(0), silent)["phases"][1]


# --- What was executed ----------------------------------------------------------------------------


def test_a_success_claims_the_smallest_that_a_rank_executed():
    """D6: nobody ran the larger one on all ranks."""
    document = put_together(rank(0, dims(microbatch=8)), rank(1, dims(microbatch=4)))
    serve = document["phases"][1]
    assert serve["executed"] == {"microbatch": 4}
    assert serve["declared"] == {}
    warnings = read(document).warnings
    assert "ranks_differ: /phases/1/executed/microbatch: rank 0 8, rank 1 4" in warnings


def test_a_failure_claims_the_largest_that_a_rank_executed():
    """It excludes only what is at least as large."""

    def change(document):
        failed(document)
        dims(microbatch=4)(document)

    document = put_together(rank(0, dims(microbatch=8)), rank(1, change))
    assert document["phases"][1]["outcome"] == "failure"
    assert document["phases"][1]["executed"] == {"microbatch": 8}


def test_a_dimension_that_one_rank_does_not_tell_is_not_told():
    """C2."""
    document = put_together(rank(0, dims(microbatch=8)), rank(1, dims()))
    assert document["phases"][1]["executed"] == {}
    assert any("rank 1 not told" in w for w in read(document).warnings)


# --- Failures and gaps ----------------------------------------------------------------------------


def test_one_rank_that_failed_fails_the_run():
    """C11: and its device is told in the count of the run, not of the rank that printed `GPU 0`."""
    document = put_together(rank(0), rank(1, failed))
    serve = document["phases"][1]
    assert (serve["outcome"], serve["error"]["rank"], serve["error"]["device"]) == (
        "failure",
        1,
        "cuda:1",
    )
    failure = read(document).failures[0]
    assert (failure.device_index, failure.rank, failure.message_kind) == (1, 1, "allocator_oom")


def test_the_lack_of_memory_is_told_before_what_it_did_to_the_others():
    """The ranks that wait fail as well, with an error of communication."""

    def waited(document):
        failed(document)
        document["phases"][1]["error"] = {"type": "DistBackendError", "message": "remote closed"}

    document = put_together(rank(0, waited), rank(1, failed))
    assert document["phases"][1]["error"]["rank"] == 1
    assert document["merged"]["errors"] == [
        {"phase": 1, "rank": 0, "type": "DistBackendError", "message": "remote closed"}
    ]


def test_a_phase_without_an_end_on_one_rank_is_no_success_of_the_run():
    def unended(document):
        document["phases"].pop()

    killed = journal_bytes(rank(1)).split(b"\n")
    for other in (rank(1, unended), b"\n".join(killed[:4]) + b"\n"):
        document = put_together(rank(0), other)
        assert [phase["name"] for phase in document["phases"]] == ["model_load"]
        assert [phase["name"] for phase in document["unfinished"]] == ["serve"]
        reading = read(document)
        assert reading.runs[-1].outcome == "unknown"
        assert any(w.startswith("ranks_missing: serve") and "rank 1" in w for w in reading.warnings)


def test_a_failure_stands_where_the_other_ranks_were_killed():
    killed = b"\n".join(journal_bytes(rank(0)).split(b"\n")[:4]) + b"\n"
    document = put_together(killed, rank(1, failed))
    assert document["phases"][1]["outcome"] == "failure"
    assert [d["device"] for d in document["phases"][1]["devices"]] == ["cuda:1"]
    assert "unfinished" not in document


def test_the_nth_of_a_name_on_each_rank_is_one_phase():
    def again(document):
        document["phases"].append({**document["phases"][1], "index": 7})

    document = put_together(rank(0, again), rank(1, again))
    assert [(p["index"], p["name"]) for p in document["phases"]] == [
        (0, "model_load"),
        (1, "serve"),
        (2, "serve"),
    ]
    document = put_together(rank(0, again), rank(1))
    assert [p["name"] for p in document["phases"]] == ["model_load", "serve"]
    assert document["merged"]["missing"] == [
        {"name": "serve", "pass": "first", "ordering": "whole_loop", "ranks": [1]}
    ]


def test_a_first_pass_is_never_put_with_a_later_one():
    """C7."""
    later = rank(1, lambda d: d["phases"][1].update({"pass": "later"}))
    document = put_together(rank(0), later)
    assert [phase["name"] for phase in document["phases"]] == ["model_load"]
    assert len(document["unfinished"]) == 2


def test_an_enclosing_phase_is_kept():
    def inside(document):
        document["phases"][1]["parent"] = 0

    assert put_together(rank(0, inside), rank(1, inside))["phases"][1]["parent"] == 0
    assert "parent" not in put_together(rank(0, inside), rank(1))["phases"][1]


def test_an_output_that_one_rank_found_wrong_is_wrong():
    """C14."""
    wrong = {"status": "checked", "passed": False, "method": "sum"}
    other = rank(1, lambda d: d["phases"][1].update(output_check=wrong))
    check = put_together(rank(0), other)["phases"][1]["output_check"]
    assert (check["status"], check["passed"]) == ("checked", False)
    silent = rank(1, lambda d: d["phases"][1].pop("output_check"))
    check = put_together(rank(0), silent)["phases"][1]["output_check"]
    assert (check["status"], "passed" in check) == ("not_checked", False)


# --- Refusals -------------------------------------------------------------------------------------


def test_a_missing_rank_is_named_and_nothing_is_put_together():
    (told,) = refusal(rank(0, world=4), rank(1, world=4), rank(3, world=4))
    assert told == ("F552", "the run has 4 ranks, 3 are given; missing: 2")


def test_a_record_that_is_no_rank_is_refused():
    alone = rank(0, lambda d: d["series"].pop("rank"))
    assert [code for code, _ in refusal(alone, rank(1))] == ["F550"]
    assert [code for code, _ in refusal(rank(0, world=1))] == ["F550"]
    again = put_together(rank(0), rank(1))
    assert refusal(again, rank(1))[0][0] == "F550"


def test_ranks_of_two_runs_are_refused():
    other = rank(1, lambda d: d["series"].update(run="run-2"))
    (told,) = refusal(rank(0), other)
    assert told[0] == "F551"
    assert "r0.json of run-1" in told[1]
    assert "r1.json of run-2" in told[1]
    unnamed = rank(1, lambda d: d["series"].pop("run"))
    assert [code for code, _ in refusal(rank(0), unnamed)] == ["F551"]


def test_a_rank_given_twice_is_refused():
    other = rank(0, lambda d: d["series"]["process"].update(pid=1))
    assert refusal(rank(0), other)[0] == ("F553", "rank 0 stands twice: r0.json and r1.json")


@pytest.mark.parametrize(
    ("change", "path"),
    [
        (lambda d: d["workload"]["model"].update(name="other"), "workload.model.name"),
        (
            lambda d: d["environment"]["framework"].update(version="2.10"),
            "environment.framework.version",
        ),
        (
            lambda d: d["environment"]["allocator"].update(backend="x"),
            "environment.allocator.backend",
        ),
        (lambda d: d["series"].update(empty_cache="between_phases"), "series.empty_cache"),
        (lambda d: d.update(gpu="other-card"), "gpu"),
        (lambda d: d["series"]["rank"].update(world=3), "series.rank.world"),
    ],
)
def test_ranks_that_contradict_each_other_are_refused_with_both_names(change, path):
    """C7: series of different policies are never mixed."""
    (told,) = refusal(rank(0), rank(1, change))
    assert told[0] == "F554"
    assert told[1].startswith(path)
    assert "r0.json says" in told[1]
    assert "r1.json says" in told[1]


def test_what_only_some_ranks_say_is_left_out_and_told():
    """C2: nodes may differ in what belongs to none of the run's identity."""

    def elsewhere(document):
        document.update(machine="node-8")
        document["environment"]["driver"] = "590.1"
        del document["environment"]["os"]

    document = put_together(rank(0), rank(1, elsewhere))
    assert "machine" not in document
    assert not {"driver", "os"} & set(document["environment"])
    told = {each["path"] for each in document["merged"]["differs"]}
    assert told == {"/machine", "/environment/driver", "/environment/os"}


def test_two_ranks_on_one_device_are_refused():
    """C9."""
    same = rank(1, lambda d: d["environment"]["devices"][0].update(uuid="GPU-0"))
    assert [code for code, _ in refusal(rank(0), same)] == ["F555"]

    def nameless(document):
        document["environment"]["devices"][0].pop("uuid")

    assert [c for c, _ in refusal(rank(0, nameless, device=0), rank(1, nameless, device=0))] == [
        "F555"
    ]
    assert put_together(rank(0, nameless), rank(1, nameless))["phases"]


def test_one_uuid_tells_two_devices_of_one_name_not_apart():
    """C9: the other one may be that very card; a node of another name tells them apart."""

    def nameless(document):
        document["environment"]["devices"][0].pop("uuid")

    def elsewhere(document):
        nameless(document)
        document["series"]["rank"]["node"] = "1"

    for first, second in ((None, nameless), (nameless, None)):
        told = refusal(rank(0, first, device=0), rank(1, second, device=0))
        assert [code for code, _ in told] == ["F555"]
    assert put_together(rank(0, device=0), rank(1, elsewhere, device=0))["phases"]
    shouted = rank(1, lambda d: d["environment"]["devices"][0].update(uuid="gpu-0"))
    assert [code for code, _ in refusal(rank(0), shouted)] == ["F555"]


def test_a_run_on_two_devices_is_none_on_one_whatever_its_words_say():
    """C9, D6: each rank says one device; the load was on two, and covers no question of one."""

    def alone(document):
        document["workload"]["placement"]["devices"] = 1

    reading = read(put_together(rank(0, alone), rank(1, alone)))
    assert reading.facts["placement.devices"].value == "2"
    assert any(told.startswith("placement_differs: ") for told in reading.warnings)
    agreed = read(put_together(rank(0), rank(1)))
    assert agreed.facts["placement.devices"].address.path == "/workload/placement/devices"
    assert not any(told.startswith("placement_differs: ") for told in agreed.warnings)


def test_a_loop_without_a_phase_that_all_name_is_said_to_be_that():
    other = rank(1, lambda d: d["phases"][1].update(covers=["export"]))
    (told,) = [w for w in read(put_together(rank(0), other)).warnings if "ranks_missing" in w]
    assert "went through no phase that all ranks name" in told


def test_ranks_without_any_device_are_refused():
    def silent(document):
        for phase in document["phases"]:
            phase.pop("devices")
        only = document["environment"]["devices"][0]
        document["environment"]["devices"] = [only, {**only, "index": 9}]

    assert [code for code, _ in refusal(rank(0, silent), rank(1, silent))] == ["F556"]


def test_a_loop_covers_what_it_went_through_on_every_rank():
    less = rank(1, lambda d: d["phases"][1].update(covers=["decode", "prefill"]))
    assert put_together(rank(0), less)["phases"][1]["covers"] == ["prefill", "decode"]
    other = rank(1, lambda d: d["phases"][1].update(covers=["export"]))
    assert [p["name"] for p in put_together(rank(0), other)["phases"]] == ["model_load"]


def test_words_that_are_one_text_here_and_several_there_contradict_each_other():
    other = rank(1, lambda d: d["workload"].update(engine="vllm"))
    (told,) = refusal(rank(0), other)
    assert told[0] == "F554"
    assert told[1].startswith("workload.engine: ")


# --- Whatever the ranks say -----------------------------------------------------------------------


def places(value, path=()):
    """The path of every key and item of a document."""
    pairs = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in pairs:
        yield (*path, key)
        yield from places(item, (*path, key))


VALUES = st.sampled_from([0, 1, 7, "x", "cuda:3", "first", "later", "phased", [], {}, True])


@given(st.data())
def test_whatever_two_ranks_say_is_put_together_or_refused(data):
    """What is written is a record again, and no phase that one rank lacks is a success of the run."""
    documents = [rank(0), rank(1, failed if data.draw(st.booleans()) else None)]
    for document in documents:
        for _ in range(data.draw(st.integers(0, 3))):
            *path, last = data.draw(st.sampled_from(list(places(document))))
            inner = document
            for key in path:
                inner = inner[key]
            if data.draw(st.booleans()):
                del inner[last]
            else:
                inner[last] = data.draw(VALUES)
    codes = set()
    try:
        merged = put_together(*documents)
    except Refused as refused:
        codes = {told.code for told in refused.diagnostics}
        merged = None
    assert all(code.startswith(("F43", "F55")) for code in codes)
    if merged is not None:
        told = [run.outcome for run in read(merged).runs]
        seen = [[phase["outcome"] for phase in document["phases"]] for document in documents]
        assert told.count("success") <= min(each.count("success") for each in seen)
