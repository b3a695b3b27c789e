// Questions that are asked often, to begin with.

export const kQuestions: readonly [string, string][] = [
  ['Best of each campaign', `SELECT campaign, node, speedup, technique\nFROM leaderboard WHERE rank = 1 ORDER BY speedup DESC`],
  ['Best so far over attempts', `SELECT attempts, best_speedup\nFROM best_so_far\nWHERE campaign = (SELECT campaign FROM campaigns ORDER BY 1 LIMIT 1) AND improved`],
  ['What failed, and how', `SELECT campaign, verdict, sum(nodes) AS nodes\nFROM failures GROUP BY 1, 2 ORDER BY nodes DESC`],
  ['Noise: how far the root drifted', `SELECT campaign, min(root_runtime_s) AS least_s, max(root_runtime_s) AS most_s\nFROM evaluations WHERE verdict = 'passed' GROUP BY campaign`],
  ['Nodes that were refuted', `SELECT * FROM quarantined LIMIT 100`],
  ['Dollars by role and model', `SELECT * FROM spend LIMIT 200`],
  ['How a winner came about', `SELECT campaign, ancestor, verdict, speedup, technique FROM lineage\nWHERE (campaign, node) = (SELECT campaign, node FROM leaderboard WHERE rank = 1 LIMIT 1)\nORDER BY generation`],
]
