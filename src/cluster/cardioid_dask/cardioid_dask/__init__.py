"""Renders Cardioid's pictures on a Dask cluster, tile by tile.

``cardioid render … --cluster ADDRESS`` runs this package by itself. From Python::

    from cardioid_dask import render

    render("seahorse-valley", "poster.png", size=(30000, 20000), cluster="tcp://192.168.0.5:8786")

and, tile by tile::

    from cardioid_dask.client import Job, Session, connect

    session = Session(connect("tcp://scheduler:8786"), {"x86_64-linux": Path("/usr/bin/cardioid")})
    for reply in session.draw(Job(...)):
        ...  # the task's place in the job, and 28 bytes of header with the pixels; or Failed
    session.end()

Scheduling, retries and the dashboard are Dask's own. Workers need nothing but Dask: the renderer is sent to them.
"""

from .pictures import CardioidError, render

__all__ = ["CardioidError", "render"]
