"""`fiche estimate --solve`: how far a dimension can go on a card, and what ends it (D6)."""

import pytest

BASE = ("estimate", "--parameters", 7_000_000_000, "--format", "bf16", "--layers", 32)
BASE += ("--kv-heads", 8, "--head-dim", 128, "--cache", "bf16", "--sequences", 1)
PER_TOKEN = 131_072
GIB = 2**30


def test_a_context_on_stated_bytes(fiche):
    found = fiche(*BASE, "--solve", "context", "--on", "24 GiB", "--json").json()
    (answer,) = found["cases"]
    largest = (24 * GIB - 14_000_000_000) // PER_TOKEN
    assert answer["not_excluded_up_to"]["value"] == largest
    assert answer["envelope_fits_up_to"]["value"] == largest
    assert found["device"]["most_bytes"] == 24 * GIB
    assert "transient loading" in answer["left_out"]


def test_a_card_has_a_label_and_the_least_that_was_seen(fiche):
    """A label times 2^30 is a ceiling; what a machine printed is less (DESIGN 4)."""
    found = fiche(*BASE, "--solve", "context", "--on", "nvidia-rtx-4090-24g", "--json").json()
    assert found["device"]["most_bytes"] == 24 * GIB
    assert found["device"]["least_bytes"] < 24 * GIB
    (answer,) = found["cases"]
    assert answer["envelope_fits_up_to"]["value"] < answer["not_excluded_up_to"]["value"]


def test_the_text_says_that_it_is_no_verdict(fiche):
    ended = fiche(*BASE, "--tokens", 4096, "--solve", "concurrency", "--on", "24 GiB")
    assert ended.code == 0
    assert "no verdict" in ended.out
    assert "not excluded up to" in ended.out
    assert str((24 * GIB - 14_000_000_000) // (PER_TOKEN * 4096)) in ended.out


def test_new_tokens_keep_their_place_in_a_context(fiche):
    more = ("--set", "new_tokens=1000", "--solve", "context", "--on", "24 GiB", "--json")
    (answer,) = fiche(*BASE, *more).json()["cases"]
    assert answer["not_excluded_up_to"]["value"] == (24 * GIB - 14_000_000_000) // PER_TOKEN


def test_what_is_too_much_already_is_none(fiche):
    """The sum at the smallest value stands beside it: 14 000 131 072 bytes are 13.04 GiB."""
    ended = fiche(*BASE, "--solve", "context", "--on", "8 GiB")
    assert "none" in ended.out
    assert "13.04 GiB with 1 already, most of it weights" in ended.out


def test_bytes_that_are_typed_are_no_label(fiche):
    out = fiche(*BASE, "--solve", "context", "--on", "24 GiB").out
    assert "It has 25 769 803 776 B (24.00 GiB), as typed." in out
    assert "label" not in out
    assert "by its label" in fiche(*BASE, "--solve", "context", "--on", "nvidia-rtx-4090-24g").out


def test_a_part_of_a_card_s_name_finds_its_cards(fiche):
    err = fiche(*BASE, "--solve", "context", "--on", "H200").err
    assert "did you mean nvidia-h200" in err


def test_what_fits_is_unknown_where_what_grows_is_unknown(fiche):
    """Fail closed: an item left out of the envelope for want of a number still grows with the context."""
    unsaid = [word for word in BASE if word not in ("--sequences", 1)]
    ended = fiche(*unsaid, "--solve", "context", "--on", "24 GiB", "--json")
    (answer,) = ended.json()["cases"]
    assert answer["envelope_fits_up_to"]["known"] is False
    assert answer["unknown"] == ["kv_cache"]
    text = " ".join(fiche(*unsaid, "--solve", "context", "--on", "24 GiB").out.split())
    assert "kv_cache: unknown, and may grow with it" in text


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--solve", "context"), "F702"),
        (("--solve", "storage", "--on", "24 GiB"), "F701"),
        (("--solve", "context", "--on", "nvidia-rtx-409"), "F701"),
        (("--on", "24 GiB"), "F702"),
        (("--solve", "rank", "--on", "24 GiB"), "F702"),
    ],
)
def test_a_question_without_an_answer_is_refused(fiche, options, code):
    ended = fiche(*BASE, *options)
    assert (ended.code, ended.out) == (2, "")
    assert code in ended.err
