import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { LaidOut } from '../../src/draw/layout_worker.ts'
import type { Told } from '../../src/wire/live_worker.ts'
import { kNoParent } from '../../src/wire/columns.ts'

// What the workers find where they run.
interface Given { bytes: ArrayBuffer; whole: boolean }
const scope = globalThis as unknown as {
  self: { onconnect?: (event: object) => void }
  onmessage: (event: { data: Given }) => void
  postMessage: (told: unknown, options?: { transfer: ArrayBuffer[] }) => void
  EventSource: unknown
}

function bytes(first: number, parents: number[]): ArrayBuffer {
  const n = parents.length
  const made = new ArrayBuffer(16 + 12 * n)
  const view = new DataView(made)
  ;[...'CTR1'].forEach((c, i) => view.setUint8(i, c.charCodeAt(0)))
  view.setUint32(4, first, true)
  view.setUint32(8, n, true)
  parents.forEach((p, i) => {
    view.setUint32(16 + 4 * i, p, true)
    view.setFloat32(16 + 4 * n + 4 * i, first + i + 1, true)
  })
  return made
}

test('a tree is laid out as it grows, and whole where it has changed', async () => {
  scope.onmessage = () => {}
  await import('../../src/draw/layout_worker.ts')
  const told: (LaidOut & { error?: string })[] = []
  const moved: number[] = []
  scope.postMessage = (one, options) => {
    told.push(one as LaidOut)
    moved.push(options?.transfer.length ?? 0)
  }
  const give = (data: Given) => scope.onmessage({ data })
  give({ bytes: bytes(0, [kNoParent, 0]), whole: false })
  give({ bytes: bytes(2, [1]), whole: false })
  assert.deepEqual(told.map((t) => [t.first, t.columns.count, t.layout.depths]), [[0, 2, 2], [2, 3, 3]])
  assert.deepEqual([...told[1]!.layout.best], [2, 2, 2])
  assert.deepEqual(moved, [8, 8])
  give({ bytes: bytes(0, [kNoParent]), whole: true })
  assert.equal(told[2]!.columns.count, 1)
  // What is torn is said, and nothing of it kept.
  give({ bytes: new ArrayBuffer(3), whole: false })
  assert.match(told[3]!.error ?? '', /torn/)
  give({ bytes: bytes(1, [0]), whole: false })
  assert.equal(told[4]!.columns.count, 2)
})

test('what was refuted is no best', () => {
  const told: LaidOut[] = []
  scope.postMessage = (one) => { told.push(one as LaidOut) }
  const tree = bytes(0, [kNoParent, 0])
  new Uint8Array(tree)[16 + 9 * 2 + 1] = 1   // A flag of node 1.
  scope.onmessage({ data: { bytes: tree, whole: true } })
  assert.deepEqual([...told[0]!.layout.best], [0, kNoParent])
})

class Source extends EventTarget {
  static all: Source[] = []
  static readonly CLOSED = 2
  readyState = 1
  onopen = () => {}
  onerror = () => {}
  constructor(readonly url: string) {
    super()
    Source.all.push(this)
  }
}

test('all tabs share one stream, and hear what was said last when they come', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  scope.EventSource = Source
  scope.self = {}
  await import('../../src/wire/live_worker.ts')
  const tab = () => {
    const heard: Told[] = []
    const port = { postMessage: (told: Told) => heard.push(told), onmessage: (_: { data: string }) => {} }
    scope.self.onconnect!({ ports: [port] })
    return { heard, leave: () => port.onmessage({ data: 'bye' }), kinds: () => heard.map((t) => (t.kind === 'link' ? t.open : t.kind)) }
  }
  const first = tab()
  const source = Source.all[0]!
  assert.equal(source.url, '/events')
  source.onopen()
  source.onopen()   // It is no news.
  source.dispatchEvent(new MessageEvent('change', { data: '{"databases":[]}' }))
  const second = tab()
  assert.equal(Source.all.length, 1)
  assert.deepEqual(first.kinds(), [false, true, 'change'])
  assert.deepEqual(second.kinds(), [true, 'change'])
  first.leave()
  source.onerror()
  assert.deepEqual(first.kinds(), [false, true, 'change'])
  assert.deepEqual(second.kinds(), [true, 'change', false])
  // The browser asks again by itself, unless it was closed for good.
  mock.timers.tick(5000)
  assert.equal(Source.all.length, 1)
  source.readyState = Source.CLOSED
  source.onerror()
  mock.timers.tick(2000)
  assert.equal(Source.all.length, 2)
  mock.timers.reset()
})
