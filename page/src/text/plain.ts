// Text that strangers wrote, so that what is seen is what is there.

import { kHidden } from './hidden.ts'

const kControls = new RegExp(
  `[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f${kHidden}]`, 'gu')

// Controls that would reorder, hide or end a text are shown by their number.
export function plain(text: string | null | undefined): string {
  if (!text) return ''
  return text.replace(kControls, (c) => {
    if (c === '\u001b') return '␛'
    const code = c.codePointAt(0) ?? 0
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}

// One line of at most so many characters.
export function oneLine(text: string | null | undefined, most = 200): string {
  const line = plain((text ?? '').slice(0, most * 4)).replace(/\s+/g, ' ').trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}
