import assert from 'node:assert/strict'
import { test } from 'node:test'
import { box, drawIcicle, type Scene, type View } from '../../src/draw/icicle.ts'
import { layOut } from '../../src/draw/layout.ts'
import { fade, pack, paint, unpack } from '../../src/draw/paint.ts'
import { logTicks, ticks, quartiles } from '../../src/draw/quartiles.ts'
import { css, kindColour, viridis } from '../../src/draw/colours.ts'
import { kNoColumns, kNoParent, type Columns } from '../../src/wire/columns.ts'

const kRed = pack([255, 0, 0])
const kGreen = pack([0, 255, 0])
const kPale = pack([250, 230, 230])

// A canvas that notes what is drawn on it.
function canvas(width: number, height: number) {
  const rectangles: (string | number)[][] = []
  const texts: (string | number)[][] = []
  let pixels: Uint32Array<ArrayBuffer> = new Uint32Array(0)
  const context = {
    canvas: { width, height }, fillStyle: '', font: '', textBaseline: '',
    createImageData: (w: number, h: number) => ({ data: new Uint8ClampedArray(4 * w * h) }),
    putImageData: (image: { data: Uint8ClampedArray<ArrayBuffer> }) => { pixels = new Uint32Array(image.data.buffer.slice(0)) },
    fillRect: (x: number, y: number, w: number, h: number) => rectangles.push([context.fillStyle, x, y, w, h]),
    measureText: (text: string) => ({ width: 6 * text.length }),
    fillText: (text: string, x: number, y: number) => texts.push([context.fillStyle, text, x, y]),
  }
  return { context: context as unknown as CanvasRenderingContext2D, rectangles, texts, column: (x: number, y: number) => pixels[y * width + x] }
}

const layoutOf = (parents: (number | null)[]) => layOut(parents.length, {
  parent: Uint32Array.from(parents, (p) => p ?? kNoParent), speedup: new Float32Array(parents.length), counts: () => true,
})

function scene(parents: (number | null)[], more: Partial<Scene> = {}): Scene {
  const n = parents.length
  return {
    layout: layoutOf(parents), colours: new Uint32Array(n).fill(kRed), faded: new Uint32Array(n).fill(kPale),
    matches: null, label: (node) => `n${node}`, rowHeight: 20, ground: 'white', ...more,
  }
}
const kAll: View = { x: 0, leaves: 2, top: 0 }

test('what is wide is a rectangle with its name, a pixel short of the next', () => {
  // 0 above 1 and 2, on 100 by 40 pixels.
  const at = canvas(100, 40)
  drawIcicle(at.context, scene([null, 0, 0]), kAll)
  const red = css([255, 0, 0])
  assert.deepEqual(at.rectangles, [[red, 0, 0, 99, 19], [red, 0, 20, 49, 19], [red, 50, 20, 49, 19]])
  assert.deepEqual(at.texts, [['black', 'n0', 4, 10], ['black', 'n1', 4, 30], ['black', 'n2', 54, 30]])
})

test('who does not match is pale', () => {
  const at = canvas(100, 40)
  drawIcicle(at.context, scene([null, 0, 0], { matches: Uint8Array.of(1, 0, 1) }), kAll)
  assert.deepEqual(at.rectangles.map((r) => r[0]), [css([255, 0, 0]), css([250, 230, 230]), css([255, 0, 0])])
})

test('only what is seen is drawn, and names where they fit', () => {
  const at = canvas(100, 20)
  // The right half of the second row.
  drawIcicle(at.context, scene([null, 0, 0], { label: () => 'a name that is too long for it' }), { x: 1, leaves: 1, top: 20 })
  assert.deepEqual(at.rectangles.map((r) => r.slice(1)), [[0, 0, 99, 19]])
  assert.deepEqual(at.texts, [])
  const flat = canvas(100, 40)
  drawIcicle(flat.context, scene([null, 0, 0], { rowHeight: 12 }), kAll)
  assert.deepEqual(flat.texts, [])   // Too flat to be read.
  assert.equal(flat.rectangles.length, 3)
})

