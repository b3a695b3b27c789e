// What a plan marked in its parent's source: lines between two comments that
// are anchors (agents/prompt/anchors.h).  The lines of the anchors are taken out.

export interface Marked {
  text: string
  marks: { from: number; to: number }[]   // Lines, from 1, both included.
}

const kAnchor = /<<<IMPROVE (BEGIN|END)S?>>>/

export function readAnchors(source: string): Marked {
  const lines: string[] = []
  const marks: Marked['marks'] = []
  let from: number | null = null
  for (const line of source.split('\n')) {
    const anchor = kAnchor.exec(line)
    if (!anchor) {
      lines.push(line)
      continue
    }
    if (anchor[1] === 'BEGIN') from = lines.length + 1
    else if (from !== null) {
      if (lines.length >= from) marks.push({ from, to: lines.length })
      from = null
    }
    // Beside code an anchor is a comment at its end, and the code stays.
    const code = line.replace(/(\/\/|#|\/\*).*$/, '')
    if (code.trim() !== '') lines.push(line)
  }
  return { text: lines.join('\n'), marks }
}
