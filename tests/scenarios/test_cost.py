"""The cost of the package: whole lots, tax, validity, currency, and what nobody says (D2, D9)."""

from fractions import Fraction

import pytest
from scenarios.story import ATTESTS, asked, figure, files, found, judged, offers, status, verdict

from fiche.kernel.diagnostic import Refused


def quoted(price="47.14 USD", per="72 h", covers="lot", rest=("tax", "validity", "extension")):
    """A quote's text and what it attests, of these terms."""
    lines = {
        "price": f"price: {price} for {per} per {covers}",
        "tax": "prices are before tax",
        "included": "prices include tax at 20 %",
        "validity": "valid until 2026-12-31",
        "extension": "lots are extended by whole lots",
        "hours": "further hours are charged pro rata",
    }
    words = {
        "price": {
            "fact": "price",
            "amount": price,
            **({"per": per} if per else {}),
            **({"covers": covers} if covers else {}),
            "quote": lines["price"],
        },
        "tax": ATTESTS["tax"],
        "included": {
            "fact": "tax",
            "basis": "included",
            "rate": "20 %",
            "quote": lines["included"],
        },
        "validity": ATTESTS["validity"],
        "extension": ATTESTS["extension"],
        "hours": {"fact": "extension", "terms": "hours", "quote": lines["hours"]},
    }
    told = ("price", *rest)
    return "".join(f"{lines[name]}\n" for name in told), [words[name] for name in told]


def budgeted(tmp_path, budget="60 USD", tax="excluded", quote=None, hours="40 h", cards=1, **row):
    """decision.json of a budget against an offer whose row and quote say the same price."""
    fiche = asked()
    text, fiche["pieces"][2]["attests"] = quote or quoted()
    required = {"id": "budget", "kind": "cost", "level": "must", "at_most": budget}
    fiche["requirements"][2] = {**required, **({"tax": tax} if tax else {})}
    fiche["candidates"][0]["cards"] = cards
    if hours:
        fiche["workload"]["duration"]["value"] = hours
    else:
        del fiche["workload"]["duration"]
    price = fiche["pieces"][2]["attests"][0]
    row.setdefault("price", {k: price[k] for k in ("amount", "per", "covers") if k in price})
    return judged(tmp_path, fiche, files(quote_txt=text, offers_yaml=offers(**row)))


def cost(told):
    """(low, high) of the package's cost."""
    listed = figure(told, "rent.cost")
    if "value" in listed:
        return Fraction(listed["value"]), Fraction(listed["value"])
    return Fraction(listed["low"]), None if listed["high"] is None else Fraction(listed["high"])


def test_60_usd_against_60_usd_is_admissible_and_a_cent_more_is_not(tmp_path):
    told = budgeted(tmp_path, quote=quoted("60 USD"))
    assert (verdict(told, "budget"), found(told, "budget")["margin"]["value"]) == (
        "admissible",
        "0",
    )
    assert verdict(budgeted(tmp_path, quote=quoted("60.01 USD")), "budget") == "exclude"


def test_55_71_usd_with_tax_untold_is_to_confirm(tmp_path):
    told = budgeted(tmp_path, quote=quoted("55.71 USD", rest=("validity", "extension")))
    assert (verdict(told, "budget"), status(told)) == ("to_confirm", "to_confirm")
    assert (
        "have the seller state whether offer-1 includes tax" in found(told, "budget")["condition"]
    )


def test_a_budget_that_names_no_tax_basis_is_open(tmp_path):
    told = budgeted(tmp_path, tax=None)
    assert verdict(told, "budget") == "to_confirm"
    assert "before or after tax" in found(told, "budget")["condition"]


def test_tax_is_added_and_taken_off_once(tmp_path):
    terms = quoted("50 USD", rest=("included", "validity", "extension"))
    told = budgeted(tmp_path, quote=terms)
    assert cost(told) == (Fraction(125, 3), Fraction(125, 3))
    assert figure(told, "rent.cost")["value"] == "125/3"
    told = budgeted(tmp_path, tax="included", quote=terms)
    assert cost(told) == (50, 50)


def test_100_hours_on_a_lot_of_72_cost_two_lots(tmp_path):
    told = budgeted(tmp_path, hours="100 h", budget="94.28 USD")
    assert cost(told) == (Fraction("94.28"), Fraction("94.28"))
    assert verdict(told, "budget") == "admissible"
    assert verdict(budgeted(tmp_path, hours="100 h", budget="94.27 USD"), "budget") == "exclude"


@pytest.mark.parametrize(("hours", "lots"), [("70 h", 1), ("72 h", 1), ("73 h", 2), ("145 h", 3)])
def test_lots_are_whole(tmp_path, hours, lots):
    told = budgeted(tmp_path, hours=hours, budget="1000 USD")
    assert cost(told)[0] == lots * Fraction("47.14")


