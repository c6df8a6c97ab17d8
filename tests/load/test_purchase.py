"""Buyer, currency, rates of exchange: one that a piece prints is declared, a typed one assumed (catalog 6)."""

from fractions import Fraction

import pytest
from importers.documents import pdf
from loading import fiche_of, refusals

from fiche.kernel.address import Pointer
from fiche.kernel.origin import Assumed, Declared

RATE = "  - {{from: EUR, to: USD, rate: 1.0513, date: 2026-11-27, source: the bank{more}}}\n"
PIECE = "pieces:\n  - {id: bank, file: rates.txt, kind: document}\n"
FILES = {"rates.txt": "One euro is\nUSD  1.0513\nJPY  161.42\nUSD (old)  1.0513\n"}


def buying(*more, rates="", pieces=PIECE, top="currency: EUR\n"):
    exchange = "exchange:\n" + "".join(RATE.format(more=one) for one in more) + rates
    return top + (exchange if more or rates else "") + pieces


def purchase(*more, **changes):
    return fiche_of(buying(*more, **changes), files=FILES).purchase


def codes(*more, **changes):
    return [code for code, _, _ in refusals(buying(*more, **changes), files=FILES)]


def test_a_fiche_without_a_buyer_converts_nothing():
    found = fiche_of().purchase
    assert (found.currency, found.rates, found.recovery, dict(found.facts)) == ("", (), None, {})


def test_a_buyer_is_words_and_one_share():
    top = "buyer: {name: Archive, budget_line: A-1, tax_recovery: 62 %}\n"
    found = purchase(top=top)
    assert {path: fact.value for path, fact in found.facts.items()} == {
        "name": "Archive",
        "budget_line": "A-1",
    }
    assert (found.recovery.low, found.recovery.id) == (Fraction("0.62"), "buyer.tax_recovery")


def test_a_rate_that_a_piece_prints_is_declared_at_its_line():
    (rate,) = purchase(', piece: bank, quote: "USD  1.0513"').rates
    assert (rate.source, rate.target, rate.date, rate.told_by, rate.piece) == (
        "EUR", "USD", "2026-11-27", "the bank", "bank",
    )  # fmt: skip
    assert (rate.figure.low, str(rate.figure.unit)) == (Fraction("1.0513"), "USD/EUR")
    origin = rate.figure.origin
    assert isinstance(origin, Declared)
    assert isinstance(origin.address, Pointer)
    assert (origin.by, origin.address.line) == ("bank", 2)


@pytest.mark.parametrize(
    ("more", "by"),
    [
        ("", "A. Martin"),
        (", by: J. Okafor", "J. Okafor"),
        (", piece: bank", "A. Martin"),
        (', piece: bank, quote: "JPY  161.42"', "A. Martin"),  # these words print another rate
    ],
)
def test_a_typed_rate_is_somebody_s_assumption(more, by):
    (rate,) = purchase(more).rates
    assert isinstance(rate.figure.origin, Assumed)
    assert rate.figure.origin.by == by
    assert "2026-11-27" in rate.figure.origin.because


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (', piece: bank, quote: "USD 1.0513"', "F451"),
        (', piece: bank, quote: "1.0513"', "F452"),
        (", piece: nowhere", "F307"),
        (", spread: 1 %", "F301"),
    ],
)
def test_what_is_wrong_with_a_rate_is_said(more, code):
    assert codes(more) == [code]


def test_a_line_tells_words_apart_that_stand_twice():
    (rate,) = purchase(', piece: bank, quote: "1.0513", line: 2').rates
    assert isinstance(rate.figure.origin, Declared)


def test_each_pair_is_told_once_in_either_direction():
    back = "  - {from: USD, to: EUR, rate: 0.9512, date: 2026-11-27, source: the bank}\n"
    assert codes("", rates=back) == ["F361"]
    other = "  - {from: EUR, to: CHF, rate: 0.9377, date: 2026-11-27, source: the bank}\n"
    assert codes("", rates=other) == []


@pytest.mark.parametrize(
    ("rates", "code"),
    [
        ("  - {from: EUR, to: EUR, rate: 1, date: 2026-11-27, source: s}\n", "F360"),
        ("  - {from: EUR, to: EUX, rate: 2, date: 2026-11-27, source: s}\n", "F209"),
        ("  - {from: EUR, to: USD, rate: 0, date: 2026-11-27, source: s}\n", "F212"),
        ("  - {from: EUR, to: USD, rate: 2, date: 2026-11-31, source: s}\n", "F207"),
        ("  - {from: EUR, to: USD, rate: 2, source: s}\n", "F302"),
        ("  - {from: EUR, to: USD, rate: 2, date: 2026-11-27}\n", "F302"),
    ],
)
def test_no_rate_without_its_date_and_source(rates, code):
    """DESIGN 4."""
    assert codes(rates=rates) == [code]


def test_a_currency_is_one_of_iso_4217():
    assert codes(top="currency: EUX\n") == ["F209"]
    assert codes(top="currency: euros\n") == ["F305"]


def test_nobody_vouches_for_a_rate_in_a_fiche_without_an_author():
    head = "fiche: 1\ntitle: A test\ndate: 2026-11-29\n"
    found = refusals(buying("", pieces=""), files=FILES, head=head)
    assert [code for code, _, _ in found] == ["F316"]


def test_a_rate_may_stand_on_a_page_of_a_pdf():
    files = {"rates.txt": pdf("Reference rates", "One euro is USD 1.0513")}
    more = ', piece: bank, quote: "USD 1.0513", page: 2'
    (rate,) = fiche_of(buying(more), files=files).purchase.rates
    assert isinstance(rate.figure.origin, Declared)
    assert rate.figure.origin.address.path == "page 2"


def test_a_scan_holds_no_words_so_that_somebody_typed_the_rate():
    files = {"rates.txt": pdf(None)}
    (rate,) = fiche_of(buying(', piece: bank, quote: "USD 1.0513"'), files=files).purchase.rates
    assert isinstance(rate.figure.origin, Assumed)
