"""Writes samples/policies: a copy of the neutral policy, and the same with thresholds of French research.

How pieces are read is the built-in policy's, word for word, so that a team's copy starts where fiche stands;
the thresholds are data of that file alone. The sample `committee` has its own copy of the second beside it: a
fiche names no file outside its folder.

    python tests/samples/make_policies.py [FOLDER]
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILT_IN = ROOT / "src" / "fiche" / "policies" / "neutral.yaml"
FIRST = "typed_scope:"

SCHEMA = "# yaml-language-server: $schema=../../schemas/policy.schema.json\n"

NEUTRAL = """\
# The built-in policy `neutral` as a file of one's own: copy it beside your fiche, change its name, and say
# `policy: neutral.yaml`. Its digest is printed in every report that it is used for.
policy: 1
name: neutral
version: {version}
description: {description}
"""

FRENCH = """\
# Thresholds of French public research beside the neutral way to read pieces. None of this is law by being
# here: each amount names the text that it was taken from, and the purchasing office is to confirm each
# before it is leaned on. Copy this file beside your fiche, put your establishment's own rules in, and
# change name and version.
policy: 1
name: french-public-research
version: "2026-11"
description: >-
  The neutral policy with thresholds of the Code de la commande publique as read in November 2026, and a
  rule on quotes of the kind that establishments set themselves.

# What the need's total before tax is held against: this order and similar ones together.
procedures:
  - id: no-publicity
    name: No publicity and no competition asked for
    below: 60000 EUR
    tax: excluded
    article: R2122-8
    date: 2026-04-01
    source: Code de la commande publique, as changed by decree 2025-1386 of 2025-12-29 (40 000 EUR before)
    confirm: >-
      to be confirmed by the purchasing office; the article still asks for a relevant offer, good use of public
      money, and not always the same supplier where several could serve
  - id: buyer-profile
    name: Publicity on the buyer profile
    at_least: 60000 EUR
    tax: excluded
    article: R2132-2
    source: Code de la commande publique
    confirm: to be confirmed by the purchasing office, with the date of the rule
  - id: formal-state
    name: Formal procedure
    at_least: 140000 EUR
    tax: excluded
    whom: the State
    date: 2026-01-01
    source: thresholds of formal procedures for 2026 and 2027
    confirm: to be confirmed by the purchasing office, with which of the three is the buyer's
  - id: formal-others
    name: Formal procedure
    at_least: 216000 EUR
    tax: excluded
    whom: other buyers
    date: 2026-01-01
    source: thresholds of formal procedures for 2026 and 2027
    confirm: to be confirmed by the purchasing office, with which of the three is the buyer's
  - id: formal-networks
    name: Formal procedure
    at_least: 432000 EUR
    tax: excluded
    whom: network entities
    date: 2026-01-01
    source: thresholds of formal procedures for 2026 and 2027
    confirm: to be confirmed by the purchasing office, with which of the three is the buyer's

# How long before an order similar ones count with it.
similar_orders_within:
  value: 365 days
  source: >-
    article R2121-7 of the same code, for a need that comes again: the twelve months before, or the last
    budget year; to be confirmed by the purchasing office

# A rule of the house and of no article: put your establishment's own amount and number here.
quotes_needed:
  - at_least: 10000 EUR
    quotes: 3
    tax: excluded
    source: example of an internal rule, to be replaced by the establishment's own

"""


def texts():
    """The two files by name."""
    head, _, reading = BUILT_IN.read_text("utf-8").partition(FIRST)
    told = dict(
        line.split(": ", 1) for line in head.splitlines() if ": " in line and line[:1] != "#"
    )
    same = f"{FIRST}{reading}"
    return {
        "neutral.yaml": SCHEMA + NEUTRAL.format(**told) + same,
        "french-public-research.yaml": SCHEMA + FRENCH + same,
    }


def main(folder=ROOT / "samples"):
    for name, text in texts().items():
        (folder / "policies" / name).write_text(text, "utf-8")
    name = "french-public-research.yaml"
    (folder / "committee" / name).write_text(texts()[name], "utf-8")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
