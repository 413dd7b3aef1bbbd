"""Renders Cardioid's pictures on a Dask cluster, tile by tile.

``cardioid render … --cluster ADDRESS`` runs this package by itself. From Python::

    from cardioid_dask.client import Job, connect, tiles

    with connect("tcp://scheduler:8786") as client:
        for reply in tiles(client, Job(...)):
            ...  # 28 bytes of header, then the pixels

Scheduling, retries and the dashboard are Dask's own. Workers need nothing but Dask: the renderer is sent to them.
"""
