"""Sends tasks to a cluster and takes replies back, a bounded number at a time."""

from __future__ import annotations

import sys
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cloudpickle
from distributed import CancelledError, Client, Future, KilledWorker, LocalCluster, Security, as_completed

from . import scheduler, worker
from .scheduler import Heir
from .worker import Renderer, Task, Unfit, render

#: How often a task is sent again whose workers died, beyond what the scheduler does by itself.
LIVES = 3
#: How long somebody may take to start the first worker.
SECONDS_TO_WAIT_FOR_WORKERS = 60
SECONDS_BETWEEN_LOOKS_AT_WORKERS = 0.5
#: How long one task may take.
SECONDS_FOR_A_TASK = 600


# Others have no such package: what they run travels with its own text.
cloudpickle.register_pickle_by_value(scheduler)
cloudpickle.register_pickle_by_value(worker)


class ClusterError(Exception):
    """The cluster cannot do it: nobody is there, or the renderer does not run on it."""


@dataclass(frozen=True)
class Job:
    """What is to be drawn."""

    #: Names the job to the renderer; whatever changes the pixels changes it.
    hash: str
    #: What the renderer needs to know.
    spec: str
    #: In the order in which they are wanted.
    tasks: Sequence[Task]


@dataclass(frozen=True)
class Failed:
    """A task that failed as often as it was tried."""

    task: int
    error: str
    #: Where it failed last.
    worker: str | None


@dataclass(frozen=True)
class Progress:
    done: int
    total: int
    workers: int
    threads: int
    dashboard: str | None
    #: Something that somebody should know, once.
    warning: str | None = None


@dataclass
class _UnderWay:
    """A task that somebody works on."""

    task: int
    lives: int


