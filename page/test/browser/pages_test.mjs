// The page before the stand-in: every place, every state.
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { kHostile } from '../mock/hostile.mjs'
import { standIn } from '../mock/server.mjs'
import { atStandIn } from './at_stand_in.mjs'
import { complaintsInBoth, follow, inContext, launch, openTab, settled, test, until, visit } from './browser.mjs'
import { places } from './places.mjs'

const kOne = 'gemm_square.xei_b.s1'
let browser
let server
let base

before(async () => {
  server = standIn({ extra: [{ c: 'hostile', nodes: 40, text: kHostile }, { c: '<img src=x onerror=alert(1)>', nodes: 5, text: kHostile }] })
  base = await server.listen()
  browser = await launch()
})
after(async () => {
  await browser?.close()
  await server?.close()
})

async function inTab(options, act) {
  await inContext(browser, options, async (context) => {
    const { tab, wrong } = await openTab(context, base)
    await act(tab, context)
    assert.deepEqual(wrong, [])
  })
}

test('every place is drawn under the policy and asks no other host, and axe finds nothing', async () => {
  await inTab({ reducedMotion: 'reduce' }, async (tab) => {
    const said = []
    for (const place of places(kOne, 14)) {
      await visit(tab, base + place)
      assert.notEqual((await tab.title()).length, 0, place)
      said.push(...await complaintsInBoth(tab, place))
    }
    assert.deepEqual(said, [])
  })
})

test('narrow, no place is wider than its window', async () => {
  await inTab({ viewport: { width: 390, height: 800 } }, async (tab) => {
    for (const place of places(kOne, 14)) {
      await visit(tab, base + place)
      const wide = await tab.evaluate(() => document.documentElement.scrollWidth)
      assert.ok(wide <= 390, `${place} is ${wide} wide`)
    }
  })
})

test('forty hostile texts stay texts', async () => {
  await inTab({}, async (tab) => {
    await visit(tab, base)
    for (const c of ['hostile', '<img src=x onerror=alert(1)>']) {
      for (const place of places(c, 3)) {
        await follow(tab, base + place)
        const alive = await tab.evaluate(() => ({
          made: document.querySelectorAll('main img, main iframe, main script, main object, main base, main math, main [onclick], main [onerror], main [onload]').length,
          out: [...document.querySelectorAll('a[href], link[href], form[action]')].map((e) => e.href ?? e.action).filter((h) => h && !h.startsWith(location.origin)),
          style: getComputedStyle(document.body).display,
        }))
        assert.deepEqual(alive, { made: 0, out: [], style: 'block' }, place)
      }
    }
    await visit(tab, `${base}/c/hostile/n/3?tab=log`)
    const log = await tab.textContent('pre')
    assert.ok(log.includes('<script>alert(1)</script>'))
    assert.ok(log.includes('⟨U+202E⟩'), 'what reorders is shown')
    assert.ok(log.includes('␛[31m'))
    assert.ok(!/[\u202A-\u202E\u2066-\u2069]/.test(await tab.textContent('main')))
  })
})

test('eight tabs load, and share one stream', async () => {
  await inContext(browser, {}, async (context) => {
    const tabs = await Promise.all(Array.from({ length: 8 }, () => openTab(context, base)))
    await Promise.all(tabs.map(({ tab }) => visit(tab, `${base}/c/${kOne}`)))
    for (const { tab, wrong } of tabs) {
      await tab.waitForSelector('button:has-text("live")')
      assert.deepEqual(wrong, [])
    }
    // Those of contexts that are closed may take a while to end.
    await until(() => server.streams.size === 1, 'one stream')
  })
})

test('what is chosen is in the address, and a link shows the same', async () => {
  await inTab({}, async (tab, context) => {
    await visit(tab, `${base}/c/${kOne}/tree`)
    await tab.selectOption('select', 'verdict')
    await tab.fill('input[aria-label="Filter"]', 'verdict:passed x>2')
    await tab.press('input[aria-label="Filter"]', 'Enter')
    await tab.focus('[role=tree]')
    await tab.keyboard.press('h')
    await tab.waitForFunction(() => location.search.includes('node='))
    const url = tab.url()
    assert.match(url, /colour=verdict/)
    assert.match(url, /filter=verdict%3Apassed/)
    const said = await tab.textContent('.told')
    const { tab: other } = await openTab(context, base)
    await visit(other, url)
    await other.waitForSelector('.told a')
    assert.equal((await other.textContent('.told b')), /Node \d+/.exec(said)[0])
    assert.equal(await other.inputValue('input[aria-label="Filter"]'), 'verdict:passed x>2')
  })
})

