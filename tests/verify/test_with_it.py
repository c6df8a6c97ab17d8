"""What a report brings along counts: its own cards, and the signature behind its bytes."""

import io

import pypdf
import pytest
from signers import ada
from verify.sheets import faults, report, steps

from fiche.load import builtin
from fiche.render.signing import Said, signed
from fiche.render.signing_keys import signer_of_pem
from fiche.verify.step import OK, worst


def test_the_attached_cards_are_used_where_this_installation_has_others(monkeypatch):
    """As years later: the same report on an installation whose catalog moved on."""
    page = report("serving", "html")

    class Later(builtin.Shipped):
        sources = ()
        policies = ("neutral",)

        def policy(self, name):
            return b"policy: 9\n", True

    monkeypatch.setattr(builtin, "installed", lambda: Later())
    monkeypatch.setattr("fiche.verify.recompile.installed", lambda: Later())
    found = steps(page, maker=Fresh())
    assert worst(found.values()) == OK
    said = [point.text for point in found["recompiled"].points]
    for name in ("catalog/nvidia.yaml", "policies/neutral.yaml"):
        assert f"fiche:{name} is not what this installation has: the attached file was used" in said


def Fresh():  # noqa: N802 - one that remembers nothing
    from fiche.cli.verifying import Workshop

    return Workshop()


def by_ada(content):
    someone = ada()
    signer = signer_of_pem("key.pem", someone.key_pem(), someone.pem, (), None)
    return signed(content, signer, Said()).content


@pytest.mark.slow
def test_a_signed_report_verifies_and_one_that_changed_behind_it_does_not():
    content = by_ada(report("guide", "pdf"))
    found = steps(content)
    assert {key: step.faults for key, step in found.items() if step.faults} == {}
    assert found["body"].outcome == found["read"].outcome == OK
    assert found["signature"].bytes_covered == len(content)
    writer = pypdf.PdfWriter(io.BytesIO(content), incremental=True)
    writer.add_metadata({"/Keywords": "x"})
    out = io.BytesIO()
    writer.write(out)
    told = faults(out.getvalue())
    assert told.keys() >= {"read", "signature"}
    assert told["read"][0].startswith("F915")
