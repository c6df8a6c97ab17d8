"""`fiche catalog list|show|validate`: the cards that fiche knows, and one's own catalog files (F7)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="List, show and check catalogs of cards and offers.",
    rich_markup_mode=None,
    no_args_is_help=True,
)

_OWN = typer.Option(
    "--catalog", metavar="FILE", help="a catalog file beside the built-in cards; repeatable"
)
_JSON = typer.Option("--json", help="print one JSON object")


@app.command("list")
def list_(
    vendor: Annotated[str | None, typer.Option(metavar="NAME", help="nvidia, amd or intel")] = None,
    min_nominal: Annotated[
        str | None,
        typer.Option("--min-nominal", metavar="MEMORY", help="label at least, such as '24 GB'"),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEST", help="any field: fp8=yes, 'power<=300 W', year>=2023; repeatable"
        ),
    ] = None,
    catalog: Annotated[list[Path] | None, _OWN] = None,
    json: Annotated[bool, _JSON] = False,
) -> None:
    """List cards, by any field that they state.

    A card that does not state a tested field is left out, and counted.
    """
    from fiche.cli.cards import chosen, known_cards, tests
    from fiche.cli.cards_text import list_json, list_text, silent_text
    from fiche.cli.terminal import put_json, put_message, put_text

    extra = [f"vendor={vendor}"] * (vendor is not None)
    extra += [f"nominal>={min_nominal}"] * (min_nominal is not None)
    found = chosen(known_cards(catalog or ()), tests([*extra, *(where or ())]))
    if json:
        put_json(list_json(found))
        return
    put_text(list_text(found))
    if found.silent:
        put_message(silent_text(found))


@app.command()
def show(
    card: Annotated[str, typer.Argument(metavar="CARD", help="the id of a card")],
    catalog: Annotated[list[Path] | None, _OWN] = None,
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Show a card's row, each fact with its source."""
    from fiche.cli.cards import card_named, known_cards
    from fiche.cli.cards_text import card_json, card_text
    from fiche.cli.terminal import put_json, put_text

    found = card_named(card, known_cards(catalog or ()))
    if json:
        put_json(card_json(found))
    else:
        put_text(card_text(found))


@app.command()
def validate(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="catalog or offer files; the built-in ones if none"),
    ] = None,
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Check and count catalog and offer files."""
    from fiche.cli.cards import validated
    from fiche.cli.terminal import put_json, put_text

    cards, offers = validated(files or ())
    if json:
        put_json({"format": "fiche-catalog/1", "valid": True, "cards": cards, "offers": offers})
    else:
        put_text(f"valid: {cards} cards, {offers} offers\n")
