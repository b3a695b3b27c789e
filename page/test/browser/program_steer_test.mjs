// Steering the program itself: a simulated campaign that runs, and its page.
// Skips itself when COPPICE names no program.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { inContext, launch, openTab, test, visit } from './browser.mjs'
import { rows, serve, simulate, skip, stop } from './program.mjs'

const kOne = 'steered'
let folder
let file
let running
let server
let browser
let entry

before(async () => {
  if (skip) return
  folder = mkdtempSync(join(tmpdir(), 'coppice-steer-'))
  file = join(folder, 'steered.db')
  running = await simulate(file, kOne)
  ;({ child: server, entry } = await serve(file))
  browser = await launch()
})
after(async () => {
  await browser?.close()
  // It runs until it is stopped: one that is not there explains what was not applied.
  if (running && (running.exitCode ?? running.signalCode) !== null) {
    console.log(`the campaign ended with ${running.exitCode ?? running.signalCode}:`, ...running.said)
  }
  for (const child of [running, server]) await stop(child, 'SIGKILL')
  if (folder) rmSync(folder, { recursive: true })
})

async function pause(tab, base) {
  await visit(tab, `${base}/c/${kOne}`)
  await tab.click('button:text-is("Pause")')
  await tab.waitForSelector('button:text-is("Resume")')
}

async function resume(tab, base) {
  await visit(tab, `${base}/c/${kOne}`)
  await tab.click('button:text-is("Resume")')
  await tab.waitForSelector('button:text-is("Pause")')
}

test('a campaign that runs is steered from the page, and says from which decision on', { skip }, async () => {
  await inContext(browser, {}, async (context) => {
    const base = new URL(entry).origin
    const { tab, wrong } = await openTab(context, base)
    await tab.goto(entry)
    await visit(tab, `${base}/c/${kOne}/n/3`)
    await tab.click('button:text-is("Freeze")')
    await tab.waitForSelector('[role=status]:has-text("freeze node 3")')
    // Before the pause, which is heard at once and would keep it waiting.
    await visit(tab, `${base}/c/${kOne}/steer`)
    await tab.waitForSelector('tr:has-text("freeze") >> text=/applied at decision \\d+/')
    await pause(tab, base)
    await visit(tab, `${base}/c/${kOne}/steer`)
    await tab.waitForSelector('tr:has-text("pause") >> text=/applied at decision \\d+/')
    await visit(tab, `${base}/c/${kOne}/tree?view=icicle`)
    await tab.waitForSelector('text=/\\d+ nodes? frozen: hatched/')
    await visit(tab, `${base}/c/${kOne}/n/1`)
    await tab.click('button:text-is("Pin")')
    await tab.waitForSelector('[aria-label="Steering"] >> text=pinned')
    await resume(tab, base)
    await visit(tab, `${base}/c/${kOne}/steer`)
    await tab.waitForSelector('tr:has-text("resume") >> text=/applied at decision \\d+/')
    await visit(tab, base)
    await tab.waitForSelector('tr:has-text("sim:basic") >> text=steered')
    assert.deepEqual(wrong, [])
  })
})

test('two browsers that ask something else of one node are shown each other by the program', { skip }, async () => {
  await inContext(browser, {}, (mine) => inContext(browser, {}, async (theirs) => {
    const base = new URL(entry).origin
    const [one, other] = await Promise.all([mine, theirs].map((context) => openTab(context, base)))
    await one.tab.goto(entry)
    await other.tab.goto(entry)
    // What is asked first is still waiting when the other asks.
    await pause(one.tab, base)
    for (const { tab } of [one, other]) {
      const heard = tab.waitForResponse((r) => r.url().includes('/api/directives?'))
      await visit(tab, `${base}/c/${kOne}/n/2`)
      await heard
    }
    // The other is told nothing of what comes meanwhile.
    await other.tab.route(/\/api\/directives\?/, (route) => route.fulfill({ status: 503, body: '{}' }))
    await one.tab.click('button:text-is("Freeze")')
    await one.tab.waitForSelector('[role=status]:has-text("freeze node 2")')
    const answered = other.tab.waitForResponse((r) => r.url().includes('/api/directives') && r.request().method() === 'POST')
    await other.tab.click('button:text-is("Boost")')
    assert.equal((await answered).status(), 409)
    await other.tab.waitForSelector('[role=alert]:has-text("freeze node 2")')
    assert.match(await other.tab.textContent('[role=alert]'), /boost node 2 3/)
    const taken = other.tab.waitForResponse((r) => r.url().includes('/api/directives') && r.request().method() === 'POST')
    await other.tab.click('button:text-is("Send mine as well")')
    assert.equal((await taken).status(), 201)
    await other.tab.waitForSelector('[role=status]:has-text("boost node 2 3")')
    const said = rows(file, "SELECT kind FROM directives WHERE node = 2 ORDER BY directive")
    assert.deepEqual(said.map((row) => row.kind), ['freeze', 'boost'])
    // It is refused, since the node is frozen: nothing else holds it there.
    await resume(one.tab, base)
    await visit(one.tab, `${base}/c/${kOne}/steer`)
    await one.tab.waitForSelector('tr:has-text("boost") >> text=node 2 is frozen')
    assert.deepEqual(one.wrong, [])
  }))
})

test('attempts of a campaign that runs wait for approvals from its page', { skip }, async () => {
  await inContext(browser, {}, async (context) => {
    const base = new URL(entry).origin
    const { tab, wrong } = await openTab(context, base)
    await tab.goto(entry)
    await visit(tab, `${base}/c/${kOne}`)
    await tab.selectOption('[aria-label="Steering"] select[aria-label="Kind"]', 'gate')
    await tab.click('button:text-is("Send")')
    await tab.waitForSelector('[aria-label="Approvals"] >> text=/Attempt \\d+ waits for an approval/')
    const before = rows(file, 'SELECT count(*) AS n FROM attempts')[0].n
    await tab.click('button:text-is("Approve 5")')
    await tab.waitForSelector(`[aria-label="Approvals"] >> text=Attempt ${before + 5} waits for an approval`)
    assert.equal(rows(file, 'SELECT count(*) AS n FROM attempts')[0].n, before + 5)
    await tab.click('button:text-is("Ask no more")')
    await tab.waitForSelector('[aria-label="Approvals"]', { state: 'detached' })
    await visit(tab, `${base}/c/${kOne}/n/1`)
    await tab.click('button:text-is("Judge again")')
    await tab.waitForSelector('[role=status]:has-text("judge node 1")')
    await visit(tab, `${base}/c/${kOne}/steer`)
    await tab.waitForSelector('tr:has-text("judge") >> text=/applied at decision \\d+/')
    assert.deepEqual(wrong, [])
  })
})

test('the program answers canned questions in the panel', { skip }, async () => {
  await inContext(browser, {}, async (context) => {
    const base = new URL(entry).origin
    const { tab, wrong } = await openTab(context, base)
    await tab.goto(entry)
    await visit(tab, `${base}/c/${kOne}/n/1?talk=1`)
    await tab.click('aside button:has-text("What is fastest?")')
    await tab.waitForSelector('aside [aria-label="The answer"]')
    assert.equal(await tab.locator('[role=alert]').count(), 0)
    assert.deepEqual(wrong, [])
  })
})
