// The service worker: it shows a screen of ours when the server can't be reached, and nothing else.
// It keeps no copy of the page, because a kept page could be older than the server it talks to.

const OFFLINE = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>No connection · Parlour</title>
  <style>
    :root { color-scheme: light dark; }
    body {
      max-width: 30rem;
      margin: 15vh auto;
      padding: 0 1.2rem;
      font: 1.1rem/1.5 system-ui, sans-serif;
      background: light-dark(#f6f2ea, #171513);
      color: light-dark(#26211a, #f2ece2);
    }
    h1 { font: 600 1.7rem/1.2 Georgia, serif; }
    button {
      min-height: 44px;
      padding: 0 1.2rem;
      border: 0;
      border-radius: 8px;
      background: #2d6a4f;
      color: #fff;
      font: inherit;
    }
  </style>
  <main>
    <h1>No connection to Parlour</h1>
    <p id="why"></p>
    <p>Parlour is played on a server, so it needs a connection. Games under way are kept there.</p>
    <p role="status">This page tries again every five seconds.</p>
    <button onclick="location.reload()">Try now</button>
  </main>
  <script>
    const why = document.getElementById('why')
    const say = () => {
      why.textContent = navigator.onLine
        ? 'This device has a network, but the server does not answer. It may be restarting.'
        : 'This device is offline.'
    }
    const retry = async () => {
      say()
      try {
        await fetch(location.href, { method: 'HEAD', cache: 'no-store' })
        location.reload()
      } catch {
        // Not yet.
      }
    }
    say()
    addEventListener('online', retry)
    addEventListener('offline', say)
    setInterval(retry, 5000)
  </script>
</html>`

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate') return
  const unreachable = () =>
    new Response(OFFLINE, {
      status: 503,
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
    })
  event.respondWith(fetch(event.request).catch(unreachable))
})
