// Which file draws which page; each is fetched when it is first opened.

import type { Component } from 'svelte'
import type { PageName } from '../place/address.ts'

type Loaded = Promise<{ default: Component }>

const kPages: Record<PageName, () => Loaded> = {
  campaigns: () => import('./Campaigns.svelte'),
  campaign: () => import('./Campaign.svelte'),
  tree: () => import('./Tree.svelte'),
  node: () => import('./Node.svelte'),
  failures: () => import('./Failures.svelte'),
  leaderboard: () => import('./Leaderboard.svelte'),
  spend: () => import('./Spend.svelte'),
  compare: () => import('./Compare.svelte'),
  ask: () => import('./Ask.svelte'),
  steer: () => import('./Steer.svelte'),
  nowhere: () => import('./Nowhere.svelte'),
}

const loaded = new Map<PageName, Loaded>()

export function loadPage(name: PageName): Loaded {
  const known = loaded.get(name)
  if (known) return known
  const page = kPages[name]()
  loaded.set(name, page)
  page.catch(() => loaded.delete(name))
  return page
}
