"""A page of a report in Chromium, from disk, as a reader opens it."""

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def launched():
    """The browser, for as long as a module's tests need it: two drivers at once are refused."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@contextmanager
def opened(browser, text="", **mode):
    """A page of this text; `requests` holds what it asked for, `complaints` what its console says."""
    with tempfile.TemporaryDirectory() as folder:
        context = browser.new_context(**mode)
        page = context.new_page()
        page.requests, page.complaints = [], []
        page.on("console", lambda message: page.complaints.append(message.text))
        page.on("pageerror", lambda error: page.complaints.append(str(error)))
        page.on("request", lambda request: page.requests.append(request.url))
        if text:
            file = Path(folder) / "report.html"
            file.write_text(text, encoding="utf-8")
            page.goto(file.as_uri())
            page.requests = [url for url in page.requests if url != file.as_uri()]
        try:
            yield page
        finally:
            context.close()
