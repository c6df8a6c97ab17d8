"""A model's configuration file as values that can be walked back to their place in it (A1, B5).

A saved configuration holds only what differs from its class: a key that is absent means the default
of that class, never a general rule. Both are told apart in the origin of every figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from fiche.kernel.address import Pointer
from fiche.kernel.condition import Condition
from fiche.kernel.figure import Figure, Node, Unknown
from fiche.kernel.origin import Declared, Origin, Stated
from fiche.kernel.record import record, replace
from fiche.kernel.said import tell
from fiche.kernel.unit import count_of

Json = int | Fraction | str | bool | None | list["Json"] | dict[str, "Json"]

# A pattern of layers may have a letter for each of thousands; a file may say anything.
MOST_LETTERS = 10_000


@record(eq=False)
class Config:
    """One object of a configuration file over the defaults of its class.

    `values` are the keys of this object, as parsed (whole numbers int, others Fraction). `place` is its
    JSON pointer, empty for the whole file. `classes` maps a model type to the defaults of its class, and
    `classes_of` names the library and version they were read in. `in_file` is False for an object that the
    file leaves out: then `values` are what the class of the object around it sets there.
    """

    file: str
    sha256: str
    values: Mapping[str, Json]
    classes: Mapping[str, Mapping[str, Json]]
    classes_of: str = ""
    place: str = ""
    in_file: bool = True

    @property
    def model_type(self) -> str:
        """The model type that this object names, empty where it names none."""
        named = self.values.get("model_type")
        return named[:MOST_LETTERS] if isinstance(named, str) else ""

    @property
    def defaults(self) -> Mapping[str, Json]:
        """What the class of this model type has where the file says nothing."""
        return self.classes.get(self.model_type, {})

    def told(self, name: str) -> bool:
        """True when the file itself has the key, be it null."""
        return self.in_file and name in self.values

    def value(self, *names: str) -> Json:
        """The value of the first of these keys that the file has, else the class's default, else None."""
        return self._found(names)[1]

    def whole(self, *names: str) -> int | None:
        """A whole number for structure (how many layers, which ones); None where it is null or absent."""
        found = self.value(*names)
        return found if isinstance(found, int) and not isinstance(found, bool) else None

    def text(self, *names: str) -> str:
        """A word, empty where there is none; no word or pattern of a model is longer than `MOST_LETTERS`."""
        found = self.value(*names)
        return found[:MOST_LETTERS] if isinstance(found, str) else ""

    def flag(self, *names: str) -> bool | None:
        """True or false, None where neither is said."""
        found = self.value(*names)
        return found if isinstance(found, bool) else None

    def listed(self, *names: str) -> list[Json] | None:
        """A list, None where there is none."""
        found = self.value(*names)
        return found if isinstance(found, list) else None

    def number(self, *names: str, counts: str = "") -> Node:
        """A whole number as a figure that points to its place, or a question under the first name."""
        name, found = self._found(names)
        if isinstance(found, bool) or not isinstance(found, int) or found < 0:
            return self._missing(names[0], counts)
        return Figure(
            low=found,
            high=found,
            unit=count_of(counts),
            origin=self._origin(name, found),
            id=self._id(name),
            label=name,
        )

    def part(self, *names: str, model_type: str = "") -> Config | None:
        """An object inside this one; `model_type` names its class where it does not say so itself.

        An object that the file leaves out is that of the class's defaults.
        """
        name, found = self._found(names)
        if not isinstance(found, dict):
            return None
        inside = (
            found
            if "model_type" in found or not model_type
            else {"model_type": model_type, **found}
        )
        return replace(self, values=inside, place=f"{self.place}/{name}", in_file=self.told(name))

    def _found(self, names: tuple[str, ...]) -> tuple[str, Json]:
        for name in names:
            if name in self.values:
                return name, self.values[name]
        for name in names:
            if name in self.defaults:
                return name, self.defaults[name]
        return names[0], None

    def _origin(self, name: str, value: int) -> Origin:
        if self.told(name):
            place = Pointer(sha256=self.sha256, path=f"{self.place}/{name}", text=str(value))
            return Declared(address=place, by=self.file, printed=str(value))
        return Stated(
            span=None,
            because=tell(
                "{file} leaves {name} out: default of {model_type} in {classes_of}",
                file=self.file,
                name=name,
                model_type=self.model_type,
                classes_of=self.classes_of,
            ),
        )

    def _id(self, name: str) -> str:
        return f"config{self.place}/{name}".replace("/", ".")

    def _missing(self, name: str, counts: str) -> Unknown:
        text = tell(
            "give {it} its {name}",
            it=self.place.lstrip("/").replace("/", ".") or tell("the configuration"),
            name=name,
        )
        condition = Condition(
            topic="architecture",
            text=text,
            supplier=tell("author of the fiche"),
            piece_kind="config.json",
        )
        return Unknown(condition=condition, unit=count_of(counts), id=self._id(name), label=name)
