// A model that runs in the browser, by web-llm: its library, its weights and the
// list of models come from a folder of this server's, and from nowhere else.

export interface Progress { text: string; progress: number }

interface Said { choices: { delta?: { content?: string | null }; message?: { content?: string | null } }[] }
interface Message { role: 'system' | 'user'; content: string }

// The part of web-llm's MLCEngineInterface that is used here.
export interface Engine {
  chat: { completions: { create(request: { messages: Message[]; stream: true; temperature: number; response_format?: { type: 'json_object'; schema: string } }): Promise<AsyncIterable<Said>> } }
  interruptGenerate(): Promise<void> | void
}

interface Listed { model: string; model_id: string; model_lib: string }
interface Library {
  CreateMLCEngine(id: string, config: { appConfig: { model_list: Listed[] }; initProgressCallback: (p: Progress) => void }): Promise<Engine>
}

const kFolder = '/models/'

async function listed(): Promise<Listed[]> {
  const response = await fetch(`${kFolder}models.json`)
  if (!response.ok) throw new Error(`models.json: the server answered ${response.status}.`)
  const all = ((await response.json()) as { model_list?: Listed[] }).model_list ?? []
  const here = (path: string) => {
    const url = new URL(path, `${location.origin}${kFolder}`)
    if (url.origin !== location.origin) throw new Error('models.json names another host: give paths within the folder.')
    return url.href
  }
  return all.map((m) => ({ ...m, model: here(m.model), model_lib: here(m.model_lib) }))
}

export const modelNames = async (): Promise<string[]> => (await listed()).map((m) => m.model_id)

interface Gpu { requestAdapter(): Promise<unknown> }

// Says in a line why no model can run, or nothing.
export async function hindrance(): Promise<string> {
  const gpu = (navigator as { gpu?: Gpu }).gpu
  if (!gpu) return 'This browser has no WebGPU, so no model runs in it.'
  return await gpu.requestAdapter() ? '' : 'This browser gives no WebGPU adapter, so no model runs in it.'
}

const engines = new Map<string, Promise<Engine>>()

// Loaded once for a page that is open.
export function engineOf(id: string, tell: (p: Progress) => void): Promise<Engine> {
  const there = engines.get(id)
  if (there) return there
  const made = (async () => {
    const why = await hindrance()
    if (why) throw new Error(why)
    const at = `${kFolder}web-llm.js`
    const library = await import(/* @vite-ignore */ at) as Library
    return library.CreateMLCEngine(id, { appConfig: { model_list: await listed() }, initProgressCallback: tell })
  })()
  engines.set(id, made)
  made.catch(() => engines.delete(id))
  return made
}

// Its words as they come, and in the end all of them.
export async function complete(engine: Engine, messages: Message[], hear: (so_far: string) => void, schema?: string): Promise<string> {
  const chunks = await engine.chat.completions.create({
    messages, stream: true, temperature: 0, ...(schema ? { response_format: { type: 'json_object' as const, schema } } : {}),
  })
  let all = ''
  for await (const chunk of chunks) {
    all += chunk.choices[0]?.delta?.content ?? ''
    hear(all)
  }
  return all
}
