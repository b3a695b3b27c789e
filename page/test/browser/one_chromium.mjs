// Runs files of tests, each in a process of its own, before one Chromium: a start
// takes as long as several tests.
//
// usage: node one_chromium.mjs FILE...
import { spawn } from 'node:child_process'
import { chromium } from 'playwright-core'
import { kChromium } from './browser.mjs'

const server = await chromium.launchServer(kChromium)
const tests = spawn(process.execPath, ['--test', '--test-concurrency=1', ...process.argv.slice(2)], {
  stdio: 'inherit', env: { ...process.env, ONE_CHROMIUM: server.wsEndpoint() },
})
process.exitCode = await new Promise((done) => tests.on('exit', (code) => done(code ?? 1)))
await server.close()
