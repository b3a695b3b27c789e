// What the server answers.  Times are Unix seconds; null is "not known".

export type VerdictName =
  | 'passed' | 'compile_failed' | 'crashed' | 'timed_out' | 'wrong_output'
  | 'rejected' | 'no_candidate' | 'inconclusive'

export interface State {
  version: string
  read_only: boolean
  databases: { db: number; path: string }[]
  user: string | null
  has_assistant: boolean
  has_browser_models: boolean
  spent_today_usd: number | null
  cap_usd_day: number | null
}

export interface Best {
  node: number
  speedup: number | null
  low: number | null
  high: number | null
  told: boolean
}

export interface CampaignRow {
  db: number
  c: string
  task: string
  task_level: number
  policy: string
  seed: number | string
  state: string
  steered: boolean
  best: Best | null
  attempts: number
  budget_attempts: number | null
  nodes: number
  verdicts: number[]
  cost_usd: number | null
  improvements: number
  elapsed_s: number
  budget_s: number | null
  created_at_s: number
  updated_at_s: number
  trend: (number | null)[]
}

export interface InFlight {
  decision: number
  parent: number
  policy: string
  reason: string
  stage: string
  role: string | null
  model: string | null
  since_s: number
  bound_usd: number | null
  tokens: number | null
}

export interface Event {
  id: number
  at_s: number
  kind: string
  subject: string | number | null
  detail: string | null
}

export interface Leader {
  rank: number
  node: number
  speedup: number | null
  low: number | null
  high: number | null
  told_apart: boolean | null
  confirmed: boolean
  technique: string | null
}

export interface CurvePoint {
  attempts: number
  since_start_s: number | null
  usd: number | null
  node: number
  speedup: number | null
  best: number | null
}

export interface Band {
  from: number
  to: number
  counts: number[]
}

export interface Directive {
  id: number
  uuid: string
  kind: string
  subject: number | null    // A node; null: the campaign.
  text: string | null
  author: string | null
  at_s: number
  effective_decision: number | null
  role?: string | null
  aspect?: string | null
  amount?: number | null
  target?: number | null
  summary?: string
  outcome: string
  refusal: string | null
  attempts: number[]
}

export type Cell = string | number | boolean | null
export type Row = Record<string, Cell>

export interface CampaignPage {
  campaign: CampaignRow
  settings: { key: string; value: string; origin: string }[]
  hardware: string | null
  baselines: Row[]
  in_flight: InFlight[]
  events: Event[]
  leaders: Leader[]
  curve: CurvePoint[]
  bands: Band[]
  policies: string[]
  techniques?: string[]
  directives: Directive[]
}

export interface NodeRow {
  node: number
  parent: number | null
  verdict: VerdictName
  speedup: number | null
  low: number | null
  high: number | null
  technique: string | null
  policy: string | null
  decision: number | null
  refuted: boolean
  confirmed: boolean
  same_as: number | null
  lines_again: number | null
  committed_at_s: number
  cost_usd: number | null
}

export interface NodeList {
  total: number
  rows: NodeRow[]
}

export interface Evaluation {
  ordinal: number
  further: boolean
  tier: string
  verdict: VerdictName
  speedup: number | null
  low: number | null
  high: number | null
  runtime_s: number | null
  root_runtime_s: number | null
  hardware: string | null
  evaluated_at_s: number
  log: string | null
  profile_text: string | null
  results: Row[]
  profiles: Row[]
  kernels: Row[]
}

export interface NodePage extends NodeRow {
  language: string | null
  entry: string | null
  source: string | null
  source_cut?: boolean
  annotated?: string | null
  log_cut?: boolean
  advice: string | null
  technique_arguments: string | null
  reason: string | null
  claim_origin: string | null
  log: string | null
  no_candidate_reason: string | null
  hint: { factor: number; low: number; high: number } | null
  breach: string | null
  children: NodeRow[]
  children_total: number
  parents: number[]
  shown: { times: number } | number | null
  evaluations: Evaluation[]
  tuning: Row[]
  settings_note: string | null
}

export interface Source {
  source: string | null
  language: string | null
  cut?: boolean
}

export interface Samples {
  workloads: {
    position: number
    workload: string
    shape: string | null
    runtime_s: number[]
    root_runtime_s: number[]
    session: number[]
  }[]
}

