"""`fiche new --from`: a fiche started from what was measured says what the record says, no more (C2, C13)."""

import hashlib
import json
from pathlib import Path

import pytest
from importers.ranks import rank
from importers.records import FAILED, RECORD, document_bytes, record

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture
def write(tmp_path):
    def one(name, document):
        path = tmp_path / name
        path.write_bytes(document if isinstance(document, bytes) else document_bytes(document))
        return path

    return one


def complete(document):
    """A record that says all that the memory criterion compares, of a loop from its first pass."""
    document["workload"]["attention"] = "sdpa"
    document["phases"][1].update({"pass": "first", "covers": ["model_load", "prefill", "decode"]})


def checked(fiche, path):
    """What `fiche check` says of it: no error of form, whatever is open."""
    ended = fiche("check", path, "--json")
    assert (ended.code, ended.err) == (0, ""), ended.err
    return ended.json()


def text_of(path):
    return (path / "fiche.yaml").read_text("utf-8")


def test_the_record_is_copied_untouched_and_pinned(fiche, write, tmp_path):
    """C13."""
    given = write("m.json", record(complete))
    ended = fiche("new", "--from", given, tmp_path / "mine")
    assert (ended.code, ended.err) == (0, "")
    copy = tmp_path / "mine" / "evidence" / "m.json"
    assert ended.out.splitlines() == [str(tmp_path / "mine" / "fiche.yaml"), str(copy)]
    assert copy.read_bytes() == given.read_bytes()
    assert hashlib.sha256(given.read_bytes()).hexdigest() in text_of(tmp_path / "mine")


def test_its_own_case_is_covered_by_its_own_record(fiche, write, tmp_path):
    """The round trip: what ran whole answers for the load that it ran, on the machine that ran it."""
    fiche("new", "--from", write("m.json", record(complete)), tmp_path / "mine")
    checked(fiche, tmp_path / "mine" / "fiche.yaml")
    out = tmp_path / "out"
    assert fiche("report", tmp_path / "mine/fiche.yaml", "-o", out, "--formats", "json").code == 0
    decision = json.loads((out / "decision.json").read_text("utf-8"))
    (memory,) = [each for each in decision["findings"] if each["requirement"] == "memory"]
    assert (memory["case"], memory["verdict"], memory["pieces"]) == (
        "measured",
        "admissible",
        ["m"],
    )
    (candidate,) = decision["candidates"]
    assert candidate["status"] == "to_confirm"  # which quality must hold, nobody has said


@pytest.mark.parametrize("name", ["run-limit.json", "run-short.json", "phases-limit.json"])
def test_records_of_the_sample_make_a_fiche(fiche, tmp_path, name):
    path = SAMPLES / "serving" / "evidence" / name
    assert fiche("new", "--from", path, tmp_path / "mine").code == 0
    found = checked(fiche, tmp_path / "mine" / "fiche.yaml")
    assert [each["id"] for each in found["candidates"]] == ["measured"]


def test_what_ran_phase_by_phase_admits_nothing(fiche, tmp_path):
    """C8."""
    fiche("new", "--from", SAMPLES / "serving/evidence/phases-limit.json", tmp_path / "mine")
    assert "admits nothing" in text_of(tmp_path / "mine")
    out = tmp_path / "out"
    fiche("report", tmp_path / "mine/fiche.yaml", "-o", out, "--formats", "json")
    decision = json.loads((out / "decision.json").read_text("utf-8"))
    (memory,) = [each for each in decision["findings"] if each["requirement"] == "memory"]
    assert memory["verdict"] == "to_confirm"


def test_nothing_is_said_that_the_record_does_not_say(fiche, write, tmp_path):
    """C2: gaps are named in a comment and stay conditions."""

    def bare(document):
        document["workload"] = {"model": {"name": "x"}}
        del document["machine"], document["series"]["seed"]
        document["environment"] = {
            key: document["environment"][key] for key in ("framework", "backend", "devices")
        }

    fiche("new", "--from", write("m.json", record(bare)), tmp_path / "mine")
    checked(fiche, tmp_path / "mine" / "fiche.yaml")
    text = text_of(tmp_path / "mine")
    workload = text.partition("\nworkload:")[2].partition("  cases:")[0]
    said = [line for line in workload.splitlines() if line and not line.strip().startswith("#")]
    assert said == [
        "  model: {name: x}",
        "  backend: cuda",
        "  process: one fresh process per series",
        "  framework: {name: torch, version: 2.11.0+cu128}",
    ]
    gaps = workload.partition("No record says")[2]
    for path in (
        "model.revision",
        "operation",
        "formats.storage",
        "attention",
        "placement.devices",
    ):
        assert path in gaps
    assert "machine" not in text.partition("candidates:")[2]


