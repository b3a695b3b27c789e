// Questions to the server.  An answer that is no answer is one line of text.

export class Refusal extends Error {
  readonly status: number
  readonly body: unknown    // What came with it, null if it was no JSON.
  constructor(status: number, line: string, body: unknown = null) {
    super(line)
    this.status = status
    this.body = body
  }
}

export type Value = string | number | boolean | null | undefined

export function address(path: string, query: Record<string, Value> = {}): string {
  const parts = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') {
      parts.set(key, String(value))
    }
  }
  const text = parts.toString()
  return text ? `${path}?${text}` : path
}

async function refusal(response: Response): Promise<Refusal> {
  const text = await response.text().catch(() => '')
  try {
    const body: unknown = JSON.parse(text)
    if (body && typeof body === 'object' && 'error' in body) {
      return new Refusal(response.status, String(body.error), body)
    }
  } catch {
    // Not of our server, or torn: the status says it.
  }
  return new Refusal(response.status, `The server answered ${response.status}.`)
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  let response: Response
  try {
    response = await fetch(url, init)
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Refusal(0, 'No server answers. Is coppice serve still running?')
  }
  if (!response.ok) throw await refusal(response)
  return response
}

export async function ask<T>(url: string, signal?: AbortSignal): Promise<T> {
  const response = await reach(url, signal ? { signal } : {})
  try {
    return (await response.json()) as T
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new Refusal(response.status, 'The answer came torn. Reload to ask again.')
  }
}

export async function askBytes(url: string, signal?: AbortSignal): Promise<ArrayBuffer> {
  const response = await reach(url, signal ? { signal } : {})
  return response.arrayBuffer()
}

// Sends, and gives the answer as it comes.
export function send(url: string, body: unknown, signal?: AbortSignal): Promise<Response> {
  return reach(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Coppice': '1' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  })
}

export async function tell<T>(url: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return (await (await send(url, body, signal)).json()) as T
}
