"""Which fiche a decision is of, by which rules, and until when it holds (law 5)."""

import json
import uuid

import pytest
from render.pages import NAMES, decision
from samples.test_samples import COMPLETE, decided

from fiche.kernel.record import replace
from fiche.render._identity import fiche_id, valid_until
from fiche.render.json import decision_document


def test_the_same_bytes_have_the_same_id_in_every_language():
    fiche = decision("rich").fiche
    assert uuid.UUID(fiche_id(fiche)).version == 5
    assert fiche_id(fiche) == fiche_id(replace(fiche, language="fr"))
    assert fiche_id(fiche) == fiche_id(replace(fiche, inputs=fiche.inputs[::-1]))


def test_another_byte_of_an_input_is_another_fiche():
    fiche = decision("rich").fiche
    one = replace(fiche.inputs[0], sha256="0" * 64)
    assert fiche_id(fiche) != fiche_id(replace(fiche, inputs=(one, *fiche.inputs[1:])))


def test_no_two_samples_share_an_id():
    assert len({fiche_id(decided(name).fiche) for name in COMPLETE}) == len(COMPLETE)


@pytest.mark.parametrize("name", ["serving", "committee", "guide"])
def test_it_holds_until_the_first_day_on_which_something_ends(name):
    made = decided(name)
    told = valid_until(made)
    days = [one.day for one in made.invalidations if one.kind in ("offer_ends", "piece_ends")]
    assert bool(told) >= bool(days)
    if told:
        assert told[0] == min([told[0], *days])
        assert told[1:]


@pytest.mark.parametrize("name", NAMES)
def test_the_rule_and_its_digest_are_told(name):
    rules = decision_document(decision(name))["rules"]
    assert len(rules["sha256"]) == 64
    assert next(row["reason_code"] for row in rules["decision_rule"]) == "conflict"
    assert rules["policy_sha256"] == decision(name).fiche.policy.sha256


def test_environments_name_the_pieces_that_print_them():
    made = decided("serving")
    document = json.loads(json.dumps(decision_document(made)))
    pieces = {piece["id"] for piece in document["pieces"]}
    for told in document["environment"]:
        assert set(told["pieces"]) <= pieces
        assert len(told) > 1
    assert document["environment"][0]["torch"] == "2.11.0+cu128"