@dataclass
class _Count:
    """How far a job has come."""

    total: int
    done: int = 0
    under_way: dict[Future, _UnderWay] = field(default_factory=dict)


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
    """A cluster that draws one job after the other; the renderer is installed once, before the first.

    ``programs`` has the renderer for each platform, such as ``x86_64-linux``; ``retries`` says how often a task is tried
    again, ``in_flight`` the most tasks under way (three for each of the cluster's threads where it is not said).
    """

    def __init__(
        self, client: Client, programs: dict[str, Path], retries: int = 2, in_flight: int | None = None
    ) -> None:
        self._client, self._programs, self._retries, self._in_flight = client, programs, retries, in_flight
        self._plugin = f"cardioid-{uuid.uuid4().hex[:8]}"
        self._is_installed = self._is_over = False
        self._task = _Shipped(render)
        self._jobs = 0
        self._count = _Count(0)
        self._looked = float("-inf")
        self._workers: dict[str, int] = {}
        self._unfit: dict[str, str] = {}
        self._dashboard = client.dashboard_link if client.scheduler else None
        self._look_at_workers()

    def progress(self, warning: str | None = None) -> Progress:
        """How far the present job is, and who works on it."""
        threads = sum(self._workers.values())
        return Progress(
            self._count.done, self._count.total, len(self._workers), threads, self._dashboard, warning=warning
        )

    def draw(
        self, job: Job, on_progress: Callable[[Progress], None] = lambda _: None
    ) -> Iterator[tuple[int, bytes] | Failed]:
        """Each task's place in the job with its reply, header and all, in the order in which they come.

        A task that fails does not stop the others. Raises ``ClusterError`` where nothing more can come.
        """
        self._count = count = _Count(len(job.tasks))
        self._jobs += 1
        try:
            self._wait_for_workers(on_progress)
            self._install()
            yield from self._replies(job, count, on_progress)
        finally:
            self._cancel(count)

    def end(self) -> None:
        """Ends all work on the workers, at once, and leaves nothing there. May be called from any thread."""
        self._is_over = True
        self._cancel(self._count)
        if self._is_installed:
            self._tidily(self._client.unregister_worker_plugin, self._plugin)

    def _wait_for_workers(self, on_progress: Callable[[Progress], None]) -> None:
        end = time.monotonic() + SECONDS_TO_WAIT_FOR_WORKERS
        while not self._look_at_workers():
            on_progress(self.progress())
            if time.monotonic() > end:
                raise ClusterError(f"no worker has come in {SECONDS_TO_WAIT_FOR_WORKERS} s; start some: dask worker ADDRESS")
            time.sleep(SECONDS_BETWEEN_LOOKS_AT_WORKERS)
        on_progress(self.progress())

    def _install(self) -> None:
        if self._is_installed:
            return
        programs = {name: path.read_bytes() for name, path in self._programs.items()}
        self._is_installed = True
        # Some schedulers take no code: the renderer then stays where this program is killed.
        self._tidily(self._client.register_plugin, Heir(self._client.id, self._plugin))
        try:
            self._client.register_plugin(Renderer(self._plugin, programs, SECONDS_FOR_A_TASK))
        except Exception as error:
            raise ClusterError(str(error)) from None

    def _replies(
        self, job: Job, count: _Count, on_progress: Callable[[Progress], None]
    ) -> Iterator[tuple[int, bytes] | Failed]:
        coming = as_completed(loop=self._client.loop, with_results=True, raise_errors=False)
        begun = 0
        while begun < count.total or count.under_way:
            while begun < count.total and len(count.under_way) < self._most_in_flight():
                coming.add(self._submit(job, count, _UnderWay(begun, LIVES)))
                begun += 1
            future, result = next(coming)
            under_way = count.under_way.pop(future)
            self._look_at_workers()
            # What came has come, also where its worker died since and the task is taken for lost.
            if isinstance(result, bytes):
                future.release()
                count.done += 1
                on_progress(self.progress())
                yield under_way.task, result
                continue
            error = self._error(future, result)
            if isinstance(error, Unfit) and self._is_left_out(error, on_progress):
                coming.add(self._submit(job, count, under_way))
            elif isinstance(error, KilledWorker) and under_way.lives:
                coming.add(self._submit(job, count, _UnderWay(under_way.task, under_way.lives - 1)))
            else:
                yield self._failed(under_way.task, error)

    def _submit(self, job: Job, count: _Count, under_way: _UnderWay) -> Future:
        task = job.tasks[under_way.task]
        kind = "frame" if isinstance(task, dict) else "tile"
        # Those that come first in the job are drawn first, also where one is sent again.
        future = self._client.submit(
            self._task,
            self._plugin,
            job.hash,
            job.spec,
            task,
            key=f"{kind}-{self._plugin}-{self._jobs}-{under_way.task}-{uuid.uuid4().hex[:8]}",
            pure=False,
            retries=self._retries,
            priority=-under_way.task,
            workers=[name for name in self._workers if name not in self._unfit] if self._unfit else None,
        )
        count.under_way[future] = under_way
        return future

    def _error(self, future: Future, result: object) -> BaseException:
        error = result[1] if isinstance(result, tuple) else result
        if self._is_over or isinstance(error, CancelledError) or future.cancelled():
            raise ClusterError("it was given up" if self._is_over else "the scheduler has gone away")
        return error if isinstance(error, BaseException) else RuntimeError(str(error))

    def _is_left_out(self, error: Unfit, on_progress: Callable[[Progress], None]) -> bool:
        """Whether others go on without the worker that cannot draw."""
        name = error.worker or ""
        if name not in self._unfit:
            self._unfit[name] = str(error)
            on_progress(self.progress(warning=f"worker {name} is left out: {error}"))
        return any(worker not in self._unfit for worker in self._workers)

    @staticmethod
    def _failed(task: int, error: BaseException) -> Failed:
        if isinstance(error, KilledWorker):
            last = getattr(error.last_worker, "address", None)
            return Failed(task, "its workers died, one after the other", last)
        return Failed(task, str(error) or type(error).__name__, getattr(error, "worker", None))

    def _most_in_flight(self) -> int:
        return self._in_flight or max(4, 3 * sum(self._workers.values()))

    def _look_at_workers(self) -> int:
        now = time.monotonic()
        if now - self._looked >= SECONDS_BETWEEN_LOOKS_AT_WORKERS:
            self._looked, self._workers = now, dict(self._client.nthreads())
        return len(self._workers)

    def _cancel(self, count: _Count) -> None:
        if count.under_way:
            self._tidily(self._client.cancel, list(count.under_way), force=True)

    def _tidily(self, clean: Callable[..., object], *args: object, **more: object) -> None:
        """The scheduler may be gone, or another thread have done it."""
        try:
            clean(*args, **more)
        except Exception as error:
            if not self._is_over:
                print(f"cleaning up: {error}", file=sys.stderr)


class _Shipped:
    """A function of this package that machines without the package can unpickle."""

    def __init__(self, function: Callable[..., object]) -> None:
        self._function = function

    def __reduce__(self) -> tuple[object, ...]:
        return cloudpickle.loads, (cloudpickle.dumps(self._function),)

    def __call__(self, *args: object) -> object:
        return self._function(*args)
