#!/usr/bin/env python3
"""The renderer, slowly: it notes its process number before each task, and one fails."""

import os
import struct
import subprocess
import sys
import time

if "UNFIT" in os.environ:
    sys.exit("this machine is unfit")
if sys.argv[1] != "serve":
    sys.exit(subprocess.call(["@REAL@", *sys.argv[1:]]))
real = subprocess.Popen(["@REAL@", *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
out = sys.stdout.buffer
for line in sys.stdin.buffer:
    with open("@LOG@", "a") as log:
        log.write(f"{os.getpid()}\n")
    time.sleep(@SECONDS@)
    if b'@FAILING@' in line:
        out.write(b"CDE1" + struct.pack("<I", 12) + b"told to fail")
    else:
        real.stdin.write(line)
        real.stdin.flush()
        head = real.stdout.read(8)
        size = struct.unpack("<I", head[4:])[0]
        if head[:4] == b"CDT1":
            head += real.stdout.read(20)
            width, height, bytes_per_pixel = struct.unpack("<3I", head[16:])
            size = width * height * bytes_per_pixel
        out.write(head + real.stdout.read(size))
    out.flush()
