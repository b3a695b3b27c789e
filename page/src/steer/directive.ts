// What a person can say to a campaign: the kinds that the engine takes, and
// what belongs to each.

import type { Directive } from '../wire/types.ts'

export interface Payload {
  text?: string
  aspect?: string
  role?: string
  amount?: number
  target?: number
}

export interface Draft {
  kind: string
  subject: number | null    // A node; null: the campaign.
  payload: Payload
}

export interface Kind {
  node: 'none' | 'may' | 'needs'
  text: string | null       // What stands in the empty field; null: no text.
  amount: string | null     // The same for the amount.
  aspects: readonly string[]
  role: boolean
  does: string
}

const none = { node: 'none', text: null, amount: null, aspects: [], role: false } as const
const rule = { ...none, node: 'may', text: 'tile', aspects: ['technique', 'pattern', 'header', 'constraint'] } as const

export const kKinds: Readonly<Record<string, Kind>> = {
  advise: { ...none, node: 'may', text: 'what agents are told', role: true, does: 'Agents are told it, as yours.' },
  forbid: { ...rule, does: 'A candidate that has it is none.' },
  require: { ...rule, does: 'A candidate that lacks it is none.' },
  freeze: { ...none, node: 'needs', does: 'Neither the node nor anything below it is selected.' },
  unfreeze: { ...none, node: 'needs', does: 'It is selected again.' },
  boost: { ...none, node: 'needs', amount: 'attempts', does: 'The next attempts work on this node.' },
  insert: { ...none, node: 'needs', text: 'the kernel', does: 'It is judged as a child of the node, and no model is asked.' },
  pause: { ...none, does: 'No attempt begins; those under way end.' },
  resume: { ...none, does: 'Attempts begin again.' },
  budget: { ...none, amount: 'how many', aspects: ['attempts', 'seconds', 'usd', 'tokens'], does: 'Another limit, never below what is used.' },
  policy: { ...none, text: 'xei:beta=0.5', does: 'Another policy decides.' },
  model: { ...none, text: 'openai:gpt-5.4-mini', role: true, does: 'Agents ask another model.' },
  temperature: { ...none, amount: '0 to 2', role: true, does: 'Of the language models.' },
  gate: { ...none, does: 'No attempt begins but those that somebody approves.' },
  approve: { ...none, amount: 'how many', aspects: ['attempts', 'usd'], does: 'So many more attempts begin; or all, up to so many dollars in all.' },
  judge: { ...none, node: 'needs', does: 'It is judged again, in full, by who runs the campaign.' },
  note: { ...none, node: 'may', text: 'a line for people', does: 'For people: no agent and no policy sees it.' },
  pin: { ...none, node: 'needs', does: 'A mark for people: no agent and no policy sees it.' },
}
export const kRoles = ['plan', 'code', 'debug'] as const

// The techniques of a label such as `jam(j, 32) + tile(i, 8)`, as a rule names
// them; none of one in free words.
export function namesOf(label: string | null): string[] {
  const names = (label ?? '').split(' + ').map((part) => /^([a-z]\w*)(\(.*\))?$/.exec(part)?.[1])
  return names.includes(undefined) ? [] : [...new Set(names as string[])]
}

