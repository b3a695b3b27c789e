// Relatives of a node, from the layout alone.

import { kNoParent, type Columns } from '../wire/columns.ts'
import { firstEndingAfter, type Layout } from './layout.ts'

export function parentOf(t: Columns, node: number): number | null {
  const p = t.parent[node]!
  return p === kNoParent || p >= node ? null : p
}

// From the root to the node.
export function lineageOf(t: Columns, node: number): number[] {
  const line: number[] = []
  for (let at: number | null = node; at !== null; at = parentOf(t, at)) line.push(at)
  return line.reverse()
}

// The children in order, as [first place, end) in the arrays by row.
export function childrenOf(l: Layout, node: number): [number, number] {
  const depth = l.depth[node]! + 1
  if (depth >= l.depths || l.size[node] === 1) return [0, 0]
  const at = l.place[node]!
  const from = firstEndingAfter(l, l.rowStart[depth]!, l.rowStart[depth + 1]!, l.rowX[at]!)
  const end = firstEndingAfter(l, from, l.rowStart[depth + 1]!, l.rowX[at]! + l.rowWidth[at]!)
  return [from, end]
}

export type Step = 'parent' | 'child' | 'next' | 'previous'

export function step(t: Columns, l: Layout, node: number, to: Step): number {
  const parent = parentOf(t, node)
  if (to === 'parent') return parent ?? node
  if (to === 'child') {
    const [from, end] = childrenOf(l, node)
    return from < end ? l.rowNode[from]! : node
  }
  if (parent === null) return node
  const [from, end] = childrenOf(l, parent)
  const at = l.place[node]! + (to === 'next' ? 1 : -1)
  return at >= from && at < end ? l.rowNode[at]! : node
}

// The nodes of a subtree, parents first; null if they are more than `most`.
export function subtree(l: Layout, node: number, most: number): number[] | null {
  if (l.size[node]! > most) return null
  const all = [node]
  for (let i = 0; i < all.length; ++i) {
    const [from, end] = childrenOf(l, all[i]!)
    for (let at = from; at < end; ++at) all.push(l.rowNode[at]!)
  }
  return all
}
