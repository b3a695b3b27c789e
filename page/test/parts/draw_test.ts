import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inkOn, kindColour, viridis } from '../../src/draw/colours.ts'
import { matching, parseFilter } from '../../src/draw/filter.ts'
import { panned, rowHeight, zoomed } from '../../src/draw/icicle.ts'
import { layOut } from '../../src/draw/layout.ts'
import { pack, paint, speedRange, unpack } from '../../src/draw/paint.ts'
import { quartiles, ticks } from '../../src/draw/quartiles.ts'
import { kNoColumns, kNoParent, type Columns } from '../../src/wire/columns.ts'
import { Keys } from '../../src/place/keys.ts'

// Four nodes: 1x, 2x, 4x, and one that is wrong.
const kFour: Columns = {
  ...kNoColumns, count: 4,
  parent: Uint32Array.of(kNoParent, 0, 1, 1), speedup: Float32Array.of(1, 2, 4, NaN),
  verdict: Uint8Array.of(0, 0, 0, 4), flags: Uint8Array.of(0, 0, 2, 0),
  technique: Uint8Array.of(0, 3, 3, 4), policy: Uint8Array.of(255, 0, 1, 0),
}

test('viridis runs from dark blue to yellow and no further', () => {
  assert.deepEqual(viridis(0), [68, 1, 84])
  assert.deepEqual(viridis(1), [253, 231, 37])
  assert.deepEqual(viridis(7), viridis(1))
})

test('each kind has ink that is read on it, by 4.5 to 1', () => {
  const light = (v: number) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)
  for (let k = 0; k < 8; ++k) {
    const c = kindColour(k)
    const l = 0.2126 * light(c[0]) + 0.7152 * light(c[1]) + 0.0722 * light(c[2])
    const contrast = inkOn(c) === 'black' ? (l + 0.05) / 0.05 : 1.05 / (l + 0.05)
    assert.ok(contrast >= 4.5, `${k}: ${contrast}`)
  }
})

test('speed is coloured in log, and what failed has no speed', () => {
  assert.deepEqual(speedRange(kFour), [1, 4])
  const { colours } = paint(kFour, 'speedup', false)
  assert.deepEqual(unpack(colours[0]!), viridis(0).slice())
  // Twice as fast is half of the way from 1 to 4: 127.5 of 255, rounded up.
  assert.equal(colours[1], pack(viridis(128 / 255)))
  assert.deepEqual(unpack(colours[2]!), viridis(1).slice())
  assert.deepEqual(unpack(colours[3]!), [206, 206, 202])
})

test('a filter keeps what all of its words keep', () => {
  const kept = (text: string) => [...(matching(kFour, parseFilter(text, ['xei', 'human'])).kept ?? [])].join('')
  assert.equal(kept('verdict:passed'), '1110')
  assert.equal(kept('verdict:passed,wrong_output technique:loops'), '0110')
  assert.equal(kept('x>2'), '0110')
  assert.equal(kept('policy:human'), '0010')
  assert.equal(kept('#1-2'), '0110')
  assert.equal(kept('confirmed'), '0010')
  assert.equal(kept(''), '')
})

test('a filter that is none says what would be one', () => {
  assert.match(parseFilter('verdict:nice').error ?? '', /none of passed/)
  assert.match(parseFilter('bogus').error ?? '', /try verdict:passed/)
})

test('zooming keeps the leaf under the pointer, and stays in the tree', () => {
  const l = layOut(101, { parent: Uint32Array.from({ length: 101 }, (_, i) => (i ? 0 : kNoParent)), speedup: new Float32Array(101), counts: () => true })
  const view = zoomed({ x: 0, leaves: 100, top: 0 }, l, 4, 60)
  assert.equal(view.leaves, 25)
  // 60 was at 0.6 of the width; 0.6 of 25 are 15 leaves left of it.
  assert.equal(view.x, 45)
  assert.equal(panned(view, l, 1000, 0, 0).x, 75)
  assert.equal(panned(view, l, -1000, 0, 0).x, 0)
  assert.equal(zoomed(view, l, 0.001, 50).leaves, 100)
  assert.deepEqual([rowHeight(3, 500), rowHeight(20, 500), rowHeight(1000, 500)], [26, 25, 5])
})

test('quartiles lie between the two nearest samples', () => {
  assert.deepEqual(quartiles([4, 1, 3, 2]), { low: 1.75, median: 2.5, high: 3.25 })
  assert.deepEqual(quartiles([7]), { low: 7, median: 7, high: 7 })
  assert.equal(quartiles([NaN]), null)
})

test('ticks are round', () => {
  assert.deepEqual(ticks(0, 10, 5), [0, 2, 4, 6, 8, 10])
  assert.deepEqual(ticks(3, 3, 5), [3])
})

test('a key acts, g begins two, and who came last wins', () => {
  const keys = new Keys()
  const said: string[] = []
  keys.add({ j: () => said.push('all j'), 'g c': () => said.push('campaigns') })
  const leave = keys.add({ j: () => said.push('page j') })
  assert.equal(keys.press('j', 0), true)
  keys.press('g', 10)
  keys.press('c', 20)
  keys.press('g', 30)
  keys.press('c', 3000)   // Too late: c alone is nothing.
  leave()
  keys.press('j', 4000)
  assert.deepEqual(said, ['page j', 'campaigns', 'all j'])
})
