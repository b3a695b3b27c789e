// Draws components as a server would, without a browser: what stands in the
// document before anybody clicks.
import { createServer } from 'vite'
import { fileURLToPath } from 'node:url'

const nothing = { matches: false, addEventListener: () => {} }
Object.assign(globalThis, {
  location: { pathname: '/c/a', search: '', origin: 'http://127.0.0.1' },
  matchMedia: () => nothing,
  document: { hidden: false, createElement: () => ({ style: {}, remove: () => {} }), body: { append: () => {} } },
  getComputedStyle: () => ({ color: 'rgb(1 2 3)' }),
  history: { replaceState: (_, __, url) => visit(url), pushState: (_, __, url) => visit(url) },
})
function visit(url) {
  const to = new URL(url, 'http://127.0.0.1')
  Object.assign(globalThis.location, { pathname: to.pathname, search: to.search })
}

const file = (name) => fileURLToPath(new URL(name, import.meta.url))
// Effects, by which answers are asked for, are a browser's: they are given.
const answers = {
  name: 'answers',
  enforce: 'pre',
  resolveId: (source) => (source.endsWith('/resource.svelte.ts') ? file('given.mjs') : null),
}

const server = await createServer({
  root: file('../..'),
  plugins: [answers],
  server: { middlewareMode: true, hmr: false, ws: false },
  appType: 'custom',
  logLevel: 'error',
  optimizeDeps: { noDiscovery: true, include: [] },
})
export const close = () => server.close()

const { render } = await server.ssrLoadModule('svelte/server')
export const { createRawSnippet } = await server.ssrLoadModule('svelte')
export const { given } = await server.ssrLoadModule('/test/parts/given.mjs')
export const load = (path) => server.ssrLoadModule(`/src/${path}`)

// Without what Svelte marks for itself: comments, and the classes of scopes.
export async function drawn(path, props) {
  const { default: component } = await load(`${path}.svelte`)
  return render(component, { props }).body
    .replace(/<!--.*?-->/g, '').replace(/ ?svelte-[a-z0-9]+ ?/g, '').replace(/ class=""/g, '')
    .replace(/\s+/g, ' ').trim()
}

// What is read of it, a space where an element begins or ends.
const kEntities = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'", nbsp: ' ' }
export const read = (html) => html.replace(/<[^>]*>/g, ' ').replace(/&(#?\w+);/g, (all, name) => kEntities[name] ?? all)
  .replace(/\s+/g, ' ').replace(/ ([.:])/g, '$1').trim()

export const attributes = (html, name) => [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map((found) => found[1])
export const count = (html, tag) => html.split(`<${tag}`).length - 1

// An answer of the server that has come, or not, or failed.
export const answer = (data, error = null) => ({ data, error, waiting: data === null && !error, at_ms: 0 })

// A page at an address, with what the server answers by path.
export async function pageAt(url, path, answered, props = {}) {
  const { go } = await load('place/place.svelte.ts')
  go(url, true)
  given.clear()
  for (const [name, value] of Object.entries(answered)) given.set(`/api/${name}`, value)
  return drawn(path, props)
}
