"""`fiche diff`: two fiches, two documents, or one of each; texts, JSON, exit codes and refusals."""

import json
import shutil
from pathlib import Path

import jsonschema_rs
import pytest

from fiche import assets
from fiche.cli import diff_read

SAMPLE = Path(__file__).parents[2] / "samples" / "serving"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The sample, a copy with a longer limit case and a smaller budget, and both decisions."""
    found = tmp_path_factory.mktemp("diff")
    shutil.copytree(SAMPLE, found / "a")
    shutil.copytree(SAMPLE, found / "b")
    text = (found / "b" / "fiche.yaml").read_text(encoding="utf-8")
    for old, new in (("prompt_tokens: 5800", "prompt_tokens: 5900"), ("160 USD", "100 USD")):
        assert old in text
        text = text.replace(old, new)
    (found / "b" / "fiche.yaml").write_text(text, encoding="utf-8")
    return found


@pytest.fixture
def decisions(folder, fiche):
    for name in ("a", "b"):
        out = fiche("check", folder / name / "fiche.yaml", "--json").out
        (folder / f"{name}.json").write_text(out, encoding="utf-8")
    return folder / "a.json", folder / "b.json"


def valid(document):
    schema = json.loads(assets.schema_text("diff.schema.json"))
    assert list(jsonschema_rs.Draft202012Validator(schema).iter_errors(document)) == []
    return document


def fiches(folder):
    return folder / "a" / "fiche.yaml", folder / "b" / "fiche.yaml"


def test_two_fiches_say_what_changed_and_what_moved_what(fiche, folder):
    ended = fiche("diff", *fiches(folder))
    assert ended.code == 0, ended.err
    assert "~  cases.limit.prompt_tokens  5800 tokens -> 5900 tokens" in ended.out
    assert "~  budget  at_most 160 USD -> 100 USD" in ended.out
    assert "2 changes: 0 added + 0 removed + 2 changed + 0 renamed" in ended.out
    lines = " ".join(ended.out.split())
    moved = "rent-4090 memory, limit Admissible -> To confirm by workload cases.limit.prompt_tokens"
    assert moved in lines
    assert "rent-4090 budget Admissible -> Excluded by requirement budget" in lines
    assert "~  rent-4090      Retained, rank 1 -> Excluded" in ended.out


def test_json_is_of_its_schema_and_its_counts_add_up(fiche, folder):
    told = valid(fiche("diff", *fiches(folder), "--json").json())
    counts = told["counts"]
    assert counts["moved"] == len(told["verdicts"]) == 3
    assert counts["moved_alone"] == 3
    assert counts["verdicts"] == counts["moved"] + counts["stayed"] == 30
    assert counts["changes"] == counts["added"] + counts["removed"] + counts["changed"]
    assert told["rejudged"] is True
    (change,) = [c for c in told["changes"] if c["id"] == "requirement:budget"]
    assert {m["candidate"] for m in change["moves"]} == {"rent-4090", "rent-6000-ada"}


def test_a_fiche_and_itself_differ_in_nothing(fiche, folder, decisions):
    one = fiches(folder)[0]
    for other in (one, decisions[0]):
        ended = fiche("diff", one, other, "--exit-code")
        assert ended.code == 0
        assert "Nothing differs." in ended.out
        assert valid(fiche("diff", one, other, "--json").json())["empty"] is True


def test_a_verdict_changes_no_exit_code_unless_it_is_asked_for(fiche, folder):
    """Law 9: a gate is an option."""
    assert fiche("diff", *fiches(folder)).code == 0
    assert fiche("diff", *fiches(folder), "--exit-code").code == 3


def test_documents_are_compared_and_not_judged_again(fiche, folder, decisions):
    told = valid(fiche("diff", *decisions, "--json").json())
    assert told["rejudged"] is False
    assert {c["id"] for c in told["changes"]} == {
        "workload:cases.limit.prompt_tokens",
        "requirement:budget",
    }
    by = {(m["candidate"], m["requirement"]): (m["how"], m["by"]) for m in told["verdicts"]}
    assert by["rent-4090", "budget"] == ("named", ["requirement:budget"])
    assert by["rent-4090", "memory"] == ("named", ["workload:cases.limit.prompt_tokens"])
    text = fiche("diff", *decisions).out
    assert "Nothing was judged again" in text


def test_what_is_out_of_date_names_the_date(fiche, folder, decisions, tmp_path):
    """Judged again or not: a quote that ended meanwhile is a matter of the date."""
    shutil.copytree(folder / "a", tmp_path / "c")
    path = tmp_path / "c" / "fiche.yaml"
    text = path.read_text(encoding="utf-8").replace("date: 2026-11-29", "date: 2026-12-20", 1)
    path.write_text(text, encoding="utf-8")
    for first, how in ((fiches(folder)[0], "alone"), (decisions[0], "named")):
        told = fiche("diff", first, path, "--json").json()
        causes = {(m["how"], tuple(m["by"])) for m in told["verdicts"]}
        assert causes == {(how, ("fiche:date",))}
    assert "by the date" in fiche("diff", fiches(folder)[0], path).out


def test_a_fiche_beside_a_decision_says_the_same(fiche, folder, decisions):
    mixed = fiche("diff", decisions[0], fiches(folder)[1], "--json").json()
    both = fiche("diff", *decisions, "--json").json()
    assert mixed["before"]["kind"] == "decision"
    assert mixed["after"]["kind"] == "fiche"
    assert (mixed["changes"], mixed["verdicts"]) == (both["changes"], both["verdicts"])


def test_the_mirror_shows_the_same_changes(fiche, folder):
    there = fiche("diff", *fiches(folder), "--json").json()
    back = fiche("diff", *reversed(fiches(folder)), "--json").json()
    assert [c["id"] for c in there["changes"]] == [c["id"] for c in back["changes"]]
    assert [(m["before"], m["after"]) for m in there["verdicts"]] == [
        (m["after"], m["before"]) for m in back["verdicts"]
    ]


def test_a_candidate_that_went_takes_one_row(fiche, folder, tmp_path):
    shutil.copytree(folder / "a", tmp_path / "c")
    path = tmp_path / "c" / "fiche.yaml"
    lines = path.read_text(encoding="utf-8").split("\n")
    kept = [line for line in lines if "id: own-4080" not in line]
    assert len(kept) == len(lines) - 1
    path.write_text("\n".join(kept), encoding="utf-8")
    text = " ".join(fiche("diff", folder / "a" / "fiche.yaml", path).out.split())
    assert "- own-4080 10 verdicts of the candidate" in text
    assert "with the candidate" in text
    assert "own-4080 Excluded -> not there" in text


def test_text_fits_its_terminal_and_has_no_control_characters(fiche, folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "72")
    out = fiche("diff", *fiches(folder)).out
    assert max(map(len, out.split("\n")[3:])) <= 72
    assert "\x1b" not in out


# --- Refusals -----------------------------------------------------------------------------------


def refusal(fiche, path, folder):
    ended = fiche("diff", path, fiches(folder)[0])
    assert ended.code == 2
    assert ended.out == ""
    return ended.err


@pytest.mark.parametrize(
    "content", ["", "  \n", '{"a": 1}', "[1, 2]", '{"format": "other/1"}', "\0\0"]
)
def test_f640_neither_a_fiche_nor_a_decision(fiche, folder, tmp_path, content):
    path = tmp_path / "x"
    path.write_text(content, encoding="utf-8")
    assert refusal(fiche, path, folder).startswith("F640 ")


def test_f641_a_decision_of_another_form(fiche, folder, tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"format": "fiche-decision/2"}', encoding="utf-8")
    assert "F641" in (told := refusal(fiche, path, folder))
    assert "'fiche-decision/2', not 'fiche-decision/1'" in told


@pytest.mark.parametrize("cut", [1, 1000, 30000])
def test_f642_json_that_was_cut(fiche, folder, decisions, tmp_path, cut):
    path = tmp_path / "cut.json"
    path.write_bytes(decisions[0].read_bytes()[:cut])
    assert "F642" in (told := refusal(fiche, path, folder))
    assert "it ends in the middle" in told


def test_f642_json_that_is_nested_too_deep(fiche, folder, tmp_path):
    path = tmp_path / "deep.json"
    path.write_text("[" * 200_000, encoding="utf-8")
    assert "F642" in refusal(fiche, path, folder)


def test_f643_a_file_that_is_too_long(fiche, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(diff_read, "LIMIT", 2**20)
    path = tmp_path / "long.json"
    path.write_bytes(b" " * (2**20 + 1))
    assert "F643" in (told := refusal(fiche, path, folder))
    assert "longer than 1 MiB" in told


@pytest.mark.parametrize(
    ("place", "value", "told"),
    [
        (("findings",), None, "/findings is not a list"),
        (("findings", 0, "verdict"), 3, "/findings/0/verdict is not a text"),
        (("workload", "cases"), {}, "/workload/cases is not a list"),
        (("candidates", 0, "rank"), True, "/candidates/0/rank is not a whole number"),
        (("policy",), "neutral", "/policy is not an object"),
    ],
)
def test_f644_a_decision_without_what_is_compared(
    fiche, folder, decisions, tmp_path, place, value, told
):
    document = json.loads(decisions[0].read_bytes())
    here = document
    for step in place[:-1]:
        here = here[step]
    here[place[-1]] = value
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert f"F644 '{path}' lacks what a decision has: {told}" in refusal(fiche, path, folder)


def test_a_key_that_is_missing_is_named(fiche, folder, decisions, tmp_path):
    document = json.loads(decisions[0].read_bytes())
    del document["pieces"][0]["sha256"]
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert "/pieces/0/sha256 is missing" in refusal(fiche, path, folder)


def test_a_fiche_with_a_mistake_is_refused_as_by_check(fiche, folder, tmp_path):
    shutil.copytree(folder / "a", tmp_path / "c")
    path = tmp_path / "c" / "fiche.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("title:", "titel:"), encoding="utf-8")
    ended = fiche("diff", folder / "a" / "fiche.yaml", path)
    assert ended.code == 2
    assert f"{path}:" in ended.err
    assert "F301" in ended.err


def test_a_file_that_is_not_there(fiche, folder, tmp_path):
    assert "F318" in refusal(fiche, tmp_path / "none.yaml", folder)
    assert "F318" in refusal(fiche, tmp_path, folder)


def test_hostile_words_reach_no_terminal(fiche, folder, decisions, tmp_path):
    document = json.loads(decisions[0].read_bytes())
    document["title"] = "\x1b[31mred\x07"
    document["requirements"][0]["id"] = "a\x1b[2Jb"
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    out = fiche("diff", decisions[0], path).out
    assert "\x1b" not in out
    assert "\x07" not in out
