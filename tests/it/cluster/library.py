"""What a newcomer types: pictures by a name, a size and an address, numbers as an array, and what goes wrong."""

import importlib.util
import sys
from pathlib import Path

from cardioid_dask import CardioidError, render

program, cluster = sys.argv[1:]


def refused(code: int, part: str, **options: object) -> None:
    try:
        render("home", "a.png", **{"program": program, "cluster": cluster} | options)
    except CardioidError as error:
        assert error.code == code and part in str(error), f"{error.code}: {error}"
    else:
        raise AssertionError(f"{options} is no error")


told = render("home", "a.png", size=(96, 64), cluster=cluster, program=program, max_iterations=300, tile=32)
assert told == Path("a.png"), told
render("-0.75+0.1i", Path("b.png"), size=(96, 64), cluster=None, program=program, height=0.1, palette="glacier")
refused(1, "the file is there already", size=(96, 64))
refused(2, "--no-such", no_such=7)
refused(2, "may fall anywhere", view="bifurcation-3d", force=True)
refused(1, "no scheduler file", cluster="file:///nobody/scheduler.json", force=True)
refused(1, "cannot be started", program="/nobody/cardioid")
if importlib.util.find_spec("numpy"):
    counts = render("home", size=(96, 64), cluster=None, program=program, max_iterations=300)
    assert counts.shape == (64, 96) and 50 < counts.max() < 300, counts
