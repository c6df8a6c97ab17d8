"""What hypothesis draws of machine and software: requirements, prints, words of documents, a card."""

from evaluate.build import (
    GIB,
    GPU,
    MACHINE,
    attest,
    bytes_of,
    card,
    declared,
    document,
    printing,
    requirement,
    stated,
    typed,
)
from hypothesis import strategies as st

from fiche.kernel.record import replace
from fiche.kernel.unit import BYTE, BYTE_PER_SECOND

STATES = st.sampled_from(["on", "off"])
CAPABILITIES = st.sampled_from(["7.5", "8.0", "8.9", "gfx90a"])
FORMS = st.sampled_from(["PCIe dual-slot", "PCIe single-slot", "PCIe", "SXM5"])
WAYS = st.sampled_from(["NV4", "SYS"])
PAIRS = st.sampled_from(["0-1", "1-2", "all"])
VERSIONS = st.sampled_from(["2.4", "2.5.0+cu124", "2.11.0+cu128", "610.62-open"])

REQUIREMENTS = (
    lambda draw: ("compute_capability", {"at_least": "8.0"}),
    lambda draw: ("compute_capability", {"at_least": "8.0", "gfx": ["gfx90a"]}),
    lambda draw: ("compute_capability", {"gfx": ["gfx90a", "gfx942"]}),
    lambda draw: ("ecc", {"state": draw(STATES)}),
    lambda draw: ("form_factor", {"one_of": draw(st.lists(FORMS, min_size=1, max_size=2))}),
    lambda draw: ("disk", {"at_least": bytes_of("21 GiB")}),
    lambda draw: ("disk", {"at_least": bytes_of("21 GiB"), "type": "NVMe"}),
    lambda draw: ("placement", {}),
    lambda draw: ("placement", {}),
    lambda draw: ("service", {"service": "managed PostgreSQL"}),
    lambda draw: ("software", {"component": "torch", "specifier": ">=2.4,<3,!=2.5.0"}),
    lambda draw: ("software", {"component": "driver", "specifier": ">=550"}),
    lambda draw: ("interconnect", {"link": "NVLink", "between": draw(PAIRS)}),
    lambda draw: (
        "interconnect",
        {"link": "NVLink", "between": "0-1", "at_least": stated(21, BYTE_PER_SECOND)},
    ),
    lambda draw: ("host_memory", {}),  # what a want may leave out
)


def asked(draw, shared):
    """A requirement of one of these kinds; what a must would have to state, a want may lack."""
    kind, terms = draw(st.sampled_from(REQUIREMENTS))(draw)
    level = shared["level"] if terms or kind == "placement" else "want"
    return requirement(kind, **{**shared, "level": level}, **terms)


TERMS = {
    "compute_capability": lambda draw: {"value": draw(CAPABILITIES)},
    "ecc": lambda draw: {"state": draw(STATES)},
    "form_factor": lambda draw: {"value": draw(FORMS)},
    "disk": lambda draw: {
        "value": declared(draw(st.sampled_from([18, 21])) * GIB, BYTE),
        **draw(st.sampled_from([{}, {"type": "NVMe"}, {"type": "SATA"}])),
    },
    "service": lambda draw: {
        "service": draw(st.sampled_from(["managed PostgreSQL", "managed Redis"])),
        **draw(st.sampled_from([{}, {"answer": "not_included"}])),
    },
    "interconnect": lambda draw: {
        "link": "NVLink",
        "between": draw(PAIRS),
        "value": declared(draw(st.sampled_from([18, 21])), BYTE_PER_SECOND),
    },
    "software": lambda draw: {"component": "torch", "version": draw(VERSIONS)},
}
OF_A_CARD = {"compute_capability", "form_factor"}


@st.composite
def sheets(draw, id, load, near=""):
    """A document with a word or two, of `near` where that is told; about the offer, the machine or the card."""
    by = draw(st.sampled_from(["A. Martin", "C. Ito", ""]))
    known = st.sampled_from(sorted(TERMS))
    facts = draw(st.lists(st.just(near) if near in TERMS else known, min_size=1, max_size=2))
    quoted = draw(st.sampled_from([True, True, True, False]))
    told = [attest(fact, id=id, quoted=quoted, by=by, **TERMS[fact](draw)) for fact in facts]
    usual = {"gpu": GPU} if OF_A_CARD & set(facts) else {"offer": "offer-01"}
    about = draw(st.sampled_from([usual, usual, {"machine": MACHINE}, {"offer": "offer-02"}]))
    made = document(id, *told, by=by)
    return replace(made, typed={key: typed(value, by) for key, value in about.items()})


@st.composite
def prints(draw, id, load):
    """What tools printed of a machine: states, ways, versions; some of them only typed by a person."""
    told = {
        "devices.0.ecc": draw(STATES),
        "devices.1.ecc": draw(STATES),
        "devices.0.compute_capability": draw(CAPABILITIES),
        "links.0-1": draw(WAYS),
        "links.1-2": draw(WAYS),
        "host_memory_bytes": draw(st.sampled_from([str(18 * GIB), str(21 * GIB)])),
        "framework.version": draw(VERSIONS),
        "driver": draw(st.sampled_from(["610.62", "540", "610.62-open"])),
    }
    kept = draw(st.sets(st.sampled_from(sorted(told)), min_size=1))
    machine = draw(st.sampled_from([MACHINE, MACHINE, MACHINE, "node-8", None]))
    made = printing(id, machine, **{path: told[path] for path in sorted(kept)})
    by = draw(st.sampled_from(["A. Martin", ""]))
    scope = {} if machine else {"machine": typed(MACHINE, by)}
    return replace(made, typed=scope)


def described(draw, gpu):
    """A card whose row says some of it."""
    told = {
        "compute_capability": draw(CAPABILITIES),
        "form_factor": draw(FORMS),
        "ecc": draw(st.sampled_from(["yes", "no"])),
    }
    kept = draw(st.sets(st.sampled_from(sorted(told))))
    return card(gpu, **{path: told[path] for path in sorted(kept)})
