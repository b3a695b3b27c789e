// The addresses of all that there is to see of a campaign and a node.
export function places(c, node) {
  const of = `/c/${encodeURIComponent(c)}`
  const tabs = ['code', 'diff', 'lineage', 'measured', 'profile', 'log', 'prompts', 'decision', 'history']
  return [
    '/', of, `${of}?over=seconds`, `${of}/tree?view=icicle`, `${of}/tree?view=icicle&colour=verdict&filter=verdict%3Apassed`,
    `${of}/tree?view=links`, `${of}/tree?view=table`, ...tabs.map((t) => `${of}/n/${node}?tab=${t}`), `${of}/n/${node}?tab=lineage&blame=1`,
    `${of}/failures`, `${of}/steer`, '/leaderboard', '/spend', '/compare', '/ask?sql=SELECT+campaign%2C+node%2C+speedup+FROM+leaderboard',
    '/ask?sql=SELECT+campaign%2C+node%2C+speedup+FROM+leaderboard&as=plot', '/nowhere',
  ]
}
