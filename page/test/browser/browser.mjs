// Chromium for tests, and what a page must not do: fail, ask another host, open a
// dialog, or break the content security policy.
import { readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'

// How long anything is waited for: a machine that compiles beside this is slow.
export const kPatience_ms = 90000

export const launch = () => chromium.launch({
  executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'],
  timeout: kPatience_ms,
})

// A tab, with all that went wrong in it.
export async function openTab(context, base) {
  const tab = await context.newPage()
  tab.setDefaultTimeout(kPatience_ms)
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

const kAxe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

// In a context that may bypass the policy, for axe is a script of ours within it.
export async function complaints(tab, where) {
  await tab.evaluate(kAxe)
  const found = await tab.evaluate(() => globalThis.axe.run())
  return found.violations.map((v) => `${where}: ${v.id}: ${v.nodes.slice(0, 3).map((n) => `${n.target.join(' ')} ${n.any[0]?.message ?? ''}`).join('; ')}`)
}
