// The page in Firefox: every place, and some of what people want, before the
// stand-in; and, given COPPICE, before the program on the documents' figures.
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { places } from '../browser/places.mjs'
import { rows, serve, skip as noProgram, stop } from '../browser/program.mjs'
import { kHostile } from '../mock/hostile.mjs'
import { standIn } from '../mock/server.mjs'
import { inFirefox, kFirefox } from './bidi.mjs'

const skip = existsSync(kFirefox) ? false : `no ${kFirefox}: apt-get install firefox-esr`
const kOne = 'gemm_square.xei_b.s1'

async function settled(window) {
  await window.until(() => {
    const main = document.querySelector('main')
    const field = document.querySelector('.field')
    return Boolean(main && main.textContent.trim() && !/Waiting for|Asking …/.test(main.textContent) &&
      (!field || field.querySelector('canvas[data-drawn]')))
  })
}

async function visit(window, url) {
  await window.goto(url)
  await settled(window)
}

test('every place is drawn, under the policy, and asks no other host', { skip }, async () => {
  const server = standIn({ extra: [{ c: 'hostile', nodes: 40, text: kHostile }] })
  const base = await server.listen()
  try {
    await inFirefox(async (window) => {
      for (const place of [...places(kOne, 14), ...places('hostile', 3)]) {
        await visit(window, base + place)
        assert.deepEqual(window.wrong(base), [], place)
      }
    })
  } finally {
    await server.close()
  }
})

test('the tree is walked by keys and by the mouse', { skip }, async () => {
  const server = standIn({ nodes: 10000 })
  const base = await server.listen()
  try {
    await inFirefox(async (window) => {
      await visit(window, `${base}/c/${kOne}/tree?view=icicle&node=0`)
      await window.press('l')
      await window.until(() => /node=[1-9]/.test(location.search))
      await window.press('d')
      await window.until(() => /\/n\/\d+/.test(location.pathname) && /tab=diff/.test(location.search))
      await settled(window)
      assert.deepEqual(window.wrong(base), [])
    })
  } finally {
    await server.close()
  }
})

test('what people want, before the program', { skip: skip || noProgram }, async () => {
  const c = 'gemm_square.stark.s1'
  const folder = mkdtempSync(join(tmpdir(), 'coppice-firefox-db-'))
  const file = join(folder, 'level1.db')
  copyFileSync(fileURLToPath(new URL('../../../docs/data/level1.db', import.meta.url)), file)
  const { child, entry } = await serve(file, '--read-only')
  const base = new URL(entry).origin
  try {
    const [{ node: best }] = rows(file, `SELECT node FROM leaderboard WHERE campaign = '${c}' AND rank = 1`)
    await inFirefox(async (window) => {
      const begin = async () => {
        await visit(window, base)
        await window.click(`a[href$="/c/${c}/n/${best}"]`)
        await window.until((n) => document.querySelector('h1')?.textContent.includes(`Node ${n}`), best)
      }
      const open = async (name) => {
        await window.click('[role=tab]', name)
        await window.until((t) => location.search.includes(`tab=${t}`), name)
        await settled(window)
        return window.evaluate(() => document.querySelector('[role=tabpanel]').textContent)
      }
      await window.goto(entry)
      // What changed from its parent, what the agent saw, and why it was chosen.
      await begin()
      await open('diff')
      await begin()
      const [{ node: shown }] = rows(file, `SELECT w.node FROM windows w JOIN attempts a USING (campaign, decision) WHERE a.campaign = '${c}' AND a.node = ${best} LIMIT 1`)
      assert.ok((await open('prompts')).includes(`#${shown}`))
      await begin()
      const [{ reason }] = rows(file, `SELECT reason FROM attempts WHERE campaign = '${c}' AND node = ${best}`)
      assert.ok((await open('decision')).includes(reason))
      // What fails most, and what was spent.
      await visit(window, `${base}/c/${c}/failures`)
      await visit(window, `${base}/spend`)
      // An answer in SQL.
      await visit(window, `${base}/ask?sql=SELECT+count(*)+AS+n+FROM+campaigns`)
      await window.click('button', 'Run')
      const [{ n }] = rows(file, 'SELECT count(*) AS n FROM campaigns')
      await window.until((wanted) => [...document.querySelectorAll('main [role=cell]')].some((e) => e.textContent.trim() === wanted), String(n))
      assert.deepEqual(window.wrong(base), [])
    })
  } finally {
    await stop(child)
    rmSync(folder, { recursive: true })
  }
})
