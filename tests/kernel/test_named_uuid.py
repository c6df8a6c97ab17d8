"""Ids of names are those of the standard library."""

import uuid

import pytest

from fiche.kernel.named_uuid import named_uuid


@pytest.mark.parametrize("name", ["", "fiche", "ünïcode", "x" * 1000])
@pytest.mark.parametrize("namespace", [uuid.NAMESPACE_OID, uuid.NAMESPACE_URL])
def test_an_id_is_the_one_that_the_library_makes(namespace, name):
    assert named_uuid(namespace.bytes, name.encode()) == str(uuid.uuid5(namespace, name))
