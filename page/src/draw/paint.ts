// The colour of each node, as one number for ImageData and fillStyle.

import type { Columns } from '../wire/columns.ts'
import { kindColour, viridis, type Rgb } from './colours.ts'

export type Paint = 'speedup' | 'verdict' | 'technique' | 'policy' | 'age'
export const kPaints: readonly Paint[] = ['speedup', 'verdict', 'technique', 'policy', 'age']
export const kFamilies = ['other', 'algorithm', 'fusion', 'loops', 'memory', 'vectors', 'parallel', 'precision'] as const

export interface Painted {
  colours: Uint32Array      // 0xAABBGGRR by node.
  low: number               // Of the scale, if it is one.
  high: number
}

export function pack(c: Rgb): number {
  return ((255 << 24) | (c[2] << 16) | (c[1] << 8) | c[0]) >>> 0
}

export function unpack(packed: number): Rgb {
  return [packed & 255, (packed >>> 8) & 255, (packed >>> 16) & 255]
}

// The whole scale is of what passed, in log: twice as fast is as far anywhere.
export function speedRange(t: Columns): [number, number] {
  let low = Infinity
  let high = -Infinity
  for (let i = 0; i < t.count; ++i) {
    const s = t.speedup[i]!
    if (t.verdict[i] === 0 && s > 0) {
      if (s < low) low = s
      if (s > high) high = s
    }
  }
  if (low > high) return [1, 2]
  return high > low ? [low, high] : [low, low * 2]
}

const kScale = Array.from({ length: 256 }, (_, i) => pack(viridis(i / 255)))

export function paint(t: Columns, by: Paint, dark: boolean): Painted {
  const colours = new Uint32Array(t.count)
  const none = pack(dark ? [64, 68, 74] : [206, 206, 202])
  const [low, high] = by === 'speedup' ? speedRange(t) : [0, Math.max(1, t.count - 1)]
  if (by === 'speedup') {
    const base = Math.log2(low)
    const scale = 255 / (Math.log2(high) - base)
    for (let i = 0; i < t.count; ++i) {
      const s = t.speedup[i]!
      const ok = t.verdict[i] === 0 && s > 0
      colours[i] = ok ? kScale[Math.max(0, Math.min(255, Math.round((Math.log2(s) - base) * scale)))]! : none
    }
  } else if (by === 'age') {
    for (let i = 0; i < t.count; ++i) colours[i] = kScale[Math.round((255 * i) / high)]!
  } else {
    const kinds = by === 'verdict' ? t.verdict : by === 'technique' ? t.technique : t.policy
    const packed = Array.from({ length: 8 }, (_, k) => pack(kindColour(k)))
    for (let i = 0; i < t.count; ++i) {
      const kind = kinds[i]!
      colours[i] = kind === 255 ? none : packed[kind % 8]!
    }
  }
  return { colours, low, high }
}

export function fade(packed: number, dark: boolean): number {
  const ground = dark ? 22 : 250
  const c = unpack(packed)
  const mix = (v: number) => Math.round(v * 0.14 + ground * 0.86)
  return pack([mix(c[0]), mix(c[1]), mix(c[2])])
}
