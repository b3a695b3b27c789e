// Questions in words, beside a page.
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { kHostile } from '../mock/hostile.mjs'
import { atStandIn } from './at_stand_in.mjs'
import { complaints, complaintsInBoth, launch, openTab, test, visit } from './browser.mjs'

const kOne = 'gemm_square.xei_b.s1'
let browser

before(async () => { browser = await launch() })
after(async () => { await browser?.close() })

async function atServer(options, act, contextOptions = {}) {
  assert.deepEqual(await atStandIn(browser, options, act, contextOptions), [])
}

async function askIt(tab, words = 'why did node 14 fail') {
  await tab.fill('input[aria-label="A question"]', words)
  await tab.press('input[aria-label="A question"]', 'Enter')
  await tab.waitForSelector('aside .cost')
}

test('canned questions need one click and no model', async () => {
  await atServer({}, async (tab, base) => {
    await visit(tab, `${base}/c/${kOne}/n/14`)
    await tab.keyboard.press('a')
    await tab.click('aside button:has-text("Why did node 14 fail?")')
    await tab.waitForSelector('aside dd:has-text("no such thing")')
    assert.equal(await tab.getAttribute('aside dd a', 'href'), `/c/${kOne}/n/14`)
    assert.match(await tab.textContent('aside'), /No model is set/)
    await tab.fill('input[aria-label="A question"]', 'what is fastest')
    await tab.press('input[aria-label="A question"]', 'Enter')
    await tab.waitForSelector('aside tbody tr')
  })
})

test('an answer streams, with checked links, tools, and what it cost', async () => {
  await atServer({ assistant: true }, async (tab, base, server) => {
    await visit(tab, `${base}/c/${kOne}?talk=1`)
    await askIt(tab)
    assert.equal(await tab.getAttribute('aside .said a', 'href'), `/c/${kOne}/n/14`)
    assert.equal(await tab.textContent('aside .said s'), 'n:9999')
    assert.match(await tab.textContent('aside .said'), /4711 \(not found\)/)
    assert.doesNotMatch(await tab.textContent('aside .said'), /Let me/)
    assert.match(await tab.textContent('aside .cost'), /^\$0\.01 · today \$0\.50 of \$1\.00$/)
    assert.ok(!(await tab.isVisible('aside pre')))
    await tab.click('aside summary:has-text("sql")')
    assert.match(await tab.textContent('aside pre'), /SELECT 1[^]*rows/)
    // The next question goes on from it, and the address names it.
    await askIt(tab, 'and then?')
    await tab.waitForFunction(() => document.querySelectorAll('aside .cost').length === 2)
    assert.deepEqual(server.posted.map((p) => p.conversation), [null, '11111111-2222-4333-8444-555555555555'])
    assert.match(tab.url(), /talk=11111111-/)
  })
})

test('a card is sent by a click on it, and by nothing else', async () => {
  await atServer({ assistant: true }, async (tab, base, server) => {
    await visit(tab, `${base}/c/${kOne}?talk=1`)
    await askIt(tab)
    const sent = () => server.posted.filter((p) => p.path === '/api/directives').map((p) => [p.kind, p.subject, p.payload])
    const card = (text) => tab.locator('aside [aria-label="A proposal"]').filter({ hasText: text })
    for (const key of ['Enter', 'Escape', 'b', 'y', '.', '.']) await tab.keyboard.press(key)
    assert.equal(await tab.locator('aside [aria-label="A proposal"]').count(), 2)
    assert.deepEqual(sent(), [])
    await card('advise').getByRole('button', { name: 'Edit' }).click()
    await card('advise').getByLabel('What it says').fill('tile for L2')
    assert.deepEqual(sent(), [])
    await card('advise').getByRole('button', { name: 'Confirm as edited' }).click()
    await tab.waitForSelector('aside [role=status]:has-text("advise plan: tile for L2")')
    await card('freeze').getByRole('button', { name: 'Dismiss' }).click()
    assert.deepEqual(sent(), [['advise', null, { text: 'tile for L2', role: 'plan' }]])
    await askIt(tab, 'again')
    await card('freeze').getByRole('button', { name: 'Confirm' }).click()
    await tab.waitForSelector('aside [role=status]:has-text("freeze node 14")')
    assert.deepEqual(sent()[1], ['freeze', 14, {}])
  })
})

test('it stays open from page to page, and a link shows the conversation', async () => {
  await atServer({ assistant: true }, async (tab, base, server, context) => {
    await visit(tab, `${base}/c/${kOne}?talk=1`)
    await askIt(tab)
    await tab.click('aside .said a')
    await tab.waitForURL(/n\/14\?talk=1111/)
    assert.equal(await tab.locator('aside .said').count(), 1)
    const { tab: other } = await openTab(context, base)
    await visit(other, tab.url())
    await other.waitForSelector('aside article:has-text("why did node 14 fail")')
    await tab.click('button[aria-label="Close the assistant"]')
    assert.equal(await tab.locator('aside').count(), 0)
    assert.doesNotMatch(tab.url(), /talk/)
    await tab.keyboard.press('a')
    await tab.waitForSelector('aside')
  })
})

