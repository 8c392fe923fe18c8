// Says so if the page can't run: in a browser that is too old for it, or where a file is missing.
// In the words of old browsers (ES5), because they must understand at least this file.
;(function () {
  function say(title, text) {
    if (document.getElementById('cannot-run')) return
    var box = document.createElement('div')
    box.id = 'cannot-run'
    box.setAttribute('role', 'alert')
    box.style.cssText =
      'padding:1.2em;background:#fff;color:#000;font:18px/1.5 sans-serif;text-align:center'
    var head = document.createElement('h1')
    head.appendChild(document.createTextNode(title))
    box.appendChild(head)
    box.appendChild(document.createTextNode(text))
    document.body.insertBefore(box, document.body.firstChild)
  }

  function tooOld() {
    if (/^de/.test(navigator.language || '')) {
      say(
        'Dein Browser ist zu alt für Parlour',
        'Aktualisiere ihn, oder öffne diese Adresse in Firefox, Chrome, Edge oder Safari ab 2024.',
      )
    } else {
      say(
        'Your browser is too old for Parlour',
        'Update it, or open this address in Firefox, Chrome, Edge or Safari of 2024 or later.',
      )
    }
  }

  function missing() {
    if (/^de/.test(navigator.language || '')) {
      say('Parlour konnte nicht geladen werden', 'Lade die Seite noch einmal.')
    } else {
      say('Parlour could not be loaded', 'Load the page again.')
    }
  }

  window.addEventListener('load', function () {
    var modules = 'noModule' in document.createElement('script')
    var css = window.CSS && window.CSS.supports
    if (!modules || !css || !window.CSS.supports('color', 'light-dark(#000, #fff)')) tooOld()
  })
  window.addEventListener(
    'error',
    function (event) {
      var started = document.getElementById('app').firstChild
      if (started) return
      if (event.error instanceof SyntaxError) tooOld()
      else if (event.target && event.target.tagName === 'SCRIPT') missing()
    },
    true,
  )
})()
