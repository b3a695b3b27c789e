// Numbers and times as people read them.

export const kNothing = '–'

type Maybe = number | null | undefined

const isKnown = (x: Maybe): x is number => Number.isFinite(x)

// With as many digits behind the point as make three of `as`.
function round3(x: number, as = x): string {
  const size = Math.abs(as)
  return x.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}

export function times(x: Maybe): string {
  return isKnown(x) ? `${round3(x)}x` : kNothing
}

export function interval(low: number | null, high: number | null): string {
  return low === null || high === null ? '' : `[${round3(low, high)}, ${round3(high)}]`
}

export function seconds(s: Maybe): string {
  if (!isKnown(s)) return kNothing
  const size = Math.abs(s)
  if (size === 0) return '0 s'
  if (size < 1e-6) return `${round3(s * 1e9)} ns`
  if (size < 1e-3) return `${round3(s * 1e6)} µs`
  if (size < 1) return `${round3(s * 1e3)} ms`
  return `${round3(s)} s`
}

const two = (n: number) => String(n).padStart(2, '0')

// 42 s, 3:07, 1:02:03, 2 d 3 h.
export function span(s: Maybe): string {
  if (!isKnown(s)) return kNothing
  const whole = Math.max(0, Math.floor(s))
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  if (whole < 3600) return `${minutes}:${two(whole % 60)}`
  const hours = Math.floor(whole / 3600)
  if (hours < 48) return `${hours}:${two(minutes % 60)}:${two(whole % 60)}`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

export function dollars(usd: Maybe): string {
  if (!isKnown(usd)) return kNothing
  if (usd === 0) return '$0'
  return Math.abs(usd) < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`
}

export function count(n: Maybe): string {
  if (n === null || n === undefined) return kNothing
  return n.toLocaleString('en-US')
}

// 12.3k, 4.5M: where there is no room for all digits.
export function short(n: Maybe): string {
  if (!isKnown(n)) return kNothing
  const size = Math.abs(n)
  if (size >= 1e9) return `${round3(n / 1e9)}G`
  if (size >= 1e6) return `${round3(n / 1e6)}M`
  if (size >= 1e4) return `${round3(n / 1e3)}k`
  if (Number.isInteger(n)) return String(n)
  return size >= 0.01 || size === 0 ? round3(n) : n.toPrecision(3)
}

export function share(part: number, whole: number): string {
  if (whole <= 0) return kNothing
  const percent = (100 * part) / whole
  if (percent > 0 && percent < 1) return '<1%'
  return `${Math.round(percent)}%`
}

// In the reader's own zone: 12:03:04 today, else 2026-11-23 12:03.
export function moment(at_s: Maybe, now: Date = new Date()): string {
  if (!isKnown(at_s)) return kNothing
  const at = new Date(at_s * 1000)
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`
  const today = at.toDateString() === now.toDateString()
  return today ? `${clock}:${two(at.getSeconds())}` : `${day} ${clock}`
}

export function ago(at_s: Maybe, now_s: number): string {
  if (at_s === null || at_s === undefined) return kNothing
  return `${span(now_s - at_s)} ago`
}

// compile_failed as "compile failed".
export function words(name: string | null | undefined): string {
  return (name ?? '').replaceAll('_', ' ')
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`
}

// A day since 1970, or already a date.
export function day(of: number | string): string {
  if (typeof of === 'string') return of
  return new Date(of * 86400e3).toISOString().slice(0, 10)
}
