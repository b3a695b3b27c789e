// CodeMirror, as this page uses it: to read code, to compare it, to ask in SQL.
// Editors live in shadow roots, where their styles are constructed sheets and
// need no permission of the content security policy.

import { autocompletion } from '@codemirror/autocomplete'
import { history, historyKeymap, defaultKeymap } from '@codemirror/commands'
import { cpp } from '@codemirror/lang-cpp'
import { python } from '@codemirror/lang-python'
import { sql, SQLite } from '@codemirror/lang-sql'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { EditorState, RangeSetBuilder, type Extension } from '@codemirror/state'
import { Decoration, EditorView, GutterMarker, gutter, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

export interface Options {
  language: string | null
  label: string
  marks?: { from: number; to: number }[]       // Lines, from 1.
  gutter?: { text: string; title: string; open: () => void }[]   // By line.
}

const kStyle = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword], class: 'keyword' },
  { tag: [tags.string, tags.character], class: 'string' },
  { tag: tags.comment, class: 'comment' },
  { tag: [tags.number, tags.bool, tags.null], class: 'number' },
  { tag: [tags.typeName, tags.className, tags.standard(tags.name)], class: 'type' },
  { tag: [tags.processingInstruction, tags.meta], class: 'meta' },
])

const kTheme = EditorView.theme({
  '&': { fontSize: '12px', backgroundColor: 'var(--raised)', color: 'var(--ink)', maxHeight: 'inherit' },
  '&.cm-focused': { outline: '2px solid var(--link)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-gutters': { backgroundColor: 'var(--sunk)', color: 'var(--ink-soft)', border: 'none', borderRight: '1px solid var(--line)' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { backgroundColor: 'var(--chosen)' },
  '.cm-specialChar': { color: 'var(--bad)' },
  '.cm-anchor': { backgroundColor: 'var(--mark)' },
  '.cm-blame .cm-gutterElement': { padding: '0 6px', cursor: 'pointer', color: 'var(--link)' },
  '.keyword': { color: 'light-dark(#7b2d8b, #d39be0)' },
  '.string': { color: 'light-dark(#2a6b2a, #9bd08f)' },
  '.comment': { color: 'light-dark(#5c5c5c, #b4babf)', fontStyle: 'italic' },
  '.number': { color: 'light-dark(#8a4200, #f0b070)' },
  '.type': { color: 'light-dark(#1d5c8f, #7db8e8)' },
  '.meta': { color: 'light-dark(#5f5000, #d6c468)' },
  '.cm-changedLine, &.cm-merge-b .cm-changedLine, .cm-insertedLine': { backgroundColor: 'var(--added)' },
  '&.cm-merge-a .cm-changedLine, .cm-deletedChunk': { backgroundColor: 'var(--removed)' },
  '&.cm-merge-b .cm-changedText, .cm-insertedLine .cm-changedText': { background: 'light-dark(#c3e9cd, #1b4a2d)' },
  '&.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText': { background: 'light-dark(#f9d5d1, #5c2320)' },
  '.cm-collapsedLines': { background: 'var(--sunk)', color: 'var(--ink-soft)', padding: '2px 12px' },
  '.cm-tooltip': { backgroundColor: 'var(--raised)', border: '1px solid var(--line-strong)', color: 'var(--ink)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--chosen)', color: 'var(--ink)' },
  '.cm-panels': { backgroundColor: 'var(--sunk)', color: 'var(--ink)' },
})

// Controls that reorder or hide what is read are drawn as red marks.
const kSpecial = highlightSpecialChars({ addSpecialChars: /[\u2028-\u202e\u2060-\u206f\u061c\u200b-\u200f]/g })

function dialect(language: string | null): Extension {
  if (language === 'cpp' || language === 'cuda') return cpp()
  if (language === 'python' || language === 'triton' || language === 'tilelang') return python()
  return []
}

function reading({ language, label }: Options): Extension[] {
  return [
    lineNumbers(), kSpecial, kTheme, syntaxHighlighting(kStyle), dialect(language),
    EditorState.readOnly.of(true), EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label, 'aria-readonly': 'true', tabindex: '0' }),
    search({ top: true }), highlightSelectionMatches(), keymap.of(searchKeymap),
  ]
}

