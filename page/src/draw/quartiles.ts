// Quartiles as the measuring loop takes them: between the two nearest samples.

export interface Quartiles {
  low: number
  median: number
  high: number
}

export function quartiles(samples: readonly number[]): Quartiles | null {
  const sorted = samples.filter(Number.isFinite).sort((a, b) => a - b)
  if (sorted.length === 0) return null
  const at = (q: number) => {
    const k = q * (sorted.length - 1)
    const i = Math.floor(k)
    const next = sorted[Math.min(i + 1, sorted.length - 1)]!
    return sorted[i]! + (k - i) * (next - sorted[i]!)
  }
  return { low: at(0.25), median: at(0.5), high: at(0.75) }
}

// Round steps for an axis of about so many ticks.
export function ticks(low: number, high: number, about: number): number[] {
  if (!(high > low)) return [low]
  const rough = (high - low) / Math.max(1, about)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10)
  const first = Math.ceil(low / step) * step
  const made: number[] = []
  for (let i = 0; first + i * step <= high + step * 1e-9; ++i) made.push(first + i * step)
  return made
}

// The same for an axis in log: 1, 2, 5, 10 and so on, or, where the axis is short,
// round steps as on any other.
export function logTicks(low: number, high: number, about: number): number[] {
  if (!(low > 0) || high / low < 5) return ticks(low, high, about)
  const made: number[] = []
  for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10) {
    for (const m of [1, 2, 5]) {
      const t = m * power
      if (t >= low * (1 - 1e-9) && t <= high * (1 + 1e-9)) made.push(t)
    }
  }
  return made
}
