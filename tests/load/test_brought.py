"""What travelled with a report stands in the place of what is installed, and nothing installed beside it."""

import pytest

from fiche.assets import package_data
from fiche.kernel.diagnostic import Refused
from fiche.load.builtin import PREFIX, Brought, installed
from fiche.load.catalog import Catalogs
from fiche.load.fault import Faults
from fiche.load.policy import built_in

NVIDIA = f"{PREFIX}catalog/nvidia.yaml"
SOURCES = f"{PREFIX}catalog/sources.yaml"
NEUTRAL = f"{PREFIX}policies/neutral.yaml"


def own(name):
    return package_data(name.removeprefix(PREFIX)).read_bytes()


def brought(**changed):
    contents = {name: own(name) for name in (NVIDIA, SOURCES, NEUTRAL)}
    return Brought({**contents, **changed})


def test_the_same_files_give_the_same_cards_and_policy():
    faults = Faults()
    for name in ("nvidia-rtx-4090-24g", "nvidia-rtx-6000-ada-48g"):
        one, other = Catalogs(faults).card(name), Catalogs(faults, brought()).card(name)
        assert one is not None
        assert repr(one) == repr(other)  # figures are equal to none but themselves
    assert repr(built_in("neutral", brought()).policy) == repr(built_in("neutral").policy)


def test_another_file_is_used_as_it_was_brought():
    other = own(NVIDIA).replace(b"name: GeForce RTX 4090", b"name: Another 4090", 1)
    assert other != own(NVIDIA)
    card = Catalogs(Faults(), brought(**{NVIDIA: other})).card("nvidia-rtx-4090-24g")
    assert card.name == "Another 4090"
    assert Catalogs(Faults()).card("nvidia-rtx-4090-24g").name != "Another 4090"
    policy = own(NEUTRAL).replace(b"version:", b"version: 9 #", 1)
    assert built_in("neutral", brought(**{NEUTRAL: policy})).policy.version == "9"


def test_what_was_not_brought_is_not_there():
    shipped = Brought({SOURCES: own(SOURCES)})
    assert Catalogs(Faults(), shipped).card("nvidia-rtx-4090-24g") is None
    assert (shipped.policies, dict(shipped.cards)) == ((), {})
    with pytest.raises(FileNotFoundError):
        built_in("neutral", shipped)
    assert "neutral" in installed().policies


@pytest.mark.parametrize(
    "text", [b"hello", b"catalog: 1\nlist: []\n", b"\xff", b"cards:\n  - id: x\n"]
)
def test_a_file_that_is_no_catalog_is_refused_before_it_is_used(text):
    with pytest.raises(Refused):
        brought(**{NVIDIA: text})
    with pytest.raises(Refused):
        built_in("neutral", brought(**{NEUTRAL: text}))
