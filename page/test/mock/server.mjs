// A stand-in for `coppice serve`: it answers as the contract says, with a made-up
// campaign, so that the page is tested where there is no program, and with texts
// and states that are hard to come by.
//
// By hand: node test/mock/server.mjs [PORT]
import { createReadStream, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { kHostile } from './hostile.mjs'

const kDist = fileURLToPath(new URL('../../dist', import.meta.url))
const kTypes = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }
export const kPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const kVerdicts = ['passed', 'compile_failed', 'crashed', 'timed_out', 'wrong_output', 'rejected', 'no_candidate', 'inconclusive']
const kTechniques = ['tile(i, 8)', 'jam(j, 32, masked)', 'parallel(i)', 'register_block(i, 6, 48)', 'unroll(k, 4)', 'math(exp)', 'restrict()', 'fuse(norm)']
const kStart = 1764000000

// Numbers that look random and are the same each time.
function stream(seed) {
  let x = seed >>> 0
  return () => {
    x = (x + 0x6d2b79f5) >>> 0
    let t = Math.imul(x ^ (x >>> 15), 1 | x)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

function grow(nodes, seed) {
  const next = stream(seed)
  const all = []
  let best = 0
  for (let i = 0; i < nodes; ++i) {
    let parent = null
    if (i > 0) parent = next() < 0.45 ? best : Math.floor(next() ** 0.5 * i)
    const verdict = i === 0 || next() < 0.66 ? 0 : [4, 1, 6, 2, 4, 3, 5, 7][Math.floor(next() * 8)]
    const base = parent === null ? 1 : (all[parent].speedup ?? 1)
    const speedup = verdict !== 0 ? null : i === 0 ? 1 : base * (0.72 + next() * 0.45)
    all.push({ parent, verdict, speedup, technique: Math.floor(next() * 8), policy: i === 0 ? 255 : next() < 0.9 ? 0 : 1 })
    if (speedup !== null && speedup > all[best].speedup && i % 97 !== 96) best = i
  }
  return { all, best }
}

function source(i) {
  const tile = 8 << (i % 4)
  return `#include <cstdint>\n\n// y[M,N] = A[M,K] * B[K,N]\nextern "C" void run(const float* __restrict a, const float* __restrict b,\n                    float* __restrict y, int64_t m, int64_t n, int64_t k) {\n` +
    `#pragma omp parallel for  // attempt ${i}\n  for (int64_t i = 0; i < m; i += ${tile}) {\n    for (int64_t j = 0; j < n; j += ${tile * 2}) {\n      float sum[${tile}] = {};\n` +
    `      for (int64_t p = 0; p < k; ++p) {\n        for (int u = 0; u < ${tile}; ++u) {\n          sum[u] += a[(i + u) * k + p] * b[p * n + j];\n        }\n      }\n` +
    `      for (int u = 0; u < ${tile}; ++u) y[(i + u) * n + j] = sum[u];\n    }\n  }\n}\n`
}

class Campaign {
  constructor(c, nodes, seed, more = {}) {
    Object.assign(this, { c, task: 'gemm_square', policy: 'xei:beta=0.5', state: 'running', text: null, ...more })
    Object.assign(this, grow(nodes, seed))
  }
  // A hostile campaign says its own text wherever a stranger's may be.
  say(usual, i = 0) {
    return this.text ? this.text[i % this.text.length] : usual
  }
  counts(from = 0, to = this.all.length) {
    const counts = Array(8).fill(0)
    for (let i = from; i < to; ++i) counts[this.all[i].verdict] += 1
    return counts
  }
  curve() {
    const points = []
    let best = 0
    this.all.forEach((n, i) => {
      if (n.speedup !== null && (n.speedup > best || i === this.all.length - 1)) {
        best = Math.max(best, n.speedup)
        points.push({ attempts: i, since_start_s: i * 41.5, usd: i * 0.0021, node: i, speedup: n.speedup, best })
      }
    })
    return points
  }
  row() {
    const n = this.all.length
    const best = n === 0 ? null : { node: this.best, ...interval(this.all[this.best].speedup), told: this.best !== 0 }
    return {
      db: 0, c: this.c, task: this.say(this.task), task_level: 1, policy: this.say(this.policy), seed: 1, state: this.state, steered: this.c.includes('steered'),
      best, attempts: Math.max(0, n - 1), budget_attempts: 1000, nodes: n, verdicts: this.counts(), cost_usd: 0.0021 * n, improvements: this.curve().length,
      elapsed_s: n * 41.5, budget_s: null, created_at_s: kStart, updated_at_s: kStart + n * 41.5, trend: this.curve().map((p) => p.best).slice(-40),
    }
  }
  node(i) {
    const n = this.all[i]
    return {
      node: i, parent: n.parent, verdict: kVerdicts[n.verdict], ...interval(n.speedup), technique: i === 0 ? null : this.say(kTechniques[n.technique], i),
      policy: n.policy === 255 ? null : this.say(['xei:beta=0.5', 'human'][n.policy], i), decision: i === 0 ? null : i - 1, refuted: i % 97 === 96,
      confirmed: i === this.best, same_as: null, lines_again: 0, committed_at_s: kStart + i * 41.5, cost_usd: 0.0021,
    }
  }
  log(i) {
    const v = this.all[i].verdict
    if (this.text) return this.text.join('\n')
    if (v === 1) return `kernel.cc:${5 + (i % 9)}:12: error: 'vaddps' was not declared in this scope\n   ${5 + (i % 9)} |   auto x = vaddps(a, b);\n      |            ^~~~~~`
    if (v === 4) return `workload gemm_256: element 17 is 0.25, expected 1.5 (error ${(i % 7) + 2} times the tolerance)`
    return v === 0 ? '' : `${kVerdicts[v]} in round ${i % 5}`
  }
}

function interval(speedup) {
  return speedup === null ? { speedup: null, low: null, high: null } : { speedup, low: speedup * 0.98, high: speedup * 1.021 }
}

function nodePage(k, i) {
  const row = k.node(i)
  const children = k.all.flatMap((n, j) => (n.parent === i ? [j] : []))
  const passed = k.all[i].verdict === 0
  const runtime = passed ? 0.0123 / k.all[i].speedup : null
  const evaluation = {
    ordinal: 0, further: false, tier: 'fast', verdict: row.verdict, speedup: row.speedup, low: row.low, high: row.high, runtime_s: runtime, root_runtime_s: 0.0123,
    hardware: k.say('AMD EPYC 9J14, 2 of 192 threads'), evaluated_at_s: row.committed_at_s, log: k.log(i), profile_text: k.say('memory bound, 12% of the roof'),
    results: [256, 512].map((size, position) => ({ position, workload: `gemm_${size}`, verdict: row.verdict, worst_error_ratio: 0.21, calls_verified: 66, samples: 40, discarded_samples: 3, lower_quartile_s: runtime && runtime * 0.98, median_s: runtime, upper_quartile_s: runtime && runtime * 1.03, root_median_s: 0.0123, floor_s: 2.4e-6 })),
    profiles: passed ? [256, 512].map((size, position) => ({ position, workload: `gemm_${size}`, shape: `M=${size}, N=${size}, K=${size}`, runtime_s: runtime, bound: position ? 'arithmetic' : 'memory', roof_share: 0.12 + 0.3 * position, bytes: 533504, bytes_per_s: 6.4e9, roof_bytes_per_s: 2.2e11, flops: 3.3e7, flops_per_s: 2.7e9, note: null })) : [],
    kernels: [],
  }
  return {
    ...row, language: 'cpp', entry: 'run', source: row.verdict === 'no_candidate' ? null : k.say(source(i), i), source_cut: false,
    annotated: row.parent === null ? null : source(row.parent).replace('      for (int64_t p', '      // <<<IMPROVE BEGIN>>>\n      for (int64_t p').replace('      for (int u = 0; u < ', '      // <<<IMPROVE END>>>\n      for (int u = 0; u < '),
    plan_grounded: true, advice: i === 0 ? null : k.say('Keep eight sums in registers, so that each load of B serves eight rows.', i), technique_arguments: 'i, 8', reason: i === 0 ? null : k.say('edit: expected gain 0.05 over 12 nodes', i),
    claim_origin: null, log: k.log(i), no_candidate_reason: row.verdict === 'no_candidate' ? k.say('The answer has no fenced block.', i) : null, hint: null, breach: row.verdict === 'rejected' ? 'worked_late' : null,
    children: children.slice(0, 50).map((j) => k.node(j)), children_total: children.length, parents: row.parent === null ? [] : [row.parent], shown: { times: i % 9 },
    evaluations: row.verdict === 'no_candidate' ? [] : [evaluation], tuning: [], settings_note: null,
  }
}

function isFrozen(k, node) {
  for (let at = node; at !== null; at = k.all[at].parent) {
    if (k.said?.some((d) => d.kind === 'freeze' && d.subject === at && d.outcome === 'applied')) return true
  }
  return false
}

function columns(k, from) {
  const rows = k.all.slice(from)
  const count = rows.length
  const bytes = Buffer.alloc(16 + 12 * count)
  bytes.write('CTR1', 0, 'latin1')
  bytes.writeUInt32LE(from, 4)
  bytes.writeUInt32LE(count, 8)
  bytes.writeUInt32LE(k.said?.filter((d) => d.outcome === 'pending').length ?? 0, 12)
  rows.forEach((n, i) => {
    bytes.writeUInt32LE(n.parent ?? 0xffffffff, 16 + 4 * i)
    bytes.writeFloatLE(n.speedup ?? NaN, 16 + 4 * count + 4 * i)
    const at = 16 + 8 * count + i
    bytes[at] = n.verdict
    bytes[at + count] = ((from + i) % 97 === 96 ? 1 : 0) | (from + i === k.best ? 2 : 0) | (isFrozen(k, from + i) ? 8 : 0)
    bytes[at + 2 * count] = n.technique
    bytes[at + 3 * count] = n.policy
  })
  return bytes
}

function lineage(k, i) {
  const line = []
  for (let at = i; at !== null; at = k.all[at].parent) line.unshift(at)
  return line.map((node, generation) => ({
    generation, ...k.node(node), source: k.say(source(node), node),
    lines: generation === line.length - 1 ? source(node).split('\n').map((_, n) => n % line.length) : null,
  }))
}

function failures(k) {
  const groups = new Map()
  k.all.forEach((n, i) => {
    if (n.verdict === 0) return
    const line = k.log(i).split('\n')[0]
    const key = `${n.verdict} ${line}`
    const g = groups.get(key) ?? { verdict: kVerdicts[n.verdict], breach: n.verdict === 5 ? 'worked_late' : null, line, count: 0, nodes: [], techniques: {}, policies: {}, example: { node: i, log: k.log(i) } }
    g.count += 1
    if (g.nodes.length < 20) g.nodes.push(i)
    const name = k.say(kTechniques[n.technique], i)
    g.techniques[name] = (g.techniques[name] ?? 0) + 1
    g.policies['xei:beta=0.5'] = (g.policies['xei:beta=0.5'] ?? 0) + 1
    groups.set(key, g)
  })
  return [...groups.values()].sort((a, b) => b.count - a.count)
}

function calls(k, i) {
  if (i === 0) return []
  return ['plan', 'code'].map((role, j) => ({
    call: 2 * i + j, role, provider: 'openai', model: k.say('gpt-5.4-mini', i), sent_at_s: kStart + i * 41.5, latency_s: 3.21, outcome: 'answered', error: null, tokens_in: 4120, cached: 3072, tokens_out: 611, cost_usd: 0.0011, nodes_cut: 4,
    window: [{ position: 0, node: k.all[i].parent, kinship: 'selected' }, { position: 1, node: 0, kinship: 'root' }, { position: 2, node: k.best, kinship: 'leader' }], cut: [{ kinship: 'child', first: 3, last: 9 }], previous_call: j === 0 ? null : 2 * i,
  }))
}

function campaignPage(k) {
  const n = k.all.length
  const ranked = k.all.map((x, i) => [x, i]).filter(([x, i]) => x.speedup !== null && i % 97 !== 96).sort((a, b) => b[0].speedup - a[0].speedup).slice(0, 10)
  const width = Math.max(1, Math.ceil(n / 40))
  return {
    campaign: k.row(), settings: [{ key: 'policy', value: k.say(k.policy), origin: 'command line' }, { key: 'parallel', value: '3', origin: 'default' }], hardware: 'AMD EPYC 9J14', baselines: [],
    in_flight: k.state === 'running' && n > 3 ? [0, 1, 2].map((j) => ({ decision: n + j, parent: k.best, policy: 'xei', reason: k.say('edit: expected gain 0.05'), stage: ['reserved', 'planned', 'coded'][j], role: ['plan', 'code', null][j], model: k.say('gpt-5.4-mini'), since_s: Date.now() / 1000 - 12 * (j + 1), bound_usd: 0.02, tokens: 120 * j })) : [],
    events: Array.from({ length: Math.min(40, n) }, (_, j) => ({ id: 1000 - j, at_s: kStart + n * 41.5 - j * 60, kind: j % 5 === 0 ? 'new_best' : 'committed', subject: `node ${n - 1 - j}`, detail: k.say('passed', j) })),
    leaders: ranked.map(([x, i], r) => ({ rank: r + 1, node: i, ...interval(x.speedup), told_apart: r > 3, confirmed: r === 0, technique: k.say(kTechniques[x.technique], r) })),
    curve: k.curve(), bands: Array.from({ length: Math.ceil(n / width) }, (_, b) => ({ from: b * width, to: Math.min(n, (b + 1) * width), counts: k.counts(b * width, Math.min(n, (b + 1) * width)) })),
    policies: ['xei:beta=0.5', 'human'], directives: directives(k),
  }
}

const kSteers = ['advise', 'forbid', 'require', 'freeze', 'unfreeze', 'boost', 'insert', 'pause', 'resume', 'budget', 'policy', 'temperature', 'note', 'pin', 'lift', 'model', 'judge', 'gate', 'approve']

function directives(k) {
  const row = (more) => ({ subject: null, text: '', author: 'ada', at_s: kStart + 4000, role: null, aspect: '', amount: null, target: null, not_before: 0, effective_decision: null, outcome: 'pending', refusal: null, attempts: [], ...more })
  k.said ??= k.all.length < 100 && !k.text ? [] : [
    row({ id: 1, uuid: 'u', kind: 'advise', text: k.say('No tensor cores, please.'), author: k.say('ada'), effective_decision: 90, outcome: 'applied', attempts: [90, 91] }),
    row({ id: 2, uuid: 'v', kind: 'boost', subject: k.best, amount: 3 }),
    ...(k.text ?? []).map((text, i) => row({ id: 3 + i, uuid: `t${i}`, kind: 'advise', text, outcome: i % 2 ? 'refused' : 'applied', effective_decision: 9, refusal: i % 2 ? text : null }))]
  return k.said
}

// As the program does: a uuid is one row, and who has not seen the newest of the
// same node is shown it.
function steer(k, sent) {
  const all = directives(k)
  if (!kSteers.includes(sent.kind) || !(sent.subject === null || Number.isInteger(sent.subject)) || typeof sent.payload !== 'object') return [400, { error: 'not a directive' }]
  const known = all.find((d) => d.uuid === sent.uuid)
  if (known) return [201, known]
  const other = all.findLast((d) => d.id > sent.expected_last && d.subject === sent.subject && (sent.subject !== null || d.kind === sent.kind))
  if (other) return [409, { error: `${other.author} asked something else of the same meanwhile`, other }]
  const { text = '', role = null, aspect = '', amount = null, target = null } = sent.payload
  const made = { id: all.length + 1, uuid: sent.uuid, kind: sent.kind, subject: sent.subject, text, role, aspect, amount, target, author: 'ada', at_s: Date.now() / 1000, effective_decision: null, outcome: ['note', 'pin'].includes(sent.kind) ? 'applied' : 'pending', refusal: null, attempts: [] }
  all.push(made)
  return [201, made]
}

const kQuestions = [
  { name: 'why_failed', question: 'Why did node N fail?', numbers: 1 }, { name: 'best', question: 'What is fastest?', numbers: 0 },
  { name: 'which_faster', question: 'Which of N and M is really faster?', numbers: 2 },
]

function canned(k, q) {
  const words = q.get('q')
  if (!words) return kQuestions
  if (words.startsWith('why')) return { name: 'why_failed', question: `Why did node ${/\d+/.exec(words)?.[0]} fail?`, columns: ['node', 'verdict', 'log'], rows: [[14, 'compile_failed', k.say('no such thing')]], truncated: false }
  return { name: 'best', question: 'What is fastest?', columns: ['node', 'speedup', 'technique'], rows: [0, 1, 2].map((n) => [n, 3 - n, k.say('tile(i, 8)', n)]), truncated: false }
}

const kTalk = '11111111-2222-4333-8444-555555555555'

// What a model says that was asked: text, a tool, a card, and its end.
function* reply(k) {
  const text = `Node [[n:14]] failed, as [[n:9999]] did: 4711 times. ${k.say('')}`
  yield ['token', { text: 'Let me ' }]
  yield ['restart', {}]
  yield ['token', { text: 'I look.' }]
  yield ['tool', { name: 'sql', arguments: '{"query":"SELECT 1"}', rows: 1, error: '', result: k.say('{"rows":[[1]]}') }]
  yield ['card', { kind: 'freeze', subject: 'n:14', payload: '', why: k.say('It failed three times.') }]
  yield ['card', { kind: 'advise', subject: '', payload: k.say('plan: tile first'), why: 'It helps.' }]
  yield ['waiting', { why: 'slow down' }]
  yield ['token', { text }]
  yield ['done', { text, fault: '', cites: [{ text: '[[n:14]]', href: `/c/${encodeURIComponent(k.c)}/n/14`, exists: true }, { text: '[[n:9999]]', href: null, exists: false }], not_found: ['4711'], cards: [], conversation: kTalk, requests: 2, input_tokens: 10, output_tokens: 5, cost_usd: 0.0123, spent_today_usd: 0.5, cap_usd_day: 1 }]
}

function nodes(k, q) {
  let rows = k.all.map((_, i) => i)
  if (q.get('verdict')) rows = rows.filter((i) => kVerdicts[k.all[i].verdict] === q.get('verdict'))
  if (q.get('text')) rows = rows.filter((i) => String(k.node(i).technique).includes(q.get('text')))
  if (q.get('sort') === 'speedup') rows.sort((a, b) => (k.all[a].speedup ?? 0) - (k.all[b].speedup ?? 0))
  if (q.get('desc') === '1') rows.reverse()
  const from = Number(q.get('from') ?? 0)
  return { total: rows.length, rows: rows.slice(from, from + Number(q.get('limit') ?? 100)).map((i) => k.node(i)) }
}

function samples(k, i) {
  const next = stream(i + 7)
  const runtime = 0.0123 / (k.all[i].speedup ?? 1)
  return { workloads: k.all[i].verdict !== 0 ? [] : [256, 512].map((size, position) => ({ position, workload: `gemm_${size}`, shape: `M=${size}, N=${size}, K=${size}`, runtime_s: Array.from({ length: 40 }, () => runtime * (1 + 0.05 * next() ** 3)), root_runtime_s: Array.from({ length: 40 }, () => 0.0123 * (1 + 0.05 * next() ** 3)), session: Array.from({ length: 40 }, (_, s) => Math.floor(s / 20)) })) }
}

const kAnswers = {
  '/api/campaign': (k) => campaignPage(k), '/api/nodes': (k, q) => nodes(k, q), '/api/node': (k, q) => nodePage(k, Number(q.get('n'))),
  '/api/source': (k, q) => ({ source: k.say(source(Number(q.get('n'))), Number(q.get('n'))), language: 'cpp', cut: false }),
  '/api/samples': (k, q) => samples(k, Number(q.get('n'))), '/api/lineage': (k, q) => lineage(k, Number(q.get('n'))), '/api/calls': (k, q) => calls(k, Number(q.get('n'))),
  '/api/call': (k, q) => ({ system: k.say('You make kernels faster.'), user: k.say(`# Task\nMake it faster. (call ${q.get('call')})\n\n${source(3)}`), answer: k.say('TECHNIQUE: tile(i, 8)\nKeep sums in registers.'), error: null, request: { temperature: 0.7, max_output_tokens: 8192 } }),
  '/api/decision': (k, q) => ({ decision: Number(q.get('d')), policy: k.policy, reason: k.say('edit: expected gain 0.05'), node: Number(q.get('d')) + 1, parent: k.all[Number(q.get('d')) + 1].parent, seen: { nodes: Number(q.get('d')) + 1, further: 0, attempts_left: 100 }, in_flight: [4, 5], again: { node: 1, reason: 'edit', same: true }, scores: { measure: k.say('expected gain'), lowest_is_best: false, seeds: 200, of: 120, nodes: [0, 1, 2, 3].map((node) => ({ node, score: node === 3 ? null : 1 / (node + 1), seeds: 200 >> node + 1 })) }, directives: [] }),
  '/api/failures': (k) => failures(k), '/api/directives': (k) => directives(k),
  '/api/history': (k, q) => [{ db: 0, c: k.c, node: Number(q.get('n')), ordinal: 0, hardware: 'AMD EPYC 9J14', driver: null, compiler: 'g++ 12.2.0', evaluated_at_s: kStart, verdict: 'passed', speedup: 2, low: 1.9, high: 2.1, delta_to_previous: null }],
}

function ofAll(campaigns, path) {
  const k = [...campaigns.values()][0]
  if (path === '/api/state') return { version: '0.2.0', read_only: Boolean(campaigns.readOnly), databases: [{ db: 0, path: 'campaigns.db' }], user: 'ada', has_assistant: Boolean(campaigns.assistant), has_browser_models: Boolean(campaigns.models), spent_today_usd: 1.2, cap_usd_day: 5 }
  if (path === '/api/campaigns') return [...campaigns.values()].map((x) => x.row())
  if (path === '/api/leaderboard') {
    return { tasks: ['gemm_square', 'softmax_rows'], rows: [0, 1, 2].map((r) => ({ rank: r + 1, db: 0, c: k.c, node: r, speedup: 3 - r, low: 2.9 - r, high: 3.1 - r, told_apart: r > 1, confirmed: r === 0, technique: k.say(kTechniques[r]), policy: 'xei', hardware: 'AMD EPYC', definition: 'gemm_square', solution: `s${r}`, trace: 0 })), experts: [{ campaign: k.c, baseline: 'openblas', speedup: 9.1, hardware: 'AMD EPYC' }],
      workloads: [{ workload: 'gemm_256', shape: 'M=256', rows: [0, 1, 2].map((node) => ({ db: 0, c: k.c, node, median_s: 0.001 * (node + 1), speedup: 3 - node })) }] }
  }
  if (path === '/api/spend') {
    return { days: [0, 1, 2, 3].map((d) => ({ day: `2026-11-2${d}`, campaign: k.c, role: 'code', model: 'openai:gpt-5.4-mini', calls: 40 + d, tokens: 90000 + d, usd: 0.4 + 0.2 * d, unsettled_usd: d === 3 ? 0.02 : 0 })), caps: [{ what: 'dollars a day', limit: 5, used: 1.2 }, { what: 'tokens of the campaign', limit: 1e6, used: 3e5 }], unknown: [],
      wire: { total: 2, rows: [{ id: 2, sent_at_s: kStart, campaign: k.c, role: 'code', model: 'gpt-5.4-mini', outcome: 'answered', tokens_in: 4000, tokens_out: 600, usd: 0.001, bound_usd: 0.02, error: null }, { id: 1, sent_at_s: kStart, campaign: k.c, role: 'plan', model: 'gpt-5.4-mini', outcome: 'failed', tokens_in: 0, tokens_out: 0, usd: 0, bound_usd: 0.02, error: k.say('HTTP 429: slow down') }] } }
  }
  if (path === '/api/compare') {
    return { policies: ['xei', 'greedy'], tasks: ['gemm_square'], curves: ['xei', 'greedy'].map((policy, p) => ({ db: 0, task: 'gemm_square', policy, agents: 'team', campaigns: 5, points: Array.from({ length: 30 }, (_, i) => ({ attempts: i * 10, campaigns: 5, mean: 1 + Math.log1p(i) * (2 - p), low: 1 + Math.log1p(i) * (1.6 - p), high: 1 + Math.log1p(i) * (2.5 - p) })) })), fast_p: [{ policy: 'xei', p: 1, campaigns: 14, fast: 14, fast_p: 1 }, { policy: 'greedy', p: 1, campaigns: 14, fast: 11, fast_p: 0.786 }], steered: [{ db: 0, c: 'steered.s1' }] }
  }
  if (path === '/api/schema') return [{ view: 'leaderboard', comment: 'The ten best nodes of each campaign.', columns: [{ name: 'campaign', comment: null }, { name: 'node', comment: null }, { name: 'speedup', comment: 'How many times as fast as the root.' }] }, { view: 'best_so_far', comment: null, columns: [{ name: 'attempts', comment: null }, { name: 'best_speedup', comment: null }] }]
  return undefined
}

function sqlAnswer(k, sql) {
  if (/attach|pragma|delete/i.test(sql)) return null
  if (/FROM claims/.test(sql)) return { columns: ['claim', 'origin', 'author', 'decision', 'node', 'verdict', 'speedup', 'speedup_low', 'speedup_high'], rows: [...(k.claims ?? [])].reverse(), truncated: false, seconds: 0.001 }
  return { columns: ['campaign', 'node', 'speedup', 'technique'], rows: k.all.flatMap((n, i) => (n.speedup === null ? [] : [[k.c, i, n.speedup, k.say(kTechniques[n.technique], i)]])).slice(0, 500), truncated: false, seconds: 0.004 }
}

export function standIn({ nodes: size = 400, extra = [], readOnly = false, assistant = false, models = false } = {}) {
  const campaigns = new Map()
  Object.assign(campaigns, { readOnly, assistant, models })
  const add = (k) => campaigns.set(k.c, k)
  add(new Campaign('gemm_square.xei_b.s1', size, 3))
  add(new Campaign('softmax_rows.greedy.s2', 60, 5, { task: 'softmax_rows', state: 'finished', policy: 'greedy' }))
  add(new Campaign('steered.s1', 120, 8, { state: 'paused' }))
  add(new Campaign('empty.s1', 0, 1, { state: 'waiting' }))
  for (const k of extra) add(new Campaign(k.c, k.nodes, k.seed ?? 1, k))
  const streams = new Set()
  let id = 0
  const change = () => `id: ${++id}\nevent: change\ndata: ${JSON.stringify({ databases: [{ db: 0, campaigns: [...campaigns.values()].map((k) => ({ c: k.c, nodes: k.all.length, attempts: Math.max(0, k.all.length - 1), last_event: id, in_flight: 3, spent_usd: 1, state: k.state, directives: k.said?.filter((d) => d.outcome === 'pending').length ?? 0, last_directive: k.said?.at(-1)?.id ?? 0 })) }] })}\n\n`
  const seen = []
  const posted = []
  const turns = []

  function json(response, status, body) {
    response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
    response.end(JSON.stringify(body))
  }
  function file(response, path) {
    const full = join(kDist, path)
    if (!existsSync(full) || !statSync(full).isFile()) return json(response, 404, { error: `No file ${path}.` })
    response.writeHead(200, { 'Content-Type': kTypes[extname(path)] ?? 'application/octet-stream', 'Content-Security-Policy': kPolicy, 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' })
    createReadStream(full).pipe(response)
  }
  function api(request, response, url) {
    const general = ofAll(campaigns, url.pathname)
    if (general !== undefined) return json(response, 200, general)
    if (url.pathname === '/api/turns') return json(response, 200, turns)
    if (url.pathname === '/api/questions') return json(response, 200, canned(campaigns.get(url.searchParams.get('c')), url.searchParams))
    const k = campaigns.get(url.searchParams.get('c'))
    if (!k) return json(response, 404, { error: `No campaign "${url.searchParams.get('c')}" in campaigns.db.` })
    if (url.pathname === '/api/tree') {
      response.writeHead(200, { 'Content-Type': 'application/octet-stream' })
      return response.end(columns(k, Number(url.searchParams.get('from') ?? 0)))
    }
    const n = url.searchParams.get('n')
    if (n !== null && !k.all[Number(n)]) return json(response, 404, { error: `No node ${n} in ${k.c}: it has ${k.all.length}.` })
    const answer = kAnswers[url.pathname]
    return answer ? json(response, 200, answer(k, url.searchParams)) : json(response, 404, { error: `No ${url.pathname}.` })
  }
  function post(request, response, url) {
    let body = ''
    request.on('data', (part) => { body += part })
    request.on('end', () => {
      if (request.headers['x-coppice'] !== '1' || !/json/.test(request.headers['content-type'] ?? '')) return json(response, 403, { error: 'Not from the page.' })
      if (url.pathname === '/api/sql') {
        const { sql } = JSON.parse(body)
        const of = /campaign = '([^']*)'/.exec(sql)?.[1]
        const answer = sqlAnswer(campaigns.get(of) ?? [...campaigns.values()][0], sql)
        return answer ? json(response, 200, answer) : json(response, 400, { error: 'not authorized: only SELECT is' })
      }
      if (url.pathname === '/api/cites') {
        const c = JSON.parse(body).c
        return json(response, 200, [{ text: '[[n:14]]', href: `/c/${encodeURIComponent(c)}/n/14`, exists: true }, { text: '[[n:9999]]', href: null, exists: false }])
      }
      if (readOnly) return json(response, 405, { error: 'This server only reads.' })
      const sent = JSON.parse(body)
      const k = campaigns.get(sent.c)
      if (!k) return json(response, 404, { error: `No campaign "${sent.c}".` })
      posted.push({ path: url.pathname, ...sent })
      if (url.pathname === '/api/directives') return json(response, ...steer(k, sent))
      if (url.pathname === '/api/directives/withdraw') {
        const row = directives(k).find((d) => d.id === sent.id)
        row.outcome = 'withdrawn'
        return json(response, 200, row)
      }
      if (url.pathname === '/api/submit') {
        if (!sent.name.endsWith('.cc')) return json(response, 400, { error: `${sent.name}: kernels of ${k.c} are written in C++` })
        k.claims = [...(k.claims ?? []), [(k.claims?.length ?? 0) + 1, sent.name, sent.author || 'ada', null, null, null, null, null, null]]
        return json(response, 201, { claim: k.claims.length, decision: null, node: null, note: 'whoever runs the campaign judges it' })
      }
      if (url.pathname === '/api/ask') {
        turns.unshift({ conversation: kTalk, question_number: turns.length + 1, c: k.c, question: sent.question, answer: 'Node [[n:14]] failed.', cites: [{ text: '[[n:14]]', href: `/c/${encodeURIComponent(k.c)}/n/14`, exists: true }], error: '', provider: 'replay', model: 'm', at_s: Date.now() / 1000, requests: 2, input_tokens: 10, output_tokens: 5, cost_usd: 0.0123 })
        response.writeHead(200, { 'Content-Type': 'text/event-stream' })
        for (const [event, data] of reply(k)) response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
        return response.end()
      }
      json(response, 404, { error: `No ${url.pathname}.` })
    })
  }
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://127.0.0.1')
    seen.push(request.url)
    if (request.method === 'POST') return post(request, response, url)
    if (url.pathname === '/events') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
      response.write(change())
      streams.add(response)
      return request.on('close', () => streams.delete(response))
    }
    if (url.pathname.startsWith('/api/')) return api(request, response, url)
    if (models && url.pathname === '/models/models.json') return json(response, 200, { model_list: [{ model: 'tiny/', model_id: 'tiny-q4', model_lib: 'tiny.wasm' }] })
    if (models && url.pathname === '/models/web-llm.js') return file(response, '../test/mock/web-llm.js')
    if (url.pathname.startsWith('/models/')) return json(response, 404, { error: 'there is nothing' })
    file(response, url.pathname.startsWith('/assets/') ? url.pathname : '/index.html')
  })
  // As a server that is gone: nobody is answered, and the port stays its own.
  let hidden = false
  server.on('connection', (socket) => { if (hidden) socket.destroy() })
  return {
    campaigns, seen, posted, streams,
    hide: () => { hidden = true; server.closeAllConnections() },
    show: () => { hidden = false },
    listen: (port = 0) => new Promise((done) => server.listen(port, '127.0.0.1', () => done(`http://127.0.0.1:${server.address().port}`))),
    take: (c, decision) => { for (const d of campaigns.get(c).said ?? []) if (d.outcome === 'pending') Object.assign(d, { outcome: 'applied', effective_decision: decision }) },
    tell: () => { for (const s of streams) s.write(change()) },
    grow: (c, nodes) => { Object.assign(campaigns.get(c), grow(nodes, 3)) },
    close: () => new Promise((done) => { for (const s of streams) s.destroy(); server.closeAllConnections(); server.close(done) }),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const url = await standIn({ extra: [{ c: 'hostile', nodes: 40, text: kHostile }] }).listen(Number(process.argv[2] ?? 8080))
  console.log(url)
}
