"""Lines of a document that hold a figure with its unit, an amount, or a date: to be quoted by a person.

They are found, not understood: no fact is made of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fiche.kernel.lazy import lazy
from fiche.kernel.piece import Passage

MOST = 300
_LONGEST = 300
_NUMBER = r"\d{1,3}(?:[ \u00a0\u202f.,'’]\d{3}){0,5}(?:[.,]\d{1,6})?|\d{1,12}(?:[.,]\d{1,6})?"
_UNITS = (
    r"[KMGTP]i?B(?:/s|ps)?|[kmg]?bit/s|[MGT]bps|bytes|GT/s|W|kW|kWh|V|MHz|GHz|TFLOPS?|TOPS|"
    r"%|°C|mm|cm|kg|h|hours?|days?|weeks?|months?|years?|min|ms|s|"
    r"USD|EUR|GBP|CHF|JPY|CNY|BRL|TRY|CAD|AUD|INR|SEK|NOK|DKK|PLN|R\$|US\$|[€$£¥₺₹]|"
    r"cards?|GPUs?|lots?|units?|pcs|tokens?(?:/s)?|"
    # Quotes are written in the seller's language: its words for times, cards and bytes.
    r"heures?|jours?|semaines?|mois|ans?|années?|cartes?|[KMGT]o|"
    r"Stunden?|Tagen?|Tage|Wochen?|Monaten?|Monate|Jahren?|Jahre|Karten?|"
    r"horas?|d[ií]as?|semanas?|mes(?:es)?|mês|años?|anos?|tarjetas?|placas?"
)
_FIGURE = lazy(
    rf"(?<![\w.,])(?:{_NUMBER})[ \u00a0\u202f]?(?:{_UNITS})(?![\w])|(?:R\$|US\$|[€$£¥₺₹]|USD|EUR|GBP|CHF)"
    rf"[ \u00a0\u202f]?(?:{_NUMBER})(?![\w])"
)
_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|"
    r"janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|"
    r"januar|februar|märz|juni|juli|oktober|dezember|"
    r"enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre|"
    r"janeiro|fevereiro|março|maio|junho|julho|setembro|outubro|novembro|dezembro)"
)
_DATE = lazy(
    r"(?<!\d)(?:\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|"
    rf"\d{{1,2}}(?:st|nd|rd|th|er)?\.? (?:de )?{_MONTHS}\.?,? (?:de )?\d{{4}}|"
    rf"{_MONTHS}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})(?!\d)",
    re.IGNORECASE,
)


def figure_lines(passages: Iterable[Passage]) -> Iterator[tuple[str, str]]:
    """(place, line) of each such line, in order."""
    for passage in passages:
        for raw in passage.text.split("\n"):
            line = " ".join(raw[:2000].split())
            if line and (_FIGURE.search(line) or _DATE.search(line)):
                yield passage.place, line[:_LONGEST]
