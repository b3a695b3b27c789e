// The keyboard: single keys, and two in a row that begin with g.

export type Action = () => void
export type Bindings = Record<string, Action>

export const kHelp: [string, string][] = [
  ['/', 'search'],
  ['g c', 'campaigns'], ['g l', 'leaderboard'], ['g f', 'failures'],
  ['g t', 'tree of this campaign'], ['g o', 'overview of this campaign'],
  ['g s', 'spend'], ['g m', 'compare'], ['g a', 'ask'],
  ['j k', 'next and previous sibling'], ['h l', 'parent and first child'],
  ['[ ]', 'one step up and down the lineage'],
  ['d D', 'diff with parent, with root'], ['b', 'the best node'],
  ['Enter', 'open the chosen node'], ['+ - 0', 'zoom in, out, all of the tree'],
  ['a', 'the assistant'], ['.', 'live or frozen'], ['?', 'these keys'], ['Esc', 'close'],
]

function writes(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || target.shadowRoot !== null ||
    ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)
}

// What keys do now: later ones win, so that a page adds to those of all pages.
export class Keys {
  private layers: Bindings[] = []
  private first = ''
  private since = 0

  add(bindings: Bindings): () => void {
    this.layers.push(bindings)
    return () => { this.layers = this.layers.filter((l) => l !== bindings) }
  }

  press(key: string, at_ms: number): boolean {
    const chord = this.first && at_ms - this.since < 1500 ? `${this.first} ${key}` : key
    this.first = ''
    const action = this.layers.findLast((l) => l[chord])?.[chord]
    if (action) {
      action()
      return true
    }
    if (key === 'g') {
      this.first = key
      this.since = at_ms
    }
    return false
  }

  listen(): () => void {
    const down = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (writes(event.target) && event.key !== 'Escape') return
      // A button or link that has the focus is what Enter and space are for.
      const focused = event.target instanceof Element ? event.target : null
      if (event.key === 'Enter' && focused?.closest('a, button, summary')) return
      if (this.press(event.key, event.timeStamp)) event.preventDefault()
    }
    addEventListener('keydown', down)
    return () => removeEventListener('keydown', down)
  }
}

export const keys = new Keys()
