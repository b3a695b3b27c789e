// The page before the program itself, on the figures of the documents.  Skips
// itself when COPPICE names no program.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { complaints, inContext, launch, openTab, test, visit } from './browser.mjs'
import { places } from './places.mjs'
import { serve, skip, stop } from './program.mjs'

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
  ;({ child: server, entry } = await serve(file, '--read-only'))
  base = new URL(entry).origin
  browser = await launch()
})
after(async () => {
  await browser?.close()
  await stop(server)
  if (folder) rmSync(folder, { recursive: true })
})

test('the program carries the page, answers every place, and axe finds nothing', { skip }, async () => {
  await inContext(browser, {}, async (context) => {
    const { tab, wrong } = await openTab(context, base)
    const said = []
    await tab.goto(entry)
    for (const place of places(kOne, 14)) {
      await visit(tab, base + place)
      assert.equal(await tab.locator('[role=alert]').count(), 0, `${place} complains: ${await tab.locator('[role=alert]').allTextContents()}`)
      said.push(...await complaints(tab, place))
    }
    assert.deepEqual(wrong, [])
    assert.deepEqual(said, [])
  })
})

// Its speedups were worked out anew since its decisions, by another rule.
test('a decision that is the same for another reason is told from another', { skip }, async () => {
  await inContext(browser, {}, async (context) => {
    const { tab } = await openTab(context, base)
    await tab.goto(entry)
    await visit(tab, `${base}/c/${kOne}/n/7?tab=decision`)
    assert.match(await tab.textContent('[role=tabpanel]'), /the same node, for another reason: exploit/)
  })
})

test('without the token there is nothing', { skip }, async () => {
  await inContext(browser, {}, async (context) => {
    const tab = await context.newPage()
    const answer = await tab.goto(base)
    assert.equal(answer.status(), 403)
  })
})
