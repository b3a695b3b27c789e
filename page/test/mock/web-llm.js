// In the place of web-llm: an engine of its interface that says what was recorded.
export async function CreateMLCEngine(id, { appConfig, initProgressCallback }) {
  if (!appConfig.model_list.some((m) => m.model_id === id)) throw new Error(`no model ${id}`)
  initProgressCallback({ text: 'Loading model from cache [1/2]', progress: 0.5 })
  globalThis.asked_of_model = []
  const recorded = (request) => request.response_format
    ? ['{"name": "why_failed", ', '"numbers": [14]}']
    : ['Node [[n:14]] failed, ', 'unlike [[n:9999]].']
  return {
    chat: {
      completions: {
        async create(request) {
          globalThis.asked_of_model.push(request)
          return (async function* chunks() {
            for (const content of recorded(request)) yield { choices: [{ delta: { content } }] }
          })()
        },
      },
    },
    interruptGenerate() {},
  }
}
