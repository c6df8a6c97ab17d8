"""A PostgreSQL server of its own for a test: a new cluster, a socket in a short path, gone with the test."""

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

_USER = "postgres"


def _programs():
    """The folder of `initdb` and `pg_ctl`: Debian keeps them off the path."""
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    return sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))[-1].parent


def _as_user(*command):
    """PostgreSQL refuses to run as root: then it runs as its own user."""
    return ["runuser", "-u", _USER, "--", *command] if os.geteuid() == 0 else [*command]


def _run(*command):
    told = [str(each) for each in command]
    subprocess.run(_as_user(*told), check=True, capture_output=True, cwd="/", timeout=120)


@contextlib.contextmanager
def server():
    """The folder of a running server's socket, and who is its superuser."""
    folder = Path(tempfile.mkdtemp(prefix="pg", dir="/tmp"))
    try:
        if os.geteuid() == 0:
            owner = pwd.getpwnam(_USER)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        folder.chmod(0o755)
        programs, data = _programs(), folder / "d"
        _run(
            programs / "initdb", "-D", data, "-A", "trust", "-U", "fiche", "--no-sync", "-E", "UTF8"
        )
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        _run(programs / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        try:
            yield folder
        finally:
            _run(programs / "pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def url(folder, database="postgres"):
    """The address of a database of it: a socket needs no password."""
    return f"postgresql+psycopg://fiche@/{database}?host={folder}"


def made(folder, database):
    """The address of a new database of it."""
    import psycopg

    with psycopg.connect(
        f"host={folder} user=fiche dbname=postgres", autocommit=True
    ) as connection:
        connection.execute(f'CREATE DATABASE "{database}"')
    return url(folder, database)
