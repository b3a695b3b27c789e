// An answer that follows its question.  While a newer answer is on its way the
// old one stays, marked as such; a failure says its line and keeps what there was.

import { untrack } from 'svelte'
import { ask, Refusal } from './ask.ts'
import { live } from './live.svelte.ts'

export class Resource<T> {
  data = $state.raw<T | null>(null)
  error = $state.raw<Refusal | null>(null)
  waiting = $state(false)
  at_ms = $state(0)
  private url = ''
  private stop: AbortController | null = null
  private again = false

  constructor(private readonly get: (url: string, signal: AbortSignal) => Promise<T>) {}

  async load(url: string): Promise<void> {
    if (url !== this.url) {
      this.stop?.abort()
      this.data = null
      this.error = null
      this.waiting = false
      this.url = url
    } else if (this.waiting) {
      this.again = true   // Once more when this answer is here.
      return
    }
    const stop = new AbortController()
    this.stop = stop
    this.waiting = true
    try {
      const data = await this.get(url, stop.signal)
      if (stop.signal.aborted) return
      this.data = data
      this.error = null
      this.at_ms = Date.now()
    } catch (error) {
      if (stop.signal.aborted) return
      this.error = error instanceof Refusal ? error : new Refusal(0, String(error))
    }
    this.waiting = false
    if (this.again) {
      this.again = false
      setTimeout(() => { if (url === this.url && !live.frozen) void this.load(url) }, 500)
    }
  }
}

// Asks `url()`, and again when it or `version()` changes; null asks nothing.
// Hidden tabs wait until they are seen.
export function resource<T>(
  url: () => string | null, version: () => unknown = () => 0,
  get: (url: string, signal: AbortSignal) => Promise<T> = (u, s) => ask<T>(u, s),
): Resource<T> {
  const made = new Resource<T>(get)
  $effect(() => {
    const wanted = url()
    version()
    if (wanted === null) return
    if (!document.hidden) {
      // What load() reads of its own state is no reason to ask again.
      untrack(() => void made.load(wanted))
      return
    }
    const seen = () => void made.load(wanted)
    document.addEventListener('visibilitychange', seen, { once: true })
    return () => document.removeEventListener('visibilitychange', seen)
  })
  return made
}
