import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answering, json } from './stand_ins.ts'
import { complete, engineOf, hindrance, modelNames, type Engine } from '../../src/assistant/browser_model.ts'
import { BrowserAsking } from '../../src/assistant/browser_asking.svelte.ts'

Object.assign(globalThis, { location: { origin: 'http://127.0.0.1' } })
const withGpu = (gpu: unknown) => Object.defineProperty(globalThis, 'navigator', { value: gpu === undefined ? {} : { gpu }, configurable: true })

test('models are those of the folder, wherever their paths lead within it', async () => {
  const asked = answering(() => json({ model_list: [{ model_id: 'a', model: 'a/', model_lib: '/models/a.wasm' }, { model_id: 'b', model: './b', model_lib: 'b.wasm' }] }))
  assert.deepEqual(await modelNames(), ['a', 'b'])
  assert.equal(asked[0]!.url, '/models/models.json')
  answering(() => json({}))
  assert.deepEqual(await modelNames(), [])
})

test('a list that names another host is refused', async () => {
  for (const model of ['https://elsewhere.org/a', '//elsewhere.org/a']) {
    answering(() => json({ model_list: [{ model_id: 'a', model: 'a', model_lib: model }] }))
    await assert.rejects(modelNames, /names another host/)
  }
  answering(() => json(null, 404))
  await assert.rejects(modelNames, /the server answered 404/)
})

test('why no model runs is said in a line', async () => {
  withGpu(undefined)
  assert.match(await hindrance(), /has no WebGPU/)
  withGpu({ requestAdapter: async () => null })
  assert.match(await hindrance(), /gives no WebGPU adapter/)
  withGpu({ requestAdapter: async () => ({}) })
  assert.equal(await hindrance(), '')
})

// Says `words`, a chunk each; notes what it was asked.
function engine(...answers: string[][]): Engine & { requests: { messages: { role: string; content: string }[]; response_format?: unknown }[] } {
  const requests: never[] = []
  return {
    requests,
    chat: { completions: { create: async (request) => {
      requests.push(request as never)
      const words = answers.shift() ?? []
      return (async function* () { for (const content of words) yield { choices: [{ delta: { content } }] } })()
    } } },
    interruptGenerate: () => {},
  }
}

test('its words are heard as they come', async () => {
  const heard: string[] = []
  const one = engine(['It ', 'is.'])
  assert.equal(await complete(one, [{ role: 'user', content: 'q' }], (so_far) => heard.push(so_far)), 'It is.')
  assert.deepEqual(heard, ['It ', 'It is.'])
  assert.equal('response_format' in one.requests[0]!, false)
  await complete(one, [], () => {}, '{}')
  assert.deepEqual(one.requests[1]!.response_format, { type: 'json_object', schema: '{}' })
})

test('a chunk without words is none', async () => {
  const one: Engine = {
    chat: { completions: { create: async () => (async function* () {
      yield { choices: [] }
      yield { choices: [{ delta: { content: null } }] }
      yield { choices: [{ delta: { content: 'a' } }] }
    })() } },
    interruptGenerate: () => {},
  }
  assert.equal(await complete(one, [], () => {}), 'a')
})

test('a model that could not be loaded is tried again', async () => {
  withGpu(undefined)
  await assert.rejects(engineOf('m', () => {}), /WebGPU/)
  withGpu({ requestAdapter: async () => ({}) })
  // There is no library in Node: it comes as far as that.
  await assert.rejects(engineOf('m', () => {}), (e: Error) => !/WebGPU/.test(e.message))
})

const kQuestions = [{ name: 'best', question: 'Which are best?', numbers: 0 }, { name: 'diff', question: 'How do N and M differ?', numbers: 2 }]
type Inner = { look(db: number, c: string, engine: Engine): Promise<{ rows: unknown[] }>; say(db: number, c: string, engine: Engine, sheet: unknown): Promise<void> }

test('a model chooses a question, and a choice that is none is the own words', async () => {
  for (const [chosen, meant] of [
    ['{"name": "best", "numbers": []}', 'best'], ['{"name": "diff", "numbers": [3, 4, 5]}', 'diff 3 4'],
    ['{"name": "diff", "numbers": [3, "4"]}', 'what of 3?'], ['{"name": "diff", "numbers": [3, -4]}', 'what of 3?'],
    ['{"name": "worst", "numbers": []}', 'what of 3?'], ['best', 'what of 3?'], ['{"name": "diff"}', 'what of 3?'],
  ] as const) {
    const asked = answering(({ url }) => json(url === '/api/questions' ? kQuestions : { question: 'q', columns: ['n'], rows: [[1]], truncated: false }))
    const asking = new BrowserAsking('what of 3?', 'm')
    await (asking as unknown as Inner).look(0, 'a', engine([chosen]))
    assert.equal(new URL(asked[1]!.url, 'http://x').searchParams.get('q'), meant, chosen)
    assert.deepEqual(asking.tools.map((t) => [t.name, t.arguments, t.rows]), [['question', meant, 1]])
  }
})

test('of many rows the model is shown the first, and the reader how many there are', async () => {
  const rows = Array.from({ length: 100 }, (_, i) => [i])
  answering(({ url }) => json(url === '/api/questions' ? kQuestions : { question: 'q', columns: ['n'], rows, truncated: false }))
  const asking = new BrowserAsking('best', 'm')
  const sheet = await (asking as unknown as Inner).look(0, 'a', engine(['{"name": "best", "numbers": []}']))
  assert.deepEqual([sheet.rows.length, asking.tools[0]!.rows], [40, 100])
})

test('an answer is checked by the server for what it cites', async () => {
  const cites = [{ text: '[[n:1]]', href: '/c/a/n/1', exists: true }]
  const asked = answering(() => json(cites))
  const asking = new BrowserAsking('best', 'm')
  const one = engine(['Node ', '[[n:1]].'])
  await (asking as unknown as Inner).say(0, 'a', one, { question: 'q', columns: ['n'], rows: [[1]] })
  assert.deepEqual([asking.text, asking.cites], ['Node [[n:1]].', cites])
  assert.deepEqual(asked[0]!.body, { db: 0, c: 'a', text: 'Node [[n:1]].' })
  assert.equal(one.requests[0]!.messages[1]!.content, 'q\n{"columns":["n"],"rows":[[1]]}')
})

test('without a model the reason is the answer', async () => {
  withGpu(undefined)
  const asking = new BrowserAsking('best', 'other')
  await asking.run(0, 'a')
  assert.match(asking.error, /has no WebGPU/)
  assert.equal(asking.busy, false)
  const stopped = new BrowserAsking('best', 'other')
  stopped.stop()
  await stopped.run(0, 'a')
  assert.equal(stopped.error, 'Stopped.')
})
