// An answer in pieces: what it cites as links that the server has checked, what
// is not there struck out, and numbers that no tool has shown.

export interface Cite {
  text: string
  href: string | null
  exists: boolean
}

export interface Piece {
  kind: 'text' | 'link' | 'missing' | 'unfound'
  text: string
  href: string
}

function numbered(text: string, unfound: readonly string[]): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const number of unfound) {
    const at = text.indexOf(number, from)
    if (at < 0) continue
    if (at > from) pieces.push({ kind: 'text', text: text.slice(from, at), href: '' })
    pieces.push({ kind: 'unfound', text: number, href: '' })
    from = at + number.length
  }
  if (from < text.length) pieces.push({ kind: 'text', text: text.slice(from), href: '' })
  return pieces
}

export function piecesOf(text: string, cites: readonly Cite[], unfound: readonly string[]): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const cite of cites) {
    const at = cite.text ? text.indexOf(cite.text, from) : -1
    if (at < 0) continue
    pieces.push(...numbered(text.slice(from, at), unfound))
    const shown = cite.text.replace(/^\[\[|\]\]$/g, '')
    // Links lead into the page and nowhere else, whatever was sent.
    const href = cite.exists && cite.href?.startsWith('/c/') ? cite.href : ''
    pieces.push({ kind: href ? 'link' : 'missing', text: shown, href })
    from = at + cite.text.length
  }
  pieces.push(...numbered(text.slice(from), unfound))
  return pieces
}
