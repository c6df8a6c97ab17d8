"""One question put to every row (F7): whatever it looks at, its answers are those of asking row by row."""

import random
from fractions import Fraction

import pytest
from evaluate.markets import CHOICES, market_of, rows

from fiche.evaluate._answers import PRICE, Rows, prices_of, spread
from fiche.evaluate._watched import Known, Row, WatchedOffer, names_of

COUNT = 900


def price_of(row):
    amount, currency = row.text(PRICE).split()
    return Fraction(amount), currency


def within(row):
    """A threshold that hangs on the region and on the currency."""
    amount, currency = price_of(row)
    limit = {"FR": 3, "DE": 12, "US": 40}[row.text("region")] + (5 if currency == "EUR" else 0)
    return int(amount > limit)


def three_answers(row):
    amount, _ = price_of(row)
    return (amount > 7) + (amount > 20)


def dearest_is_best(row):
    """It breaks the law that a lower price never worsens."""
    amount, _ = price_of(row)
    return int(amount < 20)


def on_some_path(row):
    if row.text("kind") == "buy":
        return int(row.text("warranty") == "")
    if row.text("region") == "FR" and row.text("stock.free") == "1":
        return int(price_of(row)[0] > 9)
    return 1 if row.text("host_memory") == "64 GiB" else 0


def seldom_priced(row):
    """It looks at a price for one row in many, that no sample may hold."""
    told = (row.text("gpu"), row.text("extension"), row.text("min_order"))
    return int(told == ("nvidia-l4-24g", "hours", "8") and price_of(row)[0] > 11)


def of_everything(row):
    facts = WatchedOffer(row, names_of(MARKET)).facts
    return sum(len(fact.value) for fact in facts.values()) % 3


def at_nothing(_):
    return 0


MARKET = market_of(rows(COUNT, seed=21))
QUESTIONS = (
    *(
        within,
        three_answers,
        dearest_is_best,
        on_some_path,
        seldom_priced,
        of_everything,
        at_nothing,
    ),
)


@pytest.mark.parametrize(
    "alone", [frozenset(), frozenset(random.Random(3).sample(range(COUNT), 40))]
)
@pytest.mark.parametrize("ask", QUESTIONS)
def test_answers_are_those_of_asking_row_by_row(ask, alone):
    known = Known(MARKET, ask)
    answers, codes = spread(known, Rows(MARKET, alone), prices_of(MARKET), lambda answer: answer)
    assert [answers[code] for code in codes] == [ask(Row(MARKET, at)) for at in range(COUNT)]
    assert len(answers) == len(set(answers))


def test_turns_are_looked_for_where_prices_obey_the_law():
    known = Known(MARKET, within)
    spread(known, Rows(MARKET, frozenset()), prices_of(MARKET), lambda answer: answer)
    assert known.asked < 80 < len(set(CHOICES[PRICE]))


def test_equal_amounts_in_other_words_and_other_currencies_stand_apart():
    told = [
        {**rows(1)[0], "id": f"p{at}", PRICE: price}
        for at, price in enumerate(("1.5 USD", "1.50 USD", "1.50 EUR", "1.49 USD", "1.51 EUR"))
    ]
    market = market_of(told)
    ask = lambda row: int(price_of(row) > (Fraction("1.49"), "EUR"))  # noqa: E731
    answers, codes = spread(Known(market, ask), Rows(market, frozenset()), prices_of(market), int)
    assert [answers[code] for code in codes] == [ask(Row(market, at)) for at in range(5)]
