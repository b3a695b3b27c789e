import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answer, attributes, close, count, createRawSnippet, drawn, load, read } from './drawn.mjs'

after(close)
const kHostile = '<script>alert(1)</script>\u202Eabc'

test('a verdict has a letter for eyes, and words for all', async () => {
  assert.equal(read(await drawn('parts/Verdict', { name: 'compile_failed' })), 'C compile failed')
  const bare = await drawn('parts/Verdict', { name: 'passed', bare: true })
  assert.match(bare, /<span class="unseen">passed<\/span>/)
  assert.match(bare, /title="passed"/)
  assert.match(bare, /aria-hidden="true"/)
})

test('a speed has its interval where that is known', async () => {
  assert.equal(read(await drawn('parts/Speed', { x: 2.5 })), '2.50x')
  assert.equal(read(await drawn('parts/Speed', { x: 12.34, low: 12, high: 12.7 })), '12.3x [12.0, 12.7]')
  assert.equal(read(await drawn('parts/Speed', { x: 2, low: 1, high: null })), '2.00x')
  assert.equal(read(await drawn('parts/Speed', { x: null })), '–')
})

test('a state has a mark beside its word, and any word is one', async () => {
  assert.equal(read(await drawn('parts/StateMark', { state: 'running' })), '● running')
  assert.equal(read(await drawn('parts/StateMark', { state: 'elsewhere' })), '· elsewhere')
})

test('texts of strangers are texts, with what would hide shown', async () => {
  const html = await drawn('parts/Text', { text: kHostile, label: 'the log' })
  assert.ok(!html.includes('<script'))
  assert.equal(read(html), '<script>alert(1)</script>⟨U+202E⟩abc')
  assert.deepEqual(attributes(html, 'aria-label'), ['the log'])
  assert.equal(read(await drawn('parts/Text', { text: null, label: 'x' })), '')
})

test('an answer is waited for, there, failed, or of before', async () => {
  const children = createRawSnippet((value) => ({ render: () => `<b>${value()}</b>` }))
  const of = (data, error) => drawn('parts/Answer', { of: answer(data, error), what: 'the spend', children }).then(read)
  assert.equal(await of(null), 'Waiting for the spend …')
  assert.equal(await of(7), '7')
  assert.equal(await of(null, new Error('no such\u202E file')), 'no such⟨U+202E⟩ file')
  assert.match(await of(7, new Error('gone')), /^gone What is shown is of .* 7$/)
  assert.match(await drawn('parts/Answer', { of: answer(null, new Error('x')), what: 'x', children }), /role="alert"/)
})

test('shares are as wide as they are many, and their label has the numbers', async () => {
  // 3 passed, 1 wrong output.
  const html = await drawn('parts/Shares', { counts: [3, 0, 0, 0, 1, 0, 0, 0] })
  assert.deepEqual(attributes(html, 'aria-label'), ['3 passed, 1 wrong output'])
  assert.deepEqual(attributes(html, 'style').map((s) => /width: ([^;]*)/.exec(s)[1]), ['75%', '25%'])
  assert.deepEqual(attributes(await drawn('parts/Shares', { counts: [] }), 'aria-label'), ['no verdict yet'])
})

test('a spark rises by doublings, from the left', async () => {
  const points = async (values) => attributes(await drawn('parts/Spark', { values, label: 'best' }), 'points')
  // 1, 2 and 4 are the bottom, the middle and the top: 17, 9 and 1 of 18.
  assert.deepEqual(await points([1, 2, 4]), ['0.0,17.0 44.0,9.0 88.0,1.0'])
  assert.deepEqual(await points([null, null, 2]), ['88.0,1.0'])
  assert.deepEqual(await points([1, 1]), ['0.0,17.0 88.0,17.0'])
  assert.deepEqual(await points([null, 0]), [])
})

