"""The tables of an index for SQLAlchemy, which knows how each database spells them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fiche.archive.index_columns import INDEXES, KEYS, NUMBERS, TABLES, table

if TYPE_CHECKING:
    from sqlalchemy import Dialect


def makes(dialect: Dialect) -> list[str]:
    """The statements that make the tables, without their indexes."""
    from sqlalchemy.schema import CreateTable

    return [str(CreateTable(each).compile(dialect=dialect)) for each in _tables()]


def makes_indexes(dialect: Dialect) -> list[str]:
    """The statements that make the indexes: last where a whole archive is entered."""
    from sqlalchemy.schema import CreateIndex

    return [
        str(CreateIndex(index).compile(dialect=dialect))
        for each in _tables()
        for index in sorted(each.indexes, key=lambda index: str(index.name))
    ]


def _tables() -> list[_Table]:
    from sqlalchemy import BigInteger, Column, Index, Integer, MetaData, Table, Text

    number = BigInteger().with_variant(Integer(), "sqlite")
    # Sorted by the signs' numbers everywhere, whatever language the server speaks.
    text = Text().with_variant(Text(collation="C"), "postgresql")
    metadata = MetaData()
    made = []
    for name, columns in TABLES.items():
        rows = Table(
            table(name),
            metadata,
            *(
                Column(
                    column,
                    number if column in NUMBERS else text,
                    primary_key=column in KEYS[name],
                    autoincrement=False,
                    nullable=column.endswith("_n"),
                )
                for column in columns
            ),
            sqlite_with_rowid=KEYS[name] in (("n",), ("name",)),
        )
        for place, of in enumerate(INDEXES.get(name, ())):
            Index(f"{table(name)}_by_{place}", *(rows.c[column] for column in of))
        made.append(rows)
    return made


if TYPE_CHECKING:
    from sqlalchemy import Table as _Table
