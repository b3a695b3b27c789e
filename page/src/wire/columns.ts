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
  const next = (bytes_each: number): [ArrayBuffer, number, number] => {
    const from = at
    at += bytes_each * count
    return [bytes, from, count]
  }
  return {
    version: head.getUint32(12, true), first, count,
    ...each(() => new Uint32Array(...next(4)), () => new Float32Array(...next(4)), () => new Uint8Array(...next(1))),
  }
}

// The columns in the order in which they are sent, by what makes one of a kind.
type Name = Exclude<keyof Columns, 'version' | 'first' | 'count'>
function each(
  whole: (name: Name) => Uint32Array<ArrayBuffer>, real: (name: Name) => Float32Array<ArrayBuffer>,
  small: (name: Name) => Uint8Array<ArrayBuffer>,
): Pick<Columns, Name> {
  return {
    parent: whole('parent'), speedup: real('speedup'), verdict: small('verdict'),
    flags: small('flags'), technique: small('technique'), policy: small('policy'),
  }
}

// Another, if nodes are other than they were: by how many evaluations of old ones
// there are, and how many directives wait.
export const treeVersion = (further: number | null | undefined, directives: number | null | undefined) =>
  ((further ?? 0) * 4096 + (directives ?? 0)) >>> 0

export const kNoColumns: Columns = {
  version: 0, first: 0, count: 0,
  ...each(() => new Uint32Array(0), () => new Float32Array(0), () => new Uint8Array(0)),
}

// `more` begins at most where `old` ends; where both have a node, `more` is right.
export function appendColumns(old: Columns, more: Columns): Columns {
  if (more.first > old.count) throw new Error('Nodes are missing in between.')
  if (old.count === 0) return more
  const count = Math.max(old.count, more.first + more.count)
  const grown = <T extends Columns[Name]>(all: T, name: Name): T => {
    all.set(old[name])
    all.set(more[name], more.first)
    return all
  }
  return {
    version: more.version, first: 0, count,
    ...each((name) => grown(new Uint32Array(count), name), (name) => grown(new Float32Array(count), name),
      (name) => grown(new Uint8Array(count), name)),
  }
}
