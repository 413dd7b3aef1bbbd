"""What runs on the scheduler, which alone knows when a client was killed.

This module is pickled by value, so it names nothing of the package.
"""

from __future__ import annotations

from distributed import SchedulerPlugin


class Heir(SchedulerPlugin):
    """Once a client is gone, however that came about, its renderer goes from the workers, and so does this."""

    def __init__(self, client: str, renderer: str) -> None:
        self.name = f"{renderer}-heir"
        self._client, self._renderer = client, renderer

    def remove_client(self, scheduler, client: str) -> None:
        if client != self._client:
            return
        scheduler.remove_plugin(self.name)
        if self._renderer in scheduler.worker_plugins:
            scheduler.loop.add_callback(scheduler.unregister_worker_plugin, comm=None, name=self._renderer)
