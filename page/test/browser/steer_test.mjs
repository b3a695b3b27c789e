// What a person says to a campaign from the page.
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { atStandIn } from './at_stand_in.mjs'
import { complaintsInBoth, launch, openTab, settled, test, visit } from './browser.mjs'

const kOne = 'gemm_square.xei_b.s1'
let browser

before(async () => { browser = await launch() })
after(async () => { await browser?.close() })

const atServer = (options, act, contextOptions = {}) => atStandIn(browser, options, act, contextOptions)

test('a node is boosted, frozen and pinned from its page, and told when it held', async () => {
  const wrong = await atServer({}, async (tab, base, server) => {
    await visit(tab, `${base}/c/${kOne}/n/14`)
    await tab.fill('input[aria-label="Attempts of a boost"]', '5')
    await tab.click('button:has-text("Boost")')
    await tab.waitForSelector('[role=status]:has-text("boost node 14 5: waits for the next decision")')
    await tab.click('button:text-is("Freeze")')
    await tab.waitForSelector('button:text-is("Unfreeze")')
    await tab.click('button:text-is("Pin")')
    await tab.waitForSelector('[aria-label="Steering"] >> text=pinned')
    assert.deepEqual(server.posted.map((p) => [p.kind, p.subject, p.payload]), [['boost', 14, { amount: 5 }], ['freeze', 14, {}], ['pin', 14, {}]])
    assert.ok(server.posted.every((p) => /^[0-9a-f-]{36}$/.test(p.uuid)))
    server.take(kOne, 401)
    server.tell()
    await visit(tab, `${base}/c/${kOne}/steer`)
    await tab.waitForSelector('tr:has-text("freeze") >> text=applied at decision 401')
  })
  assert.deepEqual(wrong, [])
})

test('a kernel is inserted below a node, as text', async () => {
  const wrong = await atServer({}, async (tab, base, server) => {
    await visit(tab, `${base}/c/${kOne}/n/14`)
    await tab.click('button:has-text("Say more")')
    await tab.setInputFiles('input[type=file]', { name: 'k.cc', mimeType: 'text/plain', buffer: Buffer.from('void run() {}\n') })
    await tab.waitForFunction(() => document.querySelector('textarea').value !== '')
    await tab.click('button:text-is("Send")')
    await tab.waitForSelector('[role=status]:has-text("insert node 14")')
    assert.deepEqual(server.posted[0].payload, { text: 'void run() {}\n' })
  })
  assert.deepEqual(wrong, [])
})

test('a campaign is paused, and another limit asked, from its page', async () => {
  const wrong = await atServer({}, async (tab, base, server) => {
    await visit(tab, `${base}/c/${kOne}`)
    await tab.click('button:text-is("Pause")')
    await tab.waitForSelector('button:text-is("Resume")')
    await tab.selectOption('[aria-label="Steering"] select[aria-label="Kind"]', 'budget')
    await tab.fill('input[aria-label="Number"]', '50')
    await tab.click('button:text-is("Send")')
    await tab.waitForSelector('[role=status]:has-text("budget attempts 50")')
    assert.deepEqual(server.posted.map((p) => [p.kind, p.payload]), [['pause', {}], ['budget', { aspect: 'attempts', amount: 50 }]])
  })
  assert.deepEqual(wrong, [])
})

test('attempts are approved one by one, up to a sum, or asked for no more', async () => {
  const wrong = await atServer({}, async (tab, base, server) => {
    await visit(tab, `${base}/c/${kOne}`)
    await tab.selectOption('[aria-label="Steering"] select[aria-label="Kind"]', 'gate')
    await tab.click('button:text-is("Send")')
    await tab.waitForSelector('[aria-label="Approvals"] >> text=From the next decision on')
    server.take(kOne, 399)
    server.tell()
    await tab.waitForSelector('[aria-label="Approvals"] >> text=/Attempt \\d+ waits for an approval/')
    await tab.click('button:text-is("Approve 5")')
    await tab.waitForSelector('[aria-label="Approvals"] >> text=1 approval on the way')
    await tab.fill('input[aria-label="Dollars in all"]', '2.5')
    await tab.click('button:text-is("Approve up to it")')
    await tab.waitForSelector('[role=status]:has-text("approve usd 2.5")')
    await tab.click('button:text-is("Ask no more")')
    await tab.waitForSelector('[aria-label="Approvals"]', { state: 'detached' })
    assert.deepEqual(server.posted.map((p) => [p.kind, p.payload.aspect, p.payload.amount]),
      [['gate', undefined, undefined], ['approve', 'attempts', 5], ['approve', 'usd', 2.5], ['lift', undefined, undefined]])
  })
  assert.deepEqual(wrong, [])
})

test('a node is judged again from its page, and another model asked from its campaign\'s', async () => {
  const wrong = await atServer({}, async (tab, base, server) => {
    await visit(tab, `${base}/c/${kOne}/n/14`)
    await tab.click('button:text-is("Judge again")')
    await tab.waitForSelector('[role=status]:has-text("judge node 14")')
    await visit(tab, `${base}/c/${kOne}`)
    await tab.selectOption('[aria-label="Steering"] select[aria-label="Kind"]', 'model')
    await tab.fill('input[aria-label="What it says"]', 'openai:gpt-5.4-mini')
    await tab.selectOption('select[aria-label="Role"]', 'code')
    await tab.click('button:text-is("Send")')
    await tab.waitForSelector('[role=status]:has-text("model code: openai:gpt-5.4-mini")')
    assert.deepEqual(server.posted.map((p) => [p.kind, p.subject, p.payload]), [['judge', 14, {}], ['model', null, { text: 'openai:gpt-5.4-mini', role: 'code' }]])
  })
  assert.deepEqual(wrong, [])
})

