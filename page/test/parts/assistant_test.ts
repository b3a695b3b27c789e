import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftOf } from '../../src/assistant/card.ts'
import { EventParts } from '../../src/assistant/event_parts.ts'
import { piecesOf } from '../../src/assistant/pieces.ts'

test('events are heard whole, however they are cut', () => {
  const all = 'event: token\ndata: {"text":"a"}\n\n: still here\n\nevent: done\ndata: {"text":"ab"}\n\n'
  const wanted = [{ event: 'token', data: { text: 'a' } }, { event: 'done', data: { text: 'ab' } }]
  for (let cut = 0; cut <= all.length; ++cut) {
    const parts = new EventParts()
    assert.deepEqual([...parts.push(all.slice(0, cut)), ...parts.push(all.slice(cut))], wanted)
  }
  assert.deepEqual(new EventParts().push('event: token\ndata: {"te\n\n'), [])
})

test('what is cited becomes links into the page, and what is not there is struck', () => {
  const text = 'See [[n:1]] and [[n:1]], not [[n:9]]: 42.'
  const cite = (href: string | null) => ({ text: href === null ? '[[n:9]]' : '[[n:1]]', href, exists: href !== null })
  assert.deepEqual(piecesOf(text, [cite('/c/a/n/1'), cite('javascript:alert(1)'), cite(null)], ['42']).map((p) => [p.kind, p.text, p.href]), [
    ['text', 'See ', ''], ['link', 'n:1', '/c/a/n/1'], ['text', ' and ', ''], ['missing', 'n:1', ''],
    ['text', ', not ', ''], ['missing', 'n:9', ''], ['text', ': ', ''], ['unfound', '42', ''], ['text', '.', ''],
  ])
})

test('a card is read as the directive that a click sends', () => {
  const card = (kind: string, subject: string, payload: string) => draftOf({ kind, subject, payload, why: '' })
  assert.deepEqual(card('freeze', 'n:14', ''), { kind: 'freeze', subject: 14, payload: {} })
  assert.deepEqual(card('boost', 'n:3', '5 attempts'), { kind: 'boost', subject: 3, payload: { amount: 5 } })
  assert.deepEqual(card('forbid', '', 'technique tile'), { kind: 'forbid', subject: null, payload: { text: 'tile', aspect: 'technique' } })
  assert.deepEqual(card('budget', '', 'seconds: 90'), { kind: 'budget', subject: null, payload: { aspect: 'seconds', amount: 90 } })
  assert.deepEqual(card('advise', 'n:2', 'plan: tile first'), { kind: 'advise', subject: 2, payload: { text: 'tile first', role: 'plan' } })
  assert.deepEqual(card('advise', '', 'plan'), { kind: 'advise', subject: null, payload: { text: 'plan' } })
  assert.deepEqual(card('advise', '', '{"text":"tile","role":"code","author":"root"}'), { kind: 'advise', subject: null, payload: { text: 'tile', role: 'code' } })
  assert.deepEqual(card('pause', 'n:3', 'now'), { kind: 'pause', subject: null, payload: {} })
})
