"""Pictures from Python, by the program: it measures, cuts, keeps and writes; this package is how it reaches a cluster."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy


class CardioidError(Exception):
    """There is no picture; the message is the program's, and ``code`` its exit code (docs/cluster.md)."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def render(
    location: str | os.PathLike[str] = "home",
    out: str | os.PathLike[str] | None = None,
    *,
    size: tuple[int, int] = (1920, 1080),
    cluster: str | None = "local",
    program: str | os.PathLike[str] = "cardioid",
    **options: object,
) -> Path | numpy.ndarray:
    """Draws ``location`` on a Dask cluster and writes the file ``out``: a ``.png``, or numbers as ``.npy``.

    Without ``out`` the numbers come back as an array of ``size[1]`` rows of ``size[0]`` points, top row first:
    iterations, or what ``channel`` says, such as ``channel="smooth"``. That needs NumPy.

    ``location`` is a named place, a point like ``"-0.75+0.1i"``, a location file or a picture. ``cluster`` is ``"local"``,
    ``"tcp://HOST:PORT"``, ``"tls://…"`` or ``"file:///…"``; ``None`` draws in this program alone. ``options`` are those of ``cardioid
    render``: ``max_iterations=500, palette="glacier", force=True``. The file is the same, byte for byte, wherever it is drawn.

    Raises ``CardioidError``::

        render("seahorse-valley", "poster.png", size=(30000, 20000), cluster="tcp://192.168.0.5:8786")
        smooth = render("home", size=(800, 600), channel="smooth", cluster=None)
    """
    width, height = size
    options |= {"size": f"{width}x{height}", "cluster": cluster}
    if out is not None:
        _run(program, location, out, options)
        return Path(out)
    import numpy

    with tempfile.TemporaryDirectory(prefix="cardioid-") as folder:
        path = Path(folder, "numbers.npy")
        _run(program, location, path, options)
        return numpy.load(path)


def _run(
    program: str | os.PathLike[str],
    location: str | os.PathLike[str],
    out: str | os.PathLike[str],
    options: dict[str, object],
) -> None:
    command = [os.fspath(program), "render", os.fspath(location), f"--out={os.fspath(out)}"]
    for name, value in options.items():
        flag = f"--{name.replace('_', '-')}"
        if value is True:
            command.append(flag)
        elif value is not None and value is not False:
            command.append(f"{flag}={value}")
    # The cluster's client runs where Dask is: here.
    environment = os.environ | {"CARDIOID_PYTHON": sys.executable}
    quiet, kept = subprocess.DEVNULL, subprocess.PIPE
    try:
        process = subprocess.Popen(command, env=environment, stdin=quiet, stdout=quiet, stderr=kept, text=True)
    except OSError as error:
        raise CardioidError(f"the program cannot be started ({error}); name it: program=…", 1) from None
    try:
        _, told = process.communicate()
    except BaseException:
        # It leaves nothing behind on the cluster, and keeps what was drawn.
        process.send_signal(signal.SIGINT)
        process.communicate()
        raise
    if process.returncode != 0:
        last = told.strip().rpartition("\n")[2]
        # What is wrong with options takes several lines, and these do not begin with a name.
        message = last.removeprefix("cardioid: ") if last.startswith("cardioid: ") else told.strip()
        raise CardioidError(message, process.returncode)
