// How long the page takes on large trees: figures for docs, no test.
//
//   node page/test/measure.mjs [NODES...]       by default 10000 1000000
//
// Prints, of 5 loads each, the median milliseconds until the first paint and until
// the whole tree is drawn, and of 120 frames of panning the median and the 95th of
// 100; once over all of the tree, and once zoomed in ten times.
import { standIn } from './mock/server.mjs'
import { launch } from './browser/browser.mjs'

const median = (values, q = 0.5) => values.sort((a, b) => a - b)[Math.floor((values.length - 1) * q)]

async function load(browser, url) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } })
  const tab = await context.newPage()
  const start = Date.now()
  await tab.goto(url)
  await tab.waitForSelector('.field canvas[data-drawn]', { timeout: 120000 })
  const drawn = Date.now() - start
  const paint = await tab.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN)
  return { context, tab, drawn, paint }
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
  return `${median(frames).toFixed(1)} / ${median(frames, 0.95).toFixed(1)}`
}

const browser = await launch()
try {
  for (const nodes of process.argv.slice(2).map(Number).concat(process.argv.length > 2 ? [] : [10000, 1000000])) {
    const server = standIn({ nodes })
    const url = `${await server.listen()}/c/gemm_square.xei_b.s1/tree?view=icicle`
    const loads = []
    for (let i = 0; i < 5; ++i) {
      const one = await load(browser, url)
      loads.push(one)
      if (i < 4) await one.context.close()
    }
    const { tab } = loads[4]
    const all = await pan(tab)
    for (let i = 0; i < 5; ++i) await tab.keyboard.press('+')
    const close = await pan(tab)
    console.log(`${nodes} nodes: first paint ${median(loads.map((l) => l.paint)).toFixed(0)} ms, tree ${median(loads.map((l) => l.drawn))} ms; frames ${all} ms, zoomed in ${close} ms`)
    await server.close()
  }
} finally {
  await browser.close()
}
