// What was said to a campaign so far, and whether more can be said from here.

import { address } from '../wire/ask.ts'
import { live } from '../wire/live.svelte.ts'
import { resource, type Resource } from '../wire/resource.svelte.ts'
import type { Directive, State } from '../wire/types.ts'
import { lastOf, type Draft } from './directive.ts'
import { Saying } from './saying.svelte.ts'

export class Steering {
  readonly all: Resource<Directive[]>
  readonly saying: Saying
  private readonly server: Resource<State>
  private asked = $state(0)

  constructor(private readonly db: number, private readonly c: string) {
    this.all = resource<Directive[]>(() => address('/api/directives', { db, c }),
      () => [live.of(db, c)?.directives, live.of(db, c)?.last_directive, live.of(db, c)?.attempts, live.of(db, c)?.in_flight, this.asked])
    this.server = resource<State>(() => '/api/state')
    this.saying = new Saying(db, c, () => { this.asked += 1 })
  }

  // False until the server has said that it writes.
  get allowed(): boolean {
    return this.server.data?.read_only === false
  }

  get readOnly(): boolean {
    return this.server.data?.read_only === true
  }

  get rows(): readonly Directive[] {
    return this.all.data ?? []
  }

  get state(): string | undefined {
    return live.of(this.db, this.c)?.state
  }

  say = (draft: Draft): Promise<boolean> => this.saying.say(draft, lastOf(this.rows))
}
