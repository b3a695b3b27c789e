// Colours that people with any kind of sight tell apart: viridis for numbers,
// Okabe and Ito's eight for kinds, and a letter beside each.

export const kVerdicts = ['passed', 'compile_failed', 'crashed', 'timed_out',
  'wrong_output', 'rejected', 'no_candidate', 'inconclusive'] as const

export const kVerdictLetters = ['P', 'C', 'X', 'T', 'W', 'R', 'N', 'I'] as const

export type Rgb = readonly [number, number, number]

const kOkabeIto: readonly Rgb[] = [
  [0, 158, 115],    // Green.
  [230, 159, 0],    // Orange.
  [213, 94, 0],     // Vermilion.
  [204, 121, 167],  // Purple.
  [0, 114, 178],    // Blue.
  [240, 228, 66],   // Yellow.
  [140, 140, 140],  // Grey, in black's place: pages are dark as well.
  [86, 180, 233],   // Sky.
]

// Each sixteenth of viridis; between them it is as good as straight.
const kViridis: readonly Rgb[] = [
  [68, 1, 84], [72, 26, 108], [71, 47, 125], [65, 68, 135], [57, 86, 140],
  [49, 104, 142], [42, 120, 142], [35, 136, 142], [31, 152, 139],
  [34, 168, 132], [53, 183, 121], [84, 197, 104], [122, 209, 81],
  [165, 219, 54], [210, 226, 27], [253, 231, 37],
]

// `t` from 0 to 1; beyond is the end.
export function viridis(t: number): Rgb {
  const at = Math.min(1, Math.max(0, t)) * (kViridis.length - 1)
  const i = Math.min(kViridis.length - 2, Math.floor(at))
  const a = kViridis[i]!
  const b = kViridis[i + 1]!
  const f = at - i
  const mix = (k: 0 | 1 | 2) => Math.round(a[k] + (b[k] - a[k]) * f)
  return [mix(0), mix(1), mix(2)]
}

export function kindColour(index: number): Rgb {
  return kOkabeIto[index % kOkabeIto.length]!
}

export function css(colour: Rgb): string {
  return `rgb(${colour[0]} ${colour[1]} ${colour[2]})`
}

// What text is read on it: black or white, by the luminance of WCAG 2.
export function inkOn(colour: Rgb): 'black' | 'white' {
  const linear = (v: number) => {
    const s = v / 255
    return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4
  }
  const l = 0.2126 * linear(colour[0]) + 0.7152 * linear(colour[1]) +
    0.0722 * linear(colour[2])
  return l > 0.179 ? 'black' : 'white'
}