// Not crypto.randomUUID(), which is only there on https and on localhost.
export function newUuid(): string {
  const b = crypto.getRandomValues(new Uint8Array(16))
  b[6] = (b[6]! & 15) | 64
  b[8] = (b[8]! & 63) | 128
  const hex = Array.from(b, (x) => x.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

// The newest that was seen; 0: there was none.
export function lastOf(rows: readonly Directive[]): number {
  return rows.reduce((most, d) => Math.max(most, d.id), 0)
}

// What a kind has no place for is left out, so that a field that was filled
// for another kind does no harm.
export function fitting(draft: Draft): Draft {
  const kind = kKinds[draft.kind]
  if (!kind) return draft
  const { text, aspect, role, amount } = draft.payload
  const payload: Payload = {}
  if (kind.text !== null && text) payload.text = text
  if (kind.aspects.length > 0) payload.aspect = aspect && kind.aspects.includes(aspect) ? aspect : kind.aspects[0]!
  if (kind.role && role) payload.role = role
  if (kind.amount !== null && amount !== undefined && Number.isFinite(amount)) payload.amount = amount
  return { kind: draft.kind, subject: kind.node === 'none' ? null : draft.subject, payload }
}

export function inWords(d: Draft): string {
  const { text, aspect, role, amount, target } = d.payload
  let line = d.kind
  if (d.subject !== null) line += ` node ${d.subject}`
  if (role) line += ` ${role}`
  if (aspect) line += ` ${aspect}`
  if (amount !== undefined) line += ` ${amount}`
  if (target !== undefined) line += ` directive ${target}`
  return text ? `${line}: ${text}` : line
}

export function saidInWords(d: Directive): string {
  return inWords({
    kind: d.kind, subject: d.subject,
    payload: {
      ...(d.text ? { text: d.text } : {}), ...(d.aspect ? { aspect: d.aspect } : {}),
      ...(d.role ? { role: d.role } : {}),
      ...(d.amount === null || d.amount === undefined ? {} : { amount: d.amount }),
      ...(d.target === null || d.target === undefined ? {} : { target: d.target }),
    },
  })
}

// When a directive that waits is taken up.
export function waitsFor(state: string | undefined): string {
  if (state === undefined) return 'waits'   // Nobody has said yet who runs.
  return state === 'running' ? 'waits for the next decision' : 'takes effect at the next resume'
}

export function outcomeInWords(d: Directive, state: string | undefined): string {
  if (d.outcome === 'pending') return waitsFor(state)
  if (d.outcome === 'applied' && d.effective_decision !== null) return `applied at decision ${d.effective_decision}`
  return d.refusal ? `${d.outcome}: ${d.refusal}` : d.outcome
}

// Those that hold: applied, and not lifted since.  Of one node, or of a switch,
// the later stands in the place of the earlier.
function holding(rows: readonly Directive[]): Directive[] {
  const lifted = new Set(rows.filter((d) => d.kind === 'lift' && d.outcome === 'applied').map((d) => d.target))
  return rows.filter((d) => d.outcome === 'applied' && !lifted.has(d.id))
}

export function isLiftable(d: Directive, rows: readonly Directive[]): boolean {
  return ['advise', 'forbid', 'require', 'freeze', 'boost', 'temperature', 'model', 'policy', 'gate', 'pin', 'note'].includes(d.kind) &&
    holding(rows).includes(d)
}

export function isPaused(rows: readonly Directive[]): boolean {
  const last = rows.findLast((d) => ['pause', 'resume'].includes(d.kind) && ['applied', 'pending'].includes(d.outcome))
  return last?.kind === 'pause'
}

// Whether the node itself was asked to be frozen; above it, the tree says.
export function isFrozen(rows: readonly Directive[], node: number): boolean {
  const holds = new Set(holding(rows))
  const last = rows.findLast((d) => d.subject === node && ['freeze', 'unfreeze'].includes(d.kind) && (holds.has(d) || d.outcome === 'pending'))
  return last?.kind === 'freeze'
}

// What lets attempts begin where each needs somebody's approval.
export interface Gate {
  row: Directive
  until: number             // The first decision that nobody approved.
  usd: number | null        // All may begin while fewer dollars are used.
  asked: Directive[]        // Approvals that nobody has taken up yet.
}

// Null: none is needed.  A gate that waits counts, so that it can be approved
// what it will hold back.
export function gateOf(rows: readonly Directive[]): Gate | null {
  const lifted = new Set(rows.filter((d) => d.kind === 'lift' && ['applied', 'pending'].includes(d.outcome)).map((d) => d.target))
  const counts = rows.filter((d) => ['applied', 'pending'].includes(d.outcome) && !lifted.has(d.id))
  const row = counts.findLast((d) => d.kind === 'gate')
  if (!row) return null
  const gate: Gate = { row, until: row.effective_decision ?? Infinity, usd: null, asked: [] }
  for (const d of counts) {
    if (d.kind !== 'approve' || d.id < row.id) continue
    if (d.outcome === 'pending') gate.asked.push(d)
    else if (d.aspect === 'usd') gate.usd = Math.max(gate.usd ?? 0, d.amount ?? 0)
    else gate.until = Math.max(gate.until, d.effective_decision ?? 0) + (d.amount ?? 0)
  }
  return gate
}

// Whether the attempt of that decision has to wait, and what else there is to
// know of approvals.
export function gateInWords(gate: Gate, next: number | undefined, used: number | undefined): string {
  if (gate.row.outcome === 'pending') return 'From the next decision on, attempts wait for an approval.'
  if (gate.usd !== null && used !== undefined && used < gate.usd) return `Attempts begin until the campaign has used $${gate.usd}.`
  if (next === undefined) return 'Attempts wait for an approval.'
  if (next >= gate.until) return `Attempt ${next} waits for an approval.`
  const more = gate.until - next
  return more === 1 ? `Attempt ${next} is approved, and none after it.` : `Attempts ${next} to ${gate.until - 1} are approved.`
}
