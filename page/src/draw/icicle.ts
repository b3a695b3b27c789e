// Draws the part of an icicle that is seen.  Cells of a pixel and more are
// rectangles; narrower ones become columns of one image, and the search for the
// next column gallops over all the nodes between.

import { firstEndingAfter, gallop, type Layout } from './layout.ts'
import { unpack } from './paint.ts'
import { css, inkOn } from './colours.ts'

export interface View {
  x: number         // Leftmost leaf that is seen.
  leaves: number    // How many are seen.
  top: number       // Pixels scrolled off above.
}

export interface Scene {
  layout: Layout
  colours: Uint32Array
  faded: Uint32Array                // Of who does not match the filter.
  matches: Uint8Array | null        // By node; null: all do.
  label: (node: number) => string
  rowHeight: number
  ground: string
}

export function rowHeight(depths: number, height: number): number {
  return Math.max(5, Math.min(26, Math.floor(height / Math.max(1, depths))))
}

interface Target {
  context: CanvasRenderingContext2D
  width: number
  height: number
  image: ImageData
  pixels: Uint32Array
}

let kept: Target | null = null

function target(context: CanvasRenderingContext2D, width: number, height: number): Target {
  if (kept?.context !== context || kept.width !== width || kept.height !== height) {
    const image = context.createImageData(width, height)
    kept = { context, width, height, image, pixels: new Uint32Array(image.data.buffer) }
  }
  return kept
}

function column(t: Target, x: number, from: number, to: number, colour: number): void {
  for (let y = from; y < to; ++y) t.pixels[y * t.width + x] = colour
}

// Puts narrow cells into the image and gives the places of wide ones.
function drawRow(t: Target, s: Scene, v: View, depth: number, wide: number[]): void {
  const l = s.layout
  const to = l.rowStart[depth + 1]!
  const scale = t.width / v.leaves
  const end = v.x + v.leaves
  const y = Math.max(0, Math.round(depth * s.rowHeight - v.top))
  const bottom = Math.min(t.height, Math.round((depth + 1) * s.rowHeight - v.top) - (s.rowHeight > 6 ? 1 : 0))
  let at = firstEndingAfter(l, l.rowStart[depth]!, to, v.x)
  while (at < to && l.rowX[at]! < end) {
    if (l.rowWidth[at]! * scale >= 1) {
      wide.push(at)
      at += 1
      continue
    }
    const px = Math.max(0, Math.floor((l.rowX[at]! - v.x) * scale))
    if (px >= t.width) break
    const node = l.rowNode[at]!
    column(t, px, y, bottom, s.matches && !s.matches[node] ? s.faded[node]! : s.colours[node]!)
    // The next that begins in another pixel: it ends after this pixel's end.
    const next = v.x + (px + 1) / scale
    at = Math.max(at + 1, gallop(l, at, to, next))
  }
}

export function drawIcicle(context: CanvasRenderingContext2D, s: Scene, v: View): void {
  const { width, height } = context.canvas
  const t = target(context, width, height)
  t.pixels.fill(0)
  const l = s.layout
  const first = Math.max(0, Math.floor(v.top / s.rowHeight))
  const last = Math.min(l.depths, Math.ceil((v.top + height) / s.rowHeight))
  const wide: number[] = []
  for (let d = first; d < last; ++d) drawRow(t, s, v, d, wide)
  context.putImageData(t.image, 0, 0)
  drawWide(context, s, v, wide, width / v.leaves)
}

function drawWide(context: CanvasRenderingContext2D, s: Scene, v: View, wide: number[], scale: number): void {
  const l = s.layout
  const { width } = context.canvas
  const gap = s.rowHeight > 6 ? 1 : 0
  context.font = '11px system-ui, sans-serif'
  context.textBaseline = 'middle'
  for (const at of wide) {
    const node = l.rowNode[at]!
    const shown = s.matches && !s.matches[node] ? s.faded[node]! : s.colours[node]!
    const colour = unpack(shown)
    const x0 = Math.max(0, (l.rowX[at]! - v.x) * scale)
    const x1 = Math.min(width, (l.rowX[at]! + l.rowWidth[at]! - v.x) * scale)
    const y = l.depth[node]! * s.rowHeight - v.top
    context.fillStyle = css(colour)
    const w = x1 - x0 - (x1 - x0 > 4 ? 1 : 0)
    context.fillRect(x0, y, w, s.rowHeight - gap)
    if (w > 34 && s.rowHeight >= 13) {
      const text = s.label(node)
      const ink = inkOn(colour)
      context.fillStyle = ink
      if (context.measureText(text).width < w - 6) context.fillText(text, x0 + 4, y + s.rowHeight / 2)
    }
  }
}

export function box(l: Layout, node: number, v: View, width: number, row: number): [number, number, number, number] {
  const at = l.place[node]!
  const scale = width / v.leaves
  return [(l.rowX[at]! - v.x) * scale, l.depth[node]! * row - v.top, Math.max(1.5, l.rowWidth[at]! * scale), row]
}

// Zooms by `factor` about the leaf at `x`, within the tree.
export function zoomed(v: View, l: Layout, factor: number, x: number): View {
  const leaves = Math.min(l.width, Math.max(2, v.leaves / factor))
  const left = x - ((x - v.x) * leaves) / v.leaves
  return { ...v, leaves, x: Math.max(0, Math.min(l.width - leaves, left)) }
}

export function panned(v: View, l: Layout, dx: number, dy: number, most: number): View {
  return {
    leaves: v.leaves,
    x: Math.max(0, Math.min(l.width - v.leaves, v.x + dx)),
    top: Math.max(0, Math.min(Math.max(0, most), v.top + dy)),
  }
}
