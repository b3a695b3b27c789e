import assert from 'node:assert/strict'
import { test } from 'node:test'
import './stand_ins.ts'

// A browser that keeps addresses, and elements that know what they are in.
class Spot {
  isContentEditable = false
  shadowRoot: unknown = null
  constructor(readonly tagName: string, readonly within: Record<string, unknown> = {}) {}
  closest(selector: string): unknown { return this.within[selector] ?? null }
}
const kOrigin = 'http://127.0.0.1:8080'
const been: string[] = []
let scrolled = 0
const address = { pathname: '/c/a/tree', search: '?node=3&talk=k', origin: kOrigin }
const visit = (url: string) => {
  const to = new URL(url, kOrigin)
  address.pathname = to.pathname
  address.search = to.search
}
const heard = new EventTarget()
Object.assign(globalThis, {
  location: address, Element: Spot, HTMLElement: Spot,
  history: {
    pushState: (_: unknown, __: string, url: string) => { visit(url); been.push(`to ${url}`) },
    replaceState: (_: unknown, __: string, url: string) => { visit(url); been.push(`at ${url}`) },
  },
  scrollTo: () => { scrolled += 1 },
  addEventListener: heard.addEventListener.bind(heard), removeEventListener: heard.removeEventListener.bind(heard),
})
const { follow, go, place, setQuery } = await import('../../src/place/place.svelte.ts')
const { Keys, kHelp } = await import('../../src/place/keys.ts')

test('who goes elsewhere keeps the talk, and is at the top of another page', () => {
  go('/c/a/n/7')
  assert.equal(been.pop(), 'to /c/a/n/7?talk=k')
  assert.deepEqual([place.now.page, place.now.node, scrolled], ['node', 7, 1])
  go('/c/a/n/7?tab=log')   // The same node.
  assert.equal(scrolled, 1)
  go('/c/a/n/8?talk=other', true)
  assert.equal(been.pop(), 'at /c/a/n/8?talk=other')
  assert.equal(scrolled, 1)
})

test('some of the query is changed, and an empty value leaves it', () => {
  setQuery({ tab: 'diff', against: 'root' })
  assert.equal(been.pop(), 'at /c/a/n/8?talk=other&tab=diff&against=root')
  setQuery({ against: '', talk: '' }, false)
  assert.equal(been.pop(), 'to /c/a/n/8?tab=diff')
})

// Where a click on a link goes; null: the browser follows it.
function clicked(link: Record<string, unknown> | null, event: Record<string, unknown> = {}): string | null {
  been.length = 0
  const click = new Event('click', { cancelable: true })
  const whole = link && { origin: kOrigin, pathname: '/c/b', search: '', target: '', hasAttribute: () => false, getAttribute: () => '/c/b', ...link }
  Object.defineProperty(click, 'target', { value: new Spot('SPAN', { a: whole }) })
  Object.assign(click, { button: 0, metaKey: false, ctrlKey: false, shiftKey: false, altKey: false, ...event })
  document.dispatchEvent(click)
  return click.defaultPrevented ? been[0] ?? '' : null
}

test('a link of ours is followed without a reload, and no other', () => {
  const leave = follow()
  assert.equal(clicked({}), 'to /c/b')
  assert.equal(clicked({ search: '?db=1' }), 'to /c/b?db=1')
  for (const [what, link, event] of [
    ['no link', null, {}], ['another host', { origin: 'http://elsewhere' }, {}], ['a window', { target: '_blank' }, {}],
    ['a download', { hasAttribute: () => true }, {}], ['the server', { pathname: '/api/report' }, {}],
    ['a place in the page', { getAttribute: () => '#log' }, {}], ['the middle button', {}, { button: 1 }],
    ['a new tab', {}, { ctrlKey: true }], ['a new window', {}, { shiftKey: true }],
  ] as const) assert.equal(clicked(link, event), null, what)
  leave()
  assert.equal(clicked({}), null)
})

test('back is where the address says', () => {
  const leave = follow()
  visit('/leaderboard')
  heard.dispatchEvent(new Event('popstate'))
  assert.equal(place.now.page, 'leaderboard')
  leave()
})

// Whether a key that is pressed there acts.
function acts(key: string, target: Spot, held: Record<string, unknown> = {}): boolean {
  const press = new Event('keydown', { cancelable: true })
  Object.defineProperty(press, 'target', { value: target })
  Object.assign(press, { key, ctrlKey: false, metaKey: false, altKey: false, isComposing: false, ...held })
  heard.dispatchEvent(press)
  return press.defaultPrevented
}

test('keys act where nobody writes, and leave the browser its own', () => {
  const keys = new Keys()
  keys.add(Object.fromEntries(['j', 'Enter', 'Escape'].map((key) => [key, () => {}])))
  const leave = keys.listen()
  const page = new Spot('BODY')
  assert.ok(acts('j', page))
  assert.ok(!acts('x', page))
  for (const held of ['ctrlKey', 'metaKey', 'altKey', 'isComposing']) assert.ok(!acts('j', page, { [held]: true }), held)
  const editable = Object.assign(new Spot('DIV'), { isContentEditable: true })
  const editor = Object.assign(new Spot('DIV'), { shadowRoot: {} })
  for (const field of [new Spot('INPUT'), new Spot('TEXTAREA'), new Spot('SELECT'), editable, editor]) {
    assert.ok(!acts('j', field), field.tagName)
    assert.ok(acts('Escape', field), field.tagName)
  }
  // Enter is a button's own.
  assert.ok(acts('Enter', page))
  assert.ok(!acts('Enter', new Spot('B', { 'a, button, summary': {} })))
  assert.ok(acts('j', new Spot('B', { 'a, button, summary': {} })))
  leave()
  assert.ok(!acts('j', page))
})

test('what is bound to two keys needs both, one after the other', () => {
  const said: string[] = []
  const keys = new Keys()
  keys.add({ c: () => said.push('c'), 'g c': () => said.push('g c') })
  for (const key of ['g', 'g', 'c']) keys.press(key, 0)
  assert.deepEqual(said, ['g c'])
  keys.press('g', 0)
  keys.press('x', 0)   // Ends it.
  keys.press('c', 0)
  assert.deepEqual(said, ['g c', 'c'])
})

test('help has each key once', () => {
  const all = kHelp.flatMap(([key]) => (key.startsWith('g ') ? [key] : key.split(' ')))
  assert.equal(new Set(all).size, all.length)
})
