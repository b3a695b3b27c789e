// Pictures of every page, light and dark, wide and narrow, of a campaign in a
// database, and docs/inspector.png, which README shows.
//
// usage: page/test/run pictures PROGRAM DB CAMPAIGN NODE FOLDER
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { launch, openTab, visit } from './browser/browser.mjs'
import { places } from './browser/places.mjs'

const [program, file, campaign, node, folder] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const server = spawn(program, ['serve', file, '--port', '0', '--no-open', '--read-only'], { stdio: ['ignore', 'pipe', 'inherit'] })
const entry = await new Promise((found, failed) => {
  server.on('exit', (code) => failed(new Error(`serve ended with ${code}`)))
  createInterface({ input: server.stdout }).on('line', (line) => {
    const url = /http:\/\/\S+token=\S+/.exec(line)
    if (url) found(url[0])
  })
})
const base = new URL(entry).origin
const browser = await launch()

async function take(colorScheme, width, height, pictures) {
  const context = await browser.newContext({ colorScheme, viewport: { width, height } })
  const { tab } = await openTab(context, base)
  await tab.goto(entry)
  for (const [place, path] of pictures) {
    await visit(tab, base + place)
    await tab.screenshot({ path })
  }
  await context.close()
}

try {
  const all = places(campaign, node)
  for (const colorScheme of ['light', 'dark']) {
    for (const [width, height] of [[1440, 900], [390, 844]]) {
      await take(colorScheme, width, height, all.map((place, i) =>
        [place, `${folder}/${String(i).padStart(2, '0')}-${colorScheme}-${width}.png`]))
    }
  }
  const readme = fileURLToPath(new URL('../../docs/inspector.png', import.meta.url))
  await take('light', 1200, 470, [[`/c/${encodeURIComponent(campaign)}/tree?node=${node}`, readme]])
} finally {
  await browser.close()
  server.kill('SIGTERM')
}
