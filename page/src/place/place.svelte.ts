// Where the reader is.  A click on a link of ours goes there without a reload.

import { formatPlace, parsePlace, type Place } from './address.ts'

const here = () => parsePlace(location.pathname, location.search)

let current = $state.raw<Place>(here())

export const place = {
  get now(): Place {
    return current
  },
}

// The assistant stays open from page to page.
function keepingTalk(url: string): string {
  const talk = current.query['talk']
  if (!talk) return url
  const to = new URL(url, location.origin)
  if (!to.searchParams.has('talk')) to.searchParams.set('talk', talk)
  return to.pathname + to.search
}

export function go(url: string, replace = false): void {
  move(keepingTalk(url), replace)
}

function move(url: string, replace: boolean): void {
  if (replace) history.replaceState(null, '', url)
  else history.pushState(null, '', url)
  const before = current
  current = here()
  if (!replace && (before.page !== current.page || before.node !== current.node)) {
    scrollTo(0, 0)
  }
}

// Changes some of the query; an empty value takes the key away.
export function setQuery(changes: Record<string, string>, replace = true): void {
  const query = { ...current.query, ...changes }
  move(formatPlace({ ...current, query }), replace)
}

function onClick(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = event.target instanceof Element ? event.target.closest('a') : null
  if (!link || link.target || link.hasAttribute('download')) return
  if (link.origin !== location.origin || link.pathname.startsWith('/api/')) return
  if (link.getAttribute('href')?.startsWith('#')) return
  event.preventDefault()
  go(link.pathname + link.search)
}

export function follow(): () => void {
  const back = () => { current = here() }
  addEventListener('popstate', back)
  document.addEventListener('click', onClick)
  return () => {
    removeEventListener('popstate', back)
    document.removeEventListener('click', onClick)
  }
}
