"""Reads what veraPDF prints: its XML report (which older versions call mrr), or the JSON of newer ones."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from xml.etree.ElementTree import Element, ParseError, fromstring

from fiche.kernel.record import record
from fiche.render.visible import visible

# By veraPDF's name for a flavour: the standard, and what its profile's name says without its signs.
STANDARDS = {"3a": ("PDF/A-3a", "3A"), "ua1": ("PDF/UA-1", "UA1")}
MOST_FAILURES = 50
_LONGEST = 400
_NO_SIGN = re.compile(r"[^A-Z0-9]")


@record
class Failure:
    """One rule that does not hold: where it stands in the standard, what it asks, how often it fails."""

    specification: str
    clause: str
    test: str
    about: str
    checks: str


@record
class Judged:
    """What was said of one standard; `compliant` is None where no verdict could be had, and `why` says so.

    `version` is the program's own word for itself, empty where it gives none.
    """

    standard: str
    compliant: bool | None
    profile: str = ""
    version: str = ""
    why: str = ""
    failures: tuple[Failure, ...] = ()


def no_verdict(flavour: str, why: str) -> Judged:
    """Nothing is known of this standard."""
    return Judged(standard=STANDARDS[flavour][0], compliant=None, why=_told(why))


def judged(output: bytes, flavour: str) -> Judged:
    """The verdict in what the program printed; a report on another standard is none."""
    text = output.decode("utf-8", "replace")
    try:
        found = _of_json(text) if text.lstrip().startswith("{") else _of_xml(text)
    except (ValueError, ParseError, KeyError, TypeError, AttributeError, RecursionError):
        found = {}
    verdict = found.get("compliant")
    if verdict is None:
        return no_verdict(flavour, found.get("why") or _first_words(text))
    if STANDARDS[flavour][1] not in _NO_SIGN.sub("", found["profile"].upper()):
        return no_verdict(flavour, f"it judged by another profile: {found['profile']}")
    return Judged(
        standard=STANDARDS[flavour][0],
        compliant=verdict,
        profile=_told(found["profile"]),
        version=_told(found["version"]),
        failures=found["failures"],
    )


# --- XML ------------------------------------------------------------------------------------------


def _of_xml(text: str) -> dict[str, Any]:
    """Java may print warnings before the report; a document type, which could swell, is refused."""
    start, end = text.index("<report"), text.rindex("</report>") + len("</report>")
    document = text[start:end]
    if "<!" in document.replace("<![CDATA[", ""):
        raise ValueError("a declaration inside the report")
    root = fromstring(document)
    reports = list(_named(root, "validationReport"))
    if len(reports) != 1 or reports[0].get("jobEndStatus", "normal") != "normal":
        return {"why": next((_text(e) for e in _named(root, "exceptionMessage")), "")}
    told = reports[0]
    return {
        "compliant": {"true": True, "false": False}.get(told.get("isCompliant", "")),
        "profile": told.get("profileName", ""),
        "version": _xml_version(root),
        "failures": tuple(_xml_failures(told)),
    }


def _xml_version(root: Element) -> str:
    told = {e.get("id"): e.get("version", "") for e in _named(root, "releaseDetails")}
    return told.get("core") or next(iter(told.values()), "")


def _xml_failures(told: Element) -> Iterator[Failure]:
    failed = (rule for rule in _named(told, "rule") if rule.get("status", "").lower() == "failed")
    for rule, _ in zip(failed, range(MOST_FAILURES), strict=False):
        about = next((_text(e) for e in _named(rule, "description")), "")
        yield _failure({**rule.attrib, "description": about})


def _named(root: Element, name: str) -> Iterator[Element]:
    return (e for e in root.iter() if e.tag.rpartition("}")[2] == name)


def _text(element: Element) -> str:
    return "".join(element.itertext())


# --- JSON -----------------------------------------------------------------------------------------


def _of_json(text: str) -> dict[str, Any]:
    report = json.loads(text)["report"]
    (job,) = report["jobs"]
    told = job.get("validationResult") or {}
    told = told[0] if isinstance(told, list) and len(told) == 1 else told
    if not isinstance(told, dict) or told.get("jobEndStatus", "normal") != "normal":
        told = {}
    if not isinstance(told.get("compliant"), bool):
        return {"why": str((job.get("taskException") or {}).get("exceptionMessage", ""))}
    releases = report.get("buildInformation", {}).get("releaseDetails", [])
    versions = {r.get("id"): str(r.get("version", "")) for r in releases}
    rules = told.get("details", {}).get("ruleSummaries", [])
    failed = [r for r in rules if str(r.get("ruleStatus", r.get("status"))).lower() == "failed"]
    return {
        "compliant": told["compliant"],
        "profile": str(told.get("profileName", "")),
        "version": versions.get("core") or next(iter(versions.values()), ""),
        "failures": tuple(_failure(rule) for rule in failed[:MOST_FAILURES]),
    }


# --- Both -----------------------------------------------------------------------------------------


def _failure(rule: Mapping[str, Any]) -> Failure:
    """The attributes of a rule have the same names in both forms."""

    def told(name: str) -> str:
        return _told(str(rule.get(name, "")))

    return Failure(
        specification=told("specification"),
        clause=told("clause"),
        test=told("testNumber"),
        about=told("description"),
        checks=told("failedChecks"),
    )


def _first_words(text: str) -> str:
    return f"it printed no report that can be read: {text.strip()[:120] or 'nothing at all'}"


def _told(text: str) -> str:
    """Words of a program that may be anybody's: short, and nothing in them that acts on a screen."""
    return visible(" ".join(text[: 4 * _LONGEST].split()))[:_LONGEST]
