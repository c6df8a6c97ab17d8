"""A hub in a thread: models at revisions, tokens, redirects to another host, ranges, and its failures."""

import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
OLDER = "89abcdef0123456789abcdef0123456789abcdef"
TOKEN = "hf_of_the_test"
_API = re.compile(r"/api/models/(?P<model>[^/]+/[^/]+)(?:/revision/(?P<revision>[^/]+))?")
_FILE = re.compile(r"/(?P<model>[^/]+/[^/]+)/resolve/(?P<revision>[^/]+)/(?P<file>.+)")


@dataclass
class Hub:
    """What the server has, how it behaves, and what it was asked."""

    models: dict = field(default_factory=dict)  # model -> {revision -> {file -> bytes}}
    private: set = field(default_factory=set)
    gated: set = field(default_factory=set)
    # Each may be set by a test: path -> status, how ranges are answered, what is cut.
    statuses: dict = field(
        default_factory=dict
    )  # part of a path -> list of statuses, one a request
    ranges: bool = True
    redirect: str = ""  # the address of another host that has the bytes
    cut: bool = False
    wrong_range: bool = False
    silent: bool = False
    told: bytes = b""  # an answer to the question about a model, instead of its own
    requests: list = field(default_factory=list)
    sent: int = 0
    address: str = ""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        hub = self.server.hub
        path = unquote(urlsplit(self.path).path)
        hub.requests.append((path, dict(self.headers)))
        for part, statuses in hub.statuses.items():
            if part in path and statuses:
                return self._fail(statuses.pop(0))
        if hub.silent:
            self.server.released.wait(20)
            return None
        asked = _API.fullmatch(path)
        if asked:
            return self._model(asked["model"], asked["revision"] or "main")
        asked = _FILE.fullmatch(path)
        if asked:
            return self._file(asked["model"], asked["revision"], asked["file"])
        return self._fail(404)

    def do_HEAD(self):
        self.do_GET()

    def _may(self, model):
        hub = self.server.hub
        token = self.headers.get("authorization", "")
        if model not in hub.models or (model in hub.private and token != f"Bearer {TOKEN}"):
            self._fail(401 if not token else 404, "RepoNotFound")
            return False
        if model in hub.gated and token != f"Bearer {TOKEN}":
            self._fail(401 if not token else 403, "GatedRepo")
            return False
        return True

    def _model(self, model, revision):
        hub = self.server.hub
        if model in hub.models and model in hub.gated:
            pass  # the page of a gated model is open, its files are not
        elif not self._may(model):
            return
        found = hub.models[model].get(revision)
        if found is None:
            self._fail(404, "RevisionNotFound")
            return
        commit = revision if re.fullmatch(r"[0-9a-f]{40}", revision) else COMMIT
        blobs = "blobs" in parse_qs(urlsplit(self.path).query)
        siblings = [
            {"rfilename": name, **({"size": len(content)} if blobs else {})}
            for name, content in found.items()
        ]
        answer = {"id": model, "modelId": model, "sha": commit, "siblings": siblings}
        self._send(
            200, hub.told or json.dumps(answer).encode(), {"Content-Type": "application/json"}
        )

    def _file(self, model, revision, file):
        hub = self.server.hub
        if not hub.address.endswith(hub.redirect or "none") and not self._may(model):
            return
        files = hub.models[model]
        found = next((each for each in (files.get(revision), files["main"]) if each), {})
        if file not in found:
            self._fail(404, "EntryNotFound")
            return
        if hub.redirect:
            self._send(302, b"", {"Location": f"{hub.redirect}{self.path}"})
            return
        self._bytes(found[file])

    def _bytes(self, content):
        hub = self.server.hub
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("range", ""))
        if asked is None or not hub.ranges:
            self._send(200, content, {})
            return
        start, end = int(asked[1]), min(int(asked[2]), len(content) - 1)
        if start >= len(content):
            self._send(416, b"", {"Content-Range": f"bytes */{len(content)}"})
            return
        told = start + 1 if hub.wrong_range else start
        self._send(
            206,
            content[start : end + 1],
            {"Content-Range": f"bytes {told}-{end}/{len(content)}", "Accept-Ranges": "bytes"},
        )

    def _fail(self, status, code="", **headers):
        more = {"X-Error-Code": code} if code else {}
        if status == 429:
            more["Retry-After"] = "37"
        self._send(status, json.dumps({"error": code or "failed"}).encode(), more)

    def _send(self, status, content, headers):
        hub = self.server.hub
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if hub.cut and status in (200, 206) and len(content) > 1:
            content = content[: len(content) // 2]
            self.close_connection = True
        try:
            for start in range(0, len(content), 1 << 16):
                self.wfile.write(content[start : start + (1 << 16)])
                hub.sent += len(content[start : start + (1 << 16)])
        except OSError:
            self.close_connection = True


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a client that has had enough closes the connection


def start(hub):
    """Serve a hub on a port of this machine; returns the server, to be shut down."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.hub = hub
    server.released = threading.Event()
    hub.address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    return server


def stop(server):
    """End a server, whatever it waits for."""
    server.released.set()
    server.shutdown()
    server.server_close()
