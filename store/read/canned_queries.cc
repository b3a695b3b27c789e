#include "store/read/canned_queries.h"

#include <string>

namespace coppice::store {
namespace {

constexpr QueryLimits kLimits = {.rows = 200};

std::string_view SqlOf(Lookup lookup) {
  switch (lookup) {
    case Lookup::kNode:
      return "SELECT campaign, task, node, parent, verdict, speedup,"
             " speedup_low, speedup_high, runtime_s, technique, advice,"
             " decision, policy, reason, limited_by, same_as, quarantined_at_s,"
             " language, changed_inside, changed_outside"
             " FROM nodes WHERE campaign = :campaign AND node = :n";
    case Lookup::kSource:
      return "SELECT blob_text(source_blob) AS text FROM nodes"
             " WHERE campaign = :campaign AND node = :n";
    case Lookup::kLog:
      return "SELECT blob_text(log_blob) AS text FROM nodes"
             " WHERE campaign = :campaign AND node = :n";
    case Lookup::kProfile:
      return "SELECT blob_text(profile_blob) AS text FROM nodes"
             " WHERE campaign = :campaign AND node = :n";
    case Lookup::kProfiles:
      return "SELECT workload, shape, runtime_s, bound, roof_share, bytes,"
             " bytes_per_s, roof_bytes_per_s, flops, flops_per_s,"
             " roof_flops_per_s, instructions, cycles, cache_misses, note"
             " FROM profiles WHERE campaign = :campaign AND node = :n"
             " ORDER BY ordinal DESC, position LIMIT 40";
    case Lookup::kKernels:
      return "SELECT workload, place, kernel, calls, total_s, registers,"
             " shared_bytes, occupancy, residency_limit FROM kernels"
             " WHERE campaign = :campaign AND node = :n"
             " ORDER BY ordinal DESC, position, place LIMIT 40";
    case Lookup::kLineage:
      return "SELECT generation, ancestor AS node, verdict, speedup, technique,"
             " advice FROM lineage WHERE campaign = :campaign AND node = :n"
             " ORDER BY generation";
    case Lookup::kDecision:
      return "SELECT campaign, decision, parent, policy, reason, stage,"
             " technique, advice, no_candidate_reason, node, verdict,"
             " nodes_seen, further_seen, attempts_left"
             " FROM attempts WHERE campaign = :campaign AND decision = :d";
    case Lookup::kWindow:
      return "SELECT role, position, node, kinship, shown FROM windows"
             " WHERE campaign = :campaign AND decision = :d"
             " AND (:role = '' OR role = :role)"
             " ORDER BY call_id, shown DESC, position, node";
    case Lookup::kSpend:
      return "SELECT campaign, role, provider, model, calls, answered, failed,"
             " outcome_unknown, in_flight, input_tokens, output_tokens,"
             " cost_usd FROM spend WHERE :campaign IN ('', campaign)"
             " ORDER BY cost_usd DESC, campaign, role, model";
    case Lookup::kGains:
      return "SELECT campaign, attempts, cost_usd, unsettled_usd, improvements,"
             " usd_per_improvement, best_speedup FROM improvement_costs"
             " WHERE :campaign IN ('', campaign) ORDER BY campaign";
    case Lookup::kSearch:
      return "SELECT node, verdict, speedup, technique,"
             " CASE WHEN instr(lower(technique), lower(:text)) THEN 'technique'"
             "  WHEN instr(lower(advice), lower(:text)) THEN 'plan'"
             "  WHEN instr(lower(blob_text(source_blob)), lower(:text))"
             "   THEN 'source' ELSE 'log' END AS found_in"
             " FROM nodes WHERE campaign = :campaign"
             " AND (instr(lower(technique), lower(:text))"
             "  OR instr(lower(advice), lower(:text))"
             "  OR instr(lower(blob_text(source_blob)), lower(:text))"
             "  OR instr(lower(blob_text(log_blob)), lower(:text)))"
             " ORDER BY node LIMIT 100";
    case Lookup::kHasNode:
      return "SELECT node FROM nodes WHERE campaign = :campaign AND node = :n";
    case Lookup::kHasDecision:
      return "SELECT decision, node FROM attempts"
             " WHERE campaign = :campaign AND decision = :d";
  }
  return "";
}

constexpr CannedQuestion kCanned[] = {
    {"why_failed", "Why did node N fail?",
     "fail error wrong broke crash compile reject", 1,
     "SELECT node, parent, verdict, technique,"
     " (SELECT a.no_candidate_reason FROM attempts a"
     "  WHERE a.campaign = nodes.campaign AND a.decision = nodes.decision)"
     "  AS no_candidate_reason,"
     " substr(blob_text(log_blob), 1, 1000) AS log"
     " FROM nodes WHERE campaign = :campaign AND node = :n"},
    {"failures", "What failed, and how often?",
     "fail failed failures failing often most class", 0,
     "SELECT verdict, count(*) AS nodes, min(node) AS node,"
     " group_concat(DISTINCT technique_name) AS techniques"
     " FROM nodes WHERE campaign = :campaign"
     " AND verdict NOT IN ('passed', 'inconclusive')"
     " GROUP BY verdict ORDER BY nodes DESC, verdict"},
    {"what_seen", "What did the agent see when it made node N?",
     "see seen saw shown window prompt agent know knew", 1,
     "SELECT w.role, w.position, w.node, w.kinship, s.verdict, s.speedup"
     " FROM nodes n JOIN windows w ON w.campaign = n.campaign"
     "  AND w.decision = n.decision AND w.shown = 1"
     " JOIN nodes s ON s.campaign = w.campaign AND s.node = w.node"
     " WHERE n.campaign = :campaign AND n.node = :n"
     " ORDER BY w.call_id, w.position"},
    {"what_cut", "What was left out of the window when node N was made?",
     "left out cut hidden missing shown window unseen", 1,
     "SELECT w.role, w.node, w.kinship, s.verdict, s.speedup"
     " FROM nodes n JOIN windows w ON w.campaign = n.campaign"
     "  AND w.decision = n.decision AND w.shown = 0"
     " JOIN nodes s ON s.campaign = w.campaign AND s.node = w.node"
     " WHERE n.campaign = :campaign AND n.node = :n"
     " ORDER BY w.call_id, w.node"},
    {"which_faster", "Which of N and M is really faster?",
     "faster really slower quicker better compare between than", 2,
     "SELECT node, other, ratio, ratio / factor AS low, ratio * factor AS high,"
     " CASE WHEN ratio IS NULL THEN 'one of them did not pass'"
     "  WHEN factor IS NULL THEN 'cannot tell: too few rounds'"
     "  WHEN ratio / factor > t.above THEN node || ' is faster'"
     "  WHEN ratio * factor < t.below THEN other || ' is faster'"
     "  ELSE 'cannot tell them apart' END AS answer"
     " FROM (SELECT a.node, b.node AS other, a.speedup / b.speedup AS ratio,"
     "  exp(sqrt(pow(ln(a.speedup_high / a.speedup_low), 2)"
     "   + pow(ln(b.speedup_high / b.speedup_low), 2)) / 2) AS factor"
     "  FROM nodes a JOIN nodes b ON b.campaign = a.campaign AND b.node = :m"
     "  WHERE a.campaign = :campaign AND a.node = :n)"
     " JOIN thresholds t ON t.p = 1.0"},
    {"best", "What is fastest?",
     "fastest best leader leaders leaderboard winner wins top", 0,
     "SELECT rank, node, speedup, speedup_low, speedup_high, technique"
     " FROM leaderboard WHERE campaign = :campaign AND rank <= 5"
     " ORDER BY rank"},
    {"how_got_there", "How did node N come about?",
     "got there come came about lineage ancestors steps history made", 1,
     "SELECT generation, ancestor AS node, verdict, speedup, technique"
     " FROM lineage WHERE campaign = :campaign AND node = :n"
     " ORDER BY generation"},
    {"why_chosen", "Why was the parent of node N chosen?",
     "chosen choose chose selected picked parent decision policy decided", 1,
     "SELECT n.node, a.decision, a.parent, a.policy, a.reason"
     " FROM nodes n JOIN attempts a ON a.campaign = n.campaign"
     "  AND a.decision = n.decision"
     " WHERE n.campaign = :campaign AND n.node = :n"},
    {"cost", "What did it cost?",
     "cost costs spend spent money dollars usd tokens expensive price", 0,
     "SELECT role, provider, model, calls, input_tokens, output_tokens,"
     " cost_usd FROM spend WHERE campaign = :campaign"
     " UNION ALL SELECT 'all', '', '', sum(calls), sum(input_tokens),"
     " sum(output_tokens), sum(cost_usd) FROM spend"
     " WHERE campaign = :campaign"},
    {"cost_of_gains", "What did an improvement cost?",
     "improvement improvements each gain cost per worth", 0,
     "SELECT attempts, improvements, cost_usd, usd_per_improvement,"
     " unsettled_usd, best_speedup FROM improvement_costs"
     " WHERE campaign = :campaign"},
    {"tried_most", "What was tried most and gained least?",
     "tried most least gained gain often useless vain", 0,
     "SELECT technique_name AS technique, count(*) AS tries,"
     " sum(verdict = 'passed') AS passed, exp(avg(ln(effect))) AS mean_effect,"
     " max(effect) AS best_effect, sum(told > 0) AS faster,"
     " sum(told < 0) AS slower FROM evidence WHERE campaign = :campaign"
     " GROUP BY technique_name ORDER BY tries DESC, mean_effect LIMIT 10"},
    {"worked_best", "Which techniques gained most?",
     "technique techniques worked works helped gained most best effect", 0,
     "SELECT technique_name AS technique, count(*) AS tries,"
     " exp(avg(ln(effect))) AS mean_effect, max(effect) AS best_effect"
     " FROM evidence WHERE campaign = :campaign AND effect IS NOT NULL"
     " GROUP BY technique_name ORDER BY mean_effect DESC LIMIT 10"},
    {"when_improved", "When did it improve?",
     "improve improved improvement last progress stuck plateau curve", 0,
     "SELECT node, attempts, since_start_s, speedup FROM best_so_far"
     " WHERE campaign = :campaign AND improved ORDER BY attempts"},
    {"what_limits", "What limits node N?",
     "limits limit limited bottleneck bound memory compute roof slow", 1,
     "SELECT node, workload, shape, bound, roof_share, bytes_per_s,"
     " roof_bytes_per_s, flops_per_s, roof_flops_per_s FROM profiles"
     " WHERE campaign = :campaign AND node = :n ORDER BY ordinal, position"},
    {"refuted", "Which results were refuted?",
     "refuted quarantine quarantined wrong later false cheat cheated", 0,
     "SELECT node, verdict, last_speedup, technique FROM quarantined"
     " WHERE campaign = :campaign ORDER BY node"},
    {"experts", "How does it stand against experts and PyTorch?",
     "expert experts pytorch torch baseline baselines against stand vendor", 0,
     "SELECT baseline, verdict, speedup, best_node AS node, best_speedup,"
     " best_over_baseline, best_over_low, best_over_high FROM baselines"
     " WHERE campaign = :campaign ORDER BY baseline"},
    {"unanswered", "Which requests have no known outcome?",
     "unanswered unknown outcome lost open pending requests calls", 0,
     "SELECT wire_call_id, decision, role, model, outcome, charged_usd, error"
     " FROM wire_calls WHERE campaign = :campaign"
     " AND outcome IN ('sent', 'outcome_unknown') ORDER BY wire_call_id"},
};

}  // namespace

Result<Sheet> Look(Database& database, Lookup lookup,
                   const Parameters& parameters) {
  return ReadSheet(database, std::string(SqlOf(lookup)), parameters, kLimits);
}

std::span<const CannedQuestion> CannedQuestions() { return kCanned; }

Result<Sheet> AskCanned(Database& database, const CannedQuestion& question,
                        const Parameters& parameters) {
  return ReadSheet(database, std::string(question.sql), parameters, kLimits);
}

}  // namespace coppice::store
