import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answering, json, never, settled } from './stand_ins.ts'
import { Asking } from '../../src/assistant/asking.svelte.ts'

type Event = [string, object]
const streamed = (events: Event[]) =>
  new Response(events.map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join(''))

async function asked(events: Event[]): Promise<Asking> {
  answering(() => streamed(events))
  const asking = new Asking('why?')
  await asking.run(1, 'a', null)
  return asking
}
const kDone: Event = ['done', { text: 'All.' }]

test('words are added up until all of them are there', async () => {
  const broken = await asked([['token', { text: 'The ' }], ['token', { text: 'root' }]])
  assert.equal(broken.text, 'The root')
  assert.deepEqual([broken.error, broken.busy], ['The answer broke off.', false])
  const whole = await asked([['token', { text: 'The ' }], kDone])
  assert.deepEqual([whole.text, whole.error, whole.busy], ['All.', '', false])
})

test('who begins anew keeps what was said before the last tool', async () => {
  const asking = await asked([
    ['token', { text: 'I look.' }], ['tool', { name: 'sql', arguments: { q: 1 }, rows: 3, result: null }],
    ['token', { text: 'Wrong' }], ['restart', {}], ['token', { text: 'Right' }],
  ])
  assert.equal(asking.text, 'I look.\n\nRight')
  assert.deepEqual(asking.tools, [{ name: 'sql', arguments: '{"q":1}', rows: 3, error: '', result: '' }])
})

test('a tool that comes before any word leaves no empty lines', async () => {
  const asking = await asked([['tool', { name: 'sql', rows: 'many' }], ['token', { text: 'Two.' }]])
  assert.equal(asking.text, 'Two.')
  assert.equal(asking.tools[0]!.rows, 0)
})

test('cards are read whatever they lack', async () => {
  const asking = await asked([['card', { kind: 'freeze', subject: 'n:3' }], ['card', { why: 7 }], kDone])
  assert.deepEqual(asking.cards, [
    { kind: 'freeze', subject: 'n:3', payload: '', why: '' }, { kind: '', subject: '', payload: '', why: '7' },
  ])
})

test('why nothing comes is said until something does', async () => {
  assert.equal((await asked([['waiting', { why: 'a model is loaded' }]])).waiting, 'a model is loaded')
  assert.equal((await asked([['waiting', { why: 'a model is loaded' }], ['token', { text: 'x' }]])).waiting, '')
})

test('the end brings what was checked, and what it cost', async () => {
  const cites = [{ text: '[[n:1]]', href: '/c/a/n/1', exists: true }]
  const asking = await asked([['done', {
    text: 'So.', fault: 'cut', cites, not_found: ['42'], cost_usd: 0.25, spent_today_usd: 1, cap_usd_day: '2', conversation: 'k',
  }]])
  assert.deepEqual([asking.fault, asking.cites, asking.unfound, asking.conversation], ['cut', cites, ['42'], 'k'])
  assert.deepEqual([asking.cost_usd, asking.spent_usd, asking.cap_usd], [0.25, 1, null])
})

test('an error of the model is its line, and the last word', async () => {
  const asking = await asked([['error', { error: 'the cap is reached' }]])
  assert.deepEqual([asking.error, asking.busy], ['the cap is reached', false])
})

test('a refusal is said as the server says it', async () => {
  const sent = answering(() => json({ error: 'no model is set' }, 400))
  const asking = new Asking('why?')
  await asking.run(1, 'a', 'k')
  assert.equal(asking.error, 'no model is set')
  assert.deepEqual(sent[0]!.body, { db: 1, c: 'a', question: 'why?', conversation: 'k' })
})

test('who stops it is told so', async () => {
  answering(never)
  const asking = new Asking('why?')
  const done = asking.run(1, 'a', null)
  await settled()
  asking.stop()
  await done
  assert.deepEqual([asking.error, asking.busy], ['Stopped.', false])
})
