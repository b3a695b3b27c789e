// A campaign's tree, fetched once and then only where it has grown.

import { address, askBytes, Refusal } from '../wire/ask.ts'
import type { LaidOut } from './layout_worker.ts'

export class TreeSource {
  tree = $state.raw<LaidOut | null>(null)
  error = $state.raw<string | null>(null)
  waiting = $state(false)
  private readonly worker = new Worker(new URL('./layout_worker.ts', import.meta.url), { type: 'module' })
  private readonly stop = new AbortController()
  private wanted = -1
  private wantedVersion: number | null = null   // Null: whichever there is.
  private knownVersion: number | null = null
  private readonly db: number
  private readonly c: string

  constructor(db: number, c: string) {
    this.db = db
    this.c = c
    this.worker.onmessage = (event: MessageEvent<LaidOut | { error: string }>) => {
      this.waiting = false
      if ('error' in event.data) this.error = event.data.error
      else {
        this.tree = event.data
        this.error = null
        this.knownVersion ??= event.data.columns.version
      }
      const { wantedVersion } = this
      if (this.wanted > this.known || (wantedVersion !== null && wantedVersion !== this.knownVersion)) void this.load(this.wanted, wantedVersion)
    }
  }

  get known(): number {
    return this.tree?.columns.count ?? 0
  }

  // `version` changes with what old nodes are; null, it is not known.
  async load(nodes: number, version: number | null): Promise<void> {
    if (this.tree && nodes <= this.known && (version === null || version === this.knownVersion)) return
    this.wanted = nodes
    this.wantedVersion = version
    if (this.waiting) return
    this.waiting = true
    const whole = this.tree !== null && version !== null && version !== this.knownVersion
    if (version !== null) this.knownVersion = version
    const from = whole ? 0 : this.known
    try {
      const bytes = await askBytes(address('/api/tree', { db: this.db, c: this.c, from }), this.stop.signal)
      this.worker.postMessage({ bytes, whole }, [bytes])
      this.wanted = -1
    } catch (error) {
      this.waiting = false
      if (!this.stop.signal.aborted) {
        this.error = error instanceof Refusal ? error.message : String(error)
      }
    }
  }

  close(): void {
    this.stop.abort()
    this.worker.terminate()
  }
}
