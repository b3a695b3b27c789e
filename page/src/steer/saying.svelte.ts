// Something that is being said to a campaign: on its way, said, refused, or
// said otherwise by somebody else meanwhile.

import { Refusal, tell } from '../wire/ask.ts'
import type { Directive } from '../wire/types.ts'
import { newUuid, type Draft } from './directive.ts'

export class Saying {
  busy = $state(false)
  error = $state<string | null>(null)
  mine = $state.raw<Draft | null>(null)         // What was sent last.
  other = $state.raw<Directive | null>(null)    // What stands against it.
  said = $state.raw<Directive | null>(null)     // The row that it became.
  private uuid = newUuid()
  private of = ''

  constructor(private readonly db: number, private readonly c: string,
    private readonly changed: () => void) {}

  // `last` is the newest directive that its author has seen.
  async say(draft: Draft, last: number): Promise<boolean> {
    // One uuid for one intention: sending it again after a failure is safe.
    const text = JSON.stringify(draft)
    if (text !== this.of) this.uuid = newUuid()
    this.of = text
    this.mine = draft
    const done = await this.ask('/api/directives', { uuid: this.uuid, ...draft, expected_last: last })
    if (done) this.of = ''
    return done
  }

  withdraw(id: number): Promise<boolean> {
    this.mine = null
    return this.ask('/api/directives/withdraw', { id })
  }

  // Mine as well, now that I have seen the other.
  insist(): Promise<boolean> {
    return this.mine && this.other ? this.say(this.mine, this.other.id) : Promise.resolve(false)
  }

  leave(): void {
    this.mine = null
    this.other = null
    this.error = null
    this.of = ''
  }

  private async ask(url: string, what: object): Promise<boolean> {
    if (this.busy) return false
    this.busy = true
    this.error = null
    this.said = null
    try {
      this.said = await tell<Directive>(url, { db: this.db, c: this.c, ...what })
      this.other = null
      return true
    } catch (e) {
      this.other = otherOf(e)
      this.error = e instanceof Refusal ? e.message : String(e)
      return false
    } finally {
      this.busy = false
      this.changed()
    }
  }
}

function otherOf(e: unknown): Directive | null {
  if (!(e instanceof Refusal) || e.status !== 409) return null
  const body = e.body as { other?: Directive } | null
  return body?.other ?? null
}
