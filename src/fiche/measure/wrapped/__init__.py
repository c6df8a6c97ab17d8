"""`fiche run`: a user's own command measured from outside, process by process, without rewriting it.

The modules `settings`, `watch`, `program`, `peaks`, `samples` and the folder `hook` run inside the
user's processes: like the protocol they need the standard library and Python 3.9, no more.
"""
