"""From a path to a Fiche: three stages, one folder, the same bytes wherever it lies (law 3, law 5)."""

import shutil

import pytest
from loading import Importers, fiche_of, loaded, refusals, text_of

from fiche.kernel.diagnostic import Refused
from fiche.kernel.record import field_names
from fiche.load.fiche import load_fiche

SECTIONS = """language: fr
illustrative: "a worked example"
catalogs: [offers/november.yaml]
workload:
  model: {name: llama, parameters: 8030261248}
  cases: [{id: limit, role: limit, prompt_tokens: 7900}]
pieces:
  - id: quote-17
    file: evidence/quote.txt
    kind: quote
    attests: [{fact: price, amount: 47.14 USD, quote: 47.14 USD}]
invalidated_by: ["a window longer than 8192 tokens"]
decision: {chosen: none, by: A. Martin, role: engineer, because: waiting}
"""
FILES = {
    "offers/november.yaml": "offers: 1\nlist: [{id: o, seller: s, kind: rent, gpu: nvidia-l4-24g, "
    "price: {amount: 1 USD}}]\n",
    "evidence/quote.txt": "Price 47.14 USD\n",
}


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "one"
    for name, content in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    (root / "chat.yaml").write_text(text_of(SECTIONS))
    return root


def shown(value):
    """A value with its figures, which compare by identity."""
    if field_names(value):
        return {name: shown(getattr(value, name)) for name in field_names(value)}
    if isinstance(value, tuple | list):
        return [shown(one) for one in value]
    if isinstance(value, dict):
        return {key: shown(one) for key, one in value.items()}
    return value


def test_the_head_of_a_fiche_is_kept_as_written():
    fiche = fiche_of(SECTIONS, files=FILES)
    assert (fiche.title, fiche.date, fiche.author) == ("A test", "2026-11-29", "A. Martin")
    assert (fiche.language, fiche.illustrative, fiche.file) == (
        "fr",
        "a worked example",
        "fiche.yaml",
    )
    assert [fact.value for fact in fiche.invalidated_by] == ["a window longer than 8192 tokens"]
    assert (fiche.choice.chosen, fiche.choice.by) == ("none", "A. Martin")
    assert (fiche.choice.role, fiche.choice.because) == ("engineer", "waiting")


def test_two_folders_give_the_same_fiche(folder, tmp_path):
    """Law 5: file names are relative to the fiche's folder, with forward slashes."""
    shutil.copytree(folder, tmp_path / "two" / "deep")
    one = load_fiche(folder / "chat.yaml", Importers(()))
    two = load_fiche(tmp_path / "two" / "deep" / "chat.yaml", Importers(()))
    assert shown(one.fiche) == shown(two.fiche)
    assert one.contents == two.contents
    assert [i.file for i in one.fiche.inputs] == [
        "chat.yaml",
        "fiche:policies/neutral.yaml",
        "offers/november.yaml",
        "fiche:catalog/nvidia.yaml",
        "fiche:catalog/sources.yaml",
        "evidence/quote.txt",
    ]


def test_a_folder_of_the_disk_reads_as_one_in_memory(folder):
    (folder / "chat.yaml").rename(folder / "fiche.yaml")
    on_disk = load_fiche(folder / "fiche.yaml", Importers(()))
    in_memory = loaded(text_of(SECTIONS), FILES)
    assert shown(in_memory.fiche) == shown(on_disk.fiche)


def test_a_refusal_names_the_folder_as_typed(folder):
    (folder / "bad.yaml").write_text("fiche: 1\n")
    with pytest.raises(Refused) as caught:
        load_fiche(folder / "bad.yaml", Importers(()))
    assert caught.value.folder == str(folder)
    assert {d.address.file for d in caught.value.diagnostics} == {"bad.yaml"}


def test_a_fiche_that_is_not_there_is_refused_without_a_place(tmp_path):
    with pytest.raises(Refused) as caught:
        load_fiche(tmp_path / "gone.yaml", Importers(()))
    (one,) = caught.value.diagnostics
    assert (one.code, one.address) == ("F318", None)
    assert str(tmp_path / "gone.yaml") in one.message


def test_a_stage_that_fails_stops_the_next():
    """Law 4: YAML, then shape, then meaning; all of a stage at once."""
    faulty = "workload: {seed: &x 1, sed: 1}\nmargin:\n  - {id: m, value: 24 GiB}\n"
    wrong_card = "candidates:\n  - {id: a, gpu: my-card, cards: 1}\n"
    assert refusals(faulty, candidates=wrong_card) == [("F105", 5, 18)]
    shape = faulty.replace("&x ", "")
    assert [code for code, _, _ in refusals(shape, candidates=wrong_card)] == ["F301", "F311"]
    meaning = "pieces:\n  - {id: p, file: gone.json}\npolicy: lenient\n"
    found = [code for code, _, _ in refusals(meaning, candidates=wrong_card)]
    assert found == ["F318", "F505", "F308"]


def test_a_choice_is_a_candidate_or_none():
    line = "decision: {{chosen: {}, by: A, because: x}}\n"
    assert fiche_of(line.format("a")).choice.chosen == "a"
    assert fiche_of().choice is None
    assert [code for code, _, _ in refusals(line.format("b"))] == ["F307"]


def test_the_smallest_fiche_is_five_keys():
    """A first fiche must be writable in ten minutes: what is absent is no error."""
    fiche = fiche_of(head="fiche: 1\ntitle: t\ndate: 2026-11-29\n")
    assert fiche.author == ""
    assert (fiche.pieces, fiche.requirements, fiche.invalidated_by) == ((), (), ())


def test_carriage_returns_and_a_byte_order_mark_change_nothing():
    text = text_of(SECTIONS)
    plain = loaded(text, FILES).fiche
    windows = loaded("\ufeff" + text.replace("\n", "\r\n"), FILES).fiche
    assert shown(plain.workload) == shown(windows.workload)
    assert shown(plain.candidates) == shown(windows.candidates)


@pytest.mark.parametrize("kind", ["policy", "catalog", "offers"])
def test_a_file_of_another_kind_is_told_as_such(kind):
    with pytest.raises(Refused) as caught:
        loaded(f"# a comment\n{kind}: 1\nlist: []\n")
    (one,) = caught.value.diagnostics
    assert (one.code, str(one.address)) == ("F315", "fiche.yaml:2:1")
