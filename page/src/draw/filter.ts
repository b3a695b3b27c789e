// Which nodes a filter keeps: "verdict:passed,crashed technique:loops x>2 #10-40".

import { kRefuted, kConfirmed, type Columns } from '../wire/columns.ts'
import { kVerdicts } from './colours.ts'
import { kFamilies } from './paint.ts'

export interface Filter {
  test: ((t: Columns, i: number) => boolean) | null   // null: keeps all.
  error: string | null
}

type Test = (t: Columns, i: number) => boolean

function names(text: string, known: readonly string[]): Set<number> | string {
  const kept = new Set<number>()
  for (const name of text.split(',').filter(Boolean)) {
    const at = known.indexOf(name)
    if (at < 0) return `"${name}" is none of ${known.join(', ')}.`
    kept.add(at)
  }
  return kept
}

function term(text: string, policies: readonly string[]): Test | string {
  const speed = /^x([<>])=?([\d.]+)$/.exec(text)
  if (speed) {
    const bound = Number(speed[2])
    return speed[1] === '>' ? (t, i) => t.speedup[i]! >= bound : (t, i) => t.speedup[i]! <= bound
  }
  const range = /^#(\d+)(?:-(\d+))?$/.exec(text)
  if (range) {
    const low = Number(range[1])
    const high = range[2] === undefined ? low : Number(range[2])
    return (_, i) => i >= low && i <= high
  }
  if (text === 'refuted') return (t, i) => (t.flags[i]! & kRefuted) !== 0
  if (text === 'confirmed') return (t, i) => (t.flags[i]! & kConfirmed) !== 0
  const [key, value = ''] = text.split(':', 2)
  const known = key === 'verdict' ? kVerdicts : key === 'technique' ? kFamilies : key === 'policy' ? policies : null
  if (!known) return `"${text}" is no filter; try verdict:passed, technique:loops, policy:NAME, x>2, #10-40, confirmed.`
  const kept = names(value, known)
  if (typeof kept === 'string') return kept
  if (key === 'verdict') return (t, i) => kept.has(t.verdict[i]!)
  if (key === 'technique') return (t, i) => kept.has(t.technique[i]!)
  return (t, i) => kept.has(t.policy[i]!)
}

export function parseFilter(text: string, policies: readonly string[] = []): Filter {
  const tests: Test[] = []
  for (const part of text.trim().split(/\s+/).filter(Boolean)) {
    const test = term(part, policies)
    if (typeof test === 'string') return { test: null, error: test }
    tests.push(test)
  }
  if (tests.length === 0) return { test: null, error: null }
  return { test: (t, i) => tests.every((f) => f(t, i)), error: null }
}

export function matching(t: Columns, filter: Filter): { kept: Uint8Array | null; count: number } {
  if (!filter.test) return { kept: null, count: t.count }
  const kept = new Uint8Array(t.count)
  let count = 0
  for (let i = 0; i < t.count; ++i) {
    if (filter.test(t, i)) {
      kept[i] = 1
      count += 1
    }
  }
  return { kept, count }
}
