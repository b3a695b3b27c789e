import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answering, json, never, settled } from './stand_ins.ts'
import type { LaidOut } from '../../src/draw/layout_worker.ts'

// Workers, storage and what the system prefers, as a test has them.
class Worker {
  static last: Worker
  onmessage = (_: { data: unknown }) => {}
  given: { bytes: ArrayBuffer; whole: boolean }[] = []
  ended = false
  constructor() { Worker.last = this }
  postMessage(one: { bytes: ArrayBuffer; whole: boolean }) { this.given.push(one) }
  terminate() { this.ended = true }
  lay(count: number, version: number) {
    this.onmessage({ data: { columns: { count, version } } })
  }
}
const stored = new Map<string, string>()
const asks = new Map<string, (e: { matches: boolean }) => void>()
Object.assign(globalThis, {
  Worker,
  localStorage: { getItem: (key: string) => stored.get(key) ?? null, setItem: (key: string, value: string) => stored.set(key, value) },
  matchMedia: (query: string) => ({ matches: query.includes('dark'), addEventListener: (_: string, hear: (e: { matches: boolean }) => void) => asks.set(query, hear) }),
})
const { TreeSource } = await import('../../src/draw/tree_source.svelte.ts')
const { theme } = await import('../../src/draw/theme.svelte.ts')

const bytes = () => new Response(new ArrayBuffer(16))
const fromOf = (url: string) => new URL(url, 'http://x').searchParams.get('from')

test('a tree is asked for once, and then from where it ends', async () => {
  const asked = answering(bytes)
  const source = new TreeSource(0, 'a')
  await source.load(3, 7)
  Worker.last.lay(3, 7)
  await source.load(3, 7)   // All of it is there.
  await source.load(5, 7)
  assert.deepEqual(asked.map((a) => fromOf(a.url)), ['0', '3'])
  assert.deepEqual(Worker.last.given.map((g) => g.whole), [false, false])
  assert.deepEqual([source.known, source.waiting], [3, true])
})

test('where old nodes are other than they were all of it is asked for', async () => {
  const asked = answering(bytes)
  const source = new TreeSource(0, 'a')
  await source.load(3, 7)
  Worker.last.lay(3, 7)
  await source.load(3, 8)
  assert.deepEqual(asked.map((a) => fromOf(a.url)), ['0', '0'])
  assert.equal(Worker.last.given[1]!.whole, true)
})

test('what is wanted meanwhile is asked for when the answer is laid out', async () => {
  const asked = answering(bytes)
  const source = new TreeSource(0, 'a')
  await source.load(3, null)
  await source.load(9, null)
  assert.equal(asked.length, 1)
  Worker.last.lay(3, 7)
  await settled()
  assert.deepEqual(asked.map((a) => fromOf(a.url)), ['0', '3'])
})

test('a tree that is torn, or refused, keeps what there was', async () => {
  answering(bytes)
  const source = new TreeSource(0, 'a')
  await source.load(3, 7)
  Worker.last.lay(3, 7)
  await source.load(4, 7)
  Worker.last.onmessage({ data: { error: 'The tree came torn.' } })
  assert.deepEqual([source.error, source.known], ['The tree came torn.', 3])
  answering(() => json({ error: 'no such campaign' }, 404))
  await source.load(5, 7)
  assert.deepEqual([source.error, source.waiting], ['no such campaign', false])
  assert.equal((source.tree as LaidOut).columns.count, 3)
})

test('who leaves a tree asks no more, and that is no error', async () => {
  answering(never)
  const source = new TreeSource(0, 'a')
  const loading = source.load(3, 7)
  await settled()
  source.close()
  await loading
  assert.deepEqual([source.error, Worker.last.ended], [null, true])
})

test('the colours are the system\'s until somebody chooses, and then kept', () => {
  assert.deepEqual([theme.choice, theme.dark, theme.still], ['system', true, false])
  asks.get('(prefers-color-scheme: dark)')!({ matches: false })
  assert.equal(theme.dark, false)
  asks.get('(prefers-reduced-motion: reduce)')!({ matches: true })
  assert.equal(theme.still, true)
  const said: boolean[] = []
  for (let i = 0; i < 3; ++i) {
    theme.next()
    said.push(theme.dark)
  }
  assert.deepEqual(said, [true, false, true])   // The other one first.
  assert.equal(stored.get('coppice-theme'), 'dark')
})

test('without storage a choice lasts until the page is left', () => {
  Object.assign(globalThis, { localStorage: { setItem: () => { throw new Error('denied') } } })
  theme.next()
  assert.equal(theme.dark, false)
})