test('the keyboard goes everywhere', async () => {
  await inTab({}, async (tab) => {
    await visit(tab, `${base}/c/${kOne}/n/14`)
    // A key does nothing before what it goes by has come, and two are no chord
    // once a busy machine has put 1.5 s between them: so they are pressed again.
    const goes = async (keys, to) => {
      const there = () => tab.waitForURL((url) => to.test(url.pathname + url.search), { timeout: 5000, waitUntil: 'commit' })
      for (let again = 0; ; ++again) {
        for (const key of keys) await tab.keyboard.press(key)
        if (await there().then(() => true, (e) => { if (again > 10) throw e })) break
      }
      await settled(tab)
    }
    await goes(['d'], /tab=diff/)
    await goes(['D'], /against=root/)
    await goes(['b'], /n\/398/)
    await goes(['h'], /n\/\d+/)
    await goes(['g', 't'], /\/tree$/)
    await goes(['b'], /node=398/)
    await goes(['['], /node=(?!398)\d+/)
    await goes([']'], /node=398/)
    await goes(['+'], /x=/)
    await goes(['Enter'], /n\/398/)
    await goes(['g', 'o'], /s1$/)
    await goes(['g', 'f'], /failures$/)
    await goes(['g', 'l'], /^\/leaderboard/)
    await goes(['g', 's'], /^\/spend/)
    await goes(['g', 'm'], /^\/compare/)
    await goes(['g', 'a'], /^\/ask/)
    await goes(['g', 'c'], /^\/$/)
    await tab.keyboard.press('?')
    await tab.waitForSelector('dialog')
    await tab.keyboard.press('Escape')
    await tab.waitForSelector('dialog', { state: 'hidden' })
    await tab.keyboard.press('/')
    await tab.waitForSelector('input[type=search]:focus')
    await tab.keyboard.type('softmax')
    await tab.keyboard.press('Enter')
    await tab.waitForFunction(() => document.querySelectorAll('main tbody tr').length === 1)
  })
})

test('what is committed appears by itself, unless it is frozen', async () => {
  await inTab({}, async (tab, context) => {
    const rows = () => tab.textContent(`tr:has(a:has-text("steered.s1"))`)
    await visit(tab, base)
    await tab.waitForSelector('button:has-text("live")')
    assert.match(await rows(), /119/)
    server.grow('steered.s1', 131)
    server.tell()
    await tab.waitForFunction(() => /130/.test(document.querySelector('main').textContent))
    await tab.keyboard.press('.')
    await tab.waitForSelector('button:has-text("frozen")')
    // What a tab that is not frozen shows has come to this one, too.
    const { tab: other } = await openTab(context, base)
    await visit(other, base)
    await other.waitForSelector('button:has-text("live")')
    server.grow('steered.s1', 142)
    server.tell()
    await other.waitForFunction(() => /141/.test(document.querySelector('main').textContent))
    await other.close()
    assert.doesNotMatch(await rows(), /141/)
    await tab.keyboard.press('.')
    await tab.waitForFunction(() => /141/.test(document.querySelector('main').textContent))
  })
})

test('an empty campaign, a node that is not there and a torn tree are said', async () => {
  await inContext(browser, {}, async (context) => {
    const { tab, wrong } = await openTab(context, base)
    for (const [place, says] of [['', /No kernel has been timed yet/], ['/tree?view=icicle', /root is not measured yet/], ['/tree?view=table', /No node is like this/], ['/failures', /Nothing has failed yet/], ['/steer', /Nobody has steered/]]) {
      await visit(tab, `${base}/c/empty.s1${place}`)
      assert.match(await tab.textContent('main'), says, place)
    }
    assert.deepEqual(wrong, [])
    await visit(tab, `${base}/c/${kOne}/n/99999`)
    assert.match(await tab.textContent('[role=alert]'), /No node 99999/)
    await visit(tab, `${base}/c/none`)
    assert.match(await tab.textContent('[role=alert]'), /No campaign "none"/)
    await tab.route('**/api/tree*', (route) => route.fulfill({ body: 'CTR1 and no more', contentType: 'application/octet-stream' }))
    await visit(tab, `${base}/c/${kOne}/tree?view=icicle`)
    assert.match(await tab.textContent('[role=alert]'), /came torn/)
    await tab.route('**/api/campaigns', (route) => route.fulfill({ body: '[{"db": 0', contentType: 'application/json' }))
    await visit(tab, base)
    assert.match(await tab.textContent('[role=alert]'), /came torn/)
  })
})

test('without a server it says since when, and comes back by itself', async () => {
  await atStandIn(browser, { nodes: 30 }, async (tab, at, own) => {
    await visit(tab, at)
    await tab.waitForSelector('button:has-text("live")')
    own.hide()
    await tab.waitForSelector('button:has-text("not connected since")')
    assert.match(await tab.textContent('main'), /gemm_square/, 'what was known stays')
    own.grow(kOne, 33)
    own.show()
    await tab.waitForSelector('button:has-text("live")')
    await tab.waitForFunction(() => /32/.test(document.querySelector('main').textContent))
  })
})

test('SQL is asked, linked, plotted and refused in words', async () => {
  await inTab({}, async (tab, context) => {
    await visit(tab, `${base}/ask`)
    await tab.waitForSelector('.sql .cm-content')
    await tab.click('.sql .cm-content')
    await tab.keyboard.press('Control+a')
    await tab.keyboard.type('SELECT campaign, node, speedup FROM leaderboard ')
    await tab.keyboard.press('Escape')
    await tab.keyboard.press('Control+Enter')
    await tab.waitForURL(/sql=SELECT/)
    await settled(tab)
    assert.match(await tab.textContent('[role=table]'), /gemm_square/)
    assert.match(await tab.getAttribute('a[download]', 'href'), /^\/api\/sql\.csv\?.*leaderboard/)
    const quiet = await openTab(context, base)
    await visit(quiet.tab, `${base}/ask?sql=ATTACH+%27x%27+AS+y`)
    assert.match(await quiet.tab.textContent('[role=alert]'), /not authorized/)
  })
})
