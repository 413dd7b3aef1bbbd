"""What runs on workers: the renderer is installed once, and one child of it draws tile after tile.

This module is pickled by value, so it names nothing of the package; workers need only Dask.
"""

from __future__ import annotations

import json
import os
import platform
import struct
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import IO, Any

from distributed import WorkerPlugin, get_worker

#: Magic, version, x, y, width, height, bytes of a pixel.
HEADER = "<4s6I"
VERSION = 1
MOST_BYTES_OF_A_PIXEL = 16
MOST_BYTES_OF_A_MESSAGE = 1 << 16

#: ``[x, y, width, height]`` of a tile in pixels, or ``{"frame": n}``.
Task = Any


class ReplyError(Exception):
    """The renderer failed, or what it answered is not what was asked for. ``worker`` is where that was."""

    worker: str | None = None


class Unfit(Exception):
    """The renderer does not run on this worker, which joined late."""

    worker: str | None = None


def this_platform() -> str:
    """Such as ``x86_64-linux``, as the programs of other platforms are named."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    system = {"darwin": "macos"}.get(platform.system().lower(), platform.system().lower())
    return f"{machine}-{system}"


def exactly(stream: IO[bytes], size: int) -> bytes:
    """So many bytes, or an error where the stream ends before."""
    data = stream.read(size)
    if len(data) != size:
        raise ReplyError(f"the renderer ended after {len(data)} of {size} bytes")
    return data


def read_reply(stream: IO[bytes], task: Task) -> bytes:
    """One reply, header and all, that is certainly of that task."""
    head = exactly(stream, 8)
    size = int.from_bytes(head[4:], "little")
    if head[:4] == b"CDE1":
        if size > MOST_BYTES_OF_A_MESSAGE:
            raise ReplyError(f"the renderer sends a message of {size} bytes")
        raise ReplyError(exactly(stream, size).decode("utf-8", "replace"))
    if isinstance(task, dict):
        if head[:4] != b"CDF1":
            raise ReplyError(f"the renderer does not answer with a frame: {head!r}")
        return head + exactly(stream, size)
    head += exactly(stream, struct.calcsize(HEADER) - 8)
    magic, version, x, y, width, height, size = struct.unpack(HEADER, head)
    if magic != b"CDT1" or version != VERSION:
        raise ReplyError(f"the renderer does not answer with a tile: {head[:8]!r}")
    if [x, y, width, height] != list(task) or not 1 <= size <= MOST_BYTES_OF_A_PIXEL:
        raise ReplyError(f"the renderer answers {(x, y, width, height)}, {size} bytes a pixel, for the tile {task}")
    return head + exactly(stream, width * height * size)


class Child:
    """A running ``cardioid serve --stdio``; it knows the job of its last request."""

    def __init__(self, program: Path, threads: int) -> None:
        self._job: str | None = None
        command = [str(program), "serve", "--stdio", "--threads", str(threads)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=program.parent)

    def reply(self, job: str, spec: str, task: Task, timeout: float) -> bytes:
        """The reply to one request; past ``timeout`` seconds the child is killed."""
        request: dict[str, object] = {"v": VERSION, "job": job}
        request |= task if isinstance(task, dict) else {"tile": task}
        if job != self._job:
            request["spec"] = spec
        killer = threading.Timer(timeout, self._process.kill)
        killer.start()
        try:
            assert self._process.stdin and self._process.stdout
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            reply = read_reply(self._process.stdout, task)
        except OSError as error:
            raise ReplyError(f"the renderer is gone: {error}") from None
        finally:
            killer.cancel()
        self._job = job
        return reply

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream:
                try:
                    stream.close()
                except OSError:
                    pass  # What was not yet written has nowhere to go.


class Renderer(WorkerPlugin):
    """Installs the renderer on every worker, present and future, and keeps one child of it there."""

    def __init__(self, name: str, programs: dict[str, bytes], timeout: float) -> None:
        self.name = name
        self._programs, self._timeout = programs, timeout

    def setup(self, worker) -> None:
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._ended = False
        self._threads = worker.state.nthreads
        self._path = Path(worker.local_directory) / self.name
        #: Why no tile is drawn here. Of workers that join late nobody hears what is raised now.
        self._unfit: str | None = None
        programs, self._programs = self._programs, {}
        try:
            self._install(programs)
        except Exception as error:
            self._unfit = str(error) or type(error).__name__
            raise RuntimeError(f"worker {worker.address}: {self._unfit}") from None

    def _install(self, programs: dict[str, bytes]) -> None:
        own = this_platform()
        if own not in programs:
            raise RuntimeError(
                f"it is {own}, and there is a renderer for {', '.join(programs)} alone; give one (--binary {own}=FILE)"
            )
        # A file that runs is never written over: the new one takes its name.
        file, temporary = tempfile.mkstemp(dir=self._path.parent)
        with os.fdopen(file, "wb") as out:
            out.write(programs[own])
        os.chmod(temporary, 0o755)
        os.replace(temporary, self._path)
        try:
            told = subprocess.run([self._path, "--version"], capture_output=True, timeout=30, check=True)
        except Exception as error:
            raise RuntimeError(f"the renderer does not run there ({own}): {error}") from None
        if not told.stdout.startswith(b"cardioid "):
            raise RuntimeError(f"the renderer does not run there ({own}): it calls itself {told.stdout[:40]!r}")

    def reply(self, job: str, spec: str, task: Task) -> bytes:
        """One reply; others wait, for the child has all of the worker's threads."""
        if self._unfit:
            raise Unfit(self._unfit)
        with self._lock:
            if self._ended:
                raise ReplyError("the job is over")
            child = self._child or Child(self._path, self._threads)
            self._child = child
            try:
                return child.reply(job, spec, task, self._timeout)
            except ReplyError:
                # What a child in doubt sends next would not be trusted.
                self._child = None
                child.end()
                raise

    def teardown(self, worker) -> None:
        self._ended = True
        child = self._child
        if child:
            child.end()
        self._path.unlink(missing_ok=True)


def render(plugin: str, job: str, spec: str, task: Task) -> bytes:
    """What workers run: a reply, header and all."""
    worker = get_worker()
    renderer = worker.plugins[plugin]
    assert isinstance(renderer, Renderer)
    try:
        return renderer.reply(job, spec, task)
    except (ReplyError, Unfit) as error:
        error.worker = worker.address
        raise