def test_the_dimensions_are_those_executed_and_not_those_asked_for(fiche, write, tmp_path):
    """A3: 7912 tokens ran where 7900 were declared."""
    fiche("new", "--from", write("m.json", record(complete)), tmp_path / "mine")
    (case,) = [
        line for line in text_of(tmp_path / "mine").splitlines() if "id: measured, role" in line
    ]
    assert "prompt_tokens: 7912, new_tokens: 292, resident_sequences: 4" in case
    assert "phases: [model_load, prefill, decode]" in case


def test_the_largest_load_that_ran_whole_is_the_case(fiche, write, tmp_path):
    def more(document):
        complete(document)
        small = json.loads(json.dumps(document["phases"][1]))
        small.update(
            index=2, executed={"prompt_tokens": 100, "new_tokens": 1, "resident_sequences": 1}
        )
        document["phases"].append(small)

    fiche("new", "--from", write("m.json", record(more)), tmp_path / "mine")
    assert text_of(tmp_path / "mine").count("id: measured, role") == 1
    assert "prompt_tokens: 7912" in text_of(tmp_path / "mine")


def test_a_failure_beside_a_success_is_a_comment(fiche, write, tmp_path):
    """C11: it was observed, and is no load that somebody asked to answer for."""

    def both(document):
        complete(document)
        document["phases"].append(FAILED)

    fiche("new", "--from", write("m.json", record(both)), tmp_path / "mine")
    assert (
        "    # - {id: failed, role: limit, resident_sequences: 64}  # failed in decode"
        in text_of(tmp_path / "mine")
    )


def test_a_load_that_only_failed_is_the_case(fiche, write, tmp_path):
    def only(document):
        document["phases"] = [FAILED]

    fiche("new", "--from", write("m.json", record(only)), tmp_path / "mine")
    assert "- {id: failed, role: limit, resident_sequences: 64}  # this load failed" in text_of(
        tmp_path / "mine"
    )
    checked(fiche, tmp_path / "mine" / "fiche.yaml")


def test_a_record_without_any_executed_dimension_asks_for_them(fiche, write, tmp_path):
    def silent(document):
        for phase in document["phases"]:
            phase.pop("executed")

    fiche("new", "--from", write("m.json", record(silent)), tmp_path / "mine")
    assert "No record says what was executed" in text_of(tmp_path / "mine")
    checked(fiche, tmp_path / "mine" / "fiche.yaml")


def test_one_rank_makes_a_fiche_that_it_does_not_admit(fiche, write, tmp_path):
    """C9."""
    fiche("new", "--from", write("r1.json", rank(1)), tmp_path / "mine")
    assert "one rank of several" in text_of(tmp_path / "mine")
    found = checked(fiche, tmp_path / "mine" / "fiche.yaml")
    assert [each["status"] for each in found["candidates"]] == ["to_confirm"]
    assert "cards: 2" in text_of(tmp_path / "mine")


def test_several_records_are_several_pieces_and_their_differences_are_told(fiche, write, tmp_path):
    phased = record(
        lambda d: (complete(d), d["workload"].update(attention="eager"), d["phases"].pop())
    )
    names = [write("m.json", phased), write("m.whole.json", record(complete))]
    fiche("new", "--from", names[0], "--from", names[1], "--from", names[0], tmp_path / "mine")
    text = text_of(tmp_path / "mine")
    assert text.count("sha256:") == 2
    assert "# attention: the records differ: eager, sdpa" in text
    checked(fiche, tmp_path / "mine" / "fiche.yaml")


def test_a_journal_is_a_record_too(fiche, write, tmp_path):
    from importers.records import journal_bytes

    given = write("m.json.journal", journal_bytes(record(complete)))
    assert fiche("new", "--from", given, tmp_path / "mine").code == 0
    assert (tmp_path / "mine" / "evidence" / "m.json.journal").is_file()