test('where nobody runs, it says that it takes effect at the next resume', async () => {
  await atServer({ extra: [{ c: 'still', nodes: 30, state: 'interrupted' }] }, async (tab, base) => {
    await visit(tab, `${base}/c/still/n/3`)
    await tab.click('button:text-is("Freeze")')
    await tab.waitForSelector('[role=status]:has-text("takes effect at the next resume")')
  })
})

test('two who ask something else of one node are shown each other', async () => {
  await atServer({}, async (tab, base, server, context) => {
    const { tab: other } = await openTab(context, base)
    await visit(tab, `${base}/c/${kOne}/n/14`)
    await visit(other, `${base}/c/${kOne}/n/14`)
    await tab.click('button:text-is("Freeze")')
    await tab.waitForSelector('[role=status]:has-text("freeze node 14")')
    // Nothing told the other tab yet.
    await other.click('button:text-is("Boost")')
    await other.waitForSelector('[role=alert]:has-text("freeze node 14")')
    assert.match(await other.textContent('[role=alert]'), /boost node 14 3/)
    assert.equal(server.campaigns.get(kOne).said.length, 3)
    await other.click('button:text-is("Send mine as well")')
    await other.waitForSelector('[role=status]:has-text("boost node 14 3")')
    assert.equal(server.campaigns.get(kOne).said.length, 4)
  })
})

test('what waits is withdrawn, and what holds is lifted', async () => {
  const wrong = await atServer({}, async (tab, base, server) => {
    await visit(tab, `${base}/c/${kOne}/steer`)
    await tab.click('button[aria-label="Withdraw directive 2"]')
    await tab.waitForSelector('tr:has-text("boost") >> text=withdrawn')
    await tab.click('button[aria-label="Lift directive 1"]')
    await tab.waitForSelector('tr:has-text("lift directive 1")')
    assert.deepEqual(server.posted.map((p) => p.path), ['/api/directives/withdraw', '/api/directives'])
    assert.deepEqual(server.posted[1].payload, { target: 1 })
  })
  assert.deepEqual(wrong, [])
})

test('a kernel is submitted, and what became of it is shown', async () => {
  await atServer({}, async (tab, base, server) => {
    await visit(tab, `${base}/c/${kOne}`)
    await tab.click('button:text-is("Submit a kernel")')
    await tab.setInputFiles('input[aria-label="A file to submit"]', { name: 'mine.cc', mimeType: 'text/plain', buffer: Buffer.from('void run() { /* <img src=x onerror=alert(1)> */ }') })
    await tab.waitForFunction(() => document.querySelector('[aria-label="Source of the kernel"]').value !== '')
    await tab.fill('input[aria-label="Author"]', '<b>eve</b>')
    await tab.click('button:text-is("Submit")')
    await tab.waitForSelector('tr:has-text("mine.cc") >> text=waits for who runs')
    assert.match(await tab.textContent('tr:has-text("mine.cc")'), /<b>eve<\/b>/)
    server.campaigns.get(kOne).claims[0].splice(3, 6, 7, 8, 'passed', 1.5, 1.4, 1.6)
    server.grow(kOne, 401)
    server.tell()
    await tab.waitForSelector('tr:has-text("mine.cc") a:has-text("#8")')
    await tab.fill('input[aria-label="Name of the kernel"]', 'mine.py')
    await tab.fill('[aria-label="Source of the kernel"]', 'pass')
    await tab.click('button:text-is("Submit")')
    await tab.waitForSelector('[role=alert]:has-text("written in C++")')
    assert.equal(await tab.inputValue('[aria-label="Source of the kernel"]'), 'pass', 'what was refused is not lost')
  })
})

test('before a server that only reads there is nothing to say it with', async () => {
  const wrong = await atServer({ readOnly: true }, async (tab, base, server) => {
    for (const place of ['', '/n/14', '/steer', '/tree']) {
      await visit(tab, `${base}/c/${kOne}${place}`)
      assert.equal(await tab.locator('[aria-label="Steering"], [aria-label="A directive"], button:has-text("withdraw"), button:has-text("Submit")').count(), 0, place)
    }
    assert.deepEqual(server.posted, [])
  })
  assert.deepEqual(wrong, [])
})

test('axe finds nothing while something is being said, light or dark', async () => {
  await atServer({}, async (tab, base) => {
    const said = []
    await visit(tab, `${base}/c/${kOne}/n/14`)
    await tab.click('button:has-text("Say more")')
    await tab.click('button:text-is("Freeze")')
    await tab.waitForSelector('[role=status]')
    said.push(...await complaintsInBoth(tab, 'node'))
    for (const kind of ['insert', 'temperature', 'forbid', 'model', 'approve']) {
      await visit(tab, `${base}/c/${kOne}/steer?kind=${kind}`)
      await settled(tab)
      said.push(...await complaintsInBoth(tab, kind))
    }
    await visit(tab, `${base}/c/${kOne}`)
    await tab.selectOption('[aria-label="Steering"] select[aria-label="Kind"]', 'gate')
    await tab.click('button:text-is("Send")')
    await tab.waitForSelector('[aria-label="Approvals"]')
    said.push(...await complaintsInBoth(tab, 'approvals'))
    await tab.click('button:text-is("Submit a kernel")')
    said.push(...await complaintsInBoth(tab, 'submission'))
    assert.deepEqual(said, [])
  }, { reducedMotion: 'reduce' })
})
