"""Policies to copy: the neutral one is the built-in one, the French one adds thresholds and nothing else."""

from pathlib import Path

import pytest
from samples.make_policies import texts

from fiche.kernel.record import field_names, replace
from fiche.load.policy import built_in, policy

SAMPLES = Path(__file__).resolve().parents[2] / "samples"
NEUTRAL = SAMPLES / "policies" / "neutral.yaml"
FRENCH = SAMPLES / "policies" / "french-public-research.yaml"
COPY = SAMPLES / "committee" / "french-public-research.yaml"


def meaning(found):
    """Every value of a policy, without the digest of its bytes and where each value stands."""
    if field_names(found):
        told = {name: getattr(found, name) for name in field_names(found)}
        return {k: meaning(v) for k, v in told.items() if k not in ("sha256", "span", "origin")}
    if isinstance(found, dict):
        return {key: meaning(value) for key, value in found.items()}
    return found


def read(path):
    return policy(path.name, path.read_bytes()).policy


@pytest.mark.parametrize("path", [NEUTRAL, FRENCH], ids=lambda path: path.stem)
def test_the_samples_are_what_the_built_in_policy_makes_them(path):
    """Renew them with tests/samples/make_policies.py where the built-in policy has changed."""
    assert path.read_text("utf-8") == texts()[path.name]
    assert COPY.read_bytes() == FRENCH.read_bytes()


def test_the_neutral_sample_means_what_the_built_in_policy_means():
    assert meaning(read(NEUTRAL)) == meaning(built_in("neutral").policy)


def test_the_french_sample_reads_pieces_as_the_neutral_one_does():
    own, neutral = read(FRENCH), built_in("neutral").policy
    same = replace(own, name=neutral.name, version=neutral.version, thresholds=neutral.thresholds)
    assert meaning(same) == meaning(neutral)


def test_every_figure_of_the_french_sample_has_its_source_and_who_confirms_it():
    """Catalog 7: R2122-8 below 60 000 EUR since 2026-04-01, R2132-2 from it, formal ones for 2026-2027."""
    found = read(FRENCH).thresholds
    bands = {band.id: band for band in found.bands}
    amounts = {name: band.at_least.low for name, band in bands.items() if band.at_least is not None}
    assert amounts == {
        "buyer-profile": 60000,
        "formal-state": 140000,
        "formal-others": 216000,
        "formal-networks": 432000,
    }
    small = bands["no-publicity"]
    assert (small.below.low, small.article, small.date) == (60000, "R2122-8", "2026-04-01")
    assert "2025-1386" in small.source
    assert bands["buyer-profile"].article == "R2132-2"
    for band in found.bands:
        assert band.tax == "excluded"
        assert band.source
        assert "to be confirmed by the purchasing office" in " ".join(band.confirm.split())
    assert "internal rule" in found.quotes[0].source