test('of many in a pixel the first is its column', () => {
  // 400 leaves on 100 pixels: four in each.
  const parents = [null, ...Array<number>(400).fill(0)]
  const colours = Uint32Array.from(parents, (_, i) => (i % 4 === 1 ? kGreen : kRed))
  const at = canvas(100, 40)
  drawIcicle(at.context, scene(parents, { colours }), { x: 0, leaves: 400, top: 0 })
  assert.equal(at.rectangles.length, 1)   // The root alone.
  for (const x of [0, 1, 50, 99]) assert.equal(at.column(x, 25), kGreen, String(x))
  // Nothing in the row above, nor in the gap below.
  assert.deepEqual([at.column(0, 5), at.column(0, 39)], [0, 0])
})

test('narrow columns of who does not match are pale', () => {
  const parents = [null, ...Array<number>(400).fill(0)]
  const at = canvas(100, 40)
  drawIcicle(at.context, scene(parents, { matches: new Uint8Array(401) }), { x: 0, leaves: 400, top: 0 })
  assert.equal(at.column(7, 25), kPale)
})

test('a box is where its cell is drawn, and never too narrow to be seen', () => {
  const l = layoutOf([null, 0, 0])
  assert.deepEqual(box(l, 2, kAll, 100, 20), [50, 20, 50, 20])
  assert.deepEqual(box(l, 2, { x: 1, leaves: 1, top: 20 }, 100, 20), [0, 0, 100, 20])
  assert.equal(box(layoutOf([null, ...Array<number>(400).fill(0)]), 5, { x: 0, leaves: 400, top: 0 }, 100, 20)[2], 1.5)
})

const columns = (more: Partial<Columns>): Columns => ({
  ...kNoColumns, count: 3, parent: Uint32Array.of(kNoParent, 0, 0), speedup: Float32Array.of(1, 2, NaN),
  verdict: Uint8Array.of(0, 0, 4), flags: new Uint8Array(3), technique: Uint8Array.of(0, 3, 3), policy: Uint8Array.of(255, 1, 9), ...more,
})

test('kinds have their colours, and no policy has none', () => {
  assert.deepEqual([...paint(columns({}), 'verdict', false).colours], [0, 0, 4].map((k) => pack(kindColour(k))))
  assert.deepEqual([...paint(columns({}), 'technique', true).colours], [0, 3, 3].map((k) => pack(kindColour(k))))
  const { colours } = paint(columns({}), 'policy', true)
  // There are eight colours, so the ninth is the first again.
  assert.deepEqual([...colours], [pack([64, 68, 74]), pack(kindColour(1)), pack(kindColour(1))])
})

test('age runs over all nodes', () => {
  const { colours, low, high } = paint(columns({}), 'age', false)
  assert.deepEqual([low, high], [0, 2])
  assert.deepEqual([colours[0], colours[2]], [pack(viridis(0)), pack(viridis(1))])
  assert.deepEqual([...paint(columns({ count: 1 }), 'age', false).colours], [pack(viridis(0))])
})

test('where all are as fast, or none is, there is a scale all the same', () => {
  const range = (speedup: Float32Array<ArrayBuffer>) => {
    const { low, high } = paint(columns({ speedup }), 'speedup', false)
    return [low, high]
  }
  assert.deepEqual(range(Float32Array.of(4, 4, 4)), [4, 8])
  assert.deepEqual(range(Float32Array.of(NaN, 0, 7)), [1, 2])   // 7 did not pass.
})

test('what is faded is near the ground', () => {
  // 255 * 0.14 + 250 * 0.86 = 250.7, and 0 + 215.
  assert.deepEqual(unpack(fade(kRed, false)), [251, 215, 215])
  // 255 * 0.14 + 22 * 0.86 = 54.62, and 18.92.
  assert.deepEqual(unpack(fade(kRed, true)), [55, 19, 19])
})

test('an axis in log has 1, 2 and 5, and a short one round steps', () => {
  assert.deepEqual(logTicks(0.5, 20, 5), [0.5, 1, 2, 5, 10, 20])
  assert.deepEqual(logTicks(1, 4, 3), [1, 2, 3, 4])
  assert.deepEqual(logTicks(0, 10, 5), ticks(0, 10, 5))
  assert.deepEqual(ticks(0.013, 0.048, 4).map((t) => t.toFixed(2)), ['0.02', '0.03', '0.04'])
  assert.deepEqual(ticks(-5, 5, 2), [-5, 0, 5])
})

test('quartiles are of what is finite', () => {
  assert.deepEqual(quartiles([Infinity, 2, NaN, 1]), { low: 1.25, median: 1.5, high: 1.75 })
})
