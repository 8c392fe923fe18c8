"""The server: puts together house, gateway, HTTP routes and page; starts and stops them.

Longer than most modules, so that the order in which parts start and stop is read in one place.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aiohttp import web

from parlour.bus import Bus
from parlour.games import installed_games
from parlour.house import Hooks, House, HouseLimits, Journal
from parlour.lifecycle import Condition, Lifecycle
from parlour.protocol import Game
from parlour.relay.service import RelayService
from parlour.server.admin.audit import Audit
from parlour.server.admin.faults import RecentFaults
from parlour.server.admin.notices import Notices
from parlour.server.admin.operators import Operators
from parlour.server.admin.routes import AdminRoutes
from parlour.server.api import ControlPlane
from parlour.server.bodies import Bodies
from parlour.server.brought import add_brought
from parlour.server.collector import Collector
from parlour.server.config import BadConfig, Config
from parlour.server.desk import HouseDesk
from parlour.server.evening_routes import EveningRoutes
from parlour.server.gateway import Gateway
from parlour.server.hosts import HostNames
from parlour.server.keys import SigningKey
from parlour.server.limits import RateLimiter
from parlour.server.listeners import TableListener
from parlour.server.metrics import CONTENT_TYPE, Metrics
from parlour.server.page import add_page, file_limit, not_found, secure
from parlour.server.people import People
from parlour.server.people_routes import PeopleRoutes
from parlour.server.policy import RequestPolicy
from parlour.server.ports import CannotStart, Port, check_root, raise_file_limit
from parlour.server.preview import LinkPreview
from parlour.server.reach import SOCKET, Probe, Reach
from parlour.server.refusals import Refusals
from parlour.server.routes import RouteRunner, compress_json, in_words_of
from parlour.server.sessions import COOKIE, Sessions
from parlour.server.table_defaults import table_defaults, word_list
from parlour.server.tls import Certificate, reason
from parlour.server.upgrade import Upgrader
from parlour.store import Store, StoreTrouble
from parlour.store.memory import MemoryStore
from parlour.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from parlour.server.cluster_node import ClusterNode

log = logging.getLogger("parlour.server")

READING: Final = 0.5
"""Seconds for which a start reads the notes of its tables before it listens, so that the first
visitors need not wait for them."""


class Server:
    """`start`, then `stop`; or `run`, which stops on a signal."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.lifecycle = Lifecycle()
        self.port = config.port
        self._stop_asked = asyncio.Event()
        self.told_to_end = False
        """By a signal, and not because its log is lost."""
        self.lifecycle.on_change(self._condition_changed)
        # Steps that a wrong configuration makes fail come first: nothing must be closed then.
        self.certificate = (
            Certificate(config.tls_cert, config.tls_key)
            if config.tls_cert is not None and config.tls_key is not None
            else None
        )
        self.games = installed_games()
        self.metrics = Metrics(game.id for game in self.games)
        self._collector = Collector()
        defaults = table_defaults(self.games, config)
        words = word_list(config)
        self._cluster: ClusterNode | None = None
        key, self.store = self._record()
        bus = Bus() if self._cluster is None else self._cluster.bus
        journal = Journal(self.store, bus, self.metrics.inputs, config.outgoing_total)
        self.sessions = Sessions(key, journal, config.secure, _cookies(self.games), config.root)
        self.people = people = People(self.store, self.games, key)
        self._people = PeopleRoutes(people, self.sessions).routes()
        self._key = key
        policy = RequestPolicy(config)
        self._host_names = HostNames(config, policy)
        requests = RateLimiter(config.request_rate, config.request_burst)
        refusals = Refusals(self.metrics)
        self.gateway = Gateway(bus, self.sessions, config, self.metrics)
        self.upgrader = Upgrader(
            self.gateway,
            self.sessions,
            policy,
            requests,
            config,
            self.metrics,
            refusals,
            self.lifecycle,
        )
        self.relay = RelayService(
            bus, self.gateway, journal, config, key, self.games, requests.charge_miss
        )
        self._notices = Notices(self.store, self.gateway)
        operators = Operators(self.store, key, people.accounts)
        audit = Audit(self.store)
        self._faults = RecentFaults()
        nodes = None
        if config.store is not None:
            from parlour.store.nodes import node_list

            nodes = partial(node_list, config.store)
        self.operator_routes = AdminRoutes(
            self.games,
            key,
            operators,
            audit,
            self._notices,
            self._faults,
            self.metrics,
            self._measure,
            nodes,
            version("parlour"),
            config.node_name if nodes else "",
            journal.clock,
        ).routes()
        self.house = House(
            self.games,
            journal,
            bus,
            limits=HouseLimits(
                config.tables,
                config.tables_per_session,
                config.spectators,
                config.keep_seats * 1000,
            ),
            hooks=Hooks(
                may_open=self.relay.hosts.may_open,
                claim=self.relay.hosts.claim,
                opened=self.relay.hosts.opened,
                released=self.relay.hosts.released,
                name_held=people.accounts.name_held,
                refused=lambda game, code: self.metrics.rejected.labels(game, code).inc(),
                may_look=requests.take,
                charge_miss=requests.charge_miss,
                checkpoint_wrong=self.metrics.checkpoints_wrong.inc,
                tables=self._tables_now,
                slept=self._collector.slept,
                finished=people.finished,
            ),
            defaults=defaults,
            words=words,
            bot_pace=config.bot_pace,
            failures=None if config.data == ":memory:" else Path(config.data) / "failures",
        )
        desk = HouseDesk(bus, journal, self.sessions, people.accounts, people.ratings)
        bodies = Bodies(config.request_timeout)
        runner = RouteRunner(desk, self.sessions, policy, requests, refusals, bodies)
        self.reach = Reach(config)
        self.app = self._application(policy, runner, bus, requests)
        self._ports = [Port(self.app, config, policy, config.port, "--port")]
        if config.wcp_port is not None:
            relay = self._relay_application(runner, policy)
            self._ports.append(Port(relay, config, policy, config.wcp_port, "--wcp-port"))

    def _record(self) -> tuple[SigningKey, Store]:
        """The store, and the key that is kept with it."""
        config, on_sync = self.config, self.metrics.on_sync
        try:
            if config.bus is not None:
                from parlour.server.cluster_node import ClusterNode

                self._cluster = ClusterNode(config, self.games, self.metrics, self.lifecycle)
                return SigningKey(), self._cluster.store
            if config.store is not None:
                from parlour.store.lease import NodeInfo
                from parlour.store.postgres import PostgresStore

                info = NodeInfo(secrets.randbits(40), config.node_name)
                store = PostgresStore(
                    config.store, on_sync, self.lifecycle, info=info, lease=config.lease
                )
                return SigningKey(), store
        except ImportError:
            raise CannotStart(
                "PostgreSQL and NATS need other packages: pip install 'parlour[postgres,nats]'."
            ) from None
        folder = _folder(config)
        if folder is None:
            return SigningKey(), MemoryStore(self.lifecycle)
        # The log first: if it can't be opened, no key file is written.
        file = SqliteStore(folder / "parlour.sqlite", on_sync, self.lifecycle)
        try:
            return SigningKey.of_folder(folder), file
        except BadConfig:
            file.release()
            raise

    def _application(
        self, policy: RequestPolicy, runner: RouteRunner, bus: Bus, requests: RateLimiter
    ) -> web.Application:
        """The main port: sockets, routes, the page."""
        app = web.Application()
        app.router.add_get("/healthz", self._healthz)
        app.router.add_get("/readyz", self._readyz)
        app.router.add_get("/metrics", self._metrics)
        if self.config.role == "owner":
            return app
        control_plane = ControlPlane(self.games, self.reach, lambda: self._notices.text).routes()
        check_rate = file_limit(self.config, policy)
        app.on_response_prepare.append(partial(secure, policy))
        app.middlewares.append(self._host_names.check)
        app.middlewares.append(policy.secure_cookies)
        app.middlewares.append(compress_json)
        app.middlewares.append(not_found(check_rate, self.config.root))
        app.middlewares.append(in_words_of(control_plane, "/api/"))
        listeners: dict[str, list[TableListener]] = {}
        for game in self.games:
            for wire in game.wires:
                listener = TableListener(bus, self.sessions, game, wire, requests, self._notices)
                for path in wire.paths:
                    listeners.setdefault(path, []).append(listener)
        for path, there in listeners.items():
            app.router.add_get(path, self.upgrader.handler(there))
        app.router.add_get(SOCKET, self.upgrader.handler([Probe()]))
        runner.add(app, control_plane)
        runner.add(app, self._people)
        runner.add(app, EveningRoutes(self.people.evenings).routes())
        runner.add(app, self.operator_routes)
        for game in self.games:
            if game.routes is not None:
                runner.add(app, game.routes, _cookies([game]))
        runner.add(app, self.relay.routes.of_port())
        runner.add(app, self.relay.routes.of_house())
        add_brought(app, self.games, check_rate)
        preview = LinkPreview(self.games, self.config.public_url, policy)
        add_page(app, check_rate, preview.tags, self.config.root)
        check_root(self.config.root, [each.canonical for each in app.router.resources()])
        self.relay.add_channels(app, self.upgrader)
        return app

    def _relay_application(self, runner: RouteRunner, policy: RequestPolicy) -> web.Application:
        """The relay's own port: its channels, and the users in them."""
        app = web.Application()
        app.on_response_prepare.append(partial(secure, policy))
        app.middlewares.append(self._host_names.check)
        runner.add(app, self.relay.routes.of_port())
        self.relay.add_channels(app, self.upgrader)
        return app

    async def start(self) -> int:
        """Open the log, restore its tables, listen. Returns how many tables were restored."""
        logging.getLogger("parlour").addHandler(self._faults)
        await self.store.start()
        if self.config.store is not None:
            await self._key.share(self.store)
        found = await self.house.reopen()
        try:
            if self._cluster is not None:
                await self._cluster.start(self.house, self.gateway)
                await self.relay.listener.nodes.introduced()
            with suppress(TimeoutError):
                async with asyncio.timeout(READING):
                    await self.house.loader.all_read()
            for port in self._ports:
                await port.listen(None if self.certificate is None else self.certificate.context)
        except (BadConfig, CannotStart):
            await self.stop()
            raise
        self.port = self.reach.port = self._ports[0].number
        if self.certificate is not None:
            self.certificate.watch()
            self.metrics.watch_certificate(self.certificate)
        return found

    async def stop(self) -> None:
        """Close tables and connections, and commit everything, within a few seconds."""
        if self.certificate is not None:
            self.certificate.rest()
        if self._cluster is not None:
            await self._cluster.hand_over(self.house)
        await self.house.close()
        await self.relay.hosts.finish()
        await self.gateway.close()
        for port in self._ports:
            await port.close()
        if self._cluster is not None:
            await self._cluster.stop()
        logging.getLogger("parlour").removeHandler(self._faults)
        await self.store.stop()

    def _tables_now(self, count: int) -> None:
        self.metrics.tables.set(count)
        self._collector.tables_now(count)

    def _condition_changed(self) -> None:
        if not self.lifecycle.open:
            self._stop_asked.set()

    async def run(self, started: Callable[[Server, int], None]) -> None:
        """Serve until SIGTERM or SIGINT; SIGHUP reloads files (`reload`)."""
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, self._end)
        loop.add_signal_handler(signal.SIGHUP, self.reload)
        raise_file_limit()
        found = await self.start()
        self._collector.start()
        try:
            started(self, found)
            await self._stop_asked.wait()
        finally:
            self._collector.stop()
        log.info("stopping: committing the log and closing connections")
        await self.stop()

    def _end(self) -> None:
        self.told_to_end = True
        self._stop_asked.set()

    @property
    def ports(self) -> list[int]:
        """The numbers of those it listens on."""
        return [port.number for port in self._ports]

    def reload(self) -> None:
        """Read certificate, card packs and word list again; a bad file changes nothing.

        A change of the settings themselves needs a restart.
        """
        log.info("reloading certificate, card packs and word list")
        if self.certificate is not None:
            self.certificate.reload()
        try:
            self.house.change_defaults(
                table_defaults(self.games, self.config), word_list(self.config)
            )
        except (BadConfig, OSError) as wrong:
            log.error("%s The old files stay in use.", wrong)

    # -- health and metrics ------------------------------------------------------------

    async def _healthz(self, request: web.Request) -> web.Response:
        lost = self.lifecycle.lost
        state = self.lifecycle.condition.value
        if self.lifecycle.open and not self.store.current():
            state = "paused"
        told: dict[str, object] = {"ok": not lost, "state": state}
        if self.certificate is not None:
            told["certificate"] = self.certificate.told()
        return web.json_response(told, status=500 if lost else 200)

    async def _readyz(self, request: web.Request) -> web.Response:
        ready = self.lifecycle.condition is Condition.OPEN and not self._stop_asked.is_set()
        ready = ready and self.store.current()
        if self._cluster is not None:
            ready = ready and self._cluster.connected
        return web.json_response({"ready": ready}, status=200 if ready else 503)

    async def _measure(self) -> None:
        """Bring the figures that are not counted on the way up to date."""
        self.metrics.paused.set(self.lifecycle.lost or not self.store.current())
        with suppress(StoreTrouble):  # it is away; the other figures are known
            self.metrics.database.set(await self.store.size())

    async def _metrics(self, request: web.Request) -> web.Response:
        await self._measure()
        return web.Response(body=self.metrics.text(), headers={"Content-Type": CONTENT_TYPE})


def _cookies(games: Sequence[Game]) -> tuple[str, ...]:
    """Further names of the session cookie, for clients of the games' protocols."""
    names = [wire.door.cookie for game in games for wire in game.wires]
    return tuple(dict.fromkeys(name for name in names if name not in ("", COOKIE)))


def _folder(config: Config) -> Path | None:
    if config.data == ":memory:":
        return None
    folder = Path(config.data)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.touch()
        probe.unlink()
    except (OSError, ValueError) as wrong:
        raise CannotStart(
            f"The data folder {folder} can't be written: {reason(wrong)}. "
            "Choose another one with --data."
        ) from None
    return folder
