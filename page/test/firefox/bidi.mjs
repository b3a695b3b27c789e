// Firefox, driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/) and
// nothing beside Node: it needs `node --experimental-websocket` before 22.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export const kFirefox = process.env.FIREFOX ?? '/usr/bin/firefox-esr'
const kPatience_ms = 60000

// What it would ask of others by itself is turned off.
const kPreferences = {
  'app.update.enabled': false, 'browser.shell.checkDefaultBrowser': false, 'browser.safebrowsing.downloads.remote.enabled': false,
  'browser.aboutwelcome.enabled': false, 'datareporting.policy.dataSubmissionEnabled': false, 'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false, 'services.settings.server': 'data:,', 'toolkit.telemetry.reportingpolicy.firstRun': false,
  'ui.prefersReducedMotion': 1,
}

class Link {
  constructor(socket) {
    this.socket = socket
    this.next = 0
    this.waiting = new Map()
    this.heard = []
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data)
      const wanted = this.waiting.get(message.id)
      this.waiting.delete(message.id)
      if (!wanted) this.heard.push(message)
      else if (message.type === 'success') wanted.done(message.result)
      else wanted.failed(new Error(`${message.error}: ${message.message}`))
    }
  }

  send(method, params = {}) {
    const id = ++this.next
    this.socket.send(JSON.stringify({ id, method, params }))
    return new Promise((done, failed) => {
      const late = setTimeout(() => failed(new Error(`${method} took too long`)), kPatience_ms)
      const over = (act) => (value) => { clearTimeout(late); act(value) }
      this.waiting.set(id, { done: over(done), failed: over(failed) })
    })
  }
}

// A window of its own, with all that went wrong in it.
export class Window {
  constructor(link, context) {
    this.link = link
    this.context = context
  }

  async goto(url) {
    await this.link.send('browsingContext.navigate', { context: this.context, url, wait: 'complete' })
  }

  // `what` is a function of no closure; its value is JSON.
  async evaluate(what, ...values) {
    const said = await this.link.send('script.evaluate', {
      target: { context: this.context }, awaitPromise: true,
      expression: `(async () => JSON.stringify(await (${what})(...${JSON.stringify(values)})))()`,
    })
    if (said.type !== 'success') throw new Error(said.exceptionDetails.text)
    return said.result.value === undefined ? undefined : JSON.parse(said.result.value)
  }

  async until(what, ...values) {
    const end = Date.now() + kPatience_ms
    for (;;) {
      const found = await this.evaluate(what, ...values)
      if (found) return found
      if (Date.now() > end) throw new Error(`never came: ${what} ${values}`)
      await new Promise((done) => setTimeout(done, 50))
    }
  }

  // A real click of the mouse in the middle of the first element by this selector
  // whose text is, or has, that.
  async click(selector, text = '') {
    const at = await this.until((s, t) => {
      const all = [...document.querySelectorAll(s)]
      const one = all.find((e) => e.textContent.trim() === t) ?? all.find((e) => e.textContent.includes(t))
      if (!one) return null
      one.scrollIntoView({ block: 'center' })
      const box = one.getBoundingClientRect()
      return box.width > 0 ? { x: Math.round(box.x + box.width / 2), y: Math.round(box.y + box.height / 2) } : null
    }, selector, text)
    await this.link.send('input.performActions', {
      context: this.context,
      actions: [{ type: 'pointer', id: 'mouse', actions: [{ type: 'pointerMove', ...at }, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }] }],
    })
  }

  async press(...keys) {
    await this.link.send('input.performActions', {
      context: this.context,
      actions: [{ type: 'key', id: 'keys', actions: keys.flatMap((value) => [{ type: 'keyDown', value }, { type: 'keyUp', value }]) }],
    })
  }

  // Errors, and requests to others than `base`, since the last time.
  wrong(base) {
    const all = this.link.heard.splice(0)
    return all.flatMap(({ method, params }) => {
      if (method === 'log.entryAdded' && params.level === 'error') return [`${params.type}: ${params.text}`]
      if (method === 'browsingContext.userPromptOpened') return [`dialog: ${params.message}`]
      const url = method === 'network.beforeRequestSent' ? params.request.url : base
      return url.startsWith(base) || /^(data|blob|about):/.test(url) ? [] : [`asked ${url}`]
    })
  }
}

// Runs `act` with a window of a fresh profile, and ends it whatever happens.
export async function inFirefox(act) {
  const profile = mkdtempSync(join(tmpdir(), 'coppice-firefox-'))
  writeFileSync(join(profile, 'user.js'), Object.entries(kPreferences).map(([k, v]) => `user_pref(${JSON.stringify(k)}, ${JSON.stringify(v)});\n`).join(''))
  const child = spawn(kFirefox, ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: profile } })
  const gone = new Promise((done) => child.once('exit', done))
  try {
    const address = await new Promise((found, failed) => {
      child.once('error', failed)
      child.once('exit', (code) => failed(new Error(`firefox ended with ${code}`)))
      createInterface({ input: child.stderr }).on('line', (line) => {
        const heard = /WebDriver BiDi listening on (ws:\S+)/.exec(line)
        if (heard) found(heard[1])
      })
    })
    const socket = new WebSocket(`${address}/session`)
    await new Promise((done, failed) => {
      socket.onopen = done
      socket.onerror = () => failed(new Error('firefox does not answer'))
    })
    const link = new Link(socket)
    await link.send('session.new', { capabilities: {} })
    await link.send('session.subscribe', { events: ['log.entryAdded', 'network.beforeRequestSent', 'browsingContext.userPromptOpened'] })
    const { contexts } = await link.send('browsingContext.getTree')
    const context = contexts[0].context
    await link.send('browsingContext.setViewport', { context, viewport: { width: 1280, height: 900 } })
    return await act(new Window(link, context))
  } finally {
    child.kill()
    await gone
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}
