"""`fiche diff` of what stands beside the verdicts: the choice, similar orders, the buyer, plans (law 8, E1)."""

import json
import shutil
from pathlib import Path

import pytest
import yaml

SAMPLES = Path(__file__).parents[2] / "samples"
# One thing of each kind that no verdict hangs on, and how it is named.
CHANGES = [
    ("committee", "9900.00 EUR", "9990.00 EUR", "similar_orders", "storage-2025.amount"),
    ("committee", "id: cards-2026", "id: cards-june", "similar_orders", "cards-june.amount"),
    ("committee", "reservation: true", "reservation: false", "choice", "opinions.P. Vidal.reservation"),
    ("committee", "lots: 2", "lots: 3", "choice", "order.lots"),
    ("committee", "name: C. Laurent, role", "name: C. L., role", "choice", "head of the laboratory.name"),
    ("committee", "project CORPUS-32", "project CORPUS-33", "purchase", "budget_line"),
    ("committee", "tax_recovery: 0 %", "tax_recovery: 50 %", "purchase", "recovery"),
    ("committee", "currency: EUR\n", "", "purchase", "currency"),
    ("buy-or-rent", "value: 60 %, by", "value: 70 %, by", "plans", "utilisation"),
    ("buy-or-rent", "term: TDP", "term: TGP", "plans", "term"),
]  # fmt: skip


def copied(sample, tmp_path):
    shutil.copytree(SAMPLES / sample, tmp_path / sample)
    path = tmp_path / sample / "fiche.yaml"
    return path, path.read_text(encoding="utf-8")


def changed(fiche, one, other):
    """Kinds with the names of what differs in them, both ways of comparing."""
    told = json.loads(fiche("diff", one, other, "--json").out)["changes"]
    return {each["kind"]: {detail["name"] for detail in each["details"]} for each in told}


@pytest.mark.parametrize("document", [False, True], ids=["fiches", "a decision"])
@pytest.mark.parametrize(("sample", "old", "new", "kind", "name"), CHANGES, ids=str)
def test_what_no_verdict_hangs_on_is_told(fiche, tmp_path, sample, old, new, kind, name, document):
    """A decision.json and a fiche say it as two fiches do: neither passes over it in silence."""
    path, text = copied(sample, tmp_path)
    assert old in text
    other = path.with_name("other.yaml")
    other.write_text(text.replace(old, new), encoding="utf-8")
    first = path
    if document:
        first = path.with_name("decision.json")
        first.write_text(fiche("check", path, "--json").out, encoding="utf-8")
    found = changed(fiche, first, other)
    assert set(found) == {kind}
    assert any(each.endswith(name) for each in found[kind])


@pytest.mark.parametrize("sample", ["committee", "buy-or-rent"])
def test_the_order_of_no_list_of_things_is_a_change(fiche, tmp_path, sample):
    """Opinions, interests, signatures, similar orders, what pieces attest, each turned round."""
    path, text = copied(sample, tmp_path)
    tree = yaml.compose(text)
    for node in _lists(tree):
        if all(isinstance(each, yaml.MappingNode) for each in node.value):
            node.value.reverse()
    other = path.with_name("other.yaml")
    other.write_text(yaml.serialize(tree, width=10_000), encoding="utf-8")
    assert other.read_text(encoding="utf-8") != text
    first = path.with_name("decision.json")
    first.write_text(fiche("check", path, "--json").out, encoding="utf-8")
    assert changed(fiche, path, other) == {}
    assert changed(fiche, first, other) == {}


def _lists(node):
    if isinstance(node, yaml.SequenceNode):
        yield node
        for each in node.value:
            yield from _lists(each)
    elif isinstance(node, yaml.MappingNode):
        for _, each in node.value:
            yield from _lists(each)


@pytest.mark.parametrize("broken", [3, "words", [1], {"similar_orders": 5}, [{"inputs": [[]]}]])
@pytest.mark.parametrize("key", ["ownership", "procedure", "buyer", "currency"])
def test_another_versions_words_there_are_no_defect(fiche, tmp_path, key, broken):
    path, _ = copied("committee", tmp_path)
    document = json.loads(fiche("check", path, "--json").out)
    other = path.with_name("other.json")
    other.write_text(json.dumps({**document, key: broken}), encoding="utf-8")
    assert fiche("diff", path, other).code == 0
