// Steering the program itself: a simulated campaign that runs, and its page.
// Skips itself when COPPICE names no program.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { launch, openTab, visit } from './browser.mjs'
import { serve, simulate, skip, stop } from './program.mjs'

const kOne = 'steered'
let folder
let running
let server
let browser
let entry

before(async () => {
  if (skip) return
  folder = mkdtempSync(join(tmpdir(), 'coppice-steer-'))
  const file = join(folder, 'steered.db')
  running = await simulate(file, kOne)
  ;({ child: server, entry } = await serve(file))
  browser = await launch()
})
after(async () => {
  await browser?.close()
  for (const child of [running, server]) await stop(child, 'SIGKILL')
  if (folder) rmSync(folder, { recursive: true })
})

test('a campaign that runs is steered from the page, and says from which decision on', { skip }, async () => {
  const context = await browser.newContext()
  try {
    const base = new URL(entry).origin
    const { tab, wrong } = await openTab(context, base)
    await tab.goto(entry)
    await visit(tab, `${base}/c/${kOne}/n/3`)
    await tab.click('button:text-is("Freeze")')
    await tab.waitForSelector('[role=status]:has-text("freeze node 3")')
    await visit(tab, `${base}/c/${kOne}`)
    await tab.click('button:text-is("Pause")')
    await tab.waitForSelector('button:text-is("Resume")')
    await visit(tab, `${base}/c/${kOne}/steer`)
    await tab.waitForSelector('tr:has-text("freeze") >> text=/applied at decision \\d+/')
    await tab.waitForSelector('tr:has-text("pause") >> text=/applied at decision \\d+/')
    await visit(tab, `${base}/c/${kOne}/tree?view=icicle`)
    await tab.waitForSelector('text=/\\d+ nodes? frozen: hatched/')
    await visit(tab, `${base}/c/${kOne}/n/1`)
    await tab.click('button:text-is("Pin")')
    await tab.waitForSelector('[aria-label="Steering"] >> text=pinned')
    await visit(tab, `${base}/c/${kOne}`)
    await tab.click('button:text-is("Resume")')
    await tab.waitForSelector('button:text-is("Pause")')
    await visit(tab, `${base}/c/${kOne}/steer`)
    await tab.waitForSelector('tr:has-text("resume") >> text=/applied at decision \\d+/')
    await visit(tab, base)
    await tab.waitForSelector('tr:has-text("sim:basic") >> text=steered')
    assert.deepEqual(wrong, [])
  } finally {
    await context.close()
  }
})

test('the program answers canned questions in the panel', { skip }, async () => {
  const context = await browser.newContext()
  try {
    const base = new URL(entry).origin
    const { tab, wrong } = await openTab(context, base)
    await tab.goto(entry)
    await visit(tab, `${base}/c/${kOne}/n/1?talk=1`)
    await tab.click('aside button:has-text("What is fastest?")')
    await tab.waitForSelector('aside [aria-label="The answer"]')
    assert.equal(await tab.locator('[role=alert]').count(), 0)
    assert.deepEqual(wrong, [])
  } finally {
    await context.close()
  }
})
