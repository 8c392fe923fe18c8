"""Metrics, for Prometheus at `/metrics`."""

from __future__ import annotations

import asyncio
from collections import Counter as Counts
from collections.abc import Callable, Iterable
from functools import partial

import msgspec
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from parlour.server.tls import Certificate

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


PAUSED = "parlour_paused"
"""1 while the log can't be written."""


class Figure(msgspec.Struct, frozen=True, omit_defaults=True):
    """One number of `/metrics`."""

    name: str
    value: float
    labels: dict[str, str] = {}


class Metrics:
    """All metrics of one server; tests run several servers in one process."""

    def __init__(self, games: Iterable[str] = ()) -> None:
        """`games`: the ids of those whose counters start at 0, instead of being absent."""
        self.registry = CollectorRegistry()
        counter = partial(Counter, registry=self.registry)
        self._gauge = partial(Gauge, registry=self.registry)
        self.connections = self._gauge(
            "parlour_connections", "Open WebSocket connections.", ["wire"]
        )
        self.tables = self._gauge("parlour_tables", "Live tables.")
        self.actions = counter("parlour_actions", "Inputs of connections that were kept.", ["game"])
        self.rejected = counter(
            "parlour_rejected_messages", "Messages refused, by why.", ["game", "code"]
        )
        self.commit_seconds = Histogram(
            "parlour_commit_seconds",
            "Time of one commit of the log.",
            buckets=(0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.0),
            registry=self.registry,
        )
        self.committed = counter("parlour_committed_writes", "Writes the log has kept.")
        self.cut = counter("parlour_cut_connections", "Connections we closed, by why.", ["why"])
        self.bus_dropped = counter(
            "parlour_bus_dropped_packets",
            "Packets of the bus that were not taken, by why.",
            ["why"],
        )
        self.database = self._gauge(
            "parlour_database_bytes", "Size of the log and all facts on disk."
        )
        self.paused = self._gauge(PAUSED, "1 while the log can't be written: nothing is told.")
        self._gauge("parlour_tasks", "asyncio tasks that have not ended.").set_function(
            lambda: len(asyncio.all_tasks())
        )
        # Memory, CPU time and open files, where the system tells them.
        ProcessCollector(registry=self.registry)
        self.checkpoints_wrong = counter(
            "parlour_wrong_checkpoints", "Checkpoints that differed from the log of their table."
        )
        for game in games:
            self.actions.labels(game)
        self.inputs: Counts[str] = Counts()
        """By game, those since `text` was last called. Prometheus's counters are too slow."""

    def watch_certificate(self, certificate: Certificate) -> None:
        self._gauge(
            "parlour_certificate_expiry_timestamp_seconds",
            "When the TLS certificate expires, in seconds since the epoch.",
        ).set_function(lambda: certificate.expires)

    def watch_queued(self, queued: Callable[[], int]) -> None:
        self._gauge(
            "parlour_queued_bytes", "Bytes that wait to be sent to all WebSocket connections."
        ).set_function(queued)

    def on_sync(self, seconds: float, writes: int) -> None:
        self.commit_seconds.observe(seconds)
        self.committed.inc(writes)

    def text(self) -> bytes:
        self._count_inputs()
        return generate_latest(self.registry)

    def figures(self) -> list[Figure]:
        """The same numbers as data, without histograms and the moments when counters began."""
        self._count_inputs()
        return [
            Figure(sample.name, sample.value, dict(sample.labels))
            for family in self.registry.collect()
            if family.type != "histogram"
            for sample in family.samples
            if not sample.name.endswith("_created")
        ]

    def _count_inputs(self) -> None:
        for game, count in self.inputs.items():
            self.actions.labels(game).inc(count)
        self.inputs.clear()
