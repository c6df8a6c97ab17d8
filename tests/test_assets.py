from pathlib import Path

import pytest

import fiche
from fiche import assets

ROOT = Path(__file__).parents[1]


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A made-up checkout, in which `fiche` is `src/fiche`."""
    package = tmp_path / "src" / "fiche"
    package.mkdir(parents=True)
    monkeypatch.setattr(assets, "_package", lambda: package)
    assets._folder.cache_clear()
    yield tmp_path
    assets._folder.cache_clear()


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_the_checkout_is_read_where_the_package_has_none(tree):
    write(tree / "templates" / "page.html", "é")
    assert assets.template_dir() == tree / "templates"
    assert assets.template_text("page.html") == "é"


def test_the_package_comes_first(tree):
    write(tree / "schemas" / "fiche.json", "outside")
    write(tree / "src" / "fiche" / "schemas" / "fiche.json", "inside")
    assert assets.schema_text("fiche.json") == "inside"


def test_an_installation_without_them_says_where_it_looked(tree):
    with pytest.raises(FileNotFoundError, match="no templates/ in"):
        assets.template_dir()


def test_package_data_lies_under_the_package(tree):
    write(tree / "src" / "fiche" / "catalog" / "cards.yaml", "")
    assert assets.package_data("catalog/cards.yaml").is_file()
    assert assets.package_data("catalog").is_dir()


@pytest.mark.parametrize("name", ["../secret", "/etc/passwd", "sub/../../secret", "absent"])
def test_no_name_leads_out_of_its_folder(tree, name):
    write(tree / "templates" / "page.html", "")
    write(tree / "secret", "s")
    write(tree / "src" / "secret", "s")
    for read in (assets.template_text, assets.package_data):
        with pytest.raises(FileNotFoundError):
            read(name)


def test_no_link_leads_out_of_its_folder(tree):
    write(tree / "secret", "s")
    write(tree / "templates" / "page.html", "")
    (tree / "templates" / "link").symlink_to(tree / "secret")
    with pytest.raises(FileNotFoundError):
        assets.template_text("link")


def test_the_real_files_are_found():
    assert assets.package_data("py.typed") == Path(fiche.__file__).parent / "py.typed"
    assert assets.template_dir() == ROOT / "templates"
    assert assets.schema_dir() == ROOT / "schemas"
