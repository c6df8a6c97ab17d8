"""`fiche catalog import|search|screen`: a market from its listings to a decision (F7, D1, D2)."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

SAMPLE = Path(__file__).parents[2] / "samples" / "serving" / "fiche.yaml"
HEADER = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size\n"
ROWS = (
    "i1,FR,0.80,4,64.0,1,L4,24.0,False,\n"
    "i2,FR,0.0,4,64.0,1,L4,24.0,False,\n"
    "i3,US,1.39,4,64.0,1,A100,80.0,False,\n"
    "i4,US,0.40,4,64.0,1,RTX4090,24.0,True,\n"
)
OFFERS = (
    "id,seller,kind,gpu,cards_per_lot,price.amount,price.covers,price.per,region,could_be\n"
    "a,s,rent,nvidia-l4-24g,2,1.60 USD,lot,1 h,FR,\n"
    "b,s,rent,nvidia-rtx-4090-24g,1,0.40 USD,lot,1 h,US,\n"
    "c,s,rent,nvidia-rtx-6000-ada-48g,1,0.70 EUR,card,1 h,FR,\n"
    "d,s,rent,A100,1,1.39 USD,lot,1 h,,nvidia-a100-pcie-80g nvidia-a100-sxm4-80g\n"
    "e,s,rent,nvidia-rtx-4090-24g,,0.50 USD,,1 h,FR,\n"
)


@pytest.fixture
def market(tmp_path):
    path = tmp_path / "market.csv"
    path.write_text(OFFERS, encoding="utf-8")
    return path


@pytest.fixture
def listing(tmp_path):
    path = tmp_path / "aws.csv"
    path.write_text(HEADER + ROWS, encoding="utf-8")
    return path


def test_an_import_tells_what_became_of_each_row(fiche, listing, tmp_path):
    out, refused = tmp_path / "offers.csv", tmp_path / "refused.jsonl"
    ended = fiche("catalog", "import", listing, "-o", out, "--refused", refused, "--json")
    assert ended.code == 0, ended.err
    (told,) = ended.json()["files"]
    assert (told["rows"], told["rows_with_offers"], len(told["refused"])) == (4, 3, 1)
    assert "4 rows = 3 with 3 offers + 0 left out + 1 refused" in ended.err
    (row,) = map(json.loads, refused.read_text().splitlines())
    assert (row["code"], row["place"], row["column"]) == ("F624", "line 3", "price")
    assert [each["seller"] for each in csv.DictReader(io.StringIO(out.read_text()))] == ["aws"] * 3


def test_strict_writes_nothing(fiche, listing, tmp_path):
    out = tmp_path / "offers.csv"
    ended = fiche("catalog", "import", listing, "-o", out, "--strict")
    assert (ended.code, out.exists()) == (2, False)
    assert "F624" in ended.err


def test_nothing_is_written_over_unasked(fiche, listing, tmp_path):
    out = tmp_path / "offers.jsonl"
    out.write_text("mine")
    ended = fiche("catalog", "import", listing, "-o", out)
    assert (ended.code, out.read_text(), "F610" in ended.err) == (2, "mine", True)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--observed-on", "2026-11-29"), "F626"),
        (("--currency", "USD"), "F626"),
        (("--currency", "dollars", "--source", "x"), "F209"),
        (("--observed-on", "yesterday", "--source", "x"), "F207"),
        (("--format", "gpuhnt"), "F701"),
        (("--map", "price"), "F627"),
    ],
)
def test_what_is_said_of_a_listing_has_somebody_who_says_it(
    fiche, listing, tmp_path, arguments, code
):
    ended = fiche("catalog", "import", listing, "-o", tmp_path / "o.csv", *arguments)
    assert (ended.code, code in ended.err) == (2, True), ended.err


def test_the_date_of_a_file_is_no_date_of_a_price(fiche, listing, tmp_path):
    out = tmp_path / "o.csv"
    fiche("catalog", "import", listing, "-o", out)
    assert "observed_on" not in out.read_text().splitlines()[0]
    said = ("--observed-on", "2026-11-29", "--source", "price page, A. Martin")
    fiche("catalog", "import", listing, "-o", out, "--force", *said)
    assert "2026-11-29" in out.read_text().splitlines()[1]


def test_other_endings_and_other_listings_are_refused(fiche, listing, tmp_path):
    assert "F632" in fiche("catalog", "import", listing, "-o", tmp_path / "o.txt").err
    strange = tmp_path / "prices.csv"
    strange.write_text("a,b\n1,2\n")
    assert "F620" in fiche("catalog", "import", strange, "-o", tmp_path / "o.csv").err
    sky = tmp_path / "vms.csv"
    sky.write_text("InstanceType,AcceleratorName,AcceleratorCount,Price,Region\n")
    assert "F623" in fiche("catalog", "import", sky, "-o", tmp_path / "o.csv").err


def test_search_counts_what_it_leaves_out(fiche, market):
    ended = fiche("catalog", "search", market, "--where", "price_per_card_hour<=1 USD", "--json")
    told = ended.json()
    assert [offer["id"] for offer in told["offers"]] == ["b", "a"]
    left = told["left_out"]["price_per_card_hour<=1 USD"]
    assert left == {"failed": 1, "not_stated": 2}, "another currency and no price are unknown"
    assert told["passing"] + sum(left.values()) == told["total"] == 5


def test_a_name_of_any_length_is_shown_as_far_as_a_table_can(fiche, tmp_path):
    price = {"amount": "1.00 USD"}
    row = {"id": "long", "seller": "s", "kind": "rent", "gpu": "g" * 100_000, "price": price}
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    told = fiche("catalog", "search", path)
    assert told.code == 0
    assert "g…" in told.out.replace("\n", "").replace(" ", "")
    assert len(told.out) < 10_000
    assert "g" * 100_000 in fiche("catalog", "search", path, "--json").out


def test_search_sorts_by_what_a_card_costs_an_hour(fiche, market):
    told = fiche("catalog", "search", market, "--json").json()
    assert [offer["id"] for offer in told["offers"]] == ["c", "b", "a", "d", "e"]
    assert told["offers"][2]["price_per_card_hour"] == "0.800000 USD"
    assert told["not_stating_it"] == 1
    assert "1 that pass do not state price_per_card_hour" in fiche("catalog", "search", market).out


def test_search_by_card_never_picks_one_of_several(fiche, market):
    told = fiche("catalog", "search", market, "--gpu", "nvidia-a100-pcie-80g", "--json").json()
    assert told["offers"] == []
    assert told["left_out"] == {"gpu=nvidia-a100-pcie-80g": {"failed": 4, "not_stated": 1}}
    both = ("--gpu", "nvidia-a100-pcie-80g", "--gpu", "nvidia-a100-sxm4-80g")
    assert fiche("catalog", "search", market, *both, "--json").json()["passing"] == 1


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--where", "regoin=FR"), "F701"),
        (("--where", "region>=FR"), "F703"),
        (("--where", "region"), "F703"),
        (("--where", "price.amount~2"), "F703"),
        (("--where", "price.amount<=2"), "F209"),
        (("--sort", "price"), "F701"),
    ],
)
def test_tests_that_are_none(fiche, market, arguments, code):
    ended = fiche("catalog", "search", market, *arguments)
    assert (ended.code, code in ended.err) == (2, True), ended.err


def test_screening_counts_reasons_and_decides_the_first(fiche, market):
    told = fiche("catalog", "screen", SAMPLE, market, "--top", "2", "--json").json()
    assert told["total"] == sum(told["counts"].values()) == 5
    for row in told["requirements"]:
        assert sum(row["counts"].values()) == 5
        assert sum(reason["count"] for reason in row["reasons"]) == 5
    names = {one["offer"] for one in told["shortlist"]}
    assert names == {each["id"] for each in told["decision"]["candidates"]}


def test_only_what_passes_the_tests_is_screened(fiche, market):
    """A market has offers that may be taken away, and regions that are not allowed: counts add up (law 8)."""
    asked = ("catalog", "screen", SAMPLE, market, "--where", "region~fr")
    told = fiche(*asked, "--json").json()
    assert (told["read"], told["total"]) == (5, 3)
    assert told["left_out"] == {"region~fr": {"failed": 1, "not_stated": 1}}
    assert sum(told["counts"].values()) == 3
    whole = fiche("catalog", "screen", SAMPLE, market, "--csv").out.splitlines()
    some = fiche(*asked, "--csv").out.splitlines()
    assert some == [line for line in whole if line.split(",")[0] in ("id", "a", "c", "e")]
    assert {each["id"] for each in told["decision"]["candidates"]} <= {"a", "c", "e"}
    assert "3 of 5 offers pass the tests" in fiche(*asked).out


def test_a_market_of_which_nothing_is_left(fiche, market):
    ended = fiche("catalog", "screen", SAMPLE, market, "--where", "region=Atlantis")
    assert (ended.code, "No offer is left." in ended.out) == (0, True), ended.err
    market.write_text(OFFERS.splitlines()[0] + "\n", encoding="utf-8")
    assert "0 offers = 0 retained" in fiche("catalog", "screen", SAMPLE, market).out


def test_offers_that_are_left_can_be_copied_into_the_fiche(fiche, market):
    """A name that several cards share is no candidate before somebody asks."""
    told = fiche("catalog", "screen", SAMPLE, market).out
    assert "- {id: b, gpu: nvidia-rtx-4090-24g, cards: 1, offer: b}" in told
    assert "offer: d}" not in told


BASELINE = "baseline: {candidate: rent-4090}, tolerance: {points: 0.02}, direction: at_least}"


def test_the_decision_in_full_knows_the_fiches_own_baseline(fiche, market, tmp_path):
    """What the counts say of an offer, the decision on it says too."""
    copied = tmp_path / "serving"
    shutil.copytree(SAMPLE.parent, copied)
    path = copied / "fiche.yaml"
    text = path.read_text(encoding="utf-8")
    changed = text.replace(
        "dataset: internal-qa-200, at_least: 0.62}", f"dataset: internal-qa-200, {BASELINE}"
    )
    assert changed != text
    path.write_text(changed, encoding="utf-8")
    told = fiche("catalog", "screen", path, market, "--json").json()
    (counted,) = [row for row in told["requirements"] if row["requirement"] == "quality"]
    found = [f for f in told["decision"]["findings"] if f["requirement"] == "quality"]
    assert {each["verdict"] for each in found} == {"admissible"}
    assert counted["counts"][found[0]["verdict"]] == 5
    assert "measure the baseline" not in json.dumps(found)


def test_every_offer_has_its_verdicts_in_a_row(fiche, market):
    ended = fiche("catalog", "screen", SAMPLE, market, "--csv")
    rows = list(csv.DictReader(io.StringIO(ended.out)))
    assert [row["id"] for row in rows] == list("abcde")
    told = fiche("catalog", "screen", SAMPLE, market, "--json").json()
    assert {s: sum(row["status"] == s for row in rows) for s in told["counts"]} == told["counts"]


def test_screening_reads_as_a_text(fiche, market):
    ended = fiche("catalog", "screen", SAMPLE, market)
    assert ended.code == 0, ended.err
    assert "5 offers = " in ended.out
    assert "each as a candidate with 1 card" in ended.out


def test_nobody_says_how_many_cards(fiche, market, tmp_path):
    path = tmp_path / "fiche.yaml"
    path.write_text(
        "fiche: 1\ntitle: t\ndate: 2026-11-29\nauthor: A\nworkload: {}\ncandidates:\n"
        "  - {id: a, gpu: nvidia-l4-24g, cards: 1}\n  - {id: b, gpu: nvidia-l4-24g, cards: 2}\n"
    )
    assert "F630" in fiche("catalog", "screen", path, market).err
    assert fiche("catalog", "screen", path, market, "--cards", "2").code == 0


def test_a_text_with_two_readings_is_refused(fiche, market):
    market.write_text(OFFERS.replace("1.60 USD", "1.600 USD"), encoding="utf-8")
    assert "F202" in fiche("catalog", "screen", SAMPLE, market).err


def test_a_file_of_offers_that_is_none(fiche, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("id,gpu\na,b\n")
    ended = fiche("catalog", "search", path)
    assert (ended.code, "m.csv:1:1: F628" in ended.err) == (2, True)
    path.write_text("id,seller,kind,gpu,price.amount\na,b\n")
    assert "m.csv:2:1: F621" in fiche("catalog", "search", path).err
    path.write_text("id,seller,kind,gpu,price.amount\na,b,rent,d,\n")
    assert "m.csv:2:1: F302 'price.amount'" in fiche("catalog", "search", path).err
    assert "F318" in fiche("catalog", "search", tmp_path / "absent.csv").err


def test_an_import_never_replaces_what_it_reads(fiche, listing, tmp_path):
    """A listing stays as it was received (law 6), and two results never share a name."""
    before, out = listing.read_bytes(), tmp_path / "offers.csv"
    for asked in (
        ("-o", listing),
        ("-o", out, "--refused", listing),
        ("-o", out, "--refused", out),
    ):
        ended = fiche("catalog", "import", listing, *asked, "--force")
        assert (ended.code, "F610" in ended.err, out.exists()) == (2, True, False)
    assert listing.read_bytes() == before


def test_an_import_writes_both_files_or_none(fiche, listing, tmp_path):
    out, refused = tmp_path / "offers.csv", tmp_path / "refused.jsonl"
    out.write_text("mine")
    ended = fiche("catalog", "import", listing, "-o", out, "--refused", refused)
    assert (ended.code, out.read_text(), refused.exists()) == (2, "mine", False)


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ("foo={price}", "F301"),
        ("price.per=1 month", "F210"),
        ("tax.basis=moon", "F304"),
        ("declared_memory.value=80 GB", "F302"),
        ("region==cmd()", "F621"),
    ],
)
def test_what_could_not_be_read_again_is_no_offer(fiche, listing, tmp_path, template, code):
    """A template makes the row; what the form of offers refuses is refused here, and counted."""
    templates = ("seller=x", "gpu_name={gpu_name}", "price.amount={price} USD", template)
    asked = [word for each in templates for word in ("--map", each)]
    ended = fiche("catalog", "import", listing, "-o", tmp_path / "o.csv", *asked, "--json")
    (told,) = ended.json()["files"]
    assert (ended.code, told["rows"], told["offers"]) == (0, 4, 0)
    assert code in {each["code"] for each in told["refused"]}


def test_two_offers_of_one_id_are_not_written(fiche, listing, tmp_path):
    out = tmp_path / "o.csv"
    told = ("seller=x", "gpu_name={gpu_name}", "price.amount={price} USD")
    asked = [word for each in (*told, "id=same") for word in ("--map", each)]
    ended = fiche("catalog", "import", listing, "-o", out, *asked)
    assert (ended.code, "F306" in ended.err, out.exists()) == (2, True, False)
    twice = fiche("catalog", "import", listing, "-o", out, *asked, "--map", "seller=y")
    assert (twice.code, "F627" in twice.err) == (2, True)
