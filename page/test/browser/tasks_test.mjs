// What a person wants to know or do, from the campaigns page, by how many clicks:
// before the program itself, on the figures of the documents, and for what steers
// on a simulated campaign that runs.  What is shown has to be what the database
// says.  Skips itself when COPPICE names no program.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { inContext, launch, openTab, settled, test, visit } from './browser.mjs'
import { rows, says, serve, simulate, skip, stop } from './program.mjs'

const kOne = 'gemm_square.stark.s1'
const kFailing = 'histogram.stark.s1'
let folder
let file
let server
let browser
let entry
let best
const table = []
const data = (name) => fileURLToPath(new URL(`../../../docs/data/${name}`, import.meta.url))

before(async () => {
  if (skip) return
  folder = mkdtempSync(join(tmpdir(), 'coppice-tasks-'))
  file = join(folder, 'level1.db')
  copyFileSync(data('level1.db'), file)
  best = rows(file, `SELECT node FROM leaderboard WHERE campaign = '${kOne}' AND rank = 1`)[0].node
  ;({ child: server, entry } = await serve(file, '--read-only'))
  browser = await launch()
})
after(async () => {
  await browser?.close()
  await stop(server)
  if (folder) rmSync(folder, { recursive: true })
  if (table.length > 0) console.log(['clicks | task | what was shown', ...table].join('\n'))
})

const squeezed = (text) => text.replace(/\s+/g, ' ').trim()

// A person before the campaigns page.  Each click is counted.
class Person {
  clicks = 0

  constructor(tab) { this.tab = tab }

  async click(what) {
    await this.tab.locator(what).click()
    this.clicks += 1
    await settled(this.tab)
  }

  // A click on what is there for a campaign.
  async clickIn(campaign, what) {
    await this.click(`tr:has(td a:text-is("${campaign}")) >> ${what}`)
  }

  // Waits until it is seen, and reads it.
  async reads(what) {
    const one = this.tab.locator(what).first()
    await one.waitFor()
    return squeezed(await one.innerText())
  }
}

// Does it before the server at this address.  `act` returns what was shown.
async function task(name, most, act, at = entry) {
  await inContext(browser, { permissions: ['clipboard-read', 'clipboard-write'] }, async (context) => {
    const { tab, wrong } = await openTab(context, new URL(at).origin)
    await visit(tab, at)
    const person = new Person(tab)
    const shown = await act(person)
    assert.equal(await tab.locator('[role=alert]').count(), 0)
    assert.deepEqual(wrong, [])
    assert.ok(person.clicks <= most, `${name}: ${person.clicks} clicks, and ${most} are enough`)
    table.push(`${person.clicks} | ${name} | ${shown.slice(0, 100)}`)
  })
}

test('why did a node fail', { skip }, async () => {
  await task('Why did node 3 fail?', 2, async (person) => {
    await person.clickIn(kFailing, 'a[aria-label$="failed: why"]')
    await person.click('dd a:text-is("#3")')
    const shown = await person.reads('[role=tabpanel] pre')
    const [{ log }] = rows(file, `SELECT blob_text(log_blob) AS log FROM nodes WHERE campaign = '${kFailing}' AND node = 3`)
    assert.equal(shown, squeezed(log))
    assert.match(await person.reads('header:has(h1)'), /^Node 3 .*wrong output/)
    return shown
  })
})

test('what did the agent see', { skip }, async () => {
  await task(`What did the agent see when node ${best} was made?`, 2, async (person) => {
    await person.clickIn(kOne, `a:text-is("#${best}")`)
    await person.click('[role=tab]:text-is("prompts")')
    const shown = await person.reads('.window ol')
    const seen = rows(file, `SELECT w.node, w.kinship FROM windows w JOIN attempts a USING (campaign, decision)
      WHERE campaign = '${kOne}' AND a.node = ${best} AND w.role = 'plan' AND w.shown ORDER BY w.position`)
    assert.ok(seen.length > 1)
    assert.equal(shown, seen.map((w) => `#${w.node} ${w.kinship}`).join(' '))
    assert.notEqual(await person.reads('pre[aria-label=user]'), '', 'and word for word')
    return shown
  })
})

