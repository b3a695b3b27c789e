// What a model proposes, as the directive that a click would send.

import { fitting, kKinds, kRoles, type Draft, type Payload } from '../steer/directive.ts'

export interface Card {
  kind: string
  subject: string     // "n:14"; empty: the campaign.
  payload: string
  why: string
}

function fields(text: string): Payload | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!value || typeof value !== 'object' || Array.isArray(value)) return null
    const all = value as Record<string, unknown>
    const payload: Payload = {}
    for (const key of ['text', 'aspect', 'role'] as const) {
      if (typeof all[key] === 'string') payload[key] = all[key]
    }
    for (const key of ['amount', 'target'] as const) {
      if (typeof all[key] === 'number') payload[key] = all[key]
    }
    return payload
  } catch {
    return null
  }
}

// "technique tile", "attempts 50", "plan: tile first", or the fields in JSON.
function payloadOf(kind: string, text: string): Payload {
  const named = fields(text)
  if (named) return named
  const form = kKinds[kind]
  const payload: Payload = {}
  let rest = text.trim()
  const [first = '', ...others] = rest.split(/[\s:]+/)
  if (form?.aspects.includes(first)) {
    payload.aspect = first
    rest = rest.slice(first.length).replace(/^[\s:]+/, '')
  } else if (form?.role && (kRoles as readonly string[]).includes(first) && others.length > 0) {
    payload.role = first
    rest = rest.slice(first.length).replace(/^[\s:]+/, '')
  }
  const number = /-?\d+(\.\d+)?/.exec(rest)
  if (kind === 'lift' && number) return { target: Number(number[0]) }
  if (form?.amount && number) payload.amount = Number(number[0])
  if (form?.text) payload.text = rest
  return payload
}

export function draftOf(card: Card): Draft {
  const node = /^(?:n:|node\s+|#)?(\d+)$/.exec(card.subject.trim())
  return fitting({ kind: card.kind, subject: node ? Number(node[1]) : null, payload: payloadOf(card.kind, card.payload) })
}