test('bands are stacked, and each says what is in it', async () => {
  const bands = [{ from: 0, to: 10, counts: [4, 0, 0, 0, 4] }, { from: 10, to: 20, counts: [2] }]
  const html = await drawn('parts/Bands', { bands })
  assert.deepEqual([...html.matchAll(/<title>(.*?)<\/title>/g)].map((t) => t[1]),
    ['attempts 0 to 10: 4 passed, 4 wrong output', 'attempts 10 to 20: 2 passed'])
  // The most is 8, so 4 are half of 96, the second above the first; 2 a quarter.
  const rects = [...html.matchAll(/<rect [^>]*y="([\d.]+)" height="([\d.]+)" fill="rgb/g)].map((r) => [r[1], r[2]])
  assert.deepEqual(rects, [['48', '48'], ['0', '48'], ['72', '24']])
  assert.match(read(html), / 0 20 attempts P passed W wrong output$/)
  assert.equal(read(await drawn('parts/Bands', { bands: [] })), 'No attempt has ended yet.')
})

test('facts are said by what their names are of', async () => {
  const row = {
    verdict: 'wrong_output', runtime_s: 0.0000123, memory_bytes_per_s: 2e9, roof_share: 0.512, occupancy: 1,
    threads: 1024, spread: 0.12345, is_timed: true, is_late: false, note: kHostile, empty: null, blank: '', log_blob: 7, hidden: 1,
  }
  const html = await drawn('parts/Facts', { rows: [row], hide: ['hidden'], label: 'Facts' })
  const cells = (tag) => [...html.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 'g'))].map((c) => read(c[1]))
  assert.deepEqual(cells('th'), ['verdict', 'runtime', 'memory bytes per second', 'roof share', 'occupancy', 'threads', 'spread', 'is timed', 'is late', 'note'])
  assert.deepEqual(cells('td'), ['wrong output', '12.3 µs', '2.00G/s', '51.2%', '100%', '1,024', '0.12', 'yes', '', '<script>alert(1)</script>⟨U+202E⟩abc'])
})

test('a column that one row has is one for all', async () => {
  const html = await drawn('parts/Facts', { rows: [{ a: 1 }, { a: null, b: 'x' }], label: 'Facts' })
  assert.equal(read(html), 'a b 1 x')
  assert.equal(count(html, 'tr'), 3)
  assert.match(html, /<th class="n">a<\/th><th>b</)
})

test('a roof that is not known is said so, and none is wider than its bar', async () => {
  const html = await drawn('parts/Roofline', { rows: [
    { shape: 'N=8', roof_share: 0.5, bound: 'memory', runtime_s: 0.001 }, { workload: 'w', roof_share: 1.2 }, { roof_share: null }] })
  assert.deepEqual(attributes(html, 'style'), ['width: 50%;', 'width: 100%;', 'width: 0%;'])
  assert.deepEqual(attributes(html, 'aria-label'), ['50.0 percent of the roof', '120 percent of the roof', 'not known'])
  assert.match(read(html), /^N=8 50\.0% of the roof · memory · 1\.00 ms w 120% of the roof · – roof not known · –$/)
})

test('the legend is of what the colours mean', async () => {
  const of = async (by, more = {}) => read(await drawn('parts/Legend', {
    by, painted: { low: 1, high: 8, colours: new Uint32Array() }, policies: ['xei', '<b>'], count: 1500, ...more }))
  assert.equal(await of('speedup'), '1.00x 8.00x did not pass')
  assert.equal(await of('age'), 'first last of 1,500')
  assert.match(await of('verdict'), /^P passed C compile failed.*I inconclusive$/)
  assert.match(await of('technique'), /^other algorithm fusion loops/)
  assert.match(await of('policy'), /^xei <b>$/)
  assert.match(await of('policy', { policies: Array.from({ length: 9 }, (_, i) => `p${i}`) }), /p7 9 policies share 8 colours$/)
})