export interface LineageStep {
  generation: number
  node: number
  verdict: VerdictName
  speedup: number | null
  low: number | null
  high: number | null
  technique: string | null
  source: string | null
  lines?: (number | null)[] | null
}

export interface Call {
  call: number
  role: string
  provider: string
  model: string
  sent_at_s: number
  latency_s: number | null
  outcome: string
  error: string | null
  tokens_in: number | null
  cached: number | null
  tokens_out: number | null
  cost_usd: number | null
  nodes_cut: number
  window: { position: number; node: number; kinship: string }[]
  cut: { kinship: string; first: number; last: number }[]
  previous_call: number | null
}

export interface CallTexts {
  system: string | null
  user: string | null
  answer: string | null
  error: string | null
  request: Record<string, Cell> | null
}

// The nodes that a policy compared, the chosen one first, then the best.
export interface Scores {
  measure: string        // What a score is; empty: it drew, or took turns.
  lowest_is_best: boolean
  seeds: number          // So many other seeds were tried.
  of: number             // Candidates, of which `nodes` has the first.
  nodes: { node: number; score: number | null; seeds: number }[]
}

export interface Decision {
  decision: number
  policy: string
  reason: string
  node: number | null    // What became of it; null: not yet.
  parent: number         // What it chose.
  seen: { nodes: number; further: number; attempts_left: number | null }
  in_flight: number[]
  again: { node: number | null; reason: string | null; same: boolean } | null
  scores: Scores | null  // Null: no policy chose.
  directives: number[]
}

export interface Leaderboard {
  tasks: string[]
  rows: {
    rank: number
    db: number
    c: string
    node: number
    speedup: number | null
    low: number | null
    high: number | null
    told_apart: boolean | null
    confirmed: boolean
    technique: string | null
    policy: string | null
    hardware: string | null
    definition: string | null
    solution: string | number | null
    trace: string | number | null
  }[]
  experts: Row[]
  workloads: {
    workload: string
    shape: string | null
    rows: { db: number; c: string; node: number; median_s: number | null; speedup: number | null }[]
  }[]
}

export interface FailureGroup {
  verdict: VerdictName
  breach: string | null
  line: string
  count: number
  nodes: number[]
  techniques: Record<string, number>
  policies: Record<string, number>
  example: { node: number; log: string | null } | null
}

export interface WireRow {
  id: number
  sent_at_s: number
  campaign: string
  role: string
  model: string
  outcome: string
  tokens_in: number | null
  tokens_out: number | null
  usd: number | null
  bound_usd: number | null
  error: string | null
}

export interface Spend {
  days: {
    day: string | number
    campaign: string
    role: string
    model: string | null
    calls: number | null
    tokens: number
    usd: number | null
    unsettled_usd: number | null
  }[]
  caps: { what: string; limit: number; used: number }[]
  unknown: Row[]
  wire: { total: number; rows: WireRow[] }
}

export interface Compare {
  policies: string[]
  tasks: string[]
  curves: {
    db: number
    task: string
    policy: string
    agents?: string | null
    campaigns: number
    points: { attempts: number; campaigns: number; mean: number | null; low: number | null; high: number | null }[]
  }[]
  fast_p: Row[]
  steered: { db: number; c: string }[]
}

export interface SchemaView {
  view: string
  comment: string | null
  columns: { name: string; comment: string | null }[]
}

export interface SqlAnswer {
  columns: string[]
  rows: Cell[][]
  truncated: boolean
  seconds: number
}

export interface HistoryRow {
  db: number
  c: string
  node: number
  ordinal: number
  hardware: string | null
  driver: string | null
  compiler: string | null
  evaluated_at_s: number
  verdict: VerdictName
  speedup: number | null
  low: number | null
  high: number | null
  delta_to_previous: number | null
}

export interface Change {
  databases: {
    db: number
    campaigns: {
      c: string
      nodes: number
      attempts: number
      last_event: number | null
      in_flight: number
      spent_usd: number | null
      state: string
      directives: number | null     // Those that wait.
      last_directive: number        // Id of the newest, be it a note or a pin.
      further?: number
    }[]
  }[]
}
