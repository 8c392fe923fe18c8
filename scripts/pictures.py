"""Draws the page's icons and the pictures of link previews into web/public/ (`make screenshot`).

The icons come from web/public/favicon.svg, the pictures from the emblems in the hall of a server
that is started for it. Build the page first.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from playwright.async_api import Browser, async_playwright

from parlour.games import OURS
from parlour.server.config import Config
from parlour.server.server import Server

PUBLIC = Path(__file__).resolve().parent.parent / "web/public"
ICONS = {"icon-192": 192, "icon-512": 512, "apple-touch-icon": 180, "icon-maskable": 512}
GREEN = "#2d6a4f"

_ICON = """<style>*{{margin:0}}body{{background:{ground}}}svg{{display:block;width:{size}px;
height:{size}px;margin:{margin}px}}</style>{svg}"""

# Everything but the emblem is taken away, so that its styles stay those of the hall.
_SHARE = """([game, name]) => {
  const emblem = game && document.querySelector(`[data-testid="game-${game}"] .emblem`)
  const picture = document.createElement('div')
  picture.style = `position:fixed;inset:0;z-index:99;display:grid;place-items:center;
    grid-template-rows:1fr auto;background:#2d6a4f;color:#fffdf8;padding-bottom:56px`
  if (emblem) {
    const held = document.createElement('div')
    held.style = 'zoom:2.6;width:300px;height:150px;display:grid;place-items:center'
    const shown = emblem.cloneNode(true)
    shown.style = 'background:none;width:100%;height:100%'
    held.append(shown)
    picture.append(held)
  } else {
    picture.innerHTML = `<svg viewBox="0 0 64 64" width="330" height="330">
      <rect x="14" y="8" width="36" height="48" rx="5" fill="#fffdf8"/>
      <path d="M32 16C35 23 39 28 45 32 39 36 35 41 32 48 29 41 25 36 19 32 25 28 29 23 32 16Z"
        fill="#c1272d"/></svg>`
  }
  const title = document.createElement('p')
  title.textContent = name
  title.style = 'font:600 84px/1.1 var(--serif);margin:0'
  picture.append(title)
  document.body.append(picture)
}"""


async def draw_icons(browser: Browser) -> None:
    svg = (PUBLIC / "favicon.svg").read_text()
    for name, size in ICONS.items():
        page = await browser.new_page(viewport={"width": size, "height": size})
        # Systems cut maskable icons to their own shape: a tenth on each side may be lost.
        margin = size // 10 if name == "icon-maskable" else 0
        whole = name in ("icon-maskable", "apple-touch-icon")
        text = _ICON.format(
            ground=GREEN if whole else "transparent", size=size - 2 * margin, margin=margin, svg=svg
        )
        await page.set_content(text)
        await page.screenshot(path=PUBLIC / f"{name}.png", omit_background=True)
        await page.close()


async def draw_previews(browser: Browser, port: int) -> None:
    for game in ("", *OURS):
        page = await browser.new_page(viewport={"width": 1200, "height": 630})
        await page.goto(f"http://127.0.0.1:{port}/")
        card = page.get_by_test_id(f"game-{game or OURS[0]}")
        name = await card.get_by_role("heading").inner_text() if game else "Parlour"
        await page.evaluate(_SHARE, [game, name])
        await page.screenshot(path=PUBLIC / f"share{game and '-'}{game}.png")
        await page.close()


async def main() -> None:
    server = Server(Config(host="127.0.0.1", port=0, data=":memory:"))
    await server.start()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=os.environ.get("PARLOUR_CHROMIUM"), args=["--no-sandbox"]
        )
        await draw_icons(browser)
        await draw_previews(browser, server.port)
        await browser.close()
    await server.stop()


if __name__ == "__main__":
    asyncio.run(main())