test('what changed from its parent', { skip }, async () => {
  await task(`What changed from the parent of node ${best}?`, 2, async (person) => {
    await person.clickIn(kOne, `a:text-is("#${best}")`)
    await person.click('[role=tab]:text-is("diff")')
    for (const side of ['a', 'b']) await person.reads(`.cm-merge-${side} .cm-changedLine`)
    const changed = async (side) => (await person.tab.locator(`.cm-merge-${side} .cm-changedLine`).allTextContents()).map(squeezed).filter((l) => l !== '')
    const source = (node) => rows(file, `SELECT blob_text(source_blob) AS source FROM nodes WHERE campaign = '${kOne}' AND node = ${node}`)[0].source.split('\n').map(squeezed)
    const [{ parent }] = rows(file, `SELECT parent FROM nodes WHERE campaign = '${kOne}' AND node = ${best}`)
    const [added, gone, after, before] = [await changed('b'), await changed('a'), source(best), source(parent)]
    assert.ok(added.length > 0 && added.every((line) => after.includes(line)))
    assert.ok(gone.length > 0 && gone.every((line) => before.includes(line)))
    assert.ok(added.some((line) => !before.includes(line)))
    assert.equal(await person.reads('.names'), `node ${parent} node ${best}`)
    return `${added.length} lines in the place of ${gone.length}, as ${added.find((line) => !before.includes(line))}`
  })
})

test('which of two is really faster', { skip }, async () => {
  await task('Is the best really faster than the others?', 1, async (person) => {
    await person.clickIn(kOne, 'td.name a')
    const leaders = person.tab.locator('section:has(h2:text-is("Leaders")) tbody tr')
    const said = (await leaders.allInnerTexts()).map(squeezed)
    assert.equal(said.length, 10)
    const kinds = new Set()
    for (const [i, { node }] of rows(file, `SELECT node FROM leaderboard WHERE campaign = '${kOne}' ORDER BY rank`).entries()) {
      if (i === 0) continue
      const one = says('ask', `which of ${best} and ${node} is really faster`, '--campaign', kOne, '--db', file)
      const word = one.includes(`${best} is faster`) ? 'slower' : 'cannot tell'
      kinds.add(word)
      assert.match(said[i], new RegExp(`^${i + 1} #${node} .* ${word} `))
    }
    assert.equal(kinds.size, 2, 'some are told apart, and some are not')
    assert.match(await person.reads('.head'), /not told apart from the second/)
    return said[1]
  })
})

test('what did it cost today', { skip }, async () => {
  await task('What did it cost today, and on other days?', 1, async (person) => {
    const now = new Date().toISOString().slice(0, 10)
    const days = rows(file, 'SELECT day, sum(calls) AS calls, sum(cost_usd) AS usd FROM spend_by_day GROUP BY day')
    const today = days.find((d) => d.day === now)?.usd ?? 0
    const shown = await person.reads('a.spent')
    assert.equal(shown, `today $${today}`)
    await person.click('a.spent')
    const said = await person.tab.locator('[aria-label="By day, campaign, role and model"] tbody tr').allInnerTexts()
    for (const { day, calls } of days) {
      const mine = said.map(squeezed).filter((row) => row.startsWith(day))
      const counted = mine.reduce((n, row) => n + Number(/catalogue-1 (\d+) /.exec(row)[1]), 0)
      assert.equal(counted, calls)
    }
    return `${shown}; ${squeezed(said[0])}`
  })
})

