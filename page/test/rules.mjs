// Rules that the page's sources hold to; a line for each breach.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const kRules = [
  [/\{@html/, 'makes markup of text: say it as text'],
  [/\b(inner|outer)HTML\b|insertAdjacentHTML|document\.write/, 'makes markup of text: say it as text'],
  [/\beval\s*\(|new Function\s*\(/, 'makes code of text'],
  [/\sstyle="/, 'has a style attribute, which the policy refuses: use style:NAME'],
  [/https?:\/\/(?!127\.0\.0\.1|www\.w3\.org)/, 'names another host'],
  [/\bsetAttribute\(\s*'(on|style)/, 'sets what the policy refuses'],
]

const source = fileURLToPath(new URL('../src', import.meta.url))
let breaches = 0
const say = (where, what) => {
  breaches += 1
  console.error(`${where}: ${what}`)
}

for (const name of readdirSync(source, { recursive: true })) {
  if (!/\.(svelte|ts|css|svg)$/.test(name)) continue
  const lines = readFileSync(`${source}/${name}`, 'utf8').split('\n')
  lines.forEach((line, i) => {
    for (const [pattern, what] of kRules) if (pattern.test(line)) say(`page/src/${name}:${i + 1}`, what)
  })
}

const root = fileURLToPath(new URL('..', import.meta.url))
const lock = readFileSync(`${root}/package-lock.json`, 'utf8')
if (lock.includes('"resolved"')) say('page/package-lock.json', 'says where packages came from: see page/.npmrc')
const wanted = JSON.parse(readFileSync(`${root}/package.json`, 'utf8')).devDependencies
for (const [name, version] of Object.entries(wanted)) {
  if (!/^\d+\.\d+\.\d+$/.test(version)) say('page/package.json', `${name} is not pinned: ${version}`)
}
process.exit(breaches === 0 ? 0 : 1)
