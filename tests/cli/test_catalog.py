"""`fiche catalog`: cards by what their rows state; absent is unknown (F7, B1)."""

import pytest

OWN = """\
catalog: 1
cards:
  - id: own-card-12g
    vendor: nvidia
    name: Own card
    enumerated_as: card
    nominal: {value: 12 GB}
"""


def ids(ended):
    assert ended.code == 0, ended.err
    return [card["id"] for card in ended.json()["cards"]]


def test_all_cards_are_listed(fiche):
    found = ids(fiche("catalog", "list", "--json"))
    assert len(found) == len(set(found)) > 50
    assert "nvidia-rtx-4090-24g" in found
    assert f"{len(found)} cards; a label is no capacity" in fiche("catalog", "list").out


def test_filters_combine(fiche):
    found = ids(
        fiche(
            "catalog",
            "list",
            "--vendor",
            "nvidia",
            "--min-nominal",
            "48 GB",
            "--where",
            "fp8=yes",
            "--json",
        )
    )
    assert "nvidia-rtx-6000-ada-48g" in found
    assert "nvidia-rtx-4090-24g" not in found
    assert "nvidia-rtx-a6000-48g" not in found
    assert all(name.startswith("nvidia-") for name in found)


@pytest.mark.parametrize(
    ("test", "inside", "outside"),
    [
        ("power<=300 W", "nvidia-rtx-6000-ada-48g", "nvidia-rtx-4090-24g"),
        ("bandwidth>=900 GB/s", "nvidia-rtx-4090-24g", "nvidia-l4-24g"),
        ("nominal=24 GB", "nvidia-rtx-4090-24g", "nvidia-rtx-6000-ada-48g"),
        ("nominal_binary>=24 GiB", "nvidia-rtx-4090-24g", "nvidia-rtx-3060-12g"),
        ("year>=2023", "nvidia-rtx-4000-ada-20g", "nvidia-rtx-4090-24g"),
        ("compute_capability=8.9", "nvidia-rtx-4090-24g", "nvidia-rtx-3060-12g"),
        ("vendor!=nvidia", "amd-mi300x-192g", "nvidia-rtx-4090-24g"),
        ("enumerated_as=gcd", "amd-mi250x-gcd-64g", "nvidia-rtx-4090-24g"),
    ],
)
def test_any_field_may_be_tested(fiche, test, inside, outside):
    found = ids(fiche("catalog", "list", "--where", test, "--json"))
    assert inside in found
    assert outside not in found


def test_a_card_that_does_not_say_is_counted_and_never_matches(fiche):
    """Law 8: unknown is neither yes nor no."""
    yes = ids(fiche("catalog", "list", "--where", "fp8=yes", "--json"))
    no = ids(fiche("catalog", "list", "--where", "fp8=no", "--json"))
    not_yes = fiche("catalog", "list", "--where", "fp8!=yes", "--json")
    every = ids(fiche("catalog", "list", "--json"))
    silent = not_yes.json()["left_out_not_stated"]["fp8!=yes"]
    assert sorted(no) == sorted(ids(not_yes))
    assert len(yes) + len(no) + silent == len(every)
    assert f"{silent} for not stating it" in fiche("catalog", "list", "--where", "fp8=yes").err


def test_a_card_shows_its_sources_traps_and_sightings(fiche):
    """D3: each fact with its document; B1: a sighting elsewhere is no capacity of this machine."""
    out = fiche("catalog", "show", "nvidia-rtx-4090-24g").out
    for words in ("24 GB", "24.00 GiB", "450 W", "[1] ", "Traps:", "judges nothing", "24564 MiB"):
        assert words in out
    card = fiche("catalog", "show", "nvidia-rtx-4090-24g", "--json").json()
    assert card["figures"]["nominal"]["bytes"] == 24_000_000_000
    assert card["figures"]["nominal_binary"]["bytes"] == 24 * 2**30
    assert card["figures"]["nominal"]["basis"] == "declared"
    assert card["facts"]["bf16"]["value"] == "yes"


def test_an_own_catalog_stands_beside_the_built_in_one(fiche, tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text(OWN, encoding="utf-8")
    found = ids(fiche("catalog", "list", "--catalog", path, "--json"))
    assert {"own-card-12g", "nvidia-rtx-4090-24g"} <= set(found)
    assert "12 GB" in fiche("catalog", "show", "own-card-12g", "--catalog", path).out
    ended = fiche("catalog", "validate", path)
    assert (ended.code, ended.out) == (0, "valid: 1 cards, 0 offers\n")


def test_the_built_in_catalog_is_valid(fiche):
    told = fiche("catalog", "validate", "--json").json()
    assert told["valid"] is True
    assert told["cards"] > 50


def test_a_wrong_catalog_is_refused_at_its_place(fiche, tmp_path):
    path = tmp_path / "own.yaml"
    path.write_text(OWN.replace("12 GB", "12 G"), encoding="utf-8")
    ended = fiche("catalog", "validate", path)
    assert ended.code == 2
    assert "own.yaml:7:" in ended.err


def test_the_place_is_the_path_that_was_typed_with_its_line(fiche, tmp_path):
    path = tmp_path / "below" / "own.yaml"
    path.parent.mkdir()
    path.write_text(OWN.replace("12 GB", "12 G"), encoding="utf-8")
    ended = fiche("catalog", "validate", path)
    assert ended.err.startswith(f"{path}:7:22: F203 ")
    assert "nominal: {value: 12 G}" in ended.err
    assert (
        f"F318 '{tmp_path}/none' does not exist"
        in fiche("catalog", "list", "--catalog", tmp_path / "none").err
    )


def test_a_linked_catalog_of_ones_own_is_read(fiche, tmp_path):
    """The path was typed by the user: only what a fiche names stays inside its folder."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "own.yaml").write_text(OWN, encoding="utf-8")
    (tmp_path / "link.yaml").symlink_to("real/own.yaml")
    assert fiche("catalog", "validate", tmp_path / "link.yaml").code == 0


def test_a_card_in_two_files_is_told(fiche, tmp_path):
    """No card replaces another one unseen."""
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_text(OWN, encoding="utf-8")
    ended = fiche("catalog", "validate", tmp_path / "a.yaml", tmp_path / "b.yaml")
    assert (ended.code, f"{tmp_path}/b.yaml:3:9: F502" in ended.err) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("show", "nvidia-rtx-4090"), "F701 unknown card"),
        (("list", "--where", "colour=red"), "F701 unknown field"),
        (("list", "--vendor", "nvida"), "F701 unknown vendor 'nvida'"),
        (("list", "--where", "fp8=true"), "F701 unknown fp8 'true'"),
        (("list", "--where", "fp8"), "F703"),
        (("list", "--where", "fp8>=yes"), "F703"),
        (("list", "--min-nominal", "24"), "F201"),
        (("list", "--where", "power<=300"), "F201"),
    ],
)
def test_what_cannot_be_tested_is_refused(fiche, arguments, code):
    """B1: `24` is no amount of memory, not even on a label."""
    ended = fiche("catalog", *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert code in ended.err
    assert "hint: " in ended.err
