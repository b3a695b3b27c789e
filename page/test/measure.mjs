// How long the page takes on large trees: figures for docs, no test.
//
//   node page/test/measure.mjs [NODES...]       by default 10000 1000000
//   node page/test/measure.mjs --server ENTRY --db N --campaign NAME
//   node page/test/measure.mjs --report FILE
//
// The first is before a stand-in, the second before a server that runs, at the
// address that it printed; it gives one line of JSON, and the number of 8 tabs
// that load (scripts/inspector_figures.py).  The third is of a report that was
// exported, opened without a network: a line of JSON, too.
//
// Prints, of 5 loads each, the median milliseconds until the first paint and until
// the whole tree is drawn, and of 120 frames of panning the median and the 95th of
// 100; once over all of the tree, and once zoomed in ten times.
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { standIn } from './mock/server.mjs'
import { launch, settled } from './browser/browser.mjs'
import { openReport } from './browser/open_report.mjs'

const median = (values, q = 0.5) => values.sort((a, b) => a - b)[Math.floor((values.length - 1) * q)]

async function load(context, url) {
  const tab = await context.newPage()
  const start = Date.now()
  await tab.goto(url)
  await tab.waitForSelector('.field canvas[data-drawn]', { timeout: 120000 })
  const drawn = Date.now() - start
  const paint = await tab.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN)
  return { tab, drawn, paint }
}

async function pan(tab) {
  const box = await (await tab.$('.field')).boundingBox()
  await tab.evaluate(() => {
    globalThis.frames = []
    let last = performance.now()
    const frame = (now) => {
      globalThis.frames.push(now - last)
      last = now
      if (globalThis.frames.length < 121) requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })
  await tab.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await tab.mouse.down()
  for (let i = 0; i < 120; ++i) await tab.mouse.move(box.x + box.width / 2 + (i % 40) * 8 - 160, box.y + box.height / 2)
  await tab.mouse.up()
  await tab.waitForFunction(() => globalThis.frames.length >= 121)
  const frames = (await tab.evaluate(() => globalThis.frames)).slice(1)
  return { middle: median(frames), late: median(frames, 0.95) }
}

const view = { viewport: { width: 1400, height: 900 } }
const inWords = ({ middle, late }) => `${middle.toFixed(1)} / ${late.toFixed(1)}`

// How many of 8 tabs, all there at once, come to show a campaign.
async function countTabs(context, url) {
  const tabs = await Promise.all(Array.from({ length: 8 }, () => context.newPage()))
  const loads = await Promise.allSettled(tabs.map(async (tab) => {
    await tab.goto(url)
    await settled(tab)
  }))
  return loads.filter((l) => l.status === 'fulfilled').length
}

async function measureServer(browser, { server, db, campaign }) {
  const base = new URL(server).origin
  const context = await browser.newContext(view)
  const first = await context.newPage()
  await first.goto(server)
  await first.close()
  const of = `${base}/c/${encodeURIComponent(campaign)}`
  const which = db === '0' ? '' : `db=${db}`
  const loads = []
  for (let i = 0; i < 6; ++i) {
    loads.push(await load(context, `${of}/tree?view=icicle&${which}`))
    if (i < 5) await loads[i].tab.close()
  }
  const [cold, ...warm] = loads
  const frames = await pan(warm[4].tab)
  await warm[4].tab.close()
  return {
    cold_ms: cold.drawn, tree_ms: median(warm.map((l) => l.drawn)), paint_ms: median(warm.map((l) => l.paint)),
    frame_ms: frames.middle, frame_95_ms: frames.late, tabs: await countTabs(context, `${of}?${which}`),
  }
}

async function measureStandIn(browser, nodes) {
  const server = standIn({ nodes })
  const url = `${await server.listen()}/c/gemm_square.xei_b.s1/tree?view=icicle`
  const loads = []
  for (let i = 0; i < 5; ++i) {
    const context = await browser.newContext(view)
    loads.push(await load(context, url))
    if (i < 4) await context.close()
  }
  const { tab } = loads[4]
  const all = await pan(tab)
  for (let i = 0; i < 5; ++i) await tab.keyboard.press('+')
  const close = await pan(tab)
  console.log(`${nodes} nodes: first paint ${median(loads.map((l) => l.paint)).toFixed(0)} ms, tree ${median(loads.map((l) => l.drawn))} ms; frames ${inWords(all)} ms, zoomed in ${inWords(close)} ms`)
  await server.close()
}

async function measureReport(browser, file) {
  const opened = []
  for (let i = 0; i < 5; ++i) {
    opened.push(await openReport(browser, pathToFileURL(file).href))
    await opened[i].tab.context().close()
  }
  return { open_ms: median(opened.map((o) => o.took_ms)), wrong: opened.flatMap((o) => o.wrong).length }
}

const { values, positionals } = parseArgs({
  allowPositionals: true, options: { server: { type: 'string' }, report: { type: 'string' }, db: { type: 'string', default: '0' }, campaign: { type: 'string' } },
})
const browser = await launch()
try {
  if (values.report) {
    console.log(JSON.stringify(await measureReport(browser, values.report)))
  } else if (values.server) {
    console.log(JSON.stringify(await measureServer(browser, values)))
  } else {
    for (const nodes of positionals.length > 0 ? positionals.map(Number) : [10000, 1000000]) await measureStandIn(browser, nodes)
  }
} finally {
  await browser.close()
}
