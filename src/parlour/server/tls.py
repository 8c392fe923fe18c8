"""The TLS certificate: loaded again when its files change, with warnings before it expires."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import ssl
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cryptography import x509

from parlour.server.config import BadConfig

log = logging.getLogger("parlour.tls")

EVERY: Final = 60.0
"""Seconds between two checks of the files."""
DAY: Final = 24 * 3600.0
SOON: Final = 14 * DAY
"""Seconds before its end from which warnings are logged; automatic renewals come earlier."""


class Certificate:
    """A certificate chain and its key, in two files."""

    def __init__(self, cert: str, key: str, clock: Callable[[], float] = time.time) -> None:
        """Raises `BadConfig` if they can't be used."""
        self._files = (cert, key)
        self._clock = clock
        self._seen: object = None
        self._warned_at = -DAY
        self._alarm: asyncio.TimerHandle | None = None
        self._current, self.expires = self._load()
        self._seen = self._state()
        # Ports keep this context; each handshake is then switched to the current one. Loading new
        # files into a context in use could combine a new certificate with an old key.
        self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.context.sni_callback = self._switch

    def _switch(self, handshake: ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
        handshake.context = self._current

    def _load(self) -> tuple[ssl.SSLContext, float]:
        """A context for the files, and when their certificate expires."""
        cert, key = self._files
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        try:
            # Without a password here OpenSSL would ask for one on the terminal.
            context.load_cert_chain(cert, key, password="")
            own = x509.load_pem_x509_certificate(Path(cert).read_bytes())
        except (OSError, ValueError) as wrong:
            raise BadConfig(f"The TLS certificate can't be used: {reason(wrong)}.") from None
        return context, own.not_valid_after_utc.timestamp()

    def _state(self) -> object:
        """A value that differs once a file, or what a link points to, has changed."""
        try:
            found = [os.stat(file) for file in self._files]
        except OSError as wrong:
            return wrong.errno
        return [(each.st_mtime_ns, each.st_ino, each.st_size) for each in found]

    def watch(self) -> None:
        """Check now and regularly."""
        if self._state() != self._seen:
            self.reload()
        self.warn()
        self._alarm = asyncio.get_running_loop().call_later(EVERY, self.watch)

    def rest(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()

    def reload(self) -> None:
        """Load the files again; if they can't be used, the old certificate stays."""
        # Read before the files: a change in between is then seen by the next check.
        self._seen = self._state()
        try:
            self._current, self.expires = self._load()
        except BadConfig as wrong:
            log.error("%s The old one stays in use; it expires on %s", wrong, self.end)
            return
        self._warned_at = -DAY
        log.info("loaded the TLS certificate again; it expires on %s", self.end)

    @property
    def end(self) -> str:
        return datetime.fromtimestamp(self.expires, UTC).strftime("%Y-%m-%d %H:%M UTC")

    @property
    def left(self) -> float:
        """Seconds until it expires; negative if it has."""
        return self.expires - self._clock()

    @property
    def warning(self) -> str:
        """A warning if it expires soon; otherwise ""."""
        if self.left <= 0:
            return f"The TLS certificate expired on {self.end}: browsers refuse to connect."
        if self.left < SOON:
            return f"The TLS certificate expires on {self.end}, in {int(self.left // DAY)} days."
        return ""

    def told(self) -> dict[str, int | str]:
        """For `/healthz`: when it expires, and the warning if there is one."""
        expires: dict[str, int | str] = {"expires": int(self.expires)}
        return expires | ({"warning": self.warning} if self.warning else {})

    def warn(self) -> None:
        """Log the warning, once a day."""
        now = self._clock()
        warning = self.warning
        if warning and now - self._warned_at >= DAY:
            self._warned_at = now
            log.warning("%s", warning)


def reason(wrong: Exception) -> str:
    """An error in a few words."""
    if isinstance(wrong, ssl.SSLError):
        told = (wrong.reason or "").replace("_", " ").lower()
        return told or "its files must be PEM, the key without a pass phrase"
    if isinstance(wrong, OSError):
        # asyncio adds words to errors of the system, but not to those of name resolution.
        known = wrong.errno in errno.errorcode
        return (os.strerror(wrong.errno or 0) if known else wrong.strerror or str(wrong)).lower()
    return str(wrong)
