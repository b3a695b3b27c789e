// Chromium for tests, and what a page must not do: fail, ask another host, open a
// dialog, or break the content security policy.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test as nodeTest } from 'node:test'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

// How long anything is waited for: a machine that compiles beside this is slow.
export const kPatience_ms = 90000

export const kChromium = {
  executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'],
  timeout: kPatience_ms,
}

// The one that one_chromium.mjs has started for all files, or one of its own.
export const launch = () => process.env.ONE_CHROMIUM
  ? chromium.connect(process.env.ONE_CHROMIUM, { timeout: kPatience_ms })
  : chromium.launch(kChromium)

const kPictures = fileURLToPath(new URL('../../../build/page-failures', import.meta.url))
let running = ''   // The name of the test.

export function test(name, options, body = options) {
  return nodeTest(name, body === options ? {} : options, async (t) => {
    running = name
    await body(t)
  })
}

// What happened in each tab, the last of it.
const kHappened = new WeakMap()
const kKept = 40

function listen(tab) {
  const lines = []
  const start = Date.now()
  const note = (line) => {
    lines.push(`${((Date.now() - start) / 1000).toFixed(1)} s ${line}`.slice(0, 300))
    if (lines.length > kKept) lines.shift()
  }
  tab.on('request', (r) => note(`asks ${r.method()} ${r.url()}`))
  tab.on('response', (r) => note(`has ${r.status()} of ${r.url()}`))
  tab.on('requestfailed', (r) => note(`has nothing of ${r.url()}: ${r.failure()?.errorText}`))
  tab.on('framenavigated', (f) => note(`is at ${f.url()}`))
  tab.on('console', (m) => note(`says ${m.type()}: ${m.text()}`))
  tab.on('pageerror', (e) => note(`throws ${e.message}`))
  tab.on('crash', () => note('crashes'))
  kHappened.set(tab, lines)
}

// A tab that does not answer is no reason to wait.
const soon = (promise) => Promise.race([promise, new Promise((_, late) => setTimeout(() => late(new Error('no answer within ten seconds')), 10000).unref())])
  .catch((e) => `none: ${e.message.split('\n')[0]}`)

// What somebody who reads the log has to know of a failure.
async function tell(context) {
  mkdirSync(kPictures, { recursive: true })
  for (const [i, tab] of context.pages().entries()) {
    const path = join(kPictures, `${running.replace(/[^a-z0-9]+/gi, '_')}-${i}.png`)
    const picture = await soon(tab.screenshot({ path }).then(() => path))
    const text = await soon(tab.evaluate(() => document.body.innerText.slice(0, 2000)))
    console.log([`"${running}" failed.  Tab ${i} is at ${tab.url()}`, `picture: ${picture}`,
      'what happened last:', ...(kHappened.get(tab) ?? []).map((line) => `  ${line}`),
      'what is there:', ...text.split('\n').map((line) => `  ${line}`)].join('\n'))
  }
}

// Closes it at the end; where `act` fails, says first what its tabs show.
export async function inContext(browser, options, act) {
  const context = await browser.newContext(options)
  try {
    return await act(context)
  } catch (error) {
    await tell(context)
    throw error
  } finally {
    await context.close()
  }
}

// Waits for what no page tells of.
export async function until(holds, what) {
  const end = Date.now() + kPatience_ms
  while (!holds()) {
    if (Date.now() > end) throw new Error(`${what} did not come to be`)
    await new Promise((done) => setTimeout(done, 20))
  }
}

// A tab, with all that went wrong in it.
export async function openTab(context, base) {
  const tab = await context.newPage()
  tab.setDefaultTimeout(kPatience_ms)
  listen(tab)
  const wrong = []
  tab.on('pageerror', (e) => wrong.push(`threw: ${e.message}`))
  tab.on('console', (m) => { if (m.type() === 'error') wrong.push(`said: ${m.text()} at ${m.location().url}`) })
  tab.on('dialog', (d) => { wrong.push(`dialog: ${d.message()}`); void d.dismiss() })
  tab.on('request', (r) => {
    const url = new URL(r.url())
    if (url.origin !== base && url.protocol !== 'data:' && url.protocol !== 'blob:') wrong.push(`asked ${r.url()}`)
  })
  return { tab, wrong }
}

// There when nothing is waited for any more: the main part has content, no note
// of waiting is left, and what is drawn is drawn.
export async function settled(tab) {
  await tab.waitForFunction(() => {
    const main = document.querySelector('main')
    return main && main.textContent.trim() !== '' && !/Waiting for|Asking …/.test(main.textContent)
  }, null)
  const canvas = await tab.$('.field canvas')
  if (canvas) await tab.waitForSelector('.field canvas[data-drawn]')
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}

export async function visit(tab, url) {
  await tab.goto(url)
  await settled(tab)
}

// By a link within the page, which loads nothing anew.
export async function follow(tab, url) {
  await tab.evaluate((to) => {
    const link = document.createElement('a')
    link.href = to
    document.body.append(link)
    link.click()
    link.remove()
  }, url)
  await settled(tab)
}

const kAxe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

// What axe complains of, by all its rules or by some.  Axe comes by way of the browser, which the
// page's policy does not bind.
export async function complaints(tab, where, rules = null) {
  const session = await tab.context().newCDPSession(tab)
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
    if (exceptionDetails) throw new Error(`axe: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`)
    return result.value
  }
  if (!await evaluate('Boolean(globalThis.axe)')) await evaluate(`${kAxe};0`)
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) }
  const found = await evaluate(`axe.run(document, ${JSON.stringify(options)}).then((r) => r.violations)`)
  await session.detach()
  return found.map((v) => `${where}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target.join(' ')} ${n.any[0]?.message ?? ''}`).join('; ')}`)
}

// In light colours, and, of the rules that colours decide, in dark ones.
export async function complaintsInBoth(tab, where) {
  const light = await complaints(tab, where)
  await tab.emulateMedia({ colorScheme: 'dark' })
  await settled(tab)
  const dark = await complaints(tab, `${where}, dark`, ['color-contrast', 'link-in-text-block'])
  await tab.emulateMedia({ colorScheme: 'light' })
  return [...light, ...dark]
}
