import { mount } from 'svelte'
import './app.css'
import App from './App.svelte'
import { dress } from './lib/taste.svelte'

dress()
mount(App, { target: document.getElementById('app')! })
