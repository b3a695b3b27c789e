import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answering, json, never } from './stand_ins.ts'
import { address, ask, askBytes, Refusal, send, tell } from '../../src/wire/ask.ts'

const refusalOf = (asked: Promise<unknown>): Promise<Refusal> =>
  asked.then(() => assert.fail('it was answered'), (e) => { assert.ok(e instanceof Refusal); return e })

test('an address leaves out what is empty, and no nought', () => {
  assert.equal(address('/api/tree'), '/api/tree')
  assert.equal(address('/api/tree', { db: 0, c: '', from: null, at: undefined }), '/api/tree?db=0')
  assert.equal(address('/api/x', { c: 'a b&c', live: false }), '/api/x?c=a+b%26c&live=false')
})

test('an answer is what came, as JSON or as bytes', async () => {
  const asked = answering(() => json({ a: 1 }))
  assert.deepEqual(await ask('/api/a'), { a: 1 })
  answering(() => new Response(Uint8Array.of(1, 2, 3)))
  assert.deepEqual([...new Uint8Array(await askBytes('/api/b'))], [1, 2, 3])
  assert.deepEqual(asked.map((a) => [a.method, a.url]), [['GET', '/api/a']])
})

test('what is sent is JSON that no form of another page can send', async () => {
  let headers: HeadersInit | undefined
  globalThis.fetch = async (_, init) => {
    headers = init?.headers
    return json({ got: init?.body })
  }
  assert.deepEqual(await tell('/api/a', { x: [1] }), { got: '{"x":[1]}' })
  assert.deepEqual(headers, { 'Content-Type': 'application/json', 'X-Coppice': '1' })
})

test('a refusal is a line, with what came with it', async () => {
  answering(() => json({ error: 'no such campaign', hint: 'a' }, 404))
  const refused = await refusalOf(ask('/api/a'))
  assert.deepEqual([refused.status, refused.message, refused.body], [404, 'no such campaign', { error: 'no such campaign', hint: 'a' }])
})

test('an answer of another server is said by its status', async () => {
  for (const body of ['<html>Bad gateway</html>', '', '[1]', 'null', '{"error_": 1}']) {
    answering(() => new Response(body, { status: 502 }))
    const refused = await refusalOf(askBytes('/api/a'))
    assert.deepEqual([refused.status, refused.message, refused.body], [502, 'The server answered 502.', null], body)
  }
})

test('that nobody answers is no error of this page', async () => {
  answering(() => { throw new TypeError('fetch failed') })
  const refused = await refusalOf(send('/api/a', {}))
  assert.equal(refused.status, 0)
  assert.match(refused.message, /No server answers/)
})

test('a torn answer is one, whatever it would have said', async () => {
  answering(() => new Response('{"a": [1, 2'))
  const torn = await refusalOf(ask('/api/a'))
  assert.deepEqual([torn.status, torn.message], [200, 'The answer came torn. Reload to ask again.'])
})

test('who stops asking is told that, and no refusal', async () => {
  const stop = new AbortController()
  answering(never)
  const asked = ask('/api/a', stop.signal)
  stop.abort()
  await assert.rejects(asked, { name: 'AbortError' })
})
