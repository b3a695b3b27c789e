import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { attributes, close, count, pageAt, read } from './drawn.mjs'

after(close)
const cells = (html, tag = 'td') => [...html.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 'g'))].map((c) => read(c[1]))
const rowsOf = (html) => [...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/g)].map((row) => cells(row[1])).filter((row) => row.length > 0)

const campaign = (c, more = {}) => ({
  db: 0, c, task: 'gemv', task_level: 1, policy: 'xei', seed: 1, state: 'finished', steered: false, best: null, attempts: 3, budget_attempts: 10,
  nodes: 4, verdicts: [3, 1], cost_usd: null, improvements: 0, elapsed_s: 1, budget_s: null, created_at_s: 0, updated_at_s: 100, trend: [1, 2], ...more,
})
const kThree = [
  campaign('old', { updated_at_s: 50, best: { node: 7, speedup: 2, low: 1.9, high: 2.1, told: true } }),
  campaign('new', { updated_at_s: 200, task: 'gemm', state: 'running', budget_attempts: null, cost_usd: 3, improvements: 2, steered: true }),
  campaign('mid', { best: { node: 1, speedup: 4, low: null, high: null, told: true }, verdicts: [4] }),
]
const campaigns = (url) => pageAt(url, 'pages/Campaigns', { campaigns: kThree })
const names = (html) => rowsOf(html).map((row) => row[0])

test('campaigns come by who moved last, or as they are sorted', async () => {
  assert.deepEqual(names(await campaigns('/')), ['new', 'mid', 'old'])
  assert.deepEqual(names(await campaigns('/?sort=c&desc=0')), ['mid', 'new', 'old'])
  assert.deepEqual(names(await campaigns('/?sort=best&desc=1')), ['mid', 'old', 'new'])
  assert.deepEqual(names(await campaigns('/?sort=usd&desc=1'))[0], 'new')
  assert.match(await campaigns('/?sort=c&desc=0'), /aria-sort="ascending"/)
})

test('campaigns are kept by text, state and task', async () => {
  assert.deepEqual(names(await campaigns('/?text=GEMM')), ['new'])
  assert.deepEqual(names(await campaigns('/?state=finished')), ['mid', 'old'])
  assert.deepEqual(names(await campaigns('/?task=gemv&text=ol')), ['old'])
  const none = read(await campaigns('/?text=zzz'))
  assert.match(none, /0 of 3 campaigns No campaign is like this\. Show all$/)
  assert.match(read(await pageAt('/', 'pages/Campaigns', { campaigns: [] })), /No campaign yet\./)
})

test('a campaign is a row of what it came to', async () => {
  const [moving, , old] = rowsOf(await campaigns('/'))
  assert.deepEqual(moving.slice(1, 9), ['gemm', 'xei steered', '● running', 'none yet', '3 /∞', '25%', '$3.00', '$1.50'])
  assert.deepEqual(old.slice(4, 9), ['2.00x [1.90, 2.10] #7', '3 /10', '25%', '–', '–'])
  assert.match(await campaigns('/'), /aria-label="25% failed: why"/)
  assert.doesNotMatch(read(await campaigns('/')), /db 0/)
  const several = await pageAt('/', 'pages/Campaigns', { campaigns: [...kThree, campaign('x', { db: 1 })] })
  assert.match(read(several), /db 0/)
})

test('who has no answer says so, and who is refused says why', async () => {
  assert.equal(read(await pageAt('/', 'pages/Campaigns', {})), 'Waiting for the campaigns …')
  assert.equal(read(await pageAt('/', 'pages/Campaigns', { campaigns: new Error('no such database') })), 'no such database')
})

const leader = (rank, more = {}) => ({
  rank, db: 0, c: 'a', node: rank, speedup: 4 / rank, low: null, high: null, told_apart: null, confirmed: false, technique: 'tile(i, 8)', policy: 'xei',
  hardware: 'EPYC', definition: 'gemv', solution: 's', trace: 't', ...more,
})

