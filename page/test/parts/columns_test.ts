import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendColumns, decodeColumns, kNoColumns, kNoParent } from '../../src/wire/columns.ts'

function bytes(first: number, parents: number[], verdict = 0): ArrayBuffer {
  const count = parents.length
  const made = new ArrayBuffer(16 + 12 * count)
  const view = new DataView(made)
  ;[...'CTR1'].forEach((c, i) => view.setUint8(i, c.charCodeAt(0)))
  view.setUint32(4, first, true)
  view.setUint32(8, count, true)
  parents.forEach((p, i) => {
    view.setUint32(16 + 4 * i, p, true)
    view.setFloat32(16 + 4 * count + 4 * i, first + i + 0.5, true)
    view.setUint8(16 + 8 * count + i, verdict)
    view.setUint8(16 + 9 * count + i, 2)
    view.setUint8(16 + 10 * count + i, 3)
    view.setUint8(16 + 11 * count + i, 4)
  })
  return made
}

test('columns are read whole, one after the other', () => {
  const c = decodeColumns(bytes(0, [kNoParent, 0, 0], 6))
  assert.equal(c.count, 3)
  assert.deepEqual([...c.parent], [kNoParent, 0, 0])
  assert.deepEqual([...c.speedup], [0.5, 1.5, 2.5])
  assert.deepEqual([c.verdict[2], c.flags[2], c.technique[2], c.policy[2]], [6, 2, 3, 4])
})

test('a torn tree is said to be torn', () => {
  const whole = bytes(0, [kNoParent, 0])
  assert.throws(() => decodeColumns(whole.slice(0, 39)), /39 of 40 bytes/)
  assert.throws(() => decodeColumns(whole.slice(0, 7)), /no header/)
  const other = whole.slice(0)
  new Uint8Array(other)[0] = 0x58
  assert.throws(() => decodeColumns(other), /begins with "XTR1"/)
})

test('new nodes are put behind, and again where both have one', () => {
  const old = appendColumns(kNoColumns, decodeColumns(bytes(0, [kNoParent, 0, 1])))
  const all = appendColumns(old, decodeColumns(bytes(2, [1, 2], 5)))
  assert.equal(all.count, 4)
  assert.deepEqual([...all.parent], [kNoParent, 0, 1, 2])
  assert.deepEqual([...all.verdict], [0, 0, 5, 5])
})

test('nodes that are missing in between are no tree', () => {
  assert.throws(() => appendColumns(kNoColumns, decodeColumns(bytes(2, [1]))), /missing/)
})
