"""`fiche letters`: one text a seller, to be sent (D1, D9)."""

from pathlib import Path

SERVING = Path(__file__).resolve().parents[2] / "samples" / "serving" / "fiche.yaml"


def test_a_letter_is_plain_numbered_text_without_what_can_be_paid(fiche):
    ended = fiche("letters", SERVING)
    assert ended.code == 0
    first, *_ = ended.out.splitlines()
    assert first == "To: Arbor Cloud"
    assert "3. Put the earliest delivery date" in ended.out
    assert "Wanted: no later than 2026-12-07." in ended.out
    assert "160" not in ended.out, "the budget"


def test_one_seller_alone_and_one_that_is_unknown(fiche):
    told = fiche("letters", SERVING, "--seller", "Arbor Cloud", "--json").json()
    assert [one["seller"] for one in told["letters"]] == ["Arbor Cloud"]
    ended = fiche("letters", SERVING, "--seller", "Arbor")
    assert ended.code == 2
    assert "F701" in ended.err


def test_where_nothing_is_asked_of_anybody_it_says_so(fiche):
    ended = fiche("letters", SERVING.parents[1] / "second-opinion" / "fiche.yaml")
    assert (ended.code, ended.out) == (0, "Nothing is open that a named seller could supply.\n")