test('the leaderboard says who is slower, and of whom that cannot be told', async () => {
  const workloads = [{ workload: 'w', shape: 'N=8', rows: [{ db: 0, c: 'a', node: 1, median_s: 1e-3, speedup: 4 }, { db: 0, c: 'a', node: 2, median_s: 2e-3, speedup: 1 }] }]
  const board = { tasks: ['gemm', 'gemv'], rows: [leader(1, { confirmed: true }), leader(2, { told_apart: true }), leader(3, { told_apart: false }), leader(4)], experts: [], workloads }
  const html = await pageAt('/leaderboard', 'pages/Leaderboard', { leaderboard: board })
  assert.deepEqual(rowsOf(html).slice(0, 4).map((row) => [row[1], row[3], row[4]]),
    [['#1 of a', '', 'yes'], ['#2 of a', 'slower', ''], ['#3 of a', 'cannot tell', ''], ['#4 of a', '', '']])
  assert.match(html, /<option value="gemv" selected/)   // The task of its rows.
  assert.deepEqual(attributes(html, 'style').filter((s) => s.startsWith('width')), ['width: 100%;', 'width: 25%;'])
  assert.deepEqual(rowsOf(html).slice(4).map((row) => row.slice(0, 3)), [['a #1', '1.00 ms', '4.00x'], ['a #2', '2.00 ms', '1.00x']])
  assert.doesNotMatch(read(html), /Experts/)
  const empty = { tasks: [], rows: [], experts: [], workloads: [] }
  assert.match(read(await pageAt('/leaderboard', 'pages/Leaderboard', { leaderboard: empty })), /No campaign has a task yet\.$/)
  assert.match(read(await pageAt('/leaderboard', 'pages/Leaderboard', { leaderboard: { ...empty, tasks: ['a'] } })), /Nothing has passed on this task yet\.$/)
})

const group = (verdict, n, more = {}) => ({ verdict, breach: null, line: `line of ${verdict}`, count: n, nodes: [n], techniques: { tile: 1, jam: 3 }, policies: {}, example: null, ...more })
const kGroups = [
  group('crashed', 5, { example: { node: 5, log: '<b>trap</b>' } }), group('wrong_output', 3, { line: '', techniques: { '': 2, a: 1, b: 1, c: 1, d: 1 } }),
  group('crashed', 2, { breach: 'none' }), group('rejected', 1, { breach: 'worked_late', nodes: [1] }),
]

