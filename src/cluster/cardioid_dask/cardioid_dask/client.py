"""Sends tiles to a cluster and takes them back, a bounded number at a time."""

from __future__ import annotations

import hashlib
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import cloudpickle
from distributed import CancelledError, Client, Future, KilledWorker, LocalCluster, Security, as_completed

from . import worker
from .worker import Renderer, Tile, render_tile

#: How often a tile is sent again whose workers died, beyond what the scheduler does by itself.
LIVES = 3
#: How long somebody may take to start the first worker.
SECONDS_TO_WAIT_FOR_WORKERS = 60
SECONDS_BETWEEN_LOOKS_AT_WORKERS = 0.5


# Workers have no such package: what they run travels with its own text.
cloudpickle.register_pickle_by_value(worker)


class ClusterError(Exception):
    """The cluster cannot do it: nobody is there, or the renderer does not run on it."""


class TileFailed(Exception):
    """A tile failed as often as it was tried."""

    def __init__(self, tile: Tile, why: str) -> None:
        super().__init__(why)
        self.tile = tile


@dataclass(frozen=True)
class Job:
    """What is to be drawn, and how."""

    #: Names the job to the renderer; whatever changes the pixels changes it.
    hash: str
    #: What the renderer needs to know, as JSON.
    spec: object
    #: In the order in which they are wanted.
    tiles: list[Tile]
    #: The renderer for each platform, such as ``x86_64-linux``.
    programs: dict[str, Path]
    #: How often a tile is tried again.
    retries: int = 2
    #: Most tiles under way; three for each of the cluster's threads where it is not said.
    in_flight: int | None = None
    #: No tile is begun that lies so many rows below the topmost one that is not done.
    rows_ahead: int = 1 << 32
    #: Seconds that one tile may take.
    timeout: float = 600


@dataclass(frozen=True)
class Progress:
    done: int
    total: int
    workers: int
    dashboard: str | None


def connect(address: str, tls: Path | None = None) -> Client:
    """A client of ``local`` (a cluster on this machine), ``tcp://HOST:PORT``, ``tls://…`` or ``file:///…``.

    ``tls`` is a folder that holds ``ca.pem``, ``cert.pem`` and ``key.pem``.
    """
    security = None
    if tls:
        ca, cert, key = (str(tls / name) for name in ("ca.pem", "cert.pem", "key.pem"))
        security = Security(tls_ca_file=ca, tls_client_cert=cert, tls_client_key=key, require_encryption=True)
    try:
        if address == "local":
            return Client(LocalCluster(threads_per_worker=1, dashboard_address="127.0.0.1:0"), set_as_default=False)
        if address.startswith("file://"):
            path = address.removeprefix("file://")
            if not Path(path).is_file():
                raise ClusterError(f"there is no scheduler file of that name: {path}")
            return Client(scheduler_file=path, security=security, set_as_default=False, timeout=10)
        return Client(address, security=security, set_as_default=False, timeout=10)
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error) or type(error).__name__
        raise ClusterError(f"no scheduler answers at {address} ({reason})") from None


