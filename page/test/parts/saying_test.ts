import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answering, json, never, settled, type Asked } from './stand_ins.ts'
import type { Draft } from '../../src/steer/directive.ts'
import { Saying } from '../../src/steer/saying.svelte.ts'

const kFreeze: Draft = { kind: 'freeze', subject: 7, payload: {} }
const kPause: Draft = { kind: 'pause', subject: null, payload: {} }
const row = { id: 12, kind: 'freeze' }

function saying(): { saying: Saying; changes: () => number } {
  let changed = 0
  return { saying: new Saying(2, 'a', () => { changed += 1 }), changes: () => changed }
}
const uuidOf = (asked: Asked) => (asked.body as { uuid: string }).uuid

test('what is said is sent with what its author has seen', async () => {
  const asked = answering(() => json(row))
  const { saying: one, changes } = saying()
  assert.equal(await one.say(kFreeze, 11), true)
  const body = asked[0]!.body as Record<string, unknown>
  assert.deepEqual({ ...body, uuid: '' }, { db: 2, c: 'a', uuid: '', kind: 'freeze', subject: 7, payload: {}, expected_last: 11 })
  assert.equal(asked[0]!.url, '/api/directives')
  assert.deepEqual([one.said, one.error, one.busy, changes()], [row, null, false, 1])
})

test('the same intention has one uuid until it has arrived', async () => {
  const { saying: one } = saying()
  let fails = true
  const asked = answering(() => { if (fails) throw new TypeError('gone'); return json(row) })
  assert.equal(await one.say(kFreeze, 11), false)
  assert.match(one.error ?? '', /No server answers/)
  fails = false
  await one.say(kFreeze, 11)
  await one.say(kFreeze, 12)   // Said once more, which is meant.
  await one.say(kPause, 12)
  const uuids = asked.map(uuidOf)
  assert.equal(uuids[0], uuids[1])
  assert.equal(new Set(uuids).size, 3)
})

test('who leaves means something else when the same is said later', async () => {
  const { saying: one } = saying()
  const asked = answering(() => { throw new TypeError('gone') })
  await one.say(kFreeze, 11)
  one.leave()
  assert.deepEqual([one.mine, one.error], [null, null])
  await one.say(kFreeze, 11)
  assert.notEqual(uuidOf(asked[0]!), uuidOf(asked[1]!))
})

test('what somebody else said meanwhile is shown, and can be insisted on', async () => {
  const { saying: one } = saying()
  const other = { id: 15, kind: 'unfreeze' }
  const asked = answering(() => json({ error: 'said meanwhile', other }, 409))
  assert.equal(await one.say(kFreeze, 11), false)
  assert.deepEqual([one.other, one.error], [other, 'said meanwhile'])
  answering((a) => { asked.push(a); return json(row) })
  assert.equal(await one.insist(), true)
  assert.equal((asked[1]!.body as { expected_last: number }).expected_last, 15)
  assert.equal(uuidOf(asked[0]!), uuidOf(asked[1]!))
  assert.equal(one.other, null)
})

test('another refusal has nobody who stands against it', async () => {
  const { saying: one } = saying()
  answering(() => json({ error: 'no', other: { id: 1 } }, 400))
  await one.say(kFreeze, 11)
  assert.equal(one.other, null)
  assert.equal(await one.insist(), false)
})

test('what is on its way is not sent twice', async () => {
  const { saying: one, changes } = saying()
  const asked = answering(never)
  void one.say(kFreeze, 11)
  assert.equal(one.busy, true)
  assert.equal(await one.say(kFreeze, 11), false)
  await settled()
  assert.equal(asked.length, 1)
  assert.equal(changes(), 0)
})

test('what is withdrawn is named, and was nobody\'s draft', async () => {
  const { saying: one } = saying()
  const asked = answering(() => json(row))
  assert.equal(await one.withdraw(12), true)
  assert.deepEqual([asked[0]!.url, asked[0]!.body], ['/api/directives/withdraw', { db: 2, c: 'a', id: 12 }])
  assert.equal(one.mine, null)
})
