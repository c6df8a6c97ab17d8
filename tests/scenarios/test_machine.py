"""Machine and software through files and bytes: a card's name and memory never admit the server (D3)."""

import pytest
from scenarios.story import GPU, MACHINE, asked, files, found, judged, record, status, verdict

LIST = (
    "Order confirmation 41\nmachine node-7\nNVIDIA driver 610.62 installed\nECC Mode: Enabled\n"
    "2 TB NVMe for the customer\nManaged PostgreSQL included\nNVLink bridge between both cards\n"
    "128 GiB of main memory\n"
)
ATTESTS = {
    "driver": {
        "fact": "software",
        "component": "driver",
        "version": "610.62",
        "quote": "driver 610.62 installed",
    },
    "ecc": {"fact": "ecc", "state": "on", "quote": "ECC Mode: Enabled"},
    "disk": {"fact": "disk", "value": "2 TB", "type": "NVMe", "quote": "2 TB NVMe"},
    "database": {
        "fact": "service",
        "service": "managed PostgreSQL",
        "quote": "Managed PostgreSQL included",
    },
    "link": {"fact": "interconnect", "link": "NVLink", "between": "all", "quote": "NVLink bridge"},
    "ram": {"fact": "host_memory", "value": "128 GiB", "quote": "128 GiB of main memory"},
}
MUSTS = {
    "driver": {"kind": "software", "component": "driver", "specifier": ">=550.54,!=555.*"},
    "ecc": {"kind": "ecc", "state": "on"},
    "disk": {"kind": "disk", "at_least": "2 TB", "type": "NVMe"},
    "database": {"kind": "service", "service": "managed PostgreSQL"},
    "link": {"kind": "interconnect", "link": "NVLink", "between": "0-1"},
    "ram": {"kind": "host_memory", "at_least": "128 GiB"},
}
OF_CARD = {
    "torch": {"kind": "software", "component": "torch", "specifier": ">=2.4,<3"},
    "ada": {"kind": "compute_capability", "at_least": "8.9", "gfx": ["gfx942"]},
    "slots": {"kind": "form_factor", "one_of": ["PCIe triple-slot", "PCIe dual-slot"]},
    "place": {"kind": "placement"},
}


def story(attests=ATTESTS, scope=None, **changes):
    """The admissible story with every must of its machine, and the paper that attests them."""
    fiche = asked()
    musts = {**MUSTS, **OF_CARD, **changes}
    fiche["requirements"] += [{"id": id, "level": "must", **must} for id, must in musts.items()]
    fiche["pieces"].append(
        {
            "id": "order",
            "file": "order.txt",
            "kind": "document",
            "scope": scope or {"machine": MACHINE},
            "attests": list(attests.values()),
        }
    )
    return fiche


def told(tmp_path, fiche, **changes):
    return judged(tmp_path, fiche, {**files(**changes), "order.txt": LIST})


def test_each_is_admissible_on_its_piece(tmp_path):
    made = told(tmp_path, story())
    for id in (*MUSTS, *OF_CARD):
        assert verdict(made, id) == "admissible", id
    assert all(found(made, id)["pieces"] == ["order"] for id in MUSTS)
    assert found(made, "torch")["pieces"] == ["run"]
    assert status(made) == "retained"
    assert found(made, "ada")["sources"]
    assert "expected_piece" not in found(made, "ada")


@pytest.mark.parametrize("scope", [{"gpu": GPU}, {"machine": "node-8"}])
def test_a_sheet_of_the_card_or_of_another_machine_leaves_it_to_confirm(tmp_path, scope):
    made = told(tmp_path, story(scope=scope))
    for id in MUSTS:
        assert verdict(made, id) == "to_confirm", id
        assert found(made, id)["expected_piece"]
        assert found(made, id)["condition"]
    assert status(made) == "to_confirm"


@pytest.mark.parametrize("id", list(MUSTS))
def test_each_line_counts_for_itself(tmp_path, id):
    fewer = {name: one for name, one in ATTESTS.items() if name != id}
    made = told(tmp_path, story(fewer))
    assert {other for other in MUSTS if verdict(made, other) != "admissible"} == {id}


def test_a_list_of_what_one_is_enough_stands_in_the_decision(tmp_path):
    made = told(tmp_path, story())
    by_id = {one["id"]: one for one in made["requirements"]}
    assert [one["value"] for one in by_id["slots"]["choices"]["one_of"]] == [
        "PCIe triple-slot",
        "PCIe dual-slot",
    ]
    assert "choices" not in by_id["ram"]


def test_who_is_asked_reads_the_threshold_as_its_author_wrote_it(tmp_path):
    """D1: the exact condition; a seller is asked for 128 GiB, not for 137438953472 B."""
    links = {"kind": "interconnect", "at_least": "600 GB/s", "directions": "both"}
    watts = {"kind": "power", "at_most": "300 W", "term": "TBP"}
    made = told(tmp_path, story({"driver": ATTESTS["driver"]}, link=links, watts=watts))
    thresholds = {
        id: found(made, id)["conditions"][0]["threshold"] for id in ("ram", "disk", "link", "watts")
    }
    assert thresholds == {
        "ram": ">= 128 GiB",
        "disk": ">= 2 TB",
        "link": ">= 600 GB/s (both directions)",
        "watts": "<= 300 W TBP",
    }
    assert "with its term TBP" in found(made, "watts")["condition"]


def test_what_the_author_expects_is_printed(tmp_path):
    piece = {"kind": "ecc", "state": "on", "piece": "the acceptance record"}
    made = told(tmp_path, story({"ram": ATTESTS["ram"]}, ecc=piece))
    assert found(made, "ecc")["expected_piece"] == "the acceptance record"


def test_a_build_of_the_framework_that_is_too_old_excludes(tmp_path):
    run = record()
    run["environment"]["framework"]["version"] = "2.3.1+cu121"
    made = told(tmp_path, story(), run_json=run)
    assert (verdict(made, "torch"), found(made, "torch")["have_words"]) == (
        "exclude",
        "2.3.1+cu121",
    )
    run["environment"]["driver"] = "610.62-open"
    other = told(tmp_path, story({"ram": ATTESTS["ram"]}), run_json=run)
    assert verdict(other, "driver") == "to_confirm"
    assert "610.62-open, which has no order with it" in found(other, "driver")["condition"]


def test_a_want_that_states_nothing_is_shown_and_changes_no_status(tmp_path):
    fiche = story()
    fiche["requirements"].append({"id": "wish", "kind": "disk", "level": "want"})
    made = told(tmp_path, fiche)
    assert found(made, "wish")["reason_code"] == "nothing_required"
    assert "`at_least`" in found(made, "wish")["condition"]
    assert status(made) == "retained"
