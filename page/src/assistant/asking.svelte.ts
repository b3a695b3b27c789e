// A question to the model, and what came back of it so far.

import { Refusal, send } from '../wire/ask.ts'
import type { Card } from './card.ts'
import { EventParts, type Told } from './event_parts.ts'
import type { Cite } from './pieces.ts'

export interface ToolRow {
  name: string
  arguments: string
  rows: number
  error: string
  result: string
}

const textOf = (value: unknown) => typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value)
const numberOf = (value: unknown) => typeof value === 'number' ? value : null
const cardOf = (d: Record<string, unknown>): Card => ({ kind: textOf(d['kind']), subject: textOf(d['subject']), payload: textOf(d['payload']), why: textOf(d['why']) })

// What is shown of a question that is answered, by whatever model.
export interface Replied {
  readonly question: string
  readonly text: string
  readonly tools: ToolRow[]
  readonly cards: Card[]
  readonly cites: Cite[]
  readonly unfound: string[]
  readonly waiting: string
  readonly error: string
  readonly fault: string
  readonly busy: boolean
  readonly cost_usd: number | null
  readonly spent_usd: number | null
  readonly cap_usd: number | null
  readonly conversation: string
  stop(): void
}

export class Asking implements Replied {
  text = $state('')
  tools = $state.raw<ToolRow[]>([])
  cards = $state.raw<Card[]>([])
  cites = $state.raw<Cite[]>([])
  unfound = $state.raw<string[]>([])
  waiting = $state('')          // Why nothing comes for now.
  error = $state('')
  fault = $state('')
  busy = $state(true)
  cost_usd = $state<number | null>(null)
  spent_usd = $state<number | null>(null)
  cap_usd = $state<number | null>(null)
  conversation = $state('')
  private readonly stopper = new AbortController()
  private begun = ''            // What was said before the last tool.

  constructor(readonly question: string) {}

  async run(db: number, c: string, conversation: string | null): Promise<void> {
    try {
      const response = await send('/api/ask', { db, c, question: this.question, conversation }, this.stopper.signal)
      const parts = new EventParts()
      const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
      for (;;) {
        const step = await reader?.read()
        if (!step || step.done) break
        for (const told of parts.push(step.value)) this.hear(told)
      }
      if (this.busy && !this.error) this.error = 'The answer broke off.'
    } catch (e) {
      this.error = this.stopper.signal.aborted ? 'Stopped.' : e instanceof Refusal ? e.message : String(e)
    }
    this.busy = false
  }

  stop(): void {
    this.stopper.abort()
  }

  private hear({ event, data }: Told): void {
    this.waiting = ''
    if (event === 'token') this.text += textOf(data['text'])
    else if (event === 'restart') this.text = this.begun
    else if (event === 'tool') {
      if (this.text) this.text += '\n\n'
      this.begun = this.text
      this.tools = [...this.tools, { name: textOf(data['name']), arguments: textOf(data['arguments']), rows: numberOf(data['rows']) ?? 0, error: textOf(data['error']), result: textOf(data['result']) }]
    } else if (event === 'card') this.cards = [...this.cards, cardOf(data)]
    else if (event === 'waiting') this.waiting = textOf(data['why'])
    else if (event === 'error') {
      this.error = textOf(data['error'])
      this.busy = false
    } else if (event === 'done') this.finish(data)
  }

  private finish(data: Record<string, unknown>): void {
    this.text = textOf(data['text'])
    this.fault = textOf(data['fault'])
    this.cites = (data['cites'] as Cite[] | undefined) ?? []
    this.unfound = (data['not_found'] as string[] | undefined) ?? []
    this.cost_usd = numberOf(data['cost_usd'])
    this.spent_usd = numberOf(data['spent_today_usd'])
    this.cap_usd = numberOf(data['cap_usd_day'])
    this.conversation = textOf(data['conversation'])
    this.busy = false
  }
}
