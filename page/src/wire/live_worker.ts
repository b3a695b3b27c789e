// One stream of events for all tabs: a browser opens no more than six
// connections to a server, and a stream in each tab would use them up.

import type { Change } from './types.ts'

export type Told =
  | { kind: 'change'; change: Change }
  | { kind: 'link'; open: boolean; at_ms: number }

// TypeScript's library of the document has no type for what a shared worker is.
const worker = self as unknown as { onconnect: (event: MessageEvent) => void }

const ports = new Set<MessagePort>()
let last: Told | null = null
let link: Told = { kind: 'link', open: false, at_ms: Date.now() }

function toAll(told: Told): void {
  for (const port of ports) port.postMessage(told)
}

function setLink(open: boolean): void {
  if (link.kind === 'link' && link.open === open) return
  link = { kind: 'link', open, at_ms: Date.now() }
  toAll(link)
}

let source: EventSource | null = null

function connect(): void {
  source = new EventSource('/events')
  source.onopen = () => setLink(true)
  source.onerror = () => {
    setLink(false)
    // Closed for good: the server is gone, or refused; it may come back.
    if (source?.readyState === EventSource.CLOSED) setTimeout(connect, 2000)
  }
  source.addEventListener('change', (event: MessageEvent<string>) => {
    last = { kind: 'change', change: JSON.parse(event.data) as Change }
    toAll(last)
  })
}

worker.onconnect = (event) => {
  const port = event.ports[0]
  if (!port) return
  ports.add(port)
  port.onmessage = (message: MessageEvent<string>) => {
    if (message.data === 'bye') ports.delete(port)
  }
  port.postMessage(link)
  if (last) port.postMessage(last)
  if (!source) connect()
}
