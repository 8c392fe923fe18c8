import { mount } from 'svelte'
import './app.css'
import App from './App.svelte'
import { installing } from './lib/install.svelte'
import { loadMessages, markLanguage } from './lib/messages'
import { applyTheme } from './lib/preferences.svelte'

applyTheme()
markLanguage()
void loadMessages('page').then(() => mount(App, { target: document.getElementById('app')! }))
// While the page is developed, its parts are loaded anew all the time.
if (import.meta.env.PROD) installing.start()
