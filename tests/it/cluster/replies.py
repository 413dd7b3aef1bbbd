"""Whatever a renderer sends: a worker takes what was asked for, or says what is wrong."""

from __future__ import annotations

import io
import random
import struct

from cardioid_dask.worker import ReplyError, Task, read_reply

TILE, FRAME = [5, 7, 3, 2], {"frame": 4}
tile = struct.pack("<4s6I", b"CDT1", 1, *TILE, 3) + bytes(range(18))
frame = b"CDF1" + struct.pack("<I", 9) + b"some file"
failure = b"CDE1" + struct.pack("<I", 4) + b"text"


def taken(data: bytes, task: Task) -> bytes | None:
    try:
        return read_reply(io.BytesIO(data), task)
    except ReplyError:
        return None


numbers = random.Random(1)
for task, good, other in [(TILE, tile, frame), (FRAME, frame, tile)]:
    assert taken(good + b"the next", task) == good
    assert all(taken(good[:end], task) is None for end in range(len(good)))
    assert taken(other, task) is None and taken(failure, task) is None
    for _ in range(20_000):
        changed = bytearray(good)
        changed[numbers.randrange(len(good))] ^= numbers.randrange(1, 256)
        reply = taken(bytes(changed), task)
        assert reply is None or changed.startswith(reply), changed
        assert taken(numbers.randbytes(numbers.randrange(64)), task) is None