function marked(ranges: { from: number; to: number }[]): Extension {
  const line = Decoration.line({ class: 'cm-anchor' })
  return EditorView.decorations.of((view) => {
    const set = new RangeSetBuilder<Decoration>()
    for (const { from, to } of ranges) {
      for (let n = from; n <= Math.min(to, view.state.doc.lines); ++n) {
        const at = view.state.doc.line(n).from
        set.add(at, at, line)
      }
    }
    return set.finish()
  })
}

class Blame extends GutterMarker {
  constructor(private readonly text: string, private readonly title: string) { super() }
  override eq(other: Blame): boolean { return other.text === this.text }
  override toDOM(): Text | HTMLElement {
    const mark = document.createElement('span')
    mark.textContent = this.text
    mark.title = this.title
    return mark
  }
}

function blamed(lines: NonNullable<Options['gutter']>): Extension {
  const of = (view: EditorView, at: number) => lines[view.state.doc.lineAt(at).number - 1]
  return gutter({
    class: 'cm-blame',
    lineMarker: (view, line) => {
      const one = of(view, line.from)
      return one ? new Blame(one.text, one.title) : null
    },
    domEventHandlers: { click: (view, line) => { of(view, line.from)?.open(); return true } },
  })
}

function rootOf(host: HTMLElement): ShadowRoot {
  return host.shadowRoot ?? host.attachShadow({ mode: 'open' })
}

export function showCode(host: HTMLElement, text: string, options: Options): () => void {
  const root = rootOf(host)
  const view = new EditorView({
    doc: text, root, parent: root,
    extensions: [options.gutter ? blamed(options.gutter) : [], reading(options), options.marks ? marked(options.marks) : []],
  })
  return () => view.destroy()
}

export function showDiff(host: HTMLElement, before: string, after: string, options: Options & { beside: boolean; labelBefore: string }): () => void {
  const root = rootOf(host)
  const collapse = { margin: 4, minSize: 6 }
  if (!options.beside) {
    const view = new EditorView({
      doc: after, root, parent: root,
      extensions: [reading(options), unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: collapse })],
    })
    return () => view.destroy()
  }
  const view = new MergeView({
    a: { doc: before, extensions: reading({ ...options, label: options.labelBefore }) },
    b: { doc: after, extensions: reading(options) },
    root, parent: root, collapseUnchanged: collapse, gutter: true,
  })
  return () => view.destroy()
}

// Typed text is put in by us: where it replaces other text Chromium would wrap it
// in an element with a style, which the policy refuses.
const kTyping = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    if (event.inputType !== 'insertText' || event.data === null || view.composing) return false
    event.preventDefault()
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true })
    return true
  },
})

export interface SqlSchema {
  view: string
  comment: string | null
  columns: { name: string; comment: string | null }[]
}

export interface Editor {
  set: (text: string) => void
  close: () => void
}

export function editSql(host: HTMLElement, text: string, schema: SqlSchema[], change: (text: string) => void, run: () => void): Editor {
  const root = rootOf(host)
  const tables = schema.map((v) => ({
    self: { label: v.view, type: 'class', ...(v.comment ? { detail: v.comment } : {}) },
    children: v.columns.map((c) => ({ label: c.name, type: 'property', ...(c.comment ? { detail: c.comment } : {}) })),
  }))
  const view = new EditorView({
    doc: text, root, parent: root,
    extensions: [
      keymap.of([{ key: 'Mod-Enter', run: () => { run(); return true } }, ...defaultKeymap, ...historyKeymap]),
      history(), kTyping, kSpecial, kTheme, syntaxHighlighting(kStyle), EditorView.lineWrapping,
      sql({ dialect: SQLite, schema: Object.fromEntries(tables.map((t) => [t.self.label, t])), upperCaseKeywords: true }),
      autocompletion({ activateOnTyping: true }),
      EditorView.contentAttributes.of({ 'aria-label': 'Question in SQL' }),
      EditorView.updateListener.of((u) => { if (u.docChanged) change(u.state.doc.toString()) }),
    ],
  })
  return {
    set: (to) => {
      if (view.state.doc.toString() !== to) view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: to } })
    },
    close: () => view.destroy(),
  }
}
