"""The client as ``cardioid`` runs it: orders on stdin, replies on stdout, a session for as long as stdin is open.

The first line of stdin says where the cluster is, and how it is used; each line after it is a job, which is drawn when
those before are done. All are JSON. The end of stdin ends all work, and leaves nothing on the workers.

stdout has messages: two numbers of four bytes, little-endian, and as many bytes as the second says. The first is the
place of a task in its job, and the bytes are its reply; or it is ``NOTE``, and they are JSON:

``{"progress": {…}}``
    how far it is, and who is there; the first one says that the session is open
``{"failed": {"task": 5, "error": "…", "worker": "tcp://…"}}``
    a task failed as often as it was tried
``{"done": null}``
    all tasks of the job have come, or failed
``{"error": "…"}``, ``{"no_dask": "…"}``
    nothing more will come
"""

from __future__ import annotations

import json
import os
import queue
import signal
import struct
import sys
import threading
from dataclasses import asdict
from pathlib import Path

# Whatever a library prints goes to stderr.
OUT = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
#: In place of a task's number.
NOTE = (1 << 32) - 1


def say(number: int, message: bytes) -> None:
    OUT.write(struct.pack("<2I", number, len(message)))
    OUT.write(message)
    OUT.flush()


def tell(**note: object) -> None:
    say(NOTE, json.dumps(note).encode())


try:
    from .client import ClusterError, Failed, Job, Progress, Session, connect
except ImportError as error:
    tell(no_dask=f"there is no Dask here ({error})")
    sys.exit(4)


def on_progress(progress: Progress) -> None:
    tell(progress=asdict(progress))


def orders(opened: list[Session]) -> queue.SimpleQueue[dict]:
    """The lines of stdin. At its end, or where the parent has gone away, so does this program."""
    lines: queue.SimpleQueue[dict] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            lines.put(json.loads(line))
        for session in opened:
            session.end()
        os._exit(0)

    threading.Thread(target=read, daemon=True).start()
    return lines


def draw(session: Session, job: Job) -> None:
    for reply in session.draw(job, on_progress):
        if isinstance(reply, Failed):
            tell(failed=asdict(reply))
        else:
            say(*reply)
    tell(done=None)


def main() -> int:
    # Ctrl+C reaches all programs of a terminal; the parent alone decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    opened: list[Session] = []
    lines = orders(opened)
    order = lines.get()
    try:
        client = connect(order["cluster"], Path(order["tls"]) if order["tls"] else None)
        programs = {name: Path(path) for name, path in order["programs"].items()}
        opened.append(session := Session(client, programs, order["retries"], order["in_flight"]))
        on_progress(session.progress())
        while True:
            draw(session, Job(**lines.get()))
    except (ClusterError, OSError) as error:
        for session in opened:
            session.end()
        tell(error=str(error))
        return 1


if __name__ == "__main__":
    # A cluster of this process ends with it; nothing else is worth waiting for.
    os._exit(main())
