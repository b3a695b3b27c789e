// A stand-in of the server and a tab of their own, for what is said stays said.
import { standIn } from '../mock/server.mjs'
import { inContext, openTab } from './browser.mjs'

// Returns what went wrong in the tab.
export async function atStandIn(browser, options, act, contextOptions = {}) {
  const server = standIn(options)
  const base = await server.listen()
  try {
    return await inContext(browser, contextOptions, async (context) => {
      const { tab, wrong } = await openTab(context, base)
      await act(tab, base, server, context)
      return wrong
    })
  } finally {
    await server.close()
  }
}
