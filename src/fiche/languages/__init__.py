"""The languages that reports are written in: English is the source, each other one a gettext catalog.

A language is added by one catalog, `<tag>.po` with its compiled `<tag>.mo` in this folder; numbers, dates and
plurals come from CLDR by its tag.
"""

from fiche.languages.spoken import spoken, tags

__all__ = ["spoken", "tags"]