def test_73_hours_without_terms_of_extension_are_to_confirm(tmp_path):
    """Two lots admit, pro rata excludes: between them nobody knows."""
    untold = quoted(rest=("tax", "validity"))
    for budget, expected in (
        ("47.14 USD", "exclude"),
        ("60 USD", "to_confirm"),
        ("99 USD", "to_confirm"),
    ):
        told = budgeted(tmp_path, hours="73 h", budget=budget, quote=untold)
        assert verdict(told, "budget") == expected
    told = budgeted(tmp_path, hours="73 h", quote=quoted(rest=("tax", "validity", "hours")))
    assert cost(told)[0] == Fraction("47.14") * 73 / 72


def test_a_need_of_unknown_length_is_open(tmp_path):
    told = budgeted(tmp_path, hours=None, budget="1000 USD")
    assert (verdict(told, "budget"), cost(told)) == ("to_confirm", (Fraction("47.14"), None))
    assert verdict(budgeted(tmp_path, hours=None, budget="40 USD"), "budget") == "exclude"


def test_a_price_per_card_is_paid_for_every_card_of_the_lots(tmp_path):
    """8 x 0.50 = 4.00, whichever number of them is needed."""
    for cards in (1, 8):
        terms = quoted("0.50 USD", covers="card")
        told = budgeted(tmp_path, cards=cards, quote=terms, cards_per_lot=8)
        assert cost(told) == (4, 4)
    told = budgeted(tmp_path, cards=9, quote=terms, cards_per_lot=8)
    assert cost(told) == (8, 8)


def test_a_lot_of_two_cards_for_one(tmp_path):
    told = budgeted(tmp_path, cards=1, cards_per_lot=2)
    assert cost(told)[0] == Fraction("47.14")
    told = budgeted(tmp_path, cards=3, cards_per_lot=2)
    assert cost(told)[0] == 2 * Fraction("47.14")


def test_a_minimum_order_counts_lots(tmp_path):
    told = budgeted(tmp_path, budget="100 USD", min_order=2)
    assert cost(told) == (Fraction("94.28"), Fraction("94.28"))
    terms = quoted("10 USD", covers="card")
    told = budgeted(tmp_path, budget="100 USD", quote=terms, cards_per_lot=4, min_order=2)
    assert cost(told) == (80, 80)


def test_a_minimum_order_of_lots_of_an_untold_size_is_open(tmp_path):
    """Two lots hold two cards at least; how many are paid for nobody says."""
    terms = quoted("10 USD", covers="card")
    told = budgeted(tmp_path, budget="100 USD", quote=terms, cards_per_lot=None, min_order=2)
    assert (verdict(told, "budget"), cost(told)) == ("to_confirm", (20, None))
    assert "the cards of a lot" in found(told, "budget")["condition"]
    told = budgeted(tmp_path, budget="100 USD", cards_per_lot=None, min_order=2)
    assert cost(told) == (Fraction("94.28"), Fraction("94.28"))


def test_what_a_price_covers_is_not_guessed(tmp_path):
    terms = quoted("10 USD", covers=None)
    told = budgeted(tmp_path, budget="1000 USD", quote=terms, cards_per_lot=4, cards=4)
    assert (verdict(told, "budget"), cost(told)) == ("to_confirm", (10, 40))


def test_a_minimum_time_is_paid(tmp_path):
    told = budgeted(tmp_path, hours="2 h", quote=quoted("1 USD", per="1 h"), min_time="480 min")
    assert cost(told) == (8, 8)


def test_more_lots_than_there_are_is_to_confirm(tmp_path):
    told = budgeted(tmp_path, budget="1000 USD", cards=3, lots_max=2)
    assert verdict(told, "budget") == "to_confirm"
    assert "offer-1 has 2 lots at most" in found(told, "budget")["condition"]


def test_charges_beside_the_price_are_part_of_it(tmp_path):
    row = {
        "setup": {"amount": "5 USD", "per": "order"},
        "storage": {"amount": "0.01 USD", "per": "lot hour"},
        "egress": {"amount": "1 USD", "per": "card"},
    }
    told = budgeted(tmp_path, **row)
    assert cost(told)[0] == Fraction("47.14") + 5 + Fraction("0.72") + 1
    told = budgeted(tmp_path, egress={"amount": "0.09 USD", "per": "GB", "quantity": "200 GB"})
    assert cost(told)[0] == Fraction("47.14") + 18
    assert verdict(told, "budget") == "exclude"
    told = budgeted(tmp_path, egress={"amount": "0.09 USD", "per": "GB"})
    assert verdict(told, "budget") == "to_confirm"
    assert "what egress costs" in found(told, "budget")["condition"]
    told = budgeted(tmp_path, egress=None)
    assert figure(told, "rent.cost")["left_out"] == ["egress"]


def test_a_charge_per_card_is_paid_for_every_card_of_the_lots(tmp_path):
    told = budgeted(tmp_path, cards_per_lot=8, setup={"amount": "1 USD", "per": "card"})
    assert cost(told)[0] == Fraction("47.14") + 8


