// The program itself, for tests before it: its server, and what it answers.
import { spawn, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

export const kProgram = process.env.COPPICE
export const skip = kProgram ? false : 'no program was given'

export const ended = (child) => new Promise((done) => {
  if (child.exitCode !== null || child.signalCode !== null) done()
  else child.on('exit', done)
})

// A server of these files, with the address that it printed: { child, entry }.
export async function serve(...args) {
  const child = spawn(kProgram, ['serve', ...args, '--port', '0', '--no-open'], { stdio: ['ignore', 'pipe', 'pipe'] })
  const entry = await new Promise((found, failed) => {
    child.on('error', failed)
    child.on('exit', (code) => failed(new Error(`serve ended with ${code}`)))
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        const url = /https?:\/\/\S+token=\S+/.exec(line)
        if (url) found(url[0])
      })
    }
  })
  return { child, entry }
}

export async function stop(child, signal = 'SIGTERM') {
  if (!child) return
  child.kill(signal)
  await ended(child)
}

// A simulated campaign of this name that runs until it is stopped, once it has
// more than twenty nodes.  Half of its attempts ask a command that takes its time
// and writes nothing: one that is as fast as it can has thousands of nodes before
// it is looked at.
export async function simulate(file, name) {
  const agent = `${file}.agent.sh`
  writeFileSync(agent, 'cat >/dev/null; sleep 0.1; echo no\n')
  const child = spawn(kProgram, ['run', 'sim:basic', '--seed', '7', '--budget', '1000000', '--name', name, '--code-model', `exec:sh ${agent},catalogue`, '--db', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  const said = []
  createInterface({ input: child.stderr }).on('line', (line) => { said.push(line); if (said.length > 10) said.shift() })
  const until = Date.now() + 120000
  while (Date.now() < until && child.exitCode === null) {
    // The file is there once the campaign is.
    const look = spawnSync(kProgram, ['sql', 'SELECT 1 FROM campaigns WHERE nodes > 20', '--db', file, '--json'], { encoding: 'utf8' })
    if (look.status === 0 && JSON.parse(look.stdout).length > 0) return Object.assign(child, { said })
    await new Promise((done) => setTimeout(done, 100))
  }
  await stop(child, 'SIGKILL')
  throw new Error(`the simulated campaign did not come to twenty nodes within two minutes: ${said.join('\n')}`)
}

// What a verb prints.
export function says(...args) {
  const { status, stdout, stderr } = spawnSync(kProgram, args, { encoding: 'utf8', maxBuffer: 1 << 26 })
  if (status !== 0) throw new Error(`coppice ${args.join(' ')}: ${stderr}`)
  return stdout
}

export const rows = (file, sql) => JSON.parse(says('sql', sql, '--db', file, '--json'))
