// What the server says without being asked: which campaigns have moved on.

import type { Change } from './types.ts'
import type { Told } from './live_worker.ts'

export type Moved = Change['databases'][number]['campaigns'][number]

class Live {
  open = $state(false)
  since_ms = $state(Date.now())   // Of `open`.
  asked = $state(false)           // Has the link ever been open?
  frozen = $state(false)
  now_s = $state(Date.now() / 1000)
  private moved = $state.raw(new Map<string, Moved>())
  private held: Map<string, Moved> | null = null

  of(db: number, c: string): Moved | undefined {
    return this.moved.get(`${db}/${c}`)
  }

  // Changes with whatever is committed to any campaign.
  get all(): ReadonlyMap<string, Moved> {
    return this.moved
  }

  toggle(): void {
    this.frozen = !this.frozen
    // Whoever follows it asks again, also for what was left out meanwhile.
    if (!this.frozen) this.moved = this.held ?? new Map(this.moved)
    this.held = null
  }

  hear(told: Told): void {
    if (told.kind === 'link') {
      this.open = told.open
      this.since_ms = told.at_ms
      if (told.open) this.asked = true
      return
    }
    const moved = new Map<string, Moved>()
    for (const { db, campaigns } of told.change.databases) {
      for (const one of campaigns) moved.set(`${db}/${one.c}`, one)
    }
    if (this.frozen) this.held = moved
    else this.moved = moved
  }

  tick(): void {
    if (!document.hidden && !this.frozen) this.now_s = Date.now() / 1000
  }
}

export const live = new Live()

// Without shared workers each tab has a stream of its own.
function alone(): () => void {
  const source = new EventSource('/events')
  const link = (open: boolean) => live.hear({ kind: 'link', open, at_ms: Date.now() })
  source.onopen = () => link(true)
  source.onerror = () => { if (live.open) link(false) }
  source.addEventListener('change', (event: MessageEvent<string>) => {
    live.hear({ kind: 'change', change: JSON.parse(event.data) as Change })
  })
  return () => source.close()
}

function shared(): () => void {
  const worker = new SharedWorker(new URL('./live_worker.ts', import.meta.url),
    { type: 'module', name: 'coppice-live' })
  worker.port.onmessage = (event: MessageEvent<Told>) => live.hear(event.data)
  const bye = () => worker.port.postMessage('bye')
  addEventListener('pagehide', bye)
  return () => {
    removeEventListener('pagehide', bye)
    bye()
  }
}

export function listen(): () => void {
  const stop = typeof SharedWorker === 'undefined' ? alone() : shared()
  const clock = setInterval(() => live.tick(), 1000)
  return () => {
    clearInterval(clock)
    stop()
  }
}