test('a server that only reads answers canned questions and asks no model', async () => {
  await atServer({ assistant: true, readOnly: true }, async (tab, base, server) => {
    await visit(tab, `${base}/c/${kOne}?talk=1`)
    await tab.click('aside button:has-text("What is fastest?")')
    await tab.waitForSelector('aside tbody tr')
    await tab.fill('input[aria-label="A question"]', 'why did it fail')
    await tab.press('input[aria-label="A question"]', 'Enter')
    await tab.waitForSelector('aside dd:has-text("no such thing")')
    assert.deepEqual(server.posted, [])
  })
})

test('hostile answers, tools, cards and directives stay texts', async () => {
  // One campaign for each text, since an answer says the first of them.
  const extra = kHostile.filter((t) => t.length < 1000).map((text, i) => ({ c: `h${i}`, nodes: 20, text: [text] }))
  await atServer({ assistant: true, extra }, async (tab, base) => {
    for (const { c } of extra) {
      await visit(tab, `${base}/c/${c}/steer?talk=1`)
      await askIt(tab)
      const alive = await tab.evaluate(() => ({
        made: document.querySelectorAll('main img, aside img, aside iframe, aside script, aside object, aside [onclick], aside [onerror], aside form[action], main form[action]').length,
        out: [...document.querySelectorAll('a[href]')].map((e) => e.href).filter((h) => !h.startsWith(location.origin)),
        hidden: /[\u202A-\u202E\u2066-\u2069]/.test(document.body.textContent),
      }))
      assert.deepEqual(alive, { made: 0, out: [], hidden: false }, c)
    }
  })
})

test('axe finds nothing in the assistant, light or dark', async () => {
  await atServer({ assistant: true }, async (tab, base) => {
    await visit(tab, `${base}/c/${kOne}?talk=1`)
    await askIt(tab)
    await tab.click('aside summary:has-text("sql")')
    await tab.locator('aside button:has-text("Edit")').first().click()
    assert.deepEqual(await complaintsInBoth(tab, 'asked'), [])
    await visit(tab, `${base}/c/${kOne}?talk=1`)
    await tab.click('aside button:has-text("What is fastest?")')
    await tab.waitForSelector('aside tbody tr')
    assert.deepEqual(await complaintsInBoth(tab, 'canned'), [])
    await tab.setViewportSize({ width: 390, height: 800 })
    assert.ok(await tab.evaluate(() => document.documentElement.scrollWidth) <= 390)
    assert.deepEqual(await complaints(tab, 'narrow'), [])
  }, { reducedMotion: 'reduce' })
})

test('a model in the browser words what the database says', async () => {
  await atServer({ models: true }, async (tab, base, server) => {
    // This Chromium has no adapter, and the stand-in of the library needs none.
    await tab.addInitScript(() => {
      Object.defineProperty(navigator, 'gpu', { value: { requestAdapter: async () => ({}) } })
    })
    await visit(tab, `${base}/c/${kOne}/n/14?talk=1`)
    await tab.waitForSelector('aside option:has-text("tiny-q4")', { state: 'attached' })
    await tab.fill('input[aria-label="A question"]', 'why is 14 bad')
    await tab.press('input[aria-label="A question"]', 'Enter')
    await tab.waitForSelector('aside .said s')
    assert.equal(await tab.getAttribute('aside .said a', 'href'), `/c/${kOne}/n/14`)
    assert.equal(await tab.textContent('aside .said s'), 'n:9999')
    await tab.click('aside summary:has-text("question")')
    assert.match(await tab.textContent('aside pre'), /why_failed 14/)
    const asked = await tab.evaluate(() => globalThis.asked_of_model)
    assert.equal(asked.length, 2)
    assert.match(asked[0].messages[0].content, /why_failed: /)
    assert.ok(JSON.parse(asked[0].response_format.schema).properties.name.enum.includes('why_failed'))
    assert.match(asked[1].messages[1].content, /^Why did node 14 fail\?/)
    assert.equal(server.posted.length, 0)
  })
})

test('without an adapter it says so, and without the folder nothing is asked for', async () => {
  await atServer({ models: true }, async (tab, base) => {
    await visit(tab, `${base}/c/${kOne}?talk=1`)
    await tab.waitForSelector('aside [role=status]:has-text("WebGPU")')
    await tab.fill('input[aria-label="A question"]', 'why did node 14 fail')
    await tab.press('input[aria-label="A question"]', 'Enter')
    await tab.waitForSelector('aside [role=alert]:has-text("WebGPU")')
  })
  await atServer({}, async (tab, base, server) => {
    await visit(tab, `${base}/c/${kOne}?talk=1`)
    assert.equal(server.seen.filter((path) => path.startsWith('/models')).length, 0)
  })
})
