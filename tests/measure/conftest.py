"""What tests of this room share."""

from measure.children import scripted

__all__ = ["scripted"]
