import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

// `npm run dev` shows the page from its sources and passes everything else on to a Parlour server.
const server = process.env.PARLOUR ?? 'http://127.0.0.1:3000'

export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: '../src/parlour/page',
    emptyOutDir: true,
    // The server's Content-Security-Policy allows no data: URLs.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: {
      '/api': server,
      // Not what lies under it: an overlay is the page's.
      '^/onu(?=[?]|$)': { target: server, ws: true },
      '^/(rummy|stream|ws|lobby|game|gameinfo|spectate|user|mo)(?=[/?]|$)': { target: server, ws: true },
    },
  },
  test: { include: ['src/**/*.test.ts'] },
})
