// A report that `coppice export report` wrote, opened from a disk with no network.
// Skips itself when COPPICE names no program.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { complaints, launch, test } from './browser.mjs'
import { openReport } from './open_report.mjs'
import { says, skip } from './program.mjs'

test('a report opens offline, asks for nothing, and axe finds nothing', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-report-'))
  const browser = await launch()
  try {
    const file = join(folder, 'level1.db')
    copyFileSync(fileURLToPath(new URL('../../../docs/data/level1.db', import.meta.url)), file)
    const report = join(folder, 'report.html')
    says('export', 'report', 'gemm_square.stark.s1', '--db', file, '--output', report)
    assert.ok(statSync(report).size < 1e6)
    const { tab, wrong } = await openReport(browser, pathToFileURL(report).href)
    assert.match(await tab.textContent('h1'), /gemm_square\.stark\.s1/)
    assert.ok(await tab.locator('tr').count() > 10)
    assert.deepEqual(wrong, [])
    assert.deepEqual(await complaints(tab, 'the report'), [])
  } finally {
    await browser.close()
    rmSync(folder, { recursive: true })
  }
})
