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

const day = (d, more = {}) => ({ day: d, campaign: 'a', role: 'code', model: 'm', calls: 2, tokens: 1000, usd: 1.5, unsettled_usd: null, ...more })
const wire = (id, more = {}) => ({ id, sent_at_s: 0, campaign: 'a', role: 'code', model: 'm', outcome: 'answered', error: null, tokens_in: 5, tokens_out: 6, usd: 0.5, bound_usd: 1, ...more })
const kSpend = {
  days: [day('2026-11-27'), day('2026-11-26', { usd: 3 }), day('2026-11-27', { role: 'plan', usd: 1.5, unsettled_usd: 0.25 })],
  caps: [{ what: 'usd a day', limit: 4, used: 5 }, { what: 'tokens a day', limit: 4000, used: 1000 }],
  unknown: [], wire: { total: 250, rows: [wire(9), wire(8, { outcome: 'failed', error: 'no key' })] },
}

test('money is added up by day, held against its caps, and listed by call', async () => {
  const html = await pageAt('/spend?from=100', 'pages/Spend', { spend: kSpend })
  assert.match(read(html), /^Spend \$6\.00 3,000 tokens at most \$0\.25 not settled By day 2026-11-26 \$3\.00 2026-11-27 \$3\.00 Caps usd a day \$5\.00 of \$4\.00 tokens a day 1,000 of 4,000/)
  assert.deepEqual(attributes(html, 'aria-label').slice(0, 2), ['125 percent used', '25 percent used'])
  assert.deepEqual(attributes(html, 'style'), ['width: 100%;', 'width: 100%;', 'width: 100%;', 'width: 25%;'])
  assert.match(read(html), /On the wire 101 to 200 of 250 calls newer older/)
  assert.deepEqual(rowsOf(html).slice(-2).map((row) => [row[0], row[5], row[8]]), [['9', 'answered', '$0.50'], ['8', 'failed no key', '$0.50']])
})

test('the ends of the ledger have no further pages', async () => {
  const buttons = async (url, total) => [...(await pageAt(url, 'pages/Spend', { spend: { ...kSpend, wire: { total, rows: [] } } }))
    .matchAll(/<button( disabled[^>]*)?>(newer|older)/g)].map((b) => [b[2], !!b[1]])
  assert.deepEqual(await buttons('/spend', 250), [['newer', true], ['older', false]])
  assert.deepEqual(await buttons('/spend?from=200', 250), [['newer', false], ['older', true]])
  assert.deepEqual(await buttons('/spend?from=x', 0), [['newer', true], ['older', true]])
  const none = { days: [], caps: [], unknown: [{ call: 7 }], wire: { total: 0, rows: [] } }
  assert.match(read(await pageAt('/spend', 'pages/Spend', { spend: none })), /^Spend \$0 0 tokens Nothing was spent.* Calls whose outcome is not known call 7 On the wire no call newer older$/)
})

const kBest = { node: 7, speedup: 2, low: 1.9, high: 2.1, told: true }
const kCampaign = {
  campaign: campaign('a', { best: kBest, elapsed_s: 61, budget_s: 120 }), settings: [{ key: 'policy', value: 'xei', origin: 'command line' }], hardware: 'EPYC',
  baselines: [], in_flight: [], events: [], leaders: [], curve: [], bands: [], policies: [], directives: [],
}
const kState = { version: '1', read_only: true, databases: [], user: null, has_assistant: false, has_browser_models: false, spent_today_usd: null, cap_usd_day: null }
const overview = async (more, of = {}) => read(await pageAt('/c/a', 'pages/Campaign', { campaign: { ...kCampaign, ...more, campaign: { ...kCampaign.campaign, ...of } }, state: kState, directives: [] }))

