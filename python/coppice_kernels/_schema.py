"""The views of a database.  Made by scripts/python_schema.py."""

from __future__ import annotations

from typing import Final

# What the header of a database says.
FORMAT: Final = 1
APPLICATION_ID: Final = 1668247664

# By view: what it tells of, and its columns in their order, with type
# and unit.  Those of one meaning share it; lines that are indented go on.
VIEWS: Final[dict[str, tuple[str, str]]] = {
    "campaigns": (
        "One row per campaign.",
        """\
campaign TEXT, uuid TEXT: what users type; what is unique everywhere
task TEXT, level INTEGER: the task's name; its level, 0 if none
policy TEXT, seed INTEGER: of its start; the seed's 64 bits as a signed number
state TEXT: running, paused, finished
budget_attempts INTEGER, budget_s REAL s, attempts INTEGER, nodes INTEGER, elapsed_s
  REAL s: allowed and used
created_at_s REAL s, updated_at_s REAL s: Unix time
task_json_blob INTEGER: text
steered INTEGER: 1: a person's directive chose, or changed how agents and policy go on,
  so it is no sample of a policy; pauses, approvals and budgets do not, nor what lifts
  these. See the view directives
""",
    ),
    "directives": (
        "What people asked of campaigns, in the order in which they did.",
        """\
campaign TEXT, directive INTEGER, uuid TEXT, at_s REAL s, author TEXT
kind TEXT: advise, forbid, require, freeze, unfreeze, boost, insert, pause, resume,
  budget, policy, temperature, note, pin, lift, model, judge, gate, approve
node INTEGER: and what is below; NULL: the campaign
role TEXT: that it is for; NULL: all
aspect TEXT: technique, pattern, header, constraint; attempts, seconds, usd, tokens;
  NULL: of another kind
amount REAL: attempts of a boost, the limit of a budget, ...
target INTEGER: the directive that it lifts
not_before INTEGER: decision that it was to wait for
outcome TEXT: pending, applied, refused, withdrawn
effective_decision INTEGER: from which on it holds; NULL: none yet
refusal TEXT: why; NULL: it was not refused
attempts INTEGER: that a person chose by it
text_blob INTEGER: text
""",
    ),
    "settings": (
        "The settings of campaigns.",
        """\
campaign TEXT, key TEXT, value TEXT, origin TEXT
""",
    ),
    "nodes": (
        "One row per node.",
        """\
campaign TEXT, task TEXT, node INTEGER, parent INTEGER: node 0 is the root; its parent
  is NULL
verdict TEXT: passed, compile_failed, crashed, ...
runtime_s REAL s, speedup REAL, speedup_low REAL, speedup_high REAL: NULL unless passed
hint_factor REAL, hint_low REAL, hint_high REAL, hint_samples INTEGER: of a
  wrong_output: a hint of how fast its repair may be, and no speed; see the view
  evaluations; NULL: there is none
same_as INTEGER: the node of equal tokens that was judged in its place, before it; NULL:
  none
technique TEXT: of the plan it realises; NULL: none
technique_name TEXT, technique_arguments TEXT: of 'tile(i, 8)': 'tile' and 'i, 8'; of
  several 'jam + parallel' and 'j, 32; i'
advice TEXT: of the plan it realises; NULL: none
decision INTEGER, policy TEXT, reason TEXT: of the attempt that made it; NULL: the root
changed_inside INTEGER, changed_outside INTEGER: lines, by the plan's marked spans
language TEXT, entry_symbol TEXT: NULL: the answer held no candidate
committed_at_s REAL s, uuid TEXT
quarantined_at_s REAL s: when, having passed, a further evaluation refuted it; NULL:
  none did
source_blob INTEGER, annotated_source_blob INTEGER, log_blob INTEGER, profile_blob
  INTEGER: texts
lines_again INTEGER, lines_deleted_by INTEGER: lines that ancestors had and its parent
  lacks; the node that deleted most of them
limited_by TEXT: memory, compute or latency (far below both roofs), by what it was
  committed with; NULL: not known
technique_family TEXT: algorithm, fusion, loops, memory, vectors, parallel, precision,
  other
origin TEXT, author TEXT: as in claims; NULL: an agent's, or the root
""",
    ),
    "attempts": (
        "One row per attempt, finished or not.",
        """\
campaign TEXT, decision INTEGER, uuid TEXT: decisions are numbered 0, 1, 2, ...
parent INTEGER, policy TEXT, reason TEXT: the node selected, by which policy, and why
stage TEXT: reserved, planned, coded, committed
technique TEXT, technique_name TEXT, technique_arguments TEXT, advice TEXT, anchors
  INTEGER
grounded INTEGER: its own plan, as in nodes; NULL: none
language TEXT, changed_inside INTEGER, changed_outside INTEGER, no_candidate_reason TEXT
node INTEGER, verdict TEXT: NULL until committed
lease_owner TEXT, lease_until_s REAL s, reserved_at_s REAL s
nodes_seen INTEGER, further_seen INTEGER: when the policy chose: the first so many nodes
  and further evaluations; in flight were all earlier decisions that have none of these
  nodes
attempts_left INTEGER: of the budget, this one among them; NULL: nobody chose it
annotated_source_blob INTEGER, source_blob INTEGER: texts
""",
    ),
    "tickets": (
        "Attempts as outside agents hold or held them, in the order in which they asked.",
        """\
campaign TEXT, decision INTEGER, ticket TEXT, agent TEXT
request TEXT, place INTEGER: the agent's own name of what it asked; NULL: none
roles TEXT: plan+code, plan, code, debug, ...: what it may do
state TEXT: open, told, given_up, or lost: somebody else took the attempt over
asked_at_s REAL s, deadline_s REAL s, told_at_s REAL s: Unix time
max_cost_usd REAL USD: as the agent declared; NULL: it did not
late_for TEXT: ticket that was lost, and whose candidate this is
node INTEGER, verdict TEXT: NULL until committed
""",
    ),
    "evidence": (
        "What was tried, on what, and what came of it: one row per plan that an attempt realised as new tokens.",
        """\
campaign TEXT, task TEXT, node INTEGER, parent INTEGER
technique TEXT, technique_name TEXT, technique_arguments TEXT: as in nodes
after TEXT: technique_name of the parent's plan; NULL: none
verdict TEXT, rule TEXT: as in evaluations
effect REAL, effect_low REAL, effect_high REAL: of the node over its parent: both over
  the root, errors of logarithms added in squares; NULL unless both passed and still
  stand
told INTEGER: 1: it is faster than its parent, -1: slower, 0: within the noise; NULL:
  there is no effect
bound TEXT: memory or arithmetic: that of the parent on its longest workload; NULL: not
  known
language TEXT, hardware TEXT
log_blob INTEGER: text
""",
    ),
    "lessons": (
        "What is known from other campaigns, and what people wrote down.",
        """\
lesson INTEGER: its number
campaign TEXT: that began with it; NULL: the file's own
origin_file TEXT, origin_campaign TEXT, origin_uuid TEXT, origin_node INTEGER: NULL: a
  person's
task TEXT, operation TEXT, types TEXT, log_elements REAL, language TEXT, hardware TEXT,
  bound TEXT
program TEXT: labels that made its parent of the root's source, joined; NULL: it is the
  root
technique TEXT, verdict TEXT, rule TEXT, effect REAL, effect_low REAL, effect_high REAL:
  as in evidence; failure: a line of the log
speedup REAL, best REAL: over the root: of its node, and the best of its campaign; NULL:
  it failed, a person's
failure TEXT: as in evidence; failure: a line of the log
note TEXT: a person's line; NULL: it is none
nearness REAL, added_at_s REAL s
""",
    ),
    "parents": (
        "One row per parent of an attempt, finished or not.",
        """\
campaign TEXT, decision INTEGER
node INTEGER: NULL until committed
position INTEGER: 0: the node selected, which `attempts` and `nodes` have as its parent;
  1, ...: what its agents were to combine with that one (crossover)
parent INTEGER: a node
""",
    ),
    "model_choices": (
        "One row per model that was chosen of several, for an attempt and a role.",
        """\
campaign TEXT, task TEXT, decision INTEGER, node INTEGER: node: NULL until committed
role TEXT, model TEXT: chosen
models TEXT, rule TEXT, reason TEXT: of which, by which rule, and why
verdict TEXT: of the node
gain REAL: its speedup over that of the nearest ancestor that passes; NULL unless it
  passed and is the first of its tokens
answers INTEGER: that counted; 0: the attempt ended without asking
cost_usd REAL USD: of these; NULL: no price is known
""",
    ),
    "model_scores": (
        "What came of asking a model that is one of several of its role.",
        """\
campaign TEXT, task TEXT, role TEXT, model TEXT
chosen INTEGER: attempts that it was chosen for
asked INTEGER: of these: they have nodes, and it answered
passed INTEGER, improved INTEGER: of these: gain above 1 if improved
mean_gain REAL: geometric mean over those asked; without a gain: 1
best_gain REAL: NULL: nothing passed
cost_usd REAL USD: NULL: no price is known
usd_per_improvement REAL: NULL: there is none
""",
    ),
    "evaluations": (
        "One row per evaluation.",
        """\
campaign TEXT, node INTEGER, ordinal INTEGER: 0, 1, ... in the order made; node NULL,
  here and in the views below: of a baseline
further INTEGER: 1, 2, ... in the campaign: made when the node was there; NULL: the node
  was committed with it, or a baseline's
tier TEXT, verdict TEXT, runtime_s REAL s, root_runtime_s REAL s: seconds of that one
  session
speedup REAL, speedup_low REAL, speedup_high REAL: by rounds in which both ran in turn
compile_s REAL s, check_s REAL s, timing_s REAL s: wall seconds of each phase; check_s:
  what sanitizers and profilers take, too
device_s REAL s: of the device in the candidate's calls
evaluated_at_s REAL s
hardware TEXT, threads INTEGER, system TEXT, driver TEXT, compiler TEXT, flags TEXT,
  facts TEXT: where
log_blob INTEGER, profile_blob INTEGER: texts
baseline TEXT: its name; NULL: of a node
device TEXT: UUID of the GPU; NULL: of none
rule TEXT: that a candidate broke which was rejected: wrote_input, worked_late,
  forged_answer, forged_time, too_fast, delegated, hazard, too_much, unusable
hint_factor REAL, hint_low REAL, hint_high REAL: so many times as fast as the root ran a
  kernel that computed wrong, in hint_samples rounds, with 95 % of their noise; one that
  skips work is fast, so it is a hint and no speed
hint_samples INTEGER
""",
    ),
    "tuning_trials": (
        "One row per configuration that the engine tried of a source with open numbers.",
        """\
campaign TEXT, node INTEGER, ordinal INTEGER: 0: as its author wrote it
configuration TEXT: 'TILE=64 UNROLL=4'
verdict TEXT, speedup REAL, speedup_low REAL, speedup_high REAL: by one evaluation, fast
  tier
evaluator_s REAL s: that it took
chosen INTEGER: 1: the node's candidate
""",
    ),
    "device_times": (
        "How much of a campaign each of its GPUs was busy, with its nodes: baselines are measured before and after.",
        """\
campaign TEXT, device TEXT: its UUID
evaluations INTEGER, busy_s REAL s: their compiling, checking and timing, in seconds
share REAL: of the campaign's wall seconds
""",
    ),
    "workload_results": (
        "One row per workload of an evaluation.",
        """\
campaign TEXT, node INTEGER, ordinal INTEGER, position INTEGER, workload TEXT, verdict
  TEXT
worst_error_ratio REAL: error over allowed error; <= 1 passes
max_absolute_error REAL, max_relative_error REAL, calls_verified INTEGER
samples INTEGER, discarded_samples INTEGER: kept; made again since they were disturbed
lower_quartile_s REAL s, median_s REAL s, upper_quartile_s REAL s: of a call
root_lower_quartile_s REAL s, root_median_s REAL s, root_upper_quartile_s REAL s
floor_s REAL s: the machine allows no call to be faster
clock_mhz REAL MHz: mean of the device's over the samples
temperature_c REAL: of the device after timing
""",
    ),
    "samples": (
        "One row per timed round.",
        """\
campaign TEXT, node INTEGER, ordinal INTEGER, position INTEGER, workload TEXT,
  round_index INTEGER
runtime_s REAL s, root_runtime_s REAL s: of that one round
control_runtime_s REAL s: of the root once more
session INTEGER: 0, 1: a process of its own, with its own inputs
calls INTEGER: of the candidate, timed together
wall_s REAL s, cpu_s REAL s: per call, by the evaluator's clock; processors'
clock_mhz REAL MHz: of the device
""",
    ),
    "profiles": (
        "What limits a passing node on each workload.",
        """\
campaign TEXT, node INTEGER, ordinal INTEGER, position INTEGER, workload TEXT, shape
  TEXT, runtime_s REAL s
bound TEXT: memory or arithmetic: the higher roof
roof_share REAL: of that roof, reached
bytes REAL, bytes_per_s REAL B/s, roof_bytes_per_s REAL s: at least; reached; measured
  at most
flops REAL, flops_per_s REAL FLOP/s, roof_flops_per_s REAL s: likewise; NULL: not stated
instructions REAL, cycles REAL, cache_misses REAL, branch_misses REAL, page_faults REAL:
  of one call; NULL: not counted here
note TEXT
""",
    ),
    "kernels": (
        "One row per kernel that a candidate for a GPU launches.",
        """\
campaign TEXT, node INTEGER, ordinal INTEGER, position INTEGER, workload TEXT, place
  INTEGER
kernel TEXT, calls INTEGER: its name; launches in one call of the candidate
total_s REAL s, mean_s REAL s: of these; of one
registers INTEGER, shared_bytes INTEGER B, local_bytes INTEGER B: per thread, per block,
  per thread
occupancy REAL, residency_limit TEXT: resident warps over the most; what limits them
dram_bytes REAL B, busy REAL, achieved_occupancy REAL, l2_hits REAL: counted; NULL: not
  here
""",
    ),
    "quarantined": (
        "Nodes that passed until a further evaluation refuted them, fastest first.",
        """\
campaign TEXT, task TEXT, node INTEGER
verdict TEXT, ordinal INTEGER: of the evaluation that refuted it
last_speedup REAL: of the last evaluation before that, alone
technique TEXT, advice TEXT, quarantined_at_s REAL s
source_blob INTEGER, log_blob INTEGER: texts; the log is the refuting evaluation's
""",
    ),
    "thresholds": (
        "KernelBench's thresholds, and what the end of an interval has to be beyond to decide one: within half a per cent nothing is claimed (store/records/speedup.h).",
        """\
p REAL, above REAL, below REAL
""",
    ),
    "leaderboard": (
        "The best nodes of each campaign, at most ten, distinct in kernel.",
        """\
campaign TEXT, task TEXT, rank INTEGER, node INTEGER, runtime_s REAL s, speedup REAL,
  speedup_low REAL, speedup_high REAL
confirmed INTEGER: 1: an evaluation of the full tier passed, too
technique TEXT, advice TEXT, source_blob INTEGER
origin TEXT, author TEXT: as in claims; NULL: an agent's, or the root
""",
    ),
    "baselines": (
        "What there is to compare a campaign's winner with, beside its root.",
        """\
campaign TEXT, task TEXT, baseline TEXT: 'expert', 'torch', ...
quoted INTEGER: 1: others measured it elsewhere, on hardware of the same name
hardware TEXT, tier TEXT, verdict TEXT: of its latest evaluation; tier NULL: quoted
speedup REAL, speedup_low REAL, speedup_high REAL: over the root; NULL unless passed; of
  a quoted one the root's seconds here over theirs, the one ratio of two sessions,
  without an interval
best_node INTEGER, best_speedup REAL: the winner, as leaderboard has it; 0, 1: nothing
  beats the root
best_over_baseline REAL, best_over_low REAL, best_over_high REAL: of the speedups, whose
  logarithms' errors add in squares; above 1 the baseline is beaten
decided INTEGER: 1: that interval leaves 1 out by half a per cent; NULL: there is none
measured_at_s REAL s: or read
log_blob INTEGER: text; NULL: quoted
""",
    ),
    "claims": (
        "Kernels that were imported or submitted.",
        """\
campaign TEXT, task TEXT, claim INTEGER: in the order in which they came
origin TEXT, author TEXT, language TEXT, imported_at_s REAL s: origin: file and entry;
  author: as submitted; NULL: not said
claimed_correct INTEGER, claimed_speedup REAL, claimed_runtime_s REAL s: NULL: not said
decision INTEGER, node INTEGER: NULL: not judged, or not yet
verdict TEXT, speedup REAL, speedup_low REAL, speedup_high REAL: as measured here
source_blob INTEGER: text
""",
    ),
    "lineage": (
        "For each node the path from it up to the root, itself included. Ask for one node (WHERE campaign = ... AND node = ... ORDER BY generation): only its path is walked.",
        """\
campaign TEXT, node INTEGER
generation INTEGER: 0: the root, 1: its child, ... up to the node
ancestor INTEGER, verdict TEXT, runtime_s REAL s, speedup REAL, technique TEXT, advice
  TEXT: of that step
""",
    ),
    "best_so_far": (
        "How good the campaign was after each node.",
        """\
campaign TEXT, task TEXT, policy TEXT, seed INTEGER
attempts INTEGER: committed so far, this one included; 0: the root
node INTEGER, committed_at_s REAL s
since_start_s REAL s: committed_at_s less the campaign's creation
runtime_s REAL s, speedup REAL: of this node; NULL unless passed
best_speedup REAL: so far; NULL: none passed
improved INTEGER: 1: this node is the fastest so far
agents TEXT: team, or alone: the code agent without plans
""",
    ),
    "windows": (
        "What each call's agent was shown, and what it would have been shown too, had there been room.",
        """\
campaign TEXT, decision INTEGER, role TEXT, call_id INTEGER
position INTEGER: in the prompt; NULL: it was cut
node INTEGER, kinship TEXT: which node, and why it belongs there
shown INTEGER: 0: it was cut
""",
    ),
    "calls": (
        "One row per model call.",
        """\
campaign TEXT, decision INTEGER, call_id INTEGER, uuid TEXT, role TEXT, provider TEXT,
  model TEXT
served_model TEXT: that the server says it ran; NULL: it says none
temperature REAL, top_p REAL, max_output_tokens INTEGER tokens, effort TEXT: that its
  last request said; NULL: none, so that the provider's default holds
outcome TEXT: sent, answered, failed, outcome_unknown
error TEXT, input_tokens INTEGER tokens, cached_input_tokens INTEGER tokens,
  output_tokens INTEGER tokens, cost_usd REAL USD, latency_s REAL s, sent_at_s REAL s,
  ended_at_s REAL s, retry_of INTEGER
nodes_cut INTEGER: that belonged in its window but were not shown
template_set TEXT: whose templates its prompts are made of: coppice, or the folder of a
  user's own
template_hash TEXT: sha256 of those templates; NULL: there are none
system_prompt_blob INTEGER, user_prompt_blob INTEGER, answer_blob INTEGER, template_blob
  INTEGER: texts
is_claimed INTEGER: 1: of an outside agent, which says itself what it used; nobody
  measured that
""",
    ),
    "wire_calls": (
        "One row per request to a provider; a call has several if it was retried.",
        """\
campaign TEXT, decision INTEGER, call_id INTEGER, role TEXT, provider TEXT, model TEXT:
  of its call
wire_call_id INTEGER, retry_of INTEGER: the request, and the failed one before it
outcome TEXT, error TEXT, http_status INTEGER, request_id TEXT, sent_at_s REAL s,
  ended_at_s REAL s, latency_s REAL s
served_model TEXT, temperature REAL, top_p REAL, max_output_tokens INTEGER tokens,
  effort TEXT: see calls
input_tokens INTEGER tokens, cached_input_tokens INTEGER tokens, cache_write_tokens
  INTEGER tokens, output_tokens INTEGER tokens
reasoning_tokens INTEGER tokens: cached and written are of input, reasoning of output;
  is_estimated 1: the provider told none
is_estimated INTEGER
cost_usd REAL USD, price_version TEXT: NULL: no price is known
settled_at_s REAL s: of unknown outcome: since when it counts as used what is said here;
  NULL: it is not settled
charged_tokens INTEGER tokens, charged_usd REAL USD: what counts against caps: all that
  it may use, until that is known or settled
request_blob INTEGER, answer_blob INTEGER
is_claimed INTEGER: 1: see calls
""",
    ),
    "session_calls": (
        "One row per tool that an agent called in a session.",
        """\
campaign TEXT, decision INTEGER, role TEXT: the session, which is numbered by number
number INTEGER
call_id INTEGER: the last run that began it, as in calls
tool TEXT, state TEXT: begun, answered or refused; starts: how often begun
starts INTEGER, begun_at_s REAL s, ended_at_s REAL s
arguments_blob INTEGER, answer_blob INTEGER: texts, as JSON
""",
    ),
    "assistant_turns": (
        "One row per request of the assistant's to a provider.",
        """\
assistant_turn_id INTEGER
conversation TEXT, question_number INTEGER: a question may take several requests
campaign TEXT: that was asked of; NULL: no one of them
role TEXT, provider TEXT, model TEXT, served_model TEXT: role: assistant
outcome TEXT, error TEXT, sent_at_s REAL s, ended_at_s REAL s, latency_s REAL s,
  retry_of INTEGER
input_tokens INTEGER tokens, cached_input_tokens INTEGER tokens, output_tokens INTEGER
  tokens: is_estimated 1: the provider told no tokens
is_estimated INTEGER
cost_usd REAL USD, price_version TEXT: is_estimated 1: the provider told no tokens
charged_usd REAL USD: what counts against the cap of its day: all that it may cost,
  until that is known
question_blob INTEGER, request_blob INTEGER, answer_blob INTEGER: texts
""",
    ),
    "spend": (
        "What model calls cost, by campaign, role and model.",
        """\
campaign TEXT, task TEXT, role TEXT, provider TEXT, model TEXT
calls INTEGER, answered INTEGER, failed INTEGER, outcome_unknown INTEGER, in_flight
  INTEGER: numbers of calls
input_tokens INTEGER tokens, cached_input_tokens INTEGER tokens, output_tokens INTEGER
  tokens, cost_usd REAL USD, latency_s REAL s
is_claimed INTEGER: 1: see calls; no row sums these with others
""",
    ),
    "spend_by_day": (
        "The same by the UTC day on which they were sent, too.",
        """\
campaign TEXT, task TEXT, day TEXT, role TEXT, provider TEXT, model TEXT
calls INTEGER, answered INTEGER, failed INTEGER, outcome_unknown INTEGER, in_flight
  INTEGER: numbers of calls
input_tokens INTEGER tokens, cached_input_tokens INTEGER tokens, output_tokens INTEGER
  tokens, cost_usd REAL USD, latency_s REAL s
is_claimed INTEGER: 1: see calls
""",
    ),
    "improvement_costs": (
        "What getting faster cost.",
        """\
campaign TEXT, task TEXT, policy TEXT, attempts INTEGER, cost_usd REAL USD
unsettled_usd REAL USD: what calls in flight or of unknown outcome may have cost at
  most, beside cost_usd
improvements INTEGER: nodes that were the fastest so far, but the root
usd_per_improvement REAL: NULL: there is none
best_speedup REAL: NULL: nothing passed
claimed_usd REAL USD: what outside agents say that they spent, beside cost_usd and not
  in it
""",
    ),
    "failures": (
        "Failing nodes by class.  An inconclusive one fails nothing: it is undecided.",
        """\
campaign TEXT, task TEXT, policy TEXT: the policy that chose the parent
verdict TEXT, nodes INTEGER: how many ended so
share REAL: of all nodes of that campaign and policy
""",
    ),
    "policy_curve": (
        "Policies on tasks at equal budget.",
        """\
task TEXT, policy TEXT, agents TEXT, attempts INTEGER
campaigns INTEGER: that got so far (seeds)
solved INTEGER: of these, with a passing node beside the root
best_speedup REAL: geometric mean over them; 1 where nothing beats the root
least_speedup REAL, greatest_speedup REAL
""",
    ),
    "scores_in_memory": (
        "Campaigns that were played in memory, a row for each number of attempts at which one was looked at.  Equal seeds draw equal tasks on equal definitions.",
        """\
landscape TEXT, definition TEXT, rules INTEGER: its name; the hash of what it is made
  of, and the program's rules of playing on it
policy TEXT, seed INTEGER, attempts INTEGER: the contender; the seed's 64 bits as a
  signed number
solved INTEGER: 1: an attempt has passed
log_speedup REAL: of the kernel that is left once incumbents were measured again, over
  the root; 0: none is faster
speedup REAL: the same as a factor
compiled INTEGER, correct INTEGER: of the attempts
""",
    ),
    "trials": (
        "One row per candidate, as the metrics below count it; the root is none.",
        """\
campaign TEXT, task TEXT, level INTEGER, policy TEXT, agents TEXT, seed INTEGER, node
  INTEGER
compiled INTEGER: 0: compile_failed or no_candidate
correct INTEGER: 1: passed, and not refuted since
undecided INTEGER: 1: inconclusive, so that correct is not known
speedup REAL, speedup_low REAL, speedup_high REAL: speedup 0: not correct
efficiency REAL: share of the speed that the machine's roof allows: the root's, as it
  was first measured, geometric mean over workloads, times the speedup; 0: not correct;
  NULL: no roof is known
""",
    ),
    "grounding": (
        "Whether grounded edits do better (STARK, section 4.3).",
        """\
campaign TEXT, task TEXT, policy TEXT
grounded INTEGER: of the plan: 1, or 0: it changes the source beside its marks; NULL: a
  candidate of no plan
repaired INTEGER: 1: made by a debug agent, after the plan of another
nodes INTEGER, candidates INTEGER: those with a candidate among them
lines_inside INTEGER, lines_outside INTEGER: changed in all, by the marks
kept_inside INTEGER: candidates without a line changed outside of them
passed INTEGER: of these beat_parent             are faster than their parents, as their
  intervals say; any is faster than one that failed undecided               cannot be
  told from their parents, or from another kernel than theirs
beat_parent INTEGER, undecided INTEGER
""",
    ),
    "scores": (
        "One row per campaign and policy that chose in it; without an attempt yet, the policy that it began with.",
        """\
campaign TEXT, task TEXT, level INTEGER, policy TEXT, agents TEXT, seed INTEGER
trials INTEGER, compiled INTEGER, correct INTEGER, undecided INTEGER: numbers of
  candidates
best_speedup REAL, best_low REAL, best_high REAL: of the fastest; NULL: none is correct
""",
    ),
    "rates": (
        "Rates over the campaigns (task and seed each) of a policy.",
        """\
policy TEXT, agents TEXT, level INTEGER, campaigns INTEGER, trials INTEGER
compile_rate REAL, correct_rate REAL: of the trials; NULL: there is none
success REAL: share of the campaigns with a correct trial
undecided INTEGER: campaigns without one, of which a trial is inconclusive
speedup REAL, geometric_mean_speedup REAL: means of the best over these
""",
    ),
    "fast_tasks": (
        "Whether the best candidate of a campaign is more than p times as fast as the root, and as each baseline that passed.  The root itself is no candidate.",
        """\
campaign TEXT, task TEXT, level INTEGER, policy TEXT, agents TEXT, seed INTEGER
over TEXT, quoted INTEGER: 'root', or the baseline
speedup REAL, speedup_low REAL, speedup_high REAL: over that; NULL: none is correct
p REAL, fast INTEGER: 1: the speedup is above p; p = 0: there is one
decided INTEGER: 0: the interval holds p, give or take half a per cent, or is not known;
  or no candidate is correct, and one inconclusive
""",
    ),
    "fast_p": (
        "KernelBench's fast_p: the share of tasks solved more than p times as fast as the root.  p = 0 is the success rate.",
        """\
policy TEXT, agents TEXT, level INTEGER, p REAL
campaigns INTEGER: one task and seed each
fast INTEGER: of these, with a node of speedup > p
undecided INTEGER: of these, of which fast_tasks says so
fast_p REAL: fast / campaigns
""",
    ),
    "fast_p_over": (
        "The same against each baseline, over the campaigns that have it.",
        """\
policy TEXT, agents TEXT, level INTEGER, baseline TEXT, quoted INTEGER, p REAL,
  campaigns INTEGER, fast INTEGER, undecided INTEGER, fast_p REAL
""",
    ),
    "at_k": (
        "What the best of k of a policy's candidates is worth, on average over all choices of k: of n in ascending order, number i is the best of a choice with probability C(i-1, k-1) / C(n, k).  Mean values over tasks are the metrics.",
        """\
campaign TEXT, task TEXT, level INTEGER, policy TEXT, agents TEXT, seed INTEGER, trials
  INTEGER: k: 1 to 1000
undecided INTEGER: trials that are inconclusive: not counted correct
k INTEGER: k: 1 to 1000
pass_at_k REAL: probability that one of them is correct
speedup_at_k REAL: of the fastest; 0 if none is correct
speedup_at_k_low REAL, speedup_at_k_high REAL: the same of their intervals' ends; NULL:
  one is not known
efficiency_at_k REAL: of the most efficient; NULL: no roof is known
""",
    ),
    "perf_at_k": (
        "speedup@k over the speedup of each baseline that passed.",
        """\
campaign TEXT, task TEXT, level INTEGER, policy TEXT, agents TEXT, seed INTEGER,
  baseline TEXT, quoted INTEGER, k INTEGER
perf_at_k REAL, perf_low REAL, perf_high REAL: NULL ends: one is not known
decided INTEGER: 1: the interval leaves 1 out by half a per cent
""",
    ),
}
