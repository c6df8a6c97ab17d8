"""`fiche catalog`: the cards that fiche knows, one's own catalog files, and markets of offers (F7)."""

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


@app.command("import")
def import_(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="listings of offers")],
    output: Annotated[Path, typer.Option("-o", "--output", help="offers: .csv, .jsonl or .yaml")],
    format: Annotated[str, typer.Option(help="the listing's format, if not as it looks")] = "",
    currency: Annotated[str, typer.Option(help="of all prices, where the format says none")] = "",
    seller: Annotated[str, typer.Option(help="who sells, where the format does not say")] = "",
    observed_on: Annotated[str, typer.Option(metavar="DATE", help="the day of the prices")] = "",
    source: Annotated[str, typer.Option(help="who says so, and where")] = "",
    columns: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="PATH=TEXT", help="'price.amount={Price} EUR'; repeatable"),
    ] = None,
    refused: Annotated[
        Path | None, typer.Option(help="write every refused row there, a JSON object a line")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="write nothing if a row is refused")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="replace the files")] = False,
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Make offers of listings, or of any table.

    Listings of gpuhunt, SkyPilot, dstack, Vast.ai, RunPod and Lium.
    """
    from fiche.cli.offers_import import Said, imports
    from fiche.cli.offers_import_run import finish

    said = Said(
        kind=format,
        currency=currency,
        seller=seller,
        observed_on=observed_on,
        source=source,
        columns=tuple(columns or ()),
    )
    finish(imports(files, said), output, refused, strict=strict, force=force, json=json)


@app.command()
def search(
    offers: Annotated[list[Path], typer.Argument(metavar="OFFERS", help="offers: .csv or .jsonl")],
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="TEST", help="'region~FR', 'price_per_card_hour<=2 USD'; repeatable"),
    ] = None,
    gpu: Annotated[list[str] | None, typer.Option(help="a card's id; repeatable")] = None,
    sort: Annotated[str, typer.Option(help="a field that is a number")] = "price_per_card_hour",
    limit: Annotated[int, typer.Option(min=1, help="offers shown")] = 20,
    json: Annotated[bool, _JSON] = False,
) -> None:
    """Search files of offers. What does not state a tested field is left out, and counted by test."""
    from fiche.cli.offers_search import search_json, search_text, searched
    from fiche.cli.terminal import put_json, put_text

    found = searched(offers, where or (), gpu or (), sort)
    if json:
        put_json(search_json(found, limit))
    else:
        put_text(search_text(found, limit))


@app.command()
def screen(
    fiche: Annotated[Path, typer.Argument(metavar="FICHE", help="the workload fiche (YAML)")],
    offers: Annotated[list[Path], typer.Argument(metavar="OFFERS", help="offers: .csv or .jsonl")],
    top: Annotated[int, typer.Option(min=1, help="offers decided in full, by cost")] = 10,
    cards: Annotated[
        int | None, typer.Option(min=1, help="cards needed, where the fiche does not say")
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(metavar="TEST", help="only offers that pass, as in a search; repeatable"),
    ] = None,
    gpu: Annotated[list[str] | None, typer.Option(help="a card's id; repeatable")] = None,
    json: Annotated[bool, _JSON] = False,
    csv: Annotated[bool, typer.Option("--csv", help="every offer's verdicts, a row each")] = False,
) -> None:
    """Judge every offer of a market against a fiche.

    The reasons are counted, and the cheapest are decided in full.
    """
    from fiche.cli.offers_search import kept
    from fiche.cli.screened import screening, without_collector
    from fiche.cli.screened_text import screened_csv, screened_json, screened_text
    from fiche.cli.terminal import put_bytes, put_json, put_text

    with without_collector():
        tested = bool(where or gpu)
        choose = (lambda market: kept(market, where or (), gpu or ())) if tested else None
        found = screening(fiche, offers, cards, top, choose)
        if csv:
            put_bytes(screened_csv(found))
        elif json:
            put_json(screened_json(found))
        else:
            put_text(screened_text(found))
