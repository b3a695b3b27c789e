import assert from 'node:assert/strict'
import { test } from 'node:test'
import { childrenOf, lineageOf, step, subtree } from '../../src/draw/family.ts'
import { firstEndingAfter, gallop, layOut, nodeAt } from '../../src/draw/layout.ts'
import { tidy } from '../../src/draw/tidy.ts'
import { kNoColumns, kNoParent, type Columns } from '../../src/wire/columns.ts'

function tree(parents: (number | null)[], speedups: number[] = []): Columns {
  const count = parents.length
  return {
    ...kNoColumns, count,
    parent: Uint32Array.from(parents, (p) => p ?? kNoParent),
    speedup: Float32Array.from(parents, (_, i) => speedups[i] ?? NaN),
    verdict: new Uint8Array(count), flags: new Uint8Array(count),
  }
}

const lay = (t: Columns) => layOut(t.count, { ...t, counts: () => true })

// 0 - 1 - 3      Leaves from the left: 3, 4, 2, 5.
//   |   '-- 4
//   |-- 2
//   '-- 5
const kSmall = tree([null, 0, 0, 1, 1, 0], [1, 2, 0.5, NaN, 3, 1.5])

test('a node is as wide as its leaves, and right of its elder siblings', () => {
  const l = lay(kSmall)
  assert.equal(l.width, 4)
  assert.equal(l.depths, 3)
  assert.deepEqual([...l.rowStart], [0, 1, 4, 6])
  assert.deepEqual([...l.rowNode], [0, 1, 2, 5, 3, 4])
  assert.deepEqual([...l.rowX], [0, 0, 2, 3, 0, 1])
  assert.deepEqual([...l.rowWidth], [4, 2, 1, 1, 1, 1])
  assert.deepEqual([...l.size], [6, 3, 1, 1, 1, 1])
})

test('the best of a subtree is the fastest in it that counts', () => {
  assert.deepEqual([...lay(kSmall).best], [4, 4, 2, kNoParent, 4, 5])
  const l = layOut(6, { ...kSmall, counts: (i) => i !== 4 })
  assert.equal(l.best[0], 1)
})

test('an empty tree is laid out', () => {
  const l = lay(tree([]))
  assert.equal(l.count, 0)
  assert.equal(l.depths, 0)
  assert.equal(nodeAt(l, 0, 0), null)
})

test('the node under a point is found', () => {
  const l = lay(kSmall)
  assert.equal(nodeAt(l, 0, 3.9), 0)
  assert.equal(nodeAt(l, 1, 2.5), 2)
  assert.equal(nodeAt(l, 2, 1.5), 4)
  assert.equal(nodeAt(l, 2, 2.5), null)   // Below node 2 is nothing.
  assert.equal(nodeAt(l, 3, 0), null)
})

test('galloping finds what bisection finds', () => {
  // Row 1 has 300 leaves of width 1.
  const l = lay(tree([null, ...Array<number>(300).fill(0)]))
  for (const from of [1, 17, 299]) {
    for (let x = from - 1; x < 302; x += 7) {
      assert.equal(gallop(l, from, 301, x), firstEndingAfter(l, from, 301, x), `${from} ${x}`)
    }
  }
})

test('a long line is laid out without recursion and in order', () => {
  // A hundred thousand deep at most: recursion would not survive it.
  const n = 200000
  const parents = Array.from({ length: n }, (_, i) => (i === 0 ? null : i % 2 ? Math.max(0, i - 2) : i - 1))
  const l = layOut(n, { ...tree(parents), counts: () => true })
  for (let d = 0; d + 1 < l.depths; d += 997) {
    for (let at = l.rowStart[d]! + 1; at < l.rowStart[d + 1]!; ++at) {
      assert.ok(l.rowX[at]! >= l.rowX[at - 1]! + l.rowWidth[at - 1]!)
    }
  }
  assert.equal(l.size[0], n)
})

test('steps go to parents, children and siblings, and stay at the ends', () => {
  const l = lay(kSmall)
  assert.deepEqual(lineageOf(kSmall, 4), [0, 1, 4])
  assert.deepEqual(childrenOf(l, 0), [1, 4])
  assert.deepEqual(childrenOf(l, 2), [0, 0])
  assert.equal(step(kSmall, l, 0, 'child'), 1)
  assert.equal(step(kSmall, l, 1, 'next'), 2)
  assert.equal(step(kSmall, l, 5, 'next'), 5)
  assert.equal(step(kSmall, l, 4, 'previous'), 3)
  assert.equal(step(kSmall, l, 0, 'parent'), 0)
})

test('a subtree is given parents first, and not if it is too large', () => {
  const l = lay(kSmall)
  assert.deepEqual(subtree(l, 1, 3), [1, 3, 4])
  assert.equal(subtree(l, 0, 5), null)
})

test('circles of parents are in the middle above their children', () => {
  const spots = tidy(kSmall, [0, 1, 2, 5, 3, 4])
  const of = (node: number) => spots.find((s) => s.node === node)!
  assert.deepEqual([of(3).x, of(4).x, of(2).x, of(5).x], [0, 1, 2, 3])
  assert.equal(of(1).x, 0.5)
  assert.equal(of(0).x, (0.5 + 3) / 2)
  assert.equal(of(4).y, 2)
})
