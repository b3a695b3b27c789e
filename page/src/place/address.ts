// A place in the page, and the URL that is it.  All state is here: a link that
// is opened at another time, elsewhere, shows the same.

export type PageName =
  | 'campaigns' | 'campaign' | 'tree' | 'node' | 'failures' | 'leaderboard'
  | 'spend' | 'compare' | 'ask' | 'steer' | 'nowhere'

export interface Place {
  page: PageName
  db: number
  c: string
  node: number
  query: Record<string, string>
}

const kOfAll = new Map<string, PageName>([
  ['', 'campaigns'], ['leaderboard', 'leaderboard'], ['spend', 'spend'],
  ['compare', 'compare'], ['ask', 'ask'],
])
const kOfOne = new Map<string, PageName>([
  ['', 'campaign'], ['tree', 'tree'], ['failures', 'failures'],
  ['steer', 'steer'],
])

function whole(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

// A campaign may be named "." or "..", which a path cannot hold: a tilde is put
// before such a name, and before one that begins with a tilde.
function segment(name: string): string {
  return encodeURIComponent(/^(~|\.\.?$)/.test(name) ? `~${name}` : name)
}

function unsegment(text: string): string {
  const name = decoded(text)
  return name.startsWith('~') ? name.slice(1) : name
}

export function parsePlace(pathname: string, search: string): Place {
  const query = Object.fromEntries(new URLSearchParams(search))
  const db = whole(query['db']) ?? 0
  delete query['db']
  const parts = pathname.replace(/^\/+|\/+$/g, '').split('/')
  const [first = '', name = '', kind = '', number] = parts
  const place = (page: PageName, node = 0): Place => ({
    page, db, c: first === 'c' ? unsegment(name) : '', node, query,
  })
  if (first !== 'c') {
    return place((parts.length === 1 && kOfAll.get(first)) || 'nowhere')
  }
  if (!name) return place('campaigns')
  const node = whole(number)
  if (kind === 'n' && node !== null && parts.length === 4) return place('node', node)
  return place((parts.length <= 3 && kOfOne.get(kind)) || 'nowhere')
}

const kPaths: Partial<Record<PageName, string>> = {
  campaigns: '/', leaderboard: '/leaderboard', spend: '/spend',
  compare: '/compare', ask: '/ask',
}

export function formatPlace(place: Place): string {
  const { page, db, c, node, query } = place
  let path = kPaths[page] ?? '/'
  if (!kPaths[page] && c) {
    path = `/c/${segment(c)}`
    if (page === 'node') path += `/n/${node}`
    else if (page !== 'campaign') path += `/${page}`
  }
  const search = new URLSearchParams()
  if (db) search.set('db', String(db))
  for (const [key, value] of Object.entries(query)) {
    if (value !== '') search.set(key, value)
  }
  const text = search.toString()
  return text ? `${path}?${text}` : path
}

type Query = Record<string, string>

const toPageOfOne = (page: PageName) => (db: number, c: string, query: Query = {}) =>
  formatPlace({ page, db, c, node: 0, query })
export const toCampaign = toPageOfOne('campaign')
export const toTree = toPageOfOne('tree')
export const toFailures = toPageOfOne('failures')
export const toSteer = toPageOfOne('steer')
export const toNode = (db: number, c: string, node: number, query: Query = {}) =>
  formatPlace({ page: 'node', db, c, node, query })
export const toPage = (page: PageName, query: Query = {}, db = 0) =>
  formatPlace({ page, db, c: '', node: 0, query })
