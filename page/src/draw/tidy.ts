// A small tree as circles and lines: leaves beside each other, parents in the
// middle above their children.

import { parentOf } from './family.ts'
import type { Columns } from '../wire/columns.ts'

export interface Spot {
  node: number
  x: number        // In leaves.
  y: number        // In depths below the top.
  parent: number   // Index among the spots; -1: the top.
}

// `nodes` as subtree() gives them: parents first, siblings together.
export function tidy(t: Columns, nodes: number[]): Spot[] {
  const index = new Map(nodes.map((node, i) => [node, i]))
  const spots: Spot[] = nodes.map((node, i) => {
    const p = parentOf(t, node)
    return { node, x: 0, y: 0, parent: i === 0 || p === null ? -1 : index.get(p)! }
  })
  const children: number[][] = spots.map(() => [])
  spots.forEach((s, i) => {
    if (s.parent < 0) return
    s.y = spots[s.parent]!.y + 1
    children[s.parent]!.push(i)
  })
  // Leaves from left to right, by a walk without recursion: lines may be long.
  let next = 0
  const stack = [0]
  while (stack.length > 0) {
    const i = stack.pop()!
    if (children[i]!.length === 0) spots[i]!.x = next++
    for (const child of [...children[i]!].reverse()) stack.push(child)
  }
  for (let i = spots.length - 1; i >= 0; --i) {
    const own = children[i]!
    if (own.length > 0) spots[i]!.x = (spots[own[0]!]!.x + spots[own[own.length - 1]!]!.x) / 2
  }
  return spots
}
