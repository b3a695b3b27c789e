// Where each node of an icicle is.  O(n): the schema has parent < number, so one
// descending pass sums subtrees and one ascending pass places them.
//
// A leaf is one unit wide, and a node as wide as its children together.

import { kNoParent } from '../wire/columns.ts'

export interface Layout {
  count: number
  depths: number
  width: number            // In leaves.
  // By row, which is a depth; within it from left to right.
  rowStart: Uint32Array<ArrayBuffer>    // depths + 1.
  rowNode: Uint32Array<ArrayBuffer>
  rowX: Uint32Array<ArrayBuffer>
  rowWidth: Uint32Array<ArrayBuffer>
  // By node.
  place: Uint32Array<ArrayBuffer>       // Index in the arrays above.
  depth: Uint32Array<ArrayBuffer>
  size: Uint32Array<ArrayBuffer>        // Nodes of its subtree, with itself.
  best: Uint32Array<ArrayBuffer>        // Fastest of its subtree; kNoParent: none.
}

export interface Shape {
  parent: Uint32Array
  speedup: Float32Array
  counts: (node: number) => boolean     // May be a best.
}

// Nodes, leaves and the best of each subtree.
function sum(n: number, shape: Shape) {
  const size = new Uint32Array(n).fill(1)
  const leaves = new Uint32Array(n)
  const best = new Uint32Array(n).fill(kNoParent)
  const { parent, speedup } = shape
  for (let i = n - 1; i >= 0; --i) {
    if (leaves[i] === 0) leaves[i] = 1
    const mine = speedup[i]!
    let top = best[i]!
    if (mine === mine && shape.counts(i) && (top === kNoParent || mine >= speedup[top]!)) {
      best[i] = top = i
    }
    const p = parent[i]!
    if (p >= i) continue
    size[p]! += size[i]!
    leaves[p]! += leaves[i]!
    if (top !== kNoParent && (best[p] === kNoParent || speedup[top]! > speedup[best[p]!]!)) {
      best[p] = top
    }
  }
  return { size, leaves, best }
}

export function layOut(n: number, shape: Shape): Layout {
  const { size, leaves, best } = sum(n, shape)
  const { parent } = shape
  const depth = new Uint32Array(n)
  const x = new Uint32Array(n)
  const before = new Uint32Array(n)      // Place in a walk parents first.
  const nextX = new Uint32Array(n)
  const nextBefore = new Uint32Array(n)
  let depths = n > 0 ? 1 : 0
  let rootsX = 0
  let rootsBefore = 0
  for (let i = 0; i < n; ++i) {
    const p = parent[i]!
    if (p < i) {
      depth[i] = depth[p]! + 1
      x[i] = nextX[p]!
      nextX[p]! += leaves[i]!
      before[i] = nextBefore[p]!
      nextBefore[p]! += size[i]!
    } else {
      x[i] = rootsX
      rootsX += leaves[i]!
      before[i] = rootsBefore
      rootsBefore += size[i]!
    }
    nextX[i] = x[i]!
    nextBefore[i] = before[i]! + 1
    if (depth[i]! >= depths) depths = depth[i]! + 1
  }
  return { count: n, depths, width: rootsX, depth, size, best,
           ...rows(n, depths, depth, x, leaves, before) }
}

function rows(n: number, depths: number, depth: Uint32Array, x: Uint32Array,
              leaves: Uint32Array, before: Uint32Array) {
  const rowStart = new Uint32Array(depths + 1)
  const walk = new Uint32Array(n)
  for (let i = 0; i < n; ++i) {
    walk[before[i]!] = i
    rowStart[depth[i]! + 1]! += 1
  }
  for (let d = 0; d < depths; ++d) rowStart[d + 1]! += rowStart[d]!
  const next = rowStart.slice(0, depths)
  const rowNode = new Uint32Array(n)
  const rowX = new Uint32Array(n)
  const rowWidth = new Uint32Array(n)
  const place = new Uint32Array(n)
  for (let k = 0; k < n; ++k) {
    const i = walk[k]!
    const at = next[depth[i]!]!++
    rowNode[at] = i
    rowX[at] = x[i]!
    rowWidth[at] = leaves[i]!
    place[i] = at
  }
  return { rowStart, rowNode, rowX, rowWidth, place }
}

// The first of a row, from `from` on, that ends after `x`; `to` if none does.
export function firstEndingAfter(l: Layout, from: number, to: number, x: number): number {
  let low = from
  let high = to
  while (low < high) {
    const middle = (low + high) >>> 1
    if (l.rowX[middle]! + l.rowWidth[middle]! > x) high = middle
    else low = middle + 1
  }
  return low
}

// The same, near `from`: doubles its step, then halves it.
export function gallop(l: Layout, from: number, to: number, x: number): number {
  let step = 1
  let low = from
  while (low + step < to && l.rowX[low + step]! + l.rowWidth[low + step]! <= x) {
    low += step
    step *= 2
  }
  return firstEndingAfter(l, low, Math.min(to, low + step + 1), x)
}

export function nodeAt(l: Layout, depth: number, x: number): number | null {
  if (depth < 0 || depth >= l.depths) return null
  const to = l.rowStart[depth + 1]!
  const at = firstEndingAfter(l, l.rowStart[depth]!, to, x)
  return at < to && l.rowX[at]! <= x ? l.rowNode[at]! : null
}
