"""The client as ``cardioid render --cluster`` runs it: a job on stdin, replies on stdout, lines of JSON on stderr.

The first line of stdin is the job. Any other line, or the end of stdin, cancels it. Lines of stderr hold how far it
is (``done``, ``total``, ``workers``, ``dashboard``), or at the end ``error``, with the ``tile`` that failed.
Exit codes: 0 done, 1 the cluster could not do it, 3 a tile is missing, 4 there is no Dask here.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from dataclasses import asdict
from pathlib import Path

try:
    from .client import ClusterError, Job, Progress, Session, TileFailed, connect
except ImportError as error:
    print(json.dumps({"error": f"there is no Dask here ({error})"}), file=sys.stderr, flush=True)
    sys.exit(4)


def tell(**values: object) -> None:
    print(json.dumps(values), file=sys.stderr, flush=True)


def job_of(order: dict) -> Job:
    return Job(
        hash=order["hash"],
        spec=order["spec"],
        tiles=[tuple(tile) for tile in order["tiles"]],
        programs={name: Path(path) for name, path in order["programs"].items()},
        retries=order["retries"],
        in_flight=order["in_flight"],
        rows_ahead=order["rows_ahead"],
    )


def on_progress(progress: Progress) -> None:
    tell(**asdict(progress))


def cancel_with_stdin(session: Session) -> None:
    """Waits for the parent to say so, or to go away."""
    sys.stdin.readline()
    session.cancel()
    os._exit(1)


def main() -> int:
    # Ctrl+C reaches all programs of a terminal; the parent alone decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    order = json.loads(sys.stdin.readline())
    try:
        client = connect(order["cluster"], Path(order["tls"]) if order["tls"] else None)
        session = Session(client, job_of(order), on_progress)
        threading.Thread(target=cancel_with_stdin, args=[session], daemon=True).start()
        for reply in session.replies():
            sys.stdout.buffer.write(reply)
        sys.stdout.buffer.flush()
    except ClusterError as error:
        tell(error=str(error))
        return 1
    except TileFailed as error:
        tell(error=str(error), tile=error.tile)
        return 3
    return 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    # A cluster of this process ends with it; nothing else is worth waiting for.
    os._exit(code)
