"""Ids in a question to an index (archive): all of them, once each, and never as text of the question."""

from fiche.archive.index_bound import STEP, marked, steps


def test_each_id_is_in_one_step_in_its_order():
    ids = [f"id-{n}" for n in range(2 * STEP + 1)]
    parts = list(steps(ids))
    assert [len(part) for part in parts] == [STEP, STEP, 1]
    assert [each for part in parts for each in part] == ids
    assert list(steps([])) == []


def test_an_id_is_a_parameter_whatever_it_holds():
    marks, parameters = marked(["a", "'; DROP TABLE fiche_rows; --"])
    assert marks == ":v0, :v1"
    assert parameters == {"v0": "a", "v1": "'; DROP TABLE fiche_rows; --"}
