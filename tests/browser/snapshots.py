"""Pictures of screens, compared with those that are kept in `snapshots/`.

They are drawn with a font of the development tools, so that they are the same on every machine, and
at half the size. `make screenshot` draws them again; then look at them before you commit them.
"""

from __future__ import annotations

import os
import tempfile
import time
from base64 import b64encode
from pathlib import Path
from typing import Any, Literal

from playwright.async_api import Page

from tests.browser.conftest import PATIENCE, ROOT

KEPT = ROOT / "tests/browser/snapshots"
FONTS = ROOT / "web/node_modules/@fontsource/atkinson-hyperlegible/files"
SIZES = {"phone": (390, 844), "laptop": (1366, 768), "wide": (1920, 1080)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
HALF: dict[str, Any] = {"device_scale_factor": 0.5}
"""For the browser context of a page whose pictures are kept."""
FEW = 40
"""Pixels that may differ: other releases of Chromium draw edges of letters a little differently.
On one machine none does; a changed word is more."""

DRAW_ALIKE = """async (fonts) => {
    for (const [weight, data] of Object.entries(fonts)) {
        const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
        document.fonts.add(await new FontFace('Snapshot', bytes, { weight }).load());
    }
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`
        :root { --sans: Snapshot, sans-serif !important; --serif: Snapshot, serif !important; }
        #cannot-run { font-family: Snapshot, sans-serif !important; }
        [role=timer], .dot { visibility: hidden; }
        .cloth { background: var(--felt) !important; }
        .cloth > *, aside > * { visibility: hidden !important; }`);
    document.adoptedStyleSheets = [sheet];
}"""
"""Hides everything that differs from run to run (seconds that count down) or makes pictures large
(cards)."""

COUNT_DIFFERENT = """async (pictures) => {
    const [a, b] = await Promise.all(pictures.map(async (data) => {
        const image = new Image();
        image.src = 'data:image/png;base64,' + data;
        await image.decode();
        const canvas = new OffscreenCanvas(image.width, image.height);
        const brush = canvas.getContext('2d');
        brush.drawImage(image, 0, 0);
        return brush.getImageData(0, 0, image.width, image.height);
    }));
    if (a.width !== b.width || a.height !== b.height) return Infinity;
    let count = 0;
    for (let at = 0; at < a.data.length; at += 4) {
        const channels = [0, 1, 2].map((each) => Math.abs(a.data[at + each] - b.data[at + each]));
        if (Math.max(...channels) > 24) count++;
    }
    return count;
}"""


def encoded(data: bytes) -> str:
    return b64encode(data).decode()


async def _different(page: Page, kept: bytes, picture: bytes) -> int:
    """How many pixels differ."""
    if picture == kept:
        return 0
    return int(await page.evaluate(COUNT_DIFFERENT, [encoded(kept), encoded(picture)]))


async def as_kept(page: Page, name: str) -> None:
    """The screen looks as in its kept pictures: at three sizes, in both themes."""
    fonts = {
        weight: encoded((FONTS / f"atkinson-hyperlegible-latin-{weight}-normal.woff2").read_bytes())
        for weight in ("400", "700")
    }
    await page.evaluate(DRAW_ALIKE, fonts)
    changed = []
    # For a moment a screen may look different, while the page tries to connect again for example.
    until = time.monotonic() + PATIENCE / 1000
    for size, (width, height) in SIZES.items():
        await page.set_viewport_size({"width": width, "height": height})
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size
        for scheme in SCHEMES:
            await page.emulate_media(color_scheme=scheme)
            file = f"{name}-{size}-{scheme}.png"
            picture = await page.screenshot(animations="disabled")
            if os.environ.get("PARLOUR_SCREENSHOTS"):
                (KEPT / file).write_bytes(picture)
                continue
            assert (KEPT / file).is_file(), f"{file} was never drawn: run `make screenshot`"
            kept = (KEPT / file).read_bytes()
            while (different := await _different(page, kept, picture)) > FEW:
                if time.monotonic() > until:
                    break
                picture = await page.screenshot(animations="disabled")
            if different > FEW:
                drawn = Path(tempfile.gettempdir()) / file
                drawn.write_bytes(picture)
                changed.append(f"{different} pixels of {file} changed: see {drawn}")
    await page.evaluate("document.adoptedStyleSheets = []")
    assert not changed, "\n".join(changed)
