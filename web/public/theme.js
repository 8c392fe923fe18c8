// Runs before the first paint, so that somebody who chose the dark room never sees a bright flash.
try {
  const { theme } = JSON.parse(localStorage.getItem('parlour.taste') || '{}')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // No storage: the system's preference holds.
}