test('failures are counted by verdict, and grouped by their line', async () => {
  const html = await pageAt('/c/a/failures', 'pages/Failures', { failures: kGroups })
  assert.deepEqual(cells(html, 'button'), ['all 11', 'X crashed 7 64%', 'W wrong output 3 27%', 'R rejected 1 9%'])
  assert.deepEqual(cells(html, 'summary'), ['5 X crashed line of crashed', '3 W wrong output no line', '2 X crashed line of crashed', '1 R rejected worked late line of rejected'])
  assert.match(read(html), /nodes #5 1 of 5 techniques jam 3, tile 1/)
  assert.match(read(html), /techniques none 2, a 1, b 1, c 1 policies/)
  assert.match(read(html), /For example node #5: <b>trap<\/b>/)
  assert.equal(html.split('<details open').length - 1, 1)
})

test('failures of a verdict alone are shown, and one that is asked for stands open', async () => {
  const html = await pageAt('/c/a/failures?verdict=crashed&open=1', 'pages/Failures', { failures: kGroups })
  assert.equal(count(html, 'summary'), 2)
  assert.equal(html.split('<details open').length - 1, 2)
  assert.match(html, /aria-pressed="true"><span class="verdict" title="crashed"/)
  assert.match(read(await pageAt('/c/a/failures', 'pages/Failures', { failures: [] })), /Nothing has failed yet\.$/)
})

const kNode = {
  node: 3, parent: 1, verdict: 'passed', speedup: 2, low: 1.9, high: 2.1, technique: 'tile(i, 8)', decision: 2, language: 'cpp', entry: 'run', source: 'int a;', source_cut: false,
  annotated: null, advice: null, log: '', no_candidate_reason: null, evaluations: [], tuning: [],
}
const evaluation = (ordinal, more = {}) => ({
  ordinal, further: false, tier: 'fast', verdict: 'passed', speedup: 2, low: null, high: null, runtime_s: 1e-3, root_runtime_s: 2e-3, hardware: 'EPYC', evaluated_at_s: 0, log: '', results: [], ...more,
})
const tab = (name, answered, node = {}, query = '') => pageAt(`/c/a/n/3${query}`, `pages/node/${name}Tab`, answered, { db: 0, c: 'a', node: { ...kNode, ...node } })

test('measurements are those of the evaluation that is chosen', async () => {
  const evaluations = [evaluation(0, { results: [{ position: 0, workload: 'w', median_s: 1e-3 }] }), evaluation(1, { tier: 'full', further: true, verdict: 'rejected' })]
  const html = await tab('Measured', { samples: { workloads: [] } }, { evaluations })
  assert.deepEqual(rowsOf(html).slice(0, 2).map((row) => row.slice(0, 6)),
    [['0', 'fast', 'P passed', '2.00x', '1.00 ms', '2.00 ms'], ['1, further', 'full', 'R rejected', '', '1.00 ms', '2.00 ms']])
  assert.match(read(html), /By workload workload median w 1\.00 ms All samples No call was timed\.$/)
  assert.doesNotMatch(read(await tab('Measured', { samples: { workloads: [] } }, { evaluations }, '?ordinal=1')), /By workload/)
  assert.match(await tab('Measured', { samples: { workloads: [] } }, { evaluations }, '?ordinal=1'), /aria-pressed="true">1, further/)
  assert.equal(read(await tab('Measured', {})), 'It was not evaluated: there is no candidate.')
  assert.match(read(await tab('Measured', {}, { no_candidate_reason: 'no block' })), /no block$/)
})

const step = (generation, node, more = {}) => ({ generation, node, verdict: 'passed', speedup: node + 1, low: null, high: null, technique: null, source: `s${node}`, lines: null, ...more })

test('a lineage says what each step gained, and offers who wrote which line', async () => {
  const steps = [step(0, 0), step(1, 1, { technique: 'tile(i, 8)' }), step(2, 3, { verdict: 'crashed', speedup: null, source: null })]
  const html = await tab('Lineage', { lineage: steps })
  assert.deepEqual(cells(html, 'li'), ['#0 P passed 1.00x', '#1 P passed 2.00x 2.00 times its parent tile(i, 8) diff', '#3 X crashed'])
  assert.doesNotMatch(read(html), /who wrote/)
  assert.match(read(await tab('Lineage', { lineage: [...steps.slice(0, 2), step(2, 3, { lines: [0, 1] })] })), /^a diff for each step who wrote which line #0/)
  assert.match(read(await tab('Lineage', { lineage: [step(0, 0)] })), /^This is the root: its lineage is itself\./)
})

test('a history has what each judgement changed', async () => {
  const row = (ordinal, delta) => ({ db: 0, c: 'a', node: 3, ordinal, hardware: 'EPYC', driver: null, compiler: 'g++', evaluated_at_s: 0, verdict: 'passed', speedup: 2, low: null, high: null, delta_to_previous: delta })
  const html = await tab('History', { history: [row(0, null), row(1, 0.0123), row(2, -0.5)] })
  assert.deepEqual(rowsOf(html).map((r) => r.at(-1)), ['', '+1.2%', '-50.0%'])
  assert.match(read(await tab('History', { history: [] })), /It was never judged\.$/)
})

const decision = (more) => ({
  decision: 2, policy: 'xei', reason: 'edit', node: 3, parent: 1, seen: { nodes: 3, further: 0, attempts_left: 7 }, in_flight: [], again: { node: 1, reason: 'edit', same: true }, scores: null, directives: [], ...more,
})

test('a decision is made again, and said if it is another', async () => {
  const said = async (more) => read(await tab('Decision', { decision: decision(more) }))
  assert.match(await said({}), /chose #1: edit saw 3 nodes, 0 further evaluations, 7 attempts left in flight nothing made again the same node for the same reason No policy chose it/)
  assert.match(await said({ again: { node: 1, reason: 'luck', same: false } }), /the same node, for another reason: luck/)
  assert.match(await said({ again: { node: 2, reason: 'luck', same: false } }), /another: #2, luck/)
  assert.match(await said({ again: { node: null, reason: 'no node', same: false } }), /another: none, no node/)
  assert.match(await said({ again: null, in_flight: [4, 5], directives: [7, 9] }), /in flight decisions 4, 5 made again cannot be: .* directives 7, 9 /)
  assert.equal(read(await tab('Decision', {}, { decision: null })), 'No policy decided on the root.')
})

test('candidates have their scores and their chance', async () => {
  const scores = { measure: 'expected gain', lowest_is_best: true, seeds: 200, of: 5, nodes: [{ node: 1, score: 0.123456789, seeds: 150 }, { node: 2, score: null, seeds: 1 }, { node: 4, score: 2, seeds: 0 }] }
  const html = await tab('Decision', { decision: decision({ scores }) })
  assert.deepEqual(rowsOf(html), [['#1', '0.12346', '75 %', 'yes'], ['#2', '', '< 1 %', ''], ['#4', '2', '', '']])
  assert.match(read(html), /The score is expected gain, the lowest first\. “Chance” is the share of 200 other seeds .* 3 of 5 are shown\./)
  const drawn = await tab('Decision', { decision: decision({ scores: { ...scores, measure: null, seeds: 0, of: 3 } }) })
  assert.match(read(drawn), /took turns: it gave no scores\./)
  assert.deepEqual(rowsOf(drawn)[0], ['#1', '0.12346', '', 'yes'])
})

const call = (more) => ({
  call: 8, role: 'code', provider: 'openai', model: 'm', outcome: 'answered', error: null, tokens_in: 4120, cached: 0, tokens_out: 611, cost_usd: 0.25, latency_s: 3.21,
  window: [], cut: [], nodes_cut: 0, previous_call: null, ...more,
})

test('prompts are listed with what was shown and cut', async () => {
  const window = [{ position: 0, node: 1, kinship: 'selected' }, { position: 1, node: 0, kinship: 'root' }]
  const calls = [call({}), call({ call: 9, role: 'debug', outcome: 'failed', error: 'no <answer>', window, nodes_cut: 8, cut: [{ kinship: 'child', first: 3, last: 9 }, { kinship: 'leader', first: 5, last: 5 }] })]
  const texts = { system: 'You are.', user: 'Make it fast.', answer: null, error: null, request: { temperature: 0.7, seed: null } }
  const html = await tab('Prompts', { calls, call: texts }, {}, '?call=9')
  assert.deepEqual(rowsOf(html).map((row) => row.slice(0, 7)), [['8', 'code', 'openai:m', 'answered', '4,120', '0', '611'], ['9', 'debug', 'openai:m', 'failed', '4,120', '0', '611']])
  assert.match(read(html), /no <answer> Its window: what the agent saw of the tree #1 selected #0 root 8 nodes cut: child #3 to #9, leader #5\./)
  assert.match(read(html), /temperature 0\.7 system 8 characters You are\. user 13 characters Make it fast\.$/)
  assert.match(read(await tab('Prompts', { calls, call: texts })), /No node\. Nothing was cut\./)
  assert.match(read(await tab('Prompts', { calls: [] })), /^Nobody was asked: the kernel came from elsewhere/)
  assert.match(read(await tab('Prompts', { calls: [] }, { parent: null })), /the root is the task's own\.$/)
})

test('a log is of the node, and of each evaluation that says something else', async () => {
  const evaluations = [evaluation(0, { log: 'warning' }), evaluation(1, { log: 'late <b>' })]
  assert.match(read(await tab('Log', {}, { log: 'warning', evaluations })), /^warning Evaluation 1, .* late <b>$/)
  assert.equal(read(await tab('Log', {})), 'The evaluator had nothing to say.')
  assert.equal(read(await tab('Log', {}, { no_candidate_reason: 'no block', log: 'x' })), 'no block x')
})

test('a source has its language, its advice and what became of it', async () => {
  assert.match(read(await tab('Code', {}, { advice: 'Tile it.' })), /^What the plan advised Tile it\. cpp · entry run Copy/)
  assert.match(read(await tab('Code', {}, { source_cut: true })), /The first megabyte\. Show all/)
  assert.match(read(await tab('Code', {}, { source: null })), /There is no source: the agent gave none\.$/)
  assert.match(read(await tab('Code', {}, { annotated: 'a' })), /this node's what the plan marked in its parent/)
})
