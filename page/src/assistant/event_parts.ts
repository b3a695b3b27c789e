// A stream of events that comes in parts, as fetch gives it.

export interface Told {
  event: string
  data: Record<string, unknown>
}

export class EventParts {
  private rest = ''

  // The events that are whole now.
  push(part: string): Told[] {
    const blocks = (this.rest + part).split('\n\n')
    this.rest = blocks.pop() ?? ''
    return blocks.flatMap((block) => told(block) ?? [])
  }
}

function told(block: string): Told | null {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) event = line.slice(6).trim()
    else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
  }
  if (data.length === 0) return null    // A comment, which keeps the line open.
  try {
    const value: unknown = JSON.parse(data.join('\n'))
    return value && typeof value === 'object' ? { event, data: value as Record<string, unknown> } : null
  } catch {
    return null
  }
}