test('of a table of any length the rows in sight are there', async () => {
  const head = createRawSnippet(() => ({ render: () => '<i>head</i>' }))
  const row = createRawSnippet((i) => ({ render: () => `<b>row ${i()}</b>` }))
  const of = (total) => drawn('parts/Rows', { total, head, row, label: 'Nodes', columns: '1fr' })
  const long = await of(2000000)
  // 600 pixels are 24 rows of 26, and 8 beyond them.
  assert.equal(count(long, 'b'), 32)
  assert.deepEqual(attributes(long, 'aria-rowcount'), ['2000001'])
  assert.match(long, /style="height: ?26000000px/)   // As far as browsers draw.
  assert.deepEqual(attributes(long, 'aria-rowindex').slice(0, 2), ['2', '3'])
  assert.equal(read(await of(2)), 'head row 0 row 1')
  assert.equal(read(await of(0)), 'head')
})

test('an answer in words links what was checked, and strikes what is not there', async () => {
  const html = await drawn('assistant/Spoken', {
    text: 'See [[n:1]] and [[n:2]]: 42.', unfound: ['42'],
    cites: [{ text: '[[n:1]]', href: '/c/a/n/1', exists: true }, { text: '[[n:2]]', href: null, exists: false }] })
  assert.match(html, /<a href="\/c\/a\/n\/1">n:1<\/a>/)
  assert.match(html, /<s title="There is no such thing">n:2<\/s>/)
  assert.equal(read(html), 'See n:1 and n:2: 42 (not found).')
})

const kReplied = {
  question: 'why?', text: '', tools: [], cards: [], cites: [], unfound: [], waiting: '', error: '', fault: '', busy: false,
  cost_usd: null, spent_usd: 0.5, cap_usd: null, conversation: '', stop: () => {},
}
const kSteering = { rows: [], state: 'running', allowed: true, saying: { busy: false } }
const reply = (more, steering = kSteering) => drawn('assistant/Reply', { db: 0, c: 'a', of: { ...kReplied, ...more }, steering })

test('a reply that is under way can be stopped, and says why nothing comes', async () => {
  assert.equal(read(await reply({ busy: true })), 'why? It answers. Stop')
  assert.equal(read(await reply({ busy: true, waiting: 'a model is loaded' })), 'why? a model is loaded Stop')
})

test('a reply shows its tools, its faults and its cost', async () => {
  const tools = [{ name: 'sql', arguments: '{}', rows: 1, error: '', result: kHostile }, { name: 'tree', arguments: '', rows: 0, error: 'no such node', result: '' }]
  const html = await reply({ tools, error: 'it broke off', fault: 'cut', conversation: 'k', cap_usd: 2 })
  assert.ok(!html.includes('<script'))
  assert.match(read(html), /sql 1 row.*tree no such node.*it broke off cut cost unknown · today \$0\.50 of \$2\.00$/)
  assert.match(read(await reply({ conversation: 'k', cost_usd: 0 })), /\$0 · today \$0\.50$/)
})

test('what a model proposes is sent by nobody but who confirms it', async () => {
  const cards = [{ kind: 'freeze', subject: 'n:3', payload: '', why: kHostile }]
  const allowed = await reply({ cards })
  assert.match(read(allowed), /freeze node 3 <script>.*Confirm Edit Dismiss$/)
  const only = await reply({ cards }, { ...kSteering, allowed: false })
  assert.doesNotMatch(read(only), /Confirm/)
  // What no form has a place for cannot be edited.
  assert.doesNotMatch(read(await reply({ cards: [{ kind: 'dance', subject: '', payload: '', why: '' }] })), /Edit/)
})

const kDirective = { id: 9, uuid: '', kind: 'freeze', subject: 7, text: '', author: 'ada', at_s: 0, effective_decision: 3, outcome: 'applied', refusal: null, attempts: [] }

test('what became of something that was said is read in a line', async () => {
  const none = { busy: false, mine: null, other: null, error: null, said: null, insist: () => {}, leave: () => {} }
  const mine = { kind: 'freeze', subject: 7, payload: {} }
  const of = async (more) => read(await drawn('steer/Said', { of: { ...none, ...more }, state: 'running' }))
  assert.equal(await of({}), '')
  assert.equal(await of({ busy: true, mine }), 'freeze node 7: on its way')
  assert.equal(await of({ error: 'no' }), 'no')
  assert.equal(await of({ said: kDirective }), 'freeze node 7: applied at decision 3')
  assert.match(await of({ other: kDirective, mine }), /^Somebody has said something.*ada, number 9 freeze node 7 \(applied at decision 3\) yours freeze node 7 Send mine as well Leave it$/)
})

test('a form has the fields of its kind, filled with what is begun', async () => {
  const of = (kind, payload = {}, more = {}) => drawn('steer/DirectiveForm', {
    kinds: ['freeze', kind], begin: { kind, subject: 7, payload }, busy: false, send: async () => true, ...more })
  const labels = (html) => attributes(html, 'aria-label')
  assert.deepEqual(labels(await of('pause')), ['Kind'])
  assert.deepEqual(labels(await of('boost', { amount: 3 })), ['Kind', 'Node', 'Number'])
  assert.deepEqual(attributes(await of('boost', { amount: 3 }), 'value').filter(Boolean).slice(-2), ['7', '3'])
  assert.deepEqual(labels(await of('forbid')), ['Kind', 'Node', 'Of what', 'What it says'])
  assert.deepEqual(labels(await of('model', {}, { kinds: ['model'] })), ['Role', 'What it says'])
  assert.deepEqual(labels(await of('boost', {}, { fixedNode: true })), ['Kind', 'Number'])
  assert.deepEqual(labels(await of('insert')), ['Kind', 'Node', 'A file with the kernel', 'The kernel'])
  assert.match(await of('pause', {}, { busy: true, word: 'Go' }), /<button disabled(="")?>Go<\/button>/)
})

test('a gate that waits can be let go a few at a time, by who may', async () => {
  const gate = { ...kDirective, kind: 'gate', subject: null, effective_decision: 5 }
  const of = async (rows, more = {}) => read(await drawn('steer/Approvals', { db: 0, c: 'a', steering: { ...kSteering, rows, ...more } }))
  assert.equal(await of([]), '')
  assert.match(await of([gate]), /^Attempts wait for an approval\. ada wants that; – used so far\. Approve 1 Approve 5 Approve up to it Ask no more$/)
  const asked = { ...kDirective, id: 10, kind: 'approve', subject: null, outcome: 'pending', aspect: 'attempts', amount: 2 }
  assert.match(await of([gate, asked]), /1 approval on the way\.$/)
  assert.equal(await of([gate], { allowed: false }), '')
})

test('what moved meanwhile is what a gate speaks of', async () => {
  const { live } = await load('wire/live.svelte.ts')
  live.hear({ kind: 'change', change: { databases: [{ db: 0, campaigns: [{ c: 'a', attempts: 5, spent_usd: 1.5 }] }] } })
  const gate = { ...kDirective, kind: 'gate', subject: null, effective_decision: 5 }
  const html = await drawn('steer/Approvals', { db: 0, c: 'a', steering: { ...kSteering, rows: [gate] } })
  assert.match(read(html), /^Attempt 5 waits for an approval\. ada wants that; \$1\.50 used so far\./)
})

test('samples are told of in words, beside the picture of them', async () => {
  const of = { workload: 'w', shape: 'N=8', runtime_s: [1e-3, 2e-3, 3e-3], root_runtime_s: [4e-3], session: [0, 0, 1] }
  const html = await drawn('parts/Strip', { of })
  assert.deepEqual(attributes(html, 'aria-label'), ['3 samples of the node, median 2.00 ms, quartiles 1.50 ms to 2.50 ms; root median 4.00 ms'])
  assert.match(read(html), /^w N=8 · 3 samples/)
})

test('a table of nodes waits for its first page, and keeps what was chosen', async () => {
  const { setQuery } = await load('place/place.svelte.ts')
  setQuery({ text: 'tile', verdict: 'crashed' })
  const html = await drawn('parts/NodeTable', { db: 0, c: 'a', policies: ['xei'], version: 1 })
  assert.match(read(html), /Waiting for the nodes …$/)
  assert.match(html, /<option value="crashed" selected(="")?>crashed/)
  assert.ok(attributes(html, 'value').includes('tile'))
  setQuery({ text: '', verdict: '' })
})
