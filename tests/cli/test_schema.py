"""`fiche schema`: the schemas of every file, printed or written (F9's neighbours read them)."""

import json

from fiche import assets


def names():
    return sorted(p.name.removesuffix(".schema.json") for p in assets.schema_dir().glob("*.json"))


def test_all_are_listed(fiche):
    assert fiche("schema", "--json").json()["schemas"] == names()
    out = fiche("schema").out
    assert all(f"\n{name} " in f"\n{out}" for name in names())


def test_one_is_printed_as_it_is(fiche):
    ended = fiche("schema", "fiche")
    assert ended.out == assets.schema_text("fiche.schema.json")
    assert json.loads(ended.out)["properties"]["fiche"]["const"] == 1


def test_they_are_written_into_a_folder(fiche, tmp_path):
    folder = tmp_path / "schemas"
    assert fiche("schema", "--output", folder).code == 0
    assert sorted(p.name for p in folder.iterdir()) == [f"{name}.schema.json" for name in names()]


def test_none_is_written_where_one_exists(fiche, tmp_path):
    (tmp_path / "fiche.schema.json").write_text("mine", encoding="utf-8")
    ended = fiche("schema", "--output", tmp_path)
    assert (ended.code, "F610" in ended.err) == (2, True)
    assert [p.name for p in tmp_path.iterdir()] == ["fiche.schema.json"]
    assert fiche("schema", "--output", tmp_path, "--force").code == 0


def test_an_unknown_name_is_refused_with_the_nearest(fiche):
    ended = fiche("schema", "fich")
    assert ended.code == 2
    assert "F701 unknown schema 'fich'" in ended.err
    assert "did you mean fiche?" in ended.err
