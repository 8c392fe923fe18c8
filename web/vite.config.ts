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

export default defineConfig({
  // Addresses in the page are relative; the server makes them begin where the house does.
  base: './',
  plugins: [svelte(), compressed()],
  build: {
    outDir: '../src/parlour/page',
    emptyOutDir: true,
    // The server's Content-Security-Policy allows no data: URLs.
    assetsInlineLimit: 0,
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
  test: { include: ['src/**/*.test.ts'] },
})
