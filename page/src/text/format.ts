// Numbers and times as people read them.

export const kNothing = '–'

export function times(x: number | null | undefined): string {
  if (x === null || x === undefined || !Number.isFinite(x)) return kNothing
  const digits = x >= 100 ? 0 : x >= 10 ? 1 : 2
  return `${x.toFixed(digits)}x`
}

export function interval(low: number | null, high: number | null): string {
  if (low === null || high === null) return ''
  const digits = high >= 100 ? 0 : high >= 10 ? 1 : 2
  return `[${low.toFixed(digits)}, ${high.toFixed(digits)}]`
}

export function seconds(s: number | null | undefined): string {
  if (s === null || s === undefined || !Number.isFinite(s)) return kNothing
  const size = Math.abs(s)
  if (size === 0) return '0 s'
  if (size < 1e-6) return `${round3(s * 1e9)} ns`
  if (size < 1e-3) return `${round3(s * 1e6)} µs`
  if (size < 1) return `${round3(s * 1e3)} ms`
  return `${round3(s)} s`
}

function round3(x: number): string {
  const size = Math.abs(x)
  return x.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}

// 42 s, 3:07, 1:02:03, 2 d 3 h.
export function span(s: number | null | undefined): string {
  if (s === null || s === undefined || !Number.isFinite(s)) return kNothing
  const whole = Math.max(0, Math.floor(s))
  if (whole < 60) return `${whole} s`
  const two = (n: number) => String(n).padStart(2, '0')
  const minutes = Math.floor(whole / 60)
  if (whole < 3600) return `${minutes}:${two(whole % 60)}`
  const hours = Math.floor(whole / 3600)
  if (hours < 48) return `${hours}:${two(minutes % 60)}:${two(whole % 60)}`
  return `${Math.floor(hours / 24)} d ${hours % 24} h`
}

export function dollars(usd: number | null | undefined): string {
  if (usd === null || usd === undefined || !Number.isFinite(usd)) return kNothing
  if (usd === 0) return '$0'
  return Math.abs(usd) < 0.01 ? `$${usd.toPrecision(2)}` : `$${usd.toFixed(2)}`
}

export function count(n: number | null | undefined): string {
  if (n === null || n === undefined) return kNothing
  return n.toLocaleString('en-US')
}

// 12.3k, 4.5M: where there is no room for all digits.
export function short(n: number | null | undefined): string {
  if (n === null || n === undefined || !Number.isFinite(n)) return kNothing
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

const two = (n: number) => String(n).padStart(2, '0')

// In the reader's own zone: 12:03:04 today, else 2026-11-23 12:03.
export function moment(at_s: number | null | undefined, now: Date = new Date()): string {
  if (at_s === null || at_s === undefined || !Number.isFinite(at_s)) return kNothing
  const at = new Date(at_s * 1000)
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`
  const today = at.toDateString() === now.toDateString()
  return today ? `${clock}:${two(at.getSeconds())}` : `${day} ${clock}`
}

export function ago(at_s: number | null | undefined, now_s: number): string {
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
