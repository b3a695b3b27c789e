// What a browser and Svelte's compiler bring along, for modules that Node runs
// as they are: include it first.

// A rune is its value here, and an effect runs when it is told to.
const rune = <T>(value: T): T => value
const effects: (() => void | (() => void))[] = []
export const runEffects = () => effects.map((effect) => effect())

class Target extends EventTarget {
  hidden = false
}
export const document = new Target()

Object.assign(globalThis, {
  $state: Object.assign(rune, { raw: rune }),
  $effect: (effect: () => void) => { effects.push(effect) },
  document,
})

export interface Asked {
  url: string
  method: string
  body: unknown
  signal: AbortSignal | null
}

// Answers what is asked from now on; tells what that was.
export function answering(answer: (asked: Asked) => Response | Promise<Response>): Asked[] {
  const all: Asked[] = []
  globalThis.fetch = async (url, init = {}) => {
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : null
    const asked = { url: String(url), method: init.method ?? 'GET', body, signal: init.signal ?? null }
    all.push(asked)
    return answer(asked)
  }
  return all
}

export const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status })

// As fetch does when its signal is aborted.
export function never({ signal }: Asked): Promise<Response> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
  })
}

// Until what is on its way has arrived.
export const settled = () => new Promise<void>((done) => setImmediate(done))
