import { mount } from 'svelte'
import App from './App.svelte'
import { pages } from './pages/pages.svelte.ts'
import { place } from './place/place.svelte.ts'
import './app.css'

const target = document.getElementById('page')
// Its script is on its way while the frame is drawn.
pages.load(place.now.page)
target?.replaceChildren()
if (target) mount(App, { target })