test('what fails most, and why', { skip }, async () => {
  await task('What fails most, and why?', 1, async (person) => {
    await person.clickIn(kFailing, 'a[aria-label$="failed: why"]')
    const [most] = rows(file, `SELECT verdict, nodes FROM failures WHERE campaign = '${kFailing}' ORDER BY nodes DESC LIMIT 1`)
    assert.equal(await person.reads('.classes button:nth-of-type(2)'), `W${most.verdict.replace('_', ' ')} ${most.nodes} 100%`)
    const nodes = rows(file, `SELECT node FROM nodes WHERE campaign = '${kFailing}' AND verdict = '${most.verdict}'`).map((r) => r.node)
    const linked = (await person.tab.locator('details a.kid').allTextContents()).map((t) => Number(t.slice(1)))
    assert.deepEqual(linked.sort((a, b) => a - b), nodes)
    return `${await person.reads('details[open] summary')}: ${await person.reads('details[open] dd >> nth=1')}`
  })
})

test('the source of the best kernel, copied', { skip }, async () => {
  await task('The source of the best kernel, copied', 2, async (person) => {
    await person.clickIn(kOne, `a:text-is("#${best}")`)
    await person.click('button:text-is("Copy")')
    await person.reads('[role=status]:text-is("Copied.")')
    const copied = await person.tab.evaluate(() => navigator.clipboard.readText())
    const [{ source }] = rows(file, `SELECT blob_text(source_blob) AS source FROM nodes WHERE campaign = '${kOne}' AND node = ${best}`)
    assert.equal(copied, source)
    return `${copied.length} characters`
  })
})

test('how noisy was its measurement', { skip }, async () => {
  await task('How noisy was its measurement?', 2, async (person) => {
    await person.clickIn(kOne, `a:text-is("#${best}")`)
    await person.click('[role=tab]:text-is("measured")')
    const shown = await person.reads('figcaption')
    const [first] = rows(file, `SELECT count(*) AS n, min(runtime_s) AS least, max(runtime_s) AS most, workload FROM samples
      WHERE campaign = '${kOne}' AND node = ${best} AND ordinal = 0 AND position = 0`)
    const [, n, low, high] = /· (\d+) samples of the node, .* quartiles ([\d.]+) µs to ([\d.]+) µs/.exec(shown)
    assert.equal(Number(n), first.n)
    assert.ok(shown.startsWith(first.workload))
    assert.ok(first.least * 1e6 <= Number(low) + 1 && Number(low) < Number(high) && Number(high) - 1 <= first.most * 1e6)
    // The interval of each evaluation stands beside its speedup.
    const spread = rows(file, `SELECT speedup_low AS low, speedup_high AS high FROM evaluations WHERE campaign = '${kOne}' AND node = ${best} ORDER BY ordinal`)
    const said = (await person.tab.locator('[role=tabpanel] table').first().locator('tbody tr').allInnerTexts()).map(squeezed)
    assert.equal(said.length, spread.length)
    spread.forEach(({ low, high }, i) => assert.ok(said[i].includes(`[${low.toFixed(1)}, ${high.toFixed(1)}]`), said[i]))
    return shown
  })
})

// The speedups of level1.db were worked out anew since, so its reasons differ.
test('why did the policy choose this', { skip }, async () => {
  const foreign = join(folder, 'foreign.db')
  copyFileSync(data('foreign.db'), foreign)
  const c = 'bilateral.stark.s1'
  const [{ node }] = rows(foreign, `SELECT node FROM leaderboard WHERE campaign = '${c}' AND rank = 1`)
  const other = await serve(foreign, '--read-only')
  try {
    await task(`Why did the policy make node ${node}, and would it again?`, 2, async (person) => {
      await person.clickIn(c, `a:text-is("#${node}")`)
      await person.click('[role=tab]:text-is("decision")')
      const shown = await person.reads('[role=tabpanel] dl')
      const [{ parent, reason, policy }] = rows(foreign, `SELECT parent, reason, policy FROM attempts WHERE campaign = '${c}' AND node = ${node}`)
      assert.ok(shown.startsWith(`policy ${policy} chose #${parent}: ${reason}`), shown)
      says('replay', foreign, '--check', '--campaign', c)   // It fails if one differs.
      assert.match(shown, /made again the same node for the same reason$/)
      return shown
    }, other.entry)
  } finally {
    await stop(other.child)
  }
})

