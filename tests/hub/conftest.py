"""A hub on this machine; the library is pointed to it, with an empty cache and no token."""

import pytest
from hub import server as hubs
from huggingface_hub import constants
from huggingface_hub.utils import close_session

from fiche.hub import _wire


@pytest.fixture
def hub(monkeypatch, tmp_path):
    """A hub without models, to be filled and spoilt by a test."""
    made = hubs.Hub()
    server = hubs.start(made)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    template = constants.HUGGINGFACE_CO_URL_TEMPLATE.replace(constants.ENDPOINT, made.address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
    monkeypatch.setattr(constants, "ENDPOINT", made.address)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "HF_HUB_DOWNLOAD_TIMEOUT", 10)
    monkeypatch.setattr(_wire, "PAUSES", (0, 0))
    yield made
    close_session()
    hubs.stop(server)
