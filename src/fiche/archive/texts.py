"""What an archive says of itself to somebody who has no fiche."""

from __future__ import annotations

ROOT_README = b"""\
This folder is an archive of decisions about graphics cards, and of the
measurements that they rest on. It was written by the program fiche, and can be
read without it.

bags/             one folder an entry: bags/AB/ID, AB being the first two signs
                  of the ID. Each is a bag (BagIt 1.0, RFC 8493) with a
                  README.txt of its own. These are the archive.
                  The files lie under data/, unchanged; fiche-entry.json says
                  what they are, and the figures that they state.
fiche-archive.json  which archive this is
additions.jsonl   one line an entry, in the order of adding. Made from the bags.
incoming/         bags that are being written. What stays there for long was
                  interrupted, and is no part of the archive.
index.sqlite3     made from the bags, to find things quickly. May be deleted.

Nothing in a bag ever changes: an entry is replaced by a later one that says so
("supersedes"). To check a bag, in its folder:

  sha256sum --check --quiet manifest-sha256.txt tagmanifest-sha256.txt

To copy the archive, copy the folder. To keep it, keep bags/.
"""
