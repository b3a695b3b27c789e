// Steering the program itself: a simulated campaign that runs, and its page.
// Skips itself when COPPICE names no program.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { launch, openTab, visit } from './browser.mjs'

const kProgram = process.env.COPPICE
const skip = kProgram ? false : 'no program was given'
const kOne = 'steered'
let folder
let running
let server
let browser
let entry

const ended = (child) => new Promise((done) => { if (child.exitCode !== null || child.signalCode !== null) done(); else child.on('exit', done) })

before(async () => {
  if (skip) return
  folder = mkdtempSync(join(tmpdir(), 'coppice-steer-'))
  const file = join(folder, 'steered.db')
  running = spawn(kProgram, ['run', 'sim:basic', '--seed', '7', '--budget', '1000000', '--name', kOne, '--db', file], { stdio: 'ignore' })
  // The file is there once the campaign is.
  for (let i = 0; i < 100; ++i) {
    const look = spawn(kProgram, ['sql', `SELECT nodes FROM campaigns WHERE nodes > 20`, '--db', file, '--json'], { stdio: ['ignore', 'pipe', 'ignore'] })
    let said = ''
    look.stdout.on('data', (part) => { said += part })
    await ended(look)
    if (/\d/.test(said)) break
    await new Promise((done) => setTimeout(done, 100))
  }
  server = spawn(kProgram, ['serve', file, '--port', '0', '--no-open'], { stdio: ['ignore', 'pipe', 'pipe'] })
  entry = await new Promise((found, failed) => {
    server.on('exit', (code) => failed(new Error(`serve ended with ${code}`)))
    for (const stream of [server.stdout, server.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        const url = /https?:\/\/\S+token=\S+/.exec(line)
        if (url) found(url[0])
      })
    }
  })
  browser = await launch()
})
after(async () => {
  await browser?.close()
  for (const child of [running, server]) {
    if (!child) continue
    child.kill('SIGKILL')
    await ended(child)
  }
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