def test_the_folder_is_named_after_the_record_where_none_is_named(
    fiche, write, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    fiche("new", "--from", write("m.whole.json", record(complete)))
    assert (tmp_path / "m" / "fiche.yaml").is_file()


# --- The card -------------------------------------------------------------------------------------


def unnamed(name):
    def change(document):
        complete(document)
        del document["gpu"]
        document["environment"]["devices"][0]["name"] = name

    return change


def test_the_card_that_a_device_prints_is_the_candidate_and_the_piece_asks_who_vouches(
    fiche, write, tmp_path
):
    """The record prints a name, not an id: the candidate is known, the scope of the piece is not."""
    given = write("m.json", record(unnamed("NVIDIA GeForce RTX 4090")))
    assert fiche("new", "--from", given, tmp_path / "mine").code == 0
    text = text_of(tmp_path / "mine")
    assert "gpu: nvidia-rtx-4090-24g, cards: 1" in text
    assert "# scope: {gpu: nvidia-rtx-4090-24g, by: }" in text
    found = checked(fiche, tmp_path / "mine" / "fiche.yaml")
    assert [each["status"] for each in found["candidates"]] == ["to_confirm"]


def test_a_card_that_nobody_knows_is_asked_for(fiche, write, tmp_path):
    given = write("m.json", record(unnamed("Some Card 9000")))
    ended = fiche("new", "--from", given, tmp_path / "mine")
    assert ended.code == 2
    assert "F557" in ended.err
    assert "Some Card 9000" in ended.err
    assert not (tmp_path / "mine").exists()
    assert (
        fiche("new", "--from", given, "--gpu", "nvidia-h100-pcie-80g", tmp_path / "mine").code == 0
    )
    assert "gpu: nvidia-h100-pcie-80g" in text_of(tmp_path / "mine")


# --- Refusals -------------------------------------------------------------------------------------


def test_nothing_is_written_over(fiche, write, tmp_path):
    """C10: and nothing half."""
    given = write("m.json", record(complete))
    fiche("new", "--from", given, tmp_path / "mine")
    before = text_of(tmp_path / "mine")
    ended = fiche("new", "--from", given, tmp_path / "mine")
    assert (ended.code, "F610" in ended.err) == (2, True)
    assert text_of(tmp_path / "mine") == before
    assert fiche("new", "--from", given, tmp_path / "mine", "--force").code == 0
    other = write("m.json", record(lambda d: (complete(d), d["series"].update(seed=7))))
    assert fiche("new", "--from", other, tmp_path / "mine", "--force").code == 0
    assert len(list((tmp_path / "mine" / "evidence").iterdir())) == 2


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"{}", "F431"), (b"no record", "F430"), (document_bytes(RECORD)[:200], "F438")],
)
def test_what_is_no_record_starts_nothing(fiche, write, tmp_path, content, code):
    ended = fiche("new", "--from", write("m.json", content), tmp_path / "mine")
    assert (ended.code, code in ended.err) == (2, True)
    assert not (tmp_path / "mine").exists()


def test_a_card_without_a_record_is_refused(fiche, tmp_path):
    ended = fiche("new", tmp_path / "mine", "--gpu", "nvidia-h100-pcie-80g")
    assert (ended.code, "F702" in ended.err) == (2, True)
    assert not (tmp_path / "mine").exists()


def test_a_date_with_two_readings_starts_nothing(fiche, write, tmp_path):
    given = write("m.json", record(complete))
    ended = fiche("new", "--from", given, tmp_path / "mine", "--date", "03/11/2026")
    assert (ended.code, "F207" in ended.err) == (2, True)
    assert not (tmp_path / "mine").exists()


def test_hostile_words_of_a_record_are_texts(fiche, write, tmp_path):
    """Law 7: a record is data."""

    def hostile(document):
        complete(document)
        document["workload"]["model"]["name"] = 'x"}\n  evil: {a: b'
        document["workload"]["engine"]["name"] = "yes: [no"

    fiche("new", "--from", write("m.json", record(hostile)), tmp_path / "mine")
    checked(fiche, tmp_path / "mine" / "fiche.yaml")
    assert 'name: "yes: [no"' in text_of(tmp_path / "mine")
    (told,) = [line for line in text_of(tmp_path / "mine").splitlines() if "evil" in line]
    assert told.startswith("  # The records also say")


def test_another_card_than_the_records_name_did_not_run_it(fiche, tmp_path):
    """D7: the candidate is where it ran; a card to examine is one more."""
    record = SAMPLES / "serving" / "evidence" / "run-limit.json"
    ended = fiche("new", "--from", record, "--gpu", "nvidia-t4-16g", tmp_path / "chat")
    assert (ended.code, ended.err[:5]) == (2, "F557 ")
    assert "nvidia-rtx-4090-24g of their card" in ended.err
    assert list(tmp_path.iterdir()) == []
    told = fiche("new", "--from", record, "--gpu", "nvidia-rtx-4090-24g", tmp_path / "chat")
    assert told.code == 0
