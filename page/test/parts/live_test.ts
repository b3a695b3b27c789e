import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { answering, document, json, never, runEffects, settled } from './stand_ins.ts'
import { live } from '../../src/wire/live.svelte.ts'
import type { Told } from '../../src/wire/live_worker.ts'
import { Refusal } from '../../src/wire/ask.ts'
import { Resource, resource } from '../../src/wire/resource.svelte.ts'

const moved = (attempts: number, c = 'a', db = 0): Told => ({
  kind: 'change', change: { databases: [{ db, campaigns: [{ c, attempts }] }] } as never,
})
const attempts = () => (live.of(0, 'a') as { attempts: number } | undefined)?.attempts

test('what has moved on is heard by database and campaign', () => {
  live.hear(moved(3))
  live.hear(moved(4))
  assert.equal(attempts(), 4)
  assert.equal(live.of(1, 'a'), undefined)
  live.hear(moved(9, 'b', 1))   // All that there is; what is not in it is gone.
  assert.equal(attempts(), undefined)
  assert.deepEqual([...live.all.keys()], ['1/b'])
})

test('a frozen page holds back what comes, and shows the last of it at once', () => {
  live.hear(moved(5))
  live.toggle()
  live.hear(moved(6))
  live.hear(moved(7))
  assert.equal(attempts(), 5)
  live.toggle()
  assert.equal(attempts(), 7)
  // Where nothing came, whoever follows it asks again all the same.
  const before = live.all
  live.toggle()
  live.toggle()
  assert.notEqual(live.all, before)
  assert.equal(attempts(), 7)
})

test('a link that was open once is told from one that never was', () => {
  assert.equal(live.asked, false)
  live.hear({ kind: 'link', open: false, at_ms: 1 })
  assert.equal(live.asked, false)
  live.hear({ kind: 'link', open: true, at_ms: 2 })
  live.hear({ kind: 'link', open: false, at_ms: 3 })
  assert.deepEqual([live.asked, live.open, live.since_ms], [true, false, 3])
})

test('the clock stands still on a page that nobody sees, or that is frozen', () => {
  live.now_s = 1
  document.hidden = true
  live.tick()
  assert.equal(live.now_s, 1)
  document.hidden = false
  live.toggle()
  live.tick()
  assert.equal(live.now_s, 1)
  live.toggle()
  live.tick()
  assert.ok(live.now_s > 1e9)
})

const made = () => new Resource<number>(async (url, signal) => {
  const response = await fetch(url, { signal })
  if (!response.ok) throw new Refusal(response.status, 'no')
  return response.json() as Promise<number>
})

test('an answer stays while a newer one of the same is on its way', async () => {
  const one = made()
  answering(() => json(1))
  await one.load('/a')
  assert.deepEqual([one.data, one.waiting], [1, false])
  answering(never)
  void one.load('/a')
  assert.deepEqual([one.data, one.waiting], [1, true])
})

test('another question lets go of the answer, and of who still asks', async () => {
  const one = made()
  answering(() => json(1))
  await one.load('/a')
  const asked = answering(never)
  void one.load('/a')
  answering(() => json(2))
  const done = one.load('/b')
  assert.equal(one.data, null)
  await done
  assert.equal(asked[0]!.signal?.aborted, true)
  assert.deepEqual([one.data, one.error, one.waiting], [2, null, false])
})

test('a failure says its line and keeps what there was', async () => {
  const one = made()
  answering(() => json(1))
  await one.load('/a')
  answering(() => new Response('', { status: 500 }))
  await one.load('/a')
  assert.deepEqual([one.data, one.error?.status], [1, 500])
  answering(() => { throw new TypeError('gone') })
  await one.load('/a')
  assert.equal(one.error?.message, 'TypeError: gone')
  answering(() => json(2))
  await one.load('/a')
  assert.deepEqual([one.data, one.error], [2, null])
})

test('what is wanted meanwhile is asked once more, after a while', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  const one = made()
  let answer = (_: Response) => {}
  const asked = answering(() => new Promise((resolve) => { answer = resolve }))
  const first = one.load('/a')
  await one.load('/a')
  await one.load('/a')
  answer(json(1))
  await first
  assert.equal(asked.length, 1)
  mock.timers.tick(499)
  assert.equal(asked.length, 1)
  mock.timers.tick(1)
  assert.equal(asked.length, 2)
  mock.timers.reset()
})

test('a page that is hidden asks when it is seen', async () => {
  const asked = answering(() => json(1))
  const one = resource<number>(() => '/a')
  resource<number>(() => null)   // Which asks nothing.
  document.hidden = true
  runEffects()
  assert.equal(asked.length, 0)
  document.hidden = false
  document.dispatchEvent(new Event('visibilitychange'))
  await settled()
  assert.equal(asked.length, 1)
  assert.equal(one.data, 1)
})
