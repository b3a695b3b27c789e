// The page before the program itself, on the figures of the documents.  Skips
// itself when COPPICE names no program.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { complaints, launch, openTab, places, visit } from './browser.mjs'

const kProgram = process.env.COPPICE
const skip = kProgram ? false : 'no program was given'
const kOne = 'gemm_square.stark.s1'
let folder
let server
let browser
let base
let entry

before(async () => {
  if (skip) return
  folder = mkdtempSync(join(tmpdir(), 'coppice-page-'))
  const file = join(folder, 'level1.db')
  copyFileSync(fileURLToPath(new URL('../../../docs/data/level1.db', import.meta.url)), file)
  server = spawn(kProgram, ['serve', file, '--port', '0', '--no-open', '--read-only'], { stdio: ['ignore', 'pipe', 'pipe'] })
  entry = await new Promise((found, failed) => {
    server.on('exit', (code) => failed(new Error(`serve ended with ${code}`)))
    for (const stream of [server.stdout, server.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        const url = /https?:\/\/\S+token=\S+/.exec(line)
        if (url) found(url[0])
      })
    }
  })
  base = new URL(entry).origin
  browser = await launch()
})
after(async () => {
  await browser?.close()
  if (server && server.exitCode === null) {
    server.kill('SIGTERM')
    await new Promise((done) => server.on('exit', done))
  }
  if (folder) rmSync(folder, { recursive: true })
})

async function tour(options, act) {
  const context = await browser.newContext(options)
  try {
    const { tab, wrong } = await openTab(context, base)
    await tab.goto(entry)
    for (const place of places(kOne, 14)) {
      await visit(tab, base + place)
      assert.equal(await tab.locator('[role=alert]').count(), 0, `${place} complains: ${await tab.locator('[role=alert]').allTextContents()}`)
      await act(tab, place)
    }
    assert.deepEqual(wrong, [])
  } finally {
    await context.close()
  }
}

test('the program carries the page, and answers every place', { skip }, async () => {
  await tour({}, async () => {})
})

test('axe finds nothing on the program\'s own pages', { skip }, async () => {
  const said = []
  await tour({ bypassCSP: true }, async (tab, place) => { said.push(...await complaints(tab, place)) })
  assert.deepEqual(said, [])
})

test('without the token there is nothing', { skip }, async () => {
  const context = await browser.newContext()
  try {
    const tab = await context.newPage()
    const answer = await tab.goto(base)
    assert.equal(answer.status(), 403)
  } finally {
    await context.close()
  }
})
