// Runs before the first paint, so that somebody who chose the dark theme never sees a bright flash.
// `src/lib/preferences.svelte.ts` writes what is read here.
try {
  const kept = localStorage.getItem('parlour.preferences') ?? localStorage.getItem('parlour.taste')
  const { theme } = JSON.parse(kept || '{}')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // No storage: the system's preference holds.
}

// An overlay lies over a stream: not even its first moment may have a ground (`app.css`).
if (/^\/[^/]+\/[^/]+\/overlay\/?$/.test(location.pathname))
  document.documentElement.dataset.overlay = ''
