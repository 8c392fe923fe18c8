// The service worker: it shows a screen of ours when the server can't be reached, and nothing else.
// It keeps no copy of the page, because a kept page could be older than the server it talks to.

// What a proxy says whose server is away.
const AWAY = [502, 503, 504]

const OFFLINE = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Parlour</title>
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
    <h1></h1>
    <p id="why"></p>
    <p id="kept"></p>
    <p id="again" role="status"></p>
    <button onclick="location.reload()"></button>
  </main>
  <script>
    const WORDS = {
      en: {
        title: 'No connection to Parlour',
        online: 'This device has a network, but the server does not answer. It may be restarting.',
        offline: 'This device is offline.',
        kept: 'Parlour is played on a server, so it needs a connection. Games under way are kept there.',
        again: 'This page tries again every five seconds.',
        now: 'Try now',
      },
      de: {
        title: 'Keine Verbindung zu Parlour',
        online: 'Dieses Gerät hat ein Netz, aber der Server antwortet nicht. Vielleicht startet er gerade neu.',
        offline: 'Dieses Gerät ist offline.',
        kept: 'Parlour läuft auf einem Server und braucht eine Verbindung. Laufende Spiele bleiben dort erhalten.',
        again: 'Diese Seite versucht es alle fünf Sekunden wieder.',
        now: 'Jetzt versuchen',
      },
    }
    // As on the page: what the visitor chose there, or the browser's language.
    let language = navigator.language
    try {
      language = JSON.parse(localStorage.getItem('parlour.preferences')).language || language
    } catch {
      // Nothing was chosen.
    }
    language = language.slice(0, 2) === 'de' ? 'de' : 'en'
    const words = WORDS[language]
    document.documentElement.lang = language
    document.title = words.title
    document.querySelector('h1').textContent = words.title
    document.querySelector('button').textContent = words.now
    for (const part of ['kept', 'again']) document.getElementById(part).textContent = words[part]
    const why = document.getElementById('why')
    const say = () => {
      why.textContent = navigator.onLine ? words.online : words.offline
    }
    const retry = async () => {
      say()
      try {
        const { status } = await fetch(location.href, { method: 'HEAD', cache: 'no-store' })
        if (![${AWAY}].includes(status)) location.reload()
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
  event.respondWith(
    fetch(event.request).then(
      (answer) => (AWAY.includes(answer.status) ? unreachable() : answer),
      unreachable,
    ),
  )
})
