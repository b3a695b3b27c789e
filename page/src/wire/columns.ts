// The columns of a tree, as /api/tree sends them.

export const kNoParent = 0xffffffff
export const kRefuted = 1
export const kConfirmed = 2
export const kSameAsAnother = 4
export const kFrozen = 8

export interface Columns {
  version: number   // See treeVersion.
  first: number
  count: number
  parent: Uint32Array<ArrayBuffer>
  speedup: Float32Array<ArrayBuffer>
  verdict: Uint8Array<ArrayBuffer>
  flags: Uint8Array<ArrayBuffer>
  technique: Uint8Array<ArrayBuffer>
  policy: Uint8Array<ArrayBuffer>
}

const kHeader = 16
const kBytesANode = 4 + 4 + 1 + 1 + 1 + 1

export function decodeColumns(bytes: ArrayBuffer): Columns {
  if (bytes.byteLength < kHeader) throw new Error('The tree came torn: no header.')
  const head = new DataView(bytes)
  const mark = String.fromCharCode(...new Uint8Array(bytes, 0, 4))
  if (mark !== 'CTR1') throw new Error(`The tree begins with "${mark}", not "CTR1".`)
  const first = head.getUint32(4, true)
  const count = head.getUint32(8, true)
  const wanted = kHeader + count * kBytesANode
  if (bytes.byteLength !== wanted) {
    throw new Error(`The tree came torn: ${bytes.byteLength} of ${wanted} bytes.`)
  }
  let at = kHeader
  const column = <T>(size: number, make: (offset: number) => T): T => {
    const made = make(at)
    at += size * count
    return made
  }
  return {
    version: head.getUint32(12, true),
    first,
    count,
    parent: column(4, (o) => new Uint32Array(bytes, o, count)),
    speedup: column(4, (o) => new Float32Array(bytes, o, count)),
    verdict: column(1, (o) => new Uint8Array(bytes, o, count)),
    flags: column(1, (o) => new Uint8Array(bytes, o, count)),
    technique: column(1, (o) => new Uint8Array(bytes, o, count)),
    policy: column(1, (o) => new Uint8Array(bytes, o, count)),
  }
}

// Another, if nodes are other than they were: by how many evaluations of old ones
// there are, and how many directives wait.
export const treeVersion = (further: number | null | undefined, directives: number | null | undefined) =>
  ((further ?? 0) * 4096 + (directives ?? 0)) >>> 0

export const kNoColumns: Columns = {
  version: 0,
  first: 0,
  count: 0,
  parent: new Uint32Array(0),
  speedup: new Float32Array(0),
  verdict: new Uint8Array(0),
  flags: new Uint8Array(0),
  technique: new Uint8Array(0),
  policy: new Uint8Array(0),
}

// `more` begins at most where `old` ends; where both have a node, `more` is right.
export function appendColumns(old: Columns, more: Columns): Columns {
  if (more.first > old.count) throw new Error('Nodes are missing in between.')
  if (old.count === 0) return more
  const count = Math.max(old.count, more.first + more.count)
  const grow = <T extends Uint8Array | Uint32Array | Float32Array>(all: T, a: T, b: T): T => {
    all.set(a as never)
    all.set(b as never, more.first)
    return all
  }
  return {
    version: more.version,
    first: 0,
    count,
    parent: grow(new Uint32Array(count), old.parent, more.parent),
    speedup: grow(new Float32Array(count), old.speedup, more.speedup),
    verdict: grow(new Uint8Array(count), old.verdict, more.verdict),
    flags: grow(new Uint8Array(count), old.flags, more.flags),
    technique: grow(new Uint8Array(count), old.technique, more.technique),
    policy: grow(new Uint8Array(count), old.policy, more.policy),
  }
}
