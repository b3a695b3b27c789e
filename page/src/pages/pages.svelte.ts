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

// A page that is there is drawn at once, so that no other answers for its place.
class Pages {
  failed = $state(false)
  private loaded = $state.raw<Partial<Record<PageName, Component>>>({})

  of(name: PageName): Component | undefined {
    return this.loaded[name]
  }

  load(name: PageName): void {
    if (this.loaded[name]) return
    kPages[name]().then(
      (page) => { this.loaded = { ...this.loaded, [name]: page.default } },
      () => { this.failed = true })
  }
}

export const pages = new Pages()
