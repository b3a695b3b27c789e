// A file of the disk in a browser without a network, with what it asked for beside
// itself, what it said, and the milliseconds until it was there.
export async function openReport(browser, url, options = {}) {
  const context = await browser.newContext({ ...options, offline: true })
  const tab = await context.newPage()
  const wrong = []
  tab.on('request', (r) => { if (r.url() !== url && !/^(data|blob):/.test(r.url())) wrong.push(`asked ${r.url()}`) })
  tab.on('console', (m) => { if (m.type() === 'error') wrong.push(`said: ${m.text()}`) })
  tab.on('pageerror', (e) => wrong.push(`threw: ${e.message}`))
  const start = Date.now()
  await tab.goto(url)
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  return { tab, wrong, took_ms: Date.now() - start }
}
