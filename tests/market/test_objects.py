"""JSON lines as columns (F7): what is read in one go is what is read one by one."""

import json
import random

import pytest

from fiche.kernel.diagnostic import Refused
from fiche.market import _objects
from fiche.market._lines import flattened, objects_of_lines
from fiche.market._objects import columns_of_lines

SAID = (
    *(
        "x",
        "",
        "a:b",
        'a": b',
        "é",
        1,
        1.50,
        True,
        False,
        None,
        {},
        {"k": "v"},
        {"k": True, "l": {"m": 2}},
    ),
    *(["a", "b"], [], [{"title": "t"}]),
)


def rows(count, seed):
    chance = random.Random(seed)
    names = ("price", "stock", "region", "kind", "could_be")
    return [
        {"id": f"o{at}"} | {name: chance.choice(SAID) for name in names if chance.random() < 0.7}
        for at in range(count)
    ]


def read(content):
    """Each row's texts by path, without those that it does not state."""
    found = []
    for lines, columns in columns_of_lines(content, "x.jsonl"):
        assert all(len(texts) == len(lines) for texts in columns.values())
        for at in range(len(lines)):
            found.append({path: texts[at] for path, texts in columns.items() if texts[at]})
    return found


@pytest.mark.parametrize("separators", [(", ", ": "), (",", ":"), (" , ", " : ")])
@pytest.mark.parametrize("seed", range(4))
def test_columns_say_what_each_row_says(separators, seed):
    told = [json.dumps(row, separators=separators) for row in rows(700, seed)]
    content = "\n".join([*told[:300], "", *told[300:]]).encode()
    one_by_one = [dict(flattened(row)) for _, row in objects_of_lines(content, "x.jsonl")]
    assert read(content) == [{p: t for p, t in row.items() if t} for row in one_by_one]


def test_what_every_row_says_in_one_way_is_looked_at_in_one_go(monkeypatch):
    """Else the quick way is never taken, and nothing says so."""
    monkeypatch.setattr(_objects, "object_of", None)
    monkeypatch.setattr(_objects, "_one_by_one", None)
    told = [
        {"id": f"o{at}", "price": {"amount": "1 EUR"}, "interruptible": at % 2 == 0}
        for at in range(600)
    ]
    content = "\n".join(map(json.dumps, told)).encode()
    assert read(content)[1] == {"id": "o1", "price.amount": "1 EUR", "interruptible": "false"}


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"id": "a", "id": "b"}', "F621"),
        ('{"id": "a", "id" : "b"}', "F621"),
        ('{"id": "a", "price": {"amount": "1 EUR", "amount"\t: "2 EUR"}}', "F621"),
        ('{"id": "a", "documents": [{"title": "t", "title": "u"}]}', "F621"),
        ('{"id": "a"} {"id": "b"}', "F621"),
        ('["a"]', "F621"),
        ('{"id": "a", "price.amount": "1 EUR"}', "F301"),
        ('{"id": "a", "tax": {"b.c": "1"}}', "F301"),
    ],
)
def test_a_line_that_is_wrong_is_named(line, code):
    with pytest.raises(Refused) as refused:
        read(b'{"id": "z"}\n\n' + line.encode() + b'\n{"id": "y"}\n')
    (told,) = refused.value.diagnostics
    assert (told.code, told.address.line) == (code, 3)