class Session:
    """One job on a cluster. ``cancel`` may be called from any thread."""

    def __init__(self, client: Client, job: Job, on_progress: Callable[[Progress], None] = lambda _: None) -> None:
        self._client, self._job, self._on_progress = client, job, on_progress
        self._under_way: dict[Future, tuple[Tile, int]] = {}
        self._cancelled = False
        self._done = 0
        self._looked = float("-inf")
        self._workers = self._threads = 0
        self._dashboard = client.dashboard_link if client.scheduler else None
        programs = {name: path.read_bytes() for name, path in job.programs.items()}
        digest = hashlib.sha256(b"".join(programs.values())).hexdigest()[:16]
        self._plugin = f"cardioid-{digest}-{uuid.uuid4().hex[:8]}"
        self._task = _Shipped(render_tile)
        self._programs = programs

    def replies(self) -> Iterator[bytes]:
        """The replies, in the order in which they come. Raises ``ClusterError`` or ``TileFailed``."""
        self._wait_for_workers()
        try:
            self._install()
            yield from self._tiles()
        finally:
            self._clean_up()

    def cancel(self) -> None:
        """Ends all work on the workers, at once."""
        self._cancelled = True
        self._clean_up()

    def _wait_for_workers(self) -> None:
        end = time.monotonic() + SECONDS_TO_WAIT_FOR_WORKERS
        while not self._look_at_workers():
            self._tell()
            if time.monotonic() > end:
                raise ClusterError(f"no worker has come in {SECONDS_TO_WAIT_FOR_WORKERS} s; start some: dask worker ADDRESS")
            time.sleep(SECONDS_BETWEEN_LOOKS_AT_WORKERS)
        self._tell()

    def _install(self) -> None:
        job = self._job
        renderer = Renderer(self._plugin, self._programs, job.hash, job.spec, job.timeout)
        self._programs = {}
        try:
            self._client.register_plugin(renderer)
        except Exception as error:
            raise ClusterError(str(error)) from None

    def _tiles(self) -> Iterator[bytes]:
        waiting = list(reversed(self._job.tiles))
        open_rows: dict[int, int] = {}
        for tile in waiting:
            open_rows[tile[1]] = open_rows.get(tile[1], 0) + 1
        coming = as_completed(loop=self._client.loop, with_results=True, raise_errors=False)
        while waiting or self._under_way:
            while waiting and len(self._under_way) < self._most_in_flight() and self._is_near(waiting[-1], open_rows):
                coming.add(self._submit(waiting.pop(), LIVES))
            future, result = next(coming)
            tile, lives = self._under_way.pop(future)
            if future.status != "finished":
                coming.add(self._again(tile, lives, future, result))
                continue
            future.release()
            open_rows[tile[1]] -= 1
            if not open_rows[tile[1]]:
                del open_rows[tile[1]]
            self._done += 1
            self._look_at_workers()
            self._tell()
            yield result

    def _is_near(self, tile: Tile, open_rows: dict[int, int]) -> bool:
        return tile[1] < min(open_rows) + self._job.rows_ahead

    def _submit(self, tile: Tile, lives: int) -> Future:
        key = f"tile-{self._plugin}-{tile[1]}-{tile[0]}-{lives}"
        # Tiles further up come first, also where one is sent again.
        future = self._client.submit(
            self._task, self._plugin, tile, key=key, pure=False, retries=self._job.retries, priority=-tile[1]
        )
        self._under_way[future] = (tile, lives)
        return future

    def _again(self, tile: Tile, lives: int, future: Future, result: object) -> Future:
        """A tile whose workers died is sent again some times; nothing else is."""
        error = result[1] if isinstance(result, tuple) else result
        if self._cancelled or isinstance(error, CancelledError) or future.cancelled():
            raise ClusterError("cancelled" if self._cancelled else "the scheduler has gone away")
        if not isinstance(error, KilledWorker):
            raise TileFailed(tile, str(error) or type(error).__name__)
        if lives == 0:
            raise TileFailed(tile, f"its workers died: {error}")
        return self._submit(tile, lives - 1)

    def _most_in_flight(self) -> int:
        return self._job.in_flight or max(4, 3 * self._threads)

    def _look_at_workers(self) -> int:
        now = time.monotonic()
        if now - self._looked >= SECONDS_BETWEEN_LOOKS_AT_WORKERS:
            threads = self._client.nthreads()
            self._looked, self._workers, self._threads = now, len(threads), sum(threads.values())
        return self._workers

    def _tell(self) -> None:
        self._on_progress(Progress(self._done, len(self._job.tiles), self._workers, self._dashboard))

    def _clean_up(self) -> None:
        """Leaves neither tasks nor children nor the renderer behind."""
        try:
            if self._under_way:
                self._client.cancel(list(self._under_way), force=True)
            self._client.unregister_worker_plugin(self._plugin)
        except Exception as error:  # The scheduler may be gone, or the renderer removed by another thread.
            if not self._cancelled:
                print(f"cleaning up: {error}", file=sys.stderr)


def tiles(client: Client, job: Job, on_progress: Callable[[Progress], None] = lambda _: None) -> Iterator[bytes]:
    """The replies to all tiles of a job: 28 bytes of header and the pixels, in the order in which they come."""
    return Session(client, job, on_progress).replies()


class _Shipped:
    """A function of this package that machines without the package can unpickle."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function

    def __reduce__(self) -> tuple[object, ...]:
        return cloudpickle.loads, (cloudpickle.dumps(self._function),)

    def __call__(self, *args: object) -> object:
        return self._function(*args)