def test_the_least_cost_has_the_least_of_each_charge(tmp_path):
    """73 h on 72, terms of extension untold: 72 hours of storage more are not sure."""
    untold = quoted("1 USD", rest=("tax", "validity"))
    storage = {"amount": "1 USD", "per": "lot hour"}
    told = budgeted(tmp_path, hours="73 h", budget="80 USD", quote=untold, storage=storage)
    assert verdict(told, "budget") == "to_confirm"
    told = budgeted(tmp_path, hours="73 h", budget="74 USD", quote=untold, storage=storage)
    assert verdict(told, "budget") == "exclude"


def test_an_expired_quote_admits_nothing(tmp_path):
    fiche = asked()
    fiche["date"] = "2027-01-01"
    told = judged(tmp_path, fiche)
    assert verdict(told, "budget") == "to_confirm"
    assert (
        "renew offer-1: it does not hold on 2027-01-01 (expired)"
        in found(told, "budget")["condition"]
    )
    fiche["date"] = "2026-12-31"
    assert verdict(judged(tmp_path, fiche), "budget") == "admissible"


def test_an_untold_validity_is_open(tmp_path):
    told = budgeted(tmp_path, quote=quoted(rest=("tax", "extension")))
    assert verdict(told, "budget") == "to_confirm"


def test_a_row_without_its_quote_admits_nothing(tmp_path):
    fiche = asked()
    del fiche["pieces"][2]
    row = offers(tax={"basis": "excluded"}, valid_until="2026-12-31", extension="lots")
    told = judged(tmp_path, fiche, files(offers_yaml=row))
    assert verdict(told, "budget") == "to_confirm"
    assert "get a quote" in found(told, "budget")["condition"]
    fiche["requirements"][2]["at_most"] = "40 USD"
    assert verdict(judged(tmp_path, fiche, files(offers_yaml=row)), "budget") == "exclude"


def test_row_and_quote_that_differ_are_a_conflict(tmp_path):
    told = budgeted(tmp_path, price={"amount": "40 USD", "per": "72 h", "covers": "lot"})
    assert (verdict(told, "budget"), found(told, "budget")["reason_code"]) == (
        "to_confirm",
        "conflict",
    )
    assert "quote says 47.14 USD, the row of offer-1 says 40 USD" in found(told, "budget")["reason"]


def test_another_currency_is_to_confirm(tmp_path):
    told = budgeted(tmp_path, budget="60 EUR")
    assert verdict(told, "budget") == "to_confirm"
    assert (
        "the price is in USD, and compared in EUR: state a rate with date and source"
        in (found(told, "budget")["condition"])
    )
    assert found(told, "budget")["need"]["unit"] == "USD"


@pytest.mark.parametrize(
    ("price", "code"),
    [
        ({"amount": "2712 cents", "per": "72 h"}, "F209"),
        ({"amount": "47.14", "per": "72 h"}, "F209"),
        ({"amount": "47,14 USD", "per": "72 h"}, "F202"),
        ({"amount": "17.52 USD", "per": "1 month"}, "F210"),
    ],
)
def test_cents_months_and_bare_numbers_are_refused(tmp_path, price, code):
    with pytest.raises(Refused) as refused:
        judged(tmp_path, asked(), files(offers_yaml=offers(price=price)))
    assert code in {d.code for d in refused.value.diagnostics}


@pytest.mark.parametrize(
    ("hourly", "hours", "total"),
    [("17.52", 672, "11773.44"), ("1.712", 730, "1249.76"), ("23.92", 744, "17796.48")],
)
def test_months_of_three_lengths(tmp_path, hourly, hours, total):
    """An hourly price for a month of so many hours: 1.712 is written 1.7120, which no reader mistakes."""
    amount = f"{hourly}0 USD" if len(hourly) == 5 and hourly[1] == "." else f"{hourly} USD"
    terms = quoted(amount, per="1 h")
    told = budgeted(tmp_path, hours=f"{hours} h", budget="20000 USD", quote=terms)
    assert cost(told)[0] == Fraction(total)
    assert verdict(told, "budget") == "admissible"


def test_buying_takes_no_time(tmp_path):
    fiche = asked()
    text, fiche["pieces"][2]["attests"] = quoted("1999 EUR", per="", rest=("tax", "validity"))
    fiche["requirements"][2] |= {"at_most": "2000 EUR"}
    del fiche["workload"]["duration"]
    row = offers(
        kind="buy",
        price={"amount": "1999 EUR", "covers": "lot"},
        **{name: {"amount": "0 EUR", "per": "order"} for name in ("setup", "storage", "egress")},
    )
    told = judged(tmp_path, fiche, files(quote_txt=text, offers_yaml=row))
    assert (verdict(told, "budget"), cost(told)) == ("admissible", (1999, 1999))


def test_no_offer_is_no_cost(tmp_path):
    fiche = asked()
    del fiche["candidates"][0]["offer"]
    del fiche["pieces"][2]
    told = judged(tmp_path, fiche)
    assert (verdict(told, "budget"), status(told)) == ("to_confirm", "to_confirm")
    assert told["candidates"][0]["cost"] is None
