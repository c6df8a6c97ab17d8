"""Formulas: a workload in, computed figures out. Reads no catalog and invents no default.

A member is one item of a load. What uses all of them together is imported from here.
"""

from fiche.estimators._envelope import envelope
from fiche.estimators._floor import firm_floor
from fiche.estimators._formats_table import FormatRow, formats_table
from fiche.estimators._load import figures, load_items
from fiche.estimators._open_formats import open_formats
from fiche.estimators._phases import peak_phase, phase_totals, together

__all__ = [
    "FormatRow",
    "envelope",
    "figures",
    "firm_floor",
    "formats_table",
    "load_items",
    "open_formats",
    "peak_phase",
    "phase_totals",
    "together",
]
