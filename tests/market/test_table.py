"""Our own form of offers as columns: each distinct text once, places kept, nothing skipped (law 8)."""

import json

import pytest

from fiche.kernel.diagnostic import Refused
from fiche.market._table import joined, read_table

HEADER = "id,seller,kind,gpu,price.amount,region\n"


OTHER = {"id": "b", "seller": "s", "kind": "rent", "gpu": "g", "price": {"amount": "2.50 USD"}}


def csv_of(*rows):
    return (HEADER + "".join(f"{row}\n" for row in rows)).encode()


def refusal(content, name="m.csv"):
    with pytest.raises(Refused) as found:
        read_table(content, name)
    (only,) = found.value.diagnostics
    return only.code, only.address.line


def test_each_text_is_kept_once():
    table = read_table(csv_of(*(f"o{n},s,rent,card,{n % 3}.00 USD," for n in range(5000))), "m.csv")
    price = table.columns["price.amount"]
    assert (len(table.ids), len(price.codes), len(price.texts)) == (5000, 5000, 3)
    assert [price.text(row) for row in (0, 1, 4999)] == ["0.00 USD", "1.00 USD", "1.00 USD"]
    assert table.columns["region"].text(7) == ""


def test_both_forms_hold_the_same():
    first_row = {**OTHER, "id": "a", "price": {"amount": "1.50 USD"}}
    told = [first_row, {**OTHER, "region": "FR", "could_be": ["x", "y"]}]
    lines = "".join(json.dumps(row) + "\n" for row in told).encode()
    first = read_table(lines, "m.jsonl")
    text = (
        "id,seller,kind,gpu,price.amount,region,could_be\n"
        "a,s,rent,g,1.50 USD,,\n"
        "b,s,rent,g,2.50 USD,FR,x y\n"
    )
    second = read_table(text.encode(), "m.csv")
    assert list(first.ids) == list(second.ids)
    for path, column in second.columns.items():
        other = first.columns[path]
        assert [column.text(row) for row in (0, 1)] == [other.text(row) for row in (0, 1)]


def test_a_row_is_found_again_where_it_stands():
    table = read_table(
        csv_of(
            "a,s,rent,card,1 USD,FR", '"b","s\nt",rent,card,1 USD,', "", "c,s,rent,card,2.50 USD,"
        ),
        "m.csv",
    )
    assert [table.line_of(row) for row in range(3)] == [2, 3, 6]
    ((line, told),) = table.records([2])
    assert (line, told) == (
        6,
        {"id": "c", "seller": "s", "kind": "rent", "gpu": "card", "price.amount": "2.50 USD"},
    )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"id,seller,kind\n", ("F628", 1)),
        (b"id,seller,kind,gpu,gpu,price.amount\n", ("F628", 1)),
        (csv_of("a,s,rent,card,1 USD,", "b,s,rent"), ("F621", 3)),
        (csv_of("a,s,rent,card,1 USD,", 'b,s,rent,"card"x,,'), ("F621", 3)),
        (
            csv_of("a,s,rent,card,1 USD,", "b,s,rent,card,1 USD,", "a,s,rent,card,1 USD,"),
            ("F306", 4),
        ),
        (HEADER.encode() + b"a,s,rent,\xe9,,\n", ("F101", 2)),
        (csv_of("a,s,rent,card,1 USD,", "b,s,rent,card,,"), ("F302", 3)),
        (csv_of("a,s,rent,card,1 USD,", "b\x1b[31m,s,rent,card,1 USD,"), ("F305", 3)),
        (csv_of("-a,s,rent,card,1 USD,"), ("F305", 2)),
        (csv_of(",s,rent,card,1 USD,"), ("F305", 2)),
        (b"", ("F628", 1)),
    ],
)
def test_what_is_wrong_has_a_line(content, expected):
    assert refusal(content) == expected


def test_lines_that_are_no_offers():
    whole = json.dumps(OTHER).encode() + b"\n"
    assert refusal(whole + b"[1]\n", "m.jsonl") == ("F621", 2)
    assert refusal(b'{"id": "a"}\n', "m.jsonl") == ("F302", 1)
    assert refusal(whole + b'\n{"id": "c"}\n', "m.jsonl") == ("F302", 3)
    assert refusal(whole + b'{"seller": "c"}\n', "m.jsonl") == ("F302", 2)
    assert refusal(b"{'id'}\n", "m.jsonl") == ("F621", 1)
    assert refusal(b'{"a":' * 5000 + b"\n", "m.jsonl") == ("F621", 1)


def test_files_join_end_to_end():
    first = read_table(csv_of("a,s,rent,card,1.00 USD,FR"), "1.csv")
    second = read_table(b"id,seller,kind,gpu,price.amount\nb,t,rent,card,2 USD\n", "2.csv")
    ids, columns = joined([first, second])
    assert ids == ("a", "b")
    assert [columns["region"].text(row) for row in (0, 1)] == ["FR", ""]
    assert [columns["seller"].text(row) for row in (0, 1)] == ["s", "t"]
    with pytest.raises(Refused, match="F503"):
        joined([first, read_table(csv_of("a,s,rent,card,1 USD,"), "2.csv")])


def test_a_file_without_rows_is_empty():
    assert list(read_table(HEADER.encode(), "m.csv").ids) == []


def test_lines_that_end_in_a_carriage_return_are_found_again():
    """csv ends lines there, also within quotes; LF alone would find another row."""
    told = b"id,seller,kind,gpu,price.amount,region\ra,s,rent,g,1 EUR,\rb,s,rent,g,2 EUR,\r"
    ((line, row),) = read_table(told, "m.csv").records([1])
    assert (line, row["id"]) == (3, "b")
    mixed = csv_of('a,"s\rt",rent,g,1 EUR,', "", "b,s,rent,g,2 EUR,", "c,s,rent,g,3 EUR,")
    assert [row["id"] for _, row in read_table(mixed, "m.csv").records([0, 1, 2])] == [
        "a",
        "b",
        "c",
    ]


def test_what_a_json_line_says_twice_is_refused():
    line = json.dumps(OTHER)
    twice = line.replace('"seller": "s"', '"seller": "s", "seller": "t"')
    assert refusal(f"{line}\n{twice}".encode(), "m.jsonl") == ("F621", 2)
    dotted = line.replace('"seller"', '"price.amount": "0.01 USD", "seller"')
    assert refusal(dotted.encode(), "m.jsonl") == ("F301", 1)
    inner = line.replace('"amount"', '"a.b": "x", "amount"')
    assert refusal(inner.encode(), "m.jsonl") == ("F301", 1)


def test_json_lines_have_an_encoding_and_may_have_a_mark():
    line = json.dumps(OTHER)
    assert list(read_table(b"\xef\xbb\xbf" + line.encode(), "m.jsonl").ids) == ["b"]
    assert refusal(f"{line}\n".encode() + b'{"id": "\xe9"}', "m.jsonl") == ("F101", 2)


def test_no_row_has_the_columns_of_an_offer():
    assert "price.amount" in read_table(b"", "m.jsonl").columns