test('a campaign says what is best, where it stands and by what settings', async () => {
  assert.match(await overview({}), /^2\.00x \[1\.90, 2\.10\] best is node 7 ✓ finished 3 of 10 attempts – 1:01 of 2:00 xei · seed 1 · gemv · level 1 /)
  assert.match(await overview({}), /Nothing: the campaign is finished\. Events None yet\. .* Leaders all nodes No node has passed\..* 1 setting · EPYC policy xei command line$/)
  assert.match(await overview({}, { best: null, steered: true, budget_attempts: null, budget_s: null, task_level: 0 }),
    /^– nothing has passed yet ✓ finished 3 of any number of attempts – 1:01 xei · seed 1 · gemv steered: no sample of its policy/)
  assert.match(await overview({}, { best: { ...kBest, told: false }, state: 'running' }), /node 7 , not told apart from the second.*Nothing at this moment\./)
})

test('what is under way, what happened and who leads are tables', async () => {
  const text = await overview({
    in_flight: [{ decision: 4, parent: 2, policy: 'xei', reason: 'edit', stage: 'coded', role: null, model: 'm', since_s: 0, bound_usd: 0.5, tokens: null }],
    events: [{ id: 1, at_s: 0, kind: 'new_best', subject: 'node 7', detail: 'passed' }],
    leaders: [{ rank: 1, node: 7, speedup: 2, low: null, high: null, told_apart: null, confirmed: true, technique: 'tile' }, { rank: 2, node: 3, speedup: 1.9, low: null, high: null, told_apart: false, confirmed: false, technique: null }],
    baselines: [{ campaign: 'a', library: 'blas', runtime_s: 0.001, runs: 5, spread: 0.123456, note: null }],
  })
  assert.match(text, /at most 4 #2 coded m \S.* \$0\.50 Events/)
  assert.match(text, /new best node 7 passed Verdicts/)
  assert.match(text, /technique 1 #7 2\.00x yes tile 2 #3 1\.90x cannot tell /)
  assert.match(text, /library runtime s runs spread blas 1\.00 ms 5 0\.1235 /)
})

const kWhole = {
  ...kNode, refuted: false, confirmed: false, breach: null, parents: [1], policy: 'xei', reason: 'edit', hint: null, claim_origin: null, same_as: null, committed_at_s: 0,
  cost_usd: 0.5, shown: { times: 2 }, children: [], children_total: 0, profile: null, plan_grounded: true, technique_arguments: null,
}
const about = async (more, url = '/c/a/n/3') => pageAt(url, 'pages/Node', { node: { ...kWhole, ...more }, campaign: kCampaign, state: kState, directives: [] })
const chosen = (html) => /aria-selected="true"[^>]*>(\w+)/.exec(html)[1]

test('who passed is shown as code, who failed by the log, or as the address says', async () => {
  assert.equal(chosen(await about({})), 'code')
  assert.equal(chosen(await about({ verdict: 'crashed' })), 'log')
  assert.equal(chosen(await about({ verdict: 'crashed' }, '/c/a/n/3?tab=code')), 'code')
  assert.equal(chosen(await about({}, '/c/a/n/3?tab=dance')), 'code')
})

test('a node says all that is known of where it came from', async () => {
  assert.match(read(await about({})), /^Node 3 P passed 2\.00x \[1\.90, 2\.10\] in the tree ‹ › parent #1 technique tile\(i, 8\) decision 2 of xei: edit committed \S.* · \$0\.50 · shown in 2 windows code diff/)
  const children = Array.from({ length: 16 }, (_, i) => ({ node: i + 4, verdict: i ? 'passed' : 'crashed', speedup: i ? 1.5 : null }))
  const text = read(await about({
    parent: 1, parents: [1, 2], refuted: true, confirmed: true, breach: 'worked_late', same_as: 2, claim_origin: 'a file', shown: null, children, children_total: 20,
    hint: { factor: 1.5, low: 1.25, high: 1.75 }, no_candidate_reason: 'no block',
  }))
  assert.match(text, /refuted by a later evaluation full tier worked late in the tree/)
  assert.match(text, /parent #1 with #2 technique/)
  assert.match(text, /no candidate no block hint repaired, it may be 1\.50 times as fast as its parent \[1\.25, 1\.75\]; no speed from elsewhere a file same source as #2 committed/)
  assert.match(text, /children X crashed #4 P passed #5 1\.50x .*#17 1\.50x of 20 code/)
  assert.match(read(await about({ parent: null, parents: [], decision: null, technique: null })), /parent none: it is the root committed/)
})

const directive = (id, more = {}) => ({ id, uuid: '', kind: 'freeze', subject: 7, text: '', author: 'ada', at_s: 0, role: null, aspect: null, amount: null, target: null, effective_decision: 3, outcome: 'applied', refusal: null, attempts: [], ...more })
const steer = (rows, read_only = false, url = '/c/a/steer') => pageAt(url, 'pages/Steer', { directives: rows, state: { ...kState, read_only } })

test('directives can be taken back as long as they wait or hold, by who may', async () => {
  const rows = [directive(1), directive(2, { kind: 'budget', subject: null, aspect: 'usd', amount: 5, outcome: 'pending', effective_decision: null }),
    directive(3, { kind: 'advise', text: '<b>', attempts: Array.from({ length: 14 }, (_, i) => i) }), directive(4, { kind: 'pause', subject: null, outcome: 'refused', refusal: 'no' })]
  const html = await steer(rows)
  assert.deepEqual(rowsOf(html).map((row) => [row[1], row[2], row[3], row[6], row[7], row[8]]), [
    ['freeze', '#7', '', 'applied at decision 3', '', 'lift'], ['budget usd 5', '', '', 'waits', '', 'withdraw'],
    ['advise', '#7', '<b>', 'applied at decision 3', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 … 14 in all', 'lift'], ['pause', '', '', 'refused: no', '', ''],
  ])
  const only = await steer(rows, true)
  assert.match(read(only), /This server only reads/)
  assert.doesNotMatch(read(only), /withdraw/)
  assert.match(read(await steer([])), /Nobody has steered this campaign\.$/)
})

test('a form begins with what the address asks for', async () => {
  const html = await steer([], false, '/c/a/steer?kind=forbid&subject=7&text=tile')
  assert.match(html, /<option selected(="")?>forbid|<option value="forbid" selected/)
  assert.ok(attributes(html, 'value').includes('7') && attributes(html, 'value').includes('tile'))
  assert.match(read(await steer([], false, '/c/a/steer?kind=dance&subject=x')), /Agents are told it, as yours\./)
})

const point = (attempts, more = {}) => ({ attempts, since_start_s: 60 * attempts, usd: attempts / 4, node: attempts, speedup: 2, best: 2, ...more })
const curve = async (url, points, nodes = 4) => {
  const of = { ...kCampaign, campaign: { ...kCampaign.campaign, nodes }, curve: points }
  return pageAt(url, 'parts/Curve', {}, { db: 0, c: 'a', page: of })
}

test('the best so far is drawn over what the address says, and said in words', async () => {
  const points = [point(1, { best: 1.5 }), point(3)]
  const label = async (url) => attributes(await curve(url, points), 'aria-label').at(-1)
  assert.equal(await label('/c/a'), 'Best so far over attempts: 2.00x after 3 attempts')
  assert.equal(await label('/c/a?over=dollars'), 'Best so far over dollars: 2.00x after 3 attempts')
  assert.match(await curve('/c/a?over=seconds', points), /aria-pressed="true">seconds/)
  assert.match(read(await curve('/c/a', points, 20001)), /Over 20,000 nodes only the steps are drawn; the tree has each\.$/)
})

test('a curve of nothing says what there is not', async () => {
  assert.match(read(await curve('/c/a', [])), /No kernel has been timed yet\.$/)
  assert.match(read(await curve('/c/a', [point(1, { best: null })])), /No kernel has been timed yet\.$/)
  // No price is known of any.
  assert.match(read(await curve('/c/a?over=dollars', [point(1, { usd: null })])), /Nothing was spent, or no price is known\.$/)
})

const line = (policy, more = {}) => ({
  db: 0, task: 'gemv', policy, agents: null, campaigns: 1, points: [{ attempts: 1, campaigns: 1, mean: 1, low: 1, high: 1 }, { attempts: 9, campaigns: 1, mean: 2, low: 1.5, high: 2.5 }], ...more,
})
const compare = (url, more) => pageAt(url, 'pages/Compare', { compare: { policies: ['xei', 'ucb'], tasks: ['gemv', 'gemm'], curves: [], fast_p: [], steered: [], ...more } })

test('policies are compared by where they end, on one task', async () => {
  const curves = [line('xei', { campaigns: 3 }), line('ucb', { agents: 'alone' }), line('xei', { task: 'gemm' })]
  const html = await compare('/compare', { curves })
  assert.deepEqual(rowsOf(html), [['xei', '3', '9', '2.00x', '1.50x to 2.50x'], ['ucb, alone', '1', '9', '2.00x', '']])
  assert.match(read(html), /2 policies on 2 tasks .* No campaign was steered: all are counted\.$/)
  assert.ok(attributes(html, 'aria-label').includes('Mean best so far over attempts, by policy, on gemv'))
  assert.deepEqual(rowsOf(await compare('/compare?task=gemm', { curves })).map((row) => row[0]), ['xei'])
  assert.match(read(await compare('/compare?task=none', { curves })), /No campaign of this task\./)
})

test('what is of several databases says of which, and who was steered is left out', async () => {
  const html = await compare('/compare', { curves: [line('xei'), line('xei', { db: 1 })], steered: [{ db: 0, c: 'a' }, { db: 1, c: '<b>' }], fast_p: [{ p: 1, share: 0.5 }] })
  assert.deepEqual(rowsOf(html).slice(0, 2).map((row) => row[0]), ['xei of db 0', 'xei of db 1'])
  assert.match(read(html), /fast_p: share of tasks .* p share 1 0\.50 Left out, since a person steered them: a , <b>\.$/)
  assert.match(read(await compare('/compare', {})), /two policies on one task are needed\./)
})

const brought = (rows, read_only = false) => pageAt('/c/a', 'submit/Submit', { sql: { columns: [], rows }, state: { ...kState, read_only } }, { db: 0, c: 'a' })

test('kernels that people brought wait, or are nodes', async () => {
  const rows = [[3, 'mine.cc', '<b>', null, null, null, null, null, null], [2, 'b.cc', 'ada', 7, null, null, null, null, null], [1, 'c.cc', 'ada', 4, 5, 'passed', 2, 1.9, 2.1], [0, 'd.cc', null, 1, 2, 'compile_failed', null, null, null]]
  const html = await brought(rows)
  assert.deepEqual(rowsOf(html).map((row) => row.slice(1)), [
    ['mine.cc', '<b>', 'waits for who runs the campaign', ''], ['b.cc', 'ada', 'waits for who runs the campaign, as decision 7', ''],
    ['c.cc', 'ada', '#5 passed', '2.00x [1.90, 2.10]'], ['d.cc', '', '#2 compile failed', ''],
  ])
  assert.match(read(html), /^Brought by people Submit a kernel claim/)
  assert.doesNotMatch(read(await brought(rows, true)), /Submit a kernel/)
  assert.equal(read(await brought([], true)), '')
})

test('a campaign that is under way can be steered from its page', async () => {
  const steered = (rows, state, read_only = false) => pageAt('/c/a', 'steer/SteerCampaign', { directives: rows, state: { ...kState, read_only } }, { db: 0, c: 'a', state })
  const rows = [directive(1), directive(2, { kind: 'pause', subject: null, outcome: 'pending' })]
  assert.match(read(await steered(rows, 'running')), /^Steer 2 directives, 1 waiting Resume advise/)
  assert.match(read(await steered([], 'running')), /^Steer 0 directives Pause advise/)
  assert.equal(read(await steered(rows, 'finished')), '')
  assert.equal(read(await steered(rows, 'running', true)), '')
})

test('a node can be boosted, frozen, judged and pinned, and its techniques forbidden', async () => {
  const said = async (rows, node = 7, technique = 'tile(i, 8) + jam(j, 2)') =>
    read(await pageAt('/c/a/n/7', 'steer/SteerNode', { directives: rows, state: { ...kState, read_only: false } }, { db: 0, c: 'a', node, technique, now: 'running' }))
  assert.equal(await said([]), 'Boost Freeze Judge again Pin Say more forbid tile jam')
  assert.equal(await said([directive(1), directive(2, { kind: 'pin' })], 7, null), 'Boost Unfreeze Judge again pinned Say more')
  assert.equal(await said([directive(1)], 0, 'in free words'), 'Boost Pin Say more')
})
