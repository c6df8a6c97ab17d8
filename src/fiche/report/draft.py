"""A report that is no more than a draft: said in its title, on page one, and behind every page."""

from __future__ import annotations

from fiche.kernel.record import replace
from fiche.report.parts import Callout, Paragraph, Report, Words
from fiche.report.words._language import Language


def drafted(report: Report, language: Language) -> Report:
    """The same report as a draft, in its language; the decision is the same."""
    phrases = language.phrases
    told = Callout(
        kind="draft",
        title=phrases["draft_lead"],
        blocks=(Paragraph((Words(phrases["draft_says"]),)),),
    )
    return replace(
        report,
        title=phrases["draft_title"].format(title=report.title),
        opening=(told, *report.opening),
        draft=phrases["draft_word"],
    )