test('stop it from trying a technique', { skip }, async () => {
  const mine = join(folder, 'steered.db')
  const running = await simulate(mine, 'steered')
  let other
  try {
    other = await serve(mine)
    await task('Stop it from trying a technique', 3, async (person) => {
      await person.clickIn('steered', 'a[href*="/n/"]')
      const name = await person.reads('[aria-label=Steering] a.name')
      await person.click('[aria-label=Steering] a.name >> nth=0')
      assert.equal(await person.tab.inputValue('[aria-label="What it says"]'), name)
      assert.deepEqual(rows(mine, 'SELECT * FROM directives'), [], 'a link alone says nothing')
      await person.click('button:text-is("Send")')
      await person.reads('tr:has-text("forbid") >> text=/applied at decision \\d+/')
      const shown = await person.reads('tr:has-text("forbid")')
      const [said] = rows(mine, 'SELECT kind, aspect, blob_text(text_blob) AS text, outcome, effective_decision FROM directives')
      assert.equal(said.kind, 'forbid')
      assert.equal(said.aspect, 'technique')
      assert.equal(said.text, name)
      assert.ok(shown.includes(`applied at decision ${said.effective_decision}`), shown)
      return shown
    }, other.entry)
  } finally {
    for (const child of [running, other?.child]) await stop(child, 'SIGKILL')
  }
})

test('the same kernel on other machines or days', { skip }, async () => {
  await task('The same kernel on other machines or days', 2, async (person) => {
    await person.clickIn(kOne, `a:text-is("#${best}")`)
    await person.click('[role=tab]:text-is("history")')
    await person.reads('[role=tabpanel] tbody tr')
    const said = (await person.tab.locator('[role=tabpanel] tbody tr').allInnerTexts()).map(squeezed)
    const judged = rows(file, `SELECT hardware, compiler, verdict FROM evaluations WHERE campaign = '${kOne}' AND node = ${best} ORDER BY ordinal`)
    assert.ok(judged.length > 1)
    assert.equal(said.length, judged.length)
    judged.forEach((e, i) => assert.ok(said[i].includes(e.hardware) && said[i].includes(e.compiler), said[i]))
    assert.match(said[1], /[+-]\d+\.\d%$/, 'how much other than the time before')
    return said[1]
  })
})

test('ask in SQL, and get CSV', { skip }, async () => {
  await task('Ask in SQL, and get CSV', 3, async (person) => {
    await person.click('nav a:text-is("Ask")')
    await person.click('button:has-text("Run")')
    const shown = await person.reads('[role=table] [role=row] >> nth=1')
    const sql = new URL(person.tab.url()).searchParams.get('sql')
    const [first] = rows(file, sql)
    assert.ok(shown.startsWith(`${first.campaign} ${first.node} `), shown)
    const coming = person.tab.waitForEvent('download')
    await person.click('a:text-is("CSV")')
    const saved = join(folder, 'answer.csv')
    await (await coming).saveAs(saved)
    const csv = readFileSync(saved, 'utf8')
    assert.equal(csv.replaceAll('\r\n', '\n'), says('sql', sql, '--csv', '--db', file).replaceAll('\r\n', '\n'))
    return csv.split(/\r?\n/)[1]
  })
})

test('a question in words', { skip }, async () => {
  await task('What is fastest? of the assistant', 3, async (person) => {
    await person.clickIn(kOne, 'td.name a')
    await person.click('button:text-is("Assistant")')
    await person.click('aside button:has-text("What is fastest?")')
    const shown = await person.reads('aside [aria-label="The answer"] tbody tr')
    assert.match(shown, new RegExp(`#${best}\\b`))
    return shown
  })
})
