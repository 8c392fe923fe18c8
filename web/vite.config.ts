import { svelte } from '@sveltejs/vite-plugin-svelte'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { defineConfig } from 'vitest/config'
import type { Plugin } from 'vite'

// `npm run dev` shows the page from its sources and passes everything else on to a Parlour server.
const server = process.env.PARLOUR ?? 'http://127.0.0.1:3000'

/** Beside each file of some length the same again as .br and .gz, for browsers that take them. */
function compressed(): Plugin {
  let folder = ''
  return {
    name: 'compressed',
    apply: 'build',
    writeBundle(options) {
      folder = join(options.dir ?? '', 'assets')
    },
    closeBundle() {
      if (!folder) return
      for (const name of readdirSync(folder)) {
        if (!/\.(js|css|svg|json)$/.test(name)) continue
        const file = join(folder, name)
        const whole = readFileSync(file)
        const packed = {
          br: brotliCompressSync(whole, {
            params: { [constants.BROTLI_PARAM_SIZE_HINT]: whole.length },
          }),
          gz: gzipSync(whole, { level: 9 }),
        }
        for (const [ending, bytes] of Object.entries(packed)) {
          if (bytes.length < whole.length * 0.9) writeFileSync(`${file}.${ending}`, bytes)
        }
      }
    },
  }
}

/** What all tables share, in few files instead of thirty: together they are a sixth smaller. Nothing
 *  of it may be on the first screen, which would have to load all of it then. */
const LIVE = {
  name: 'live',
  test: /src\/(lib\/(live-table|log|refusal|share|attempt|text|extras|deals|pace|socket|clock|flight|table-context|trouble|backoff|sha256)|protocol\/extras|ui\/(LiveTable|LeaveQuestion|Reconnecting|Countdown|ShareLink|ShortcutKey))\b/,
}
/** What the first screen and others share: otherwise it would come in ten files. */
const FIRST = {
  name: 'first',
  test: /node_modules\/(svelte|clsx|esm-env)\/|preload-helper|src\/(lib\/(messages\/\w+\.ts|preferences|root|storage|api|shapes|misfits|schema|visitor|toasts)\b|protocol\/api|games\/\w+\/settings|games\/onu\/(faces|colours)|cards\/TwoSides)/,
}
/** How scenes are drawn; a game with a board of its own may do without. */
const SCENES = {
  name: 'scenes',
  test: /src\/(scenes\/(SceneBoard|ZoneView|Hand|ThingView|Actions)|lib\/spread|ui\/(Seat|Pile|TimerRing))\b/,
}
const MATCH = {
  name: 'match',
  test: /src\/(scenes\/(?!MatchEnd)|ui\/(Room|SidePanel|ChatField|ShareTable|InLine|ActionButton)\b)/,
}
const LOBBY = {
  name: 'lobby',
  test: /src\/ui\/(Lobby|MatchLobby|Talk|TableName|Sheet|BotStrength)\b/,
}

export default defineConfig({
  // Addresses in the page are relative; the server makes them begin where the house does.
  base: './',
  plugins: [svelte(), compressed()],
  build: {
    outDir: '../src/parlour/page',
    emptyOutDir: true,
    // The server's Content-Security-Policy allows no data: URLs.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [FIRST, SCENES, MATCH, LOBBY, LIVE],
        },
      },
    },
  },
  server: {
    proxy: {
      '/api': { target: server, ws: true },
      // Not what lies under it: an overlay is the page's.
      '^/onu(?=[?]|$)': { target: server, ws: true },
      '^/(plain|rummy|stream|ws|lobby|game|gameinfo|spectate|user|mo)(?=[/?]|$)': {
        target: server,
        ws: true,
      },
    },
  },
  // With `css`, tests can read stylesheets; otherwise they are empty.
  test: { include: ['src/**/*.test.ts'], css: true },
})
