"""Finds the files that travel with fiche, and is the only one to know where they lie.

`templates/` and `schemas/` are inside the package once a wheel is built, and beside `src/` in a
checkout, an unpacked sdist and an editable install.
"""

from functools import cache
from pathlib import Path


def template_dir() -> Path:
    """Return the folder of the templates.

    Raises:
        FileNotFoundError: this installation has none.
    """
    return _folder("templates")


def schema_dir() -> Path:
    """Return the folder of the JSON Schemas.

    Raises:
        FileNotFoundError: this installation has none.
    """
    return _folder("schemas")


def template_text(name: str) -> str:
    """Return the text of one template, named by its path under `templates/`."""
    return _inside(template_dir(), name).read_text(encoding="utf-8")


def schema_text(name: str) -> str:
    """Return the text of one JSON Schema, named by its path under `schemas/`."""
    return _inside(schema_dir(), name).read_text(encoding="utf-8")


def package_data(relative: str) -> Path:
    """Return the path of a file or folder that lies under `src/fiche/` itself.

    Raises:
        FileNotFoundError: it does not exist there.
    """
    return _inside(_package(), relative)


def _package() -> Path:
    """The package's own folder.

    `importlib.resources` knows it in every kind of installation, but costs more to import than all
    that is read through it; where the package is a plain folder, it is simply here.
    """
    here = Path(__file__).parent
    if here.is_dir():
        return here
    from importlib.resources import files

    return Path(str(files("fiche")))


@cache
def _folder(name: str) -> Path:
    package = _package()
    checkout = package.parent.parent
    for candidate in (package / name, checkout / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"no {name}/ in {package}, nor in {checkout}")


def _inside(folder: Path, name: str) -> Path:
    # A name may come from a fiche ("policy: …"): it must not lead out of the folder.
    path = (folder / name).resolve()
    if not (path.is_relative_to(folder.resolve()) and path.exists()):
        raise FileNotFoundError(f"no {name!r} in {folder}")
    return path
