#include "store/read/node_pages.h"

#include "store/connection.h"
#include "store/read/ask.h"
#include "store/read_rows.h"

namespace coppice::store {
namespace {

// The node whose evaluations count for node ?2 of campaign ?1.
constexpr std::string_view kJudged =
    "(SELECT coalesce(o.same_as, o.number) FROM node o"
    " WHERE o.campaign_id = ?1 AND o.number = ?2)";

// A column `name` of the table `view`, for what only the views work out.
std::string OfView(std::string_view columns, std::string_view view,
                   std::string_view order) {
  return "SELECT " + std::string(columns) + " FROM " + std::string(view) +
         " WHERE campaign = (SELECT name FROM campaign WHERE campaign_id = ?1)"
         " AND node = " +
         std::string(kJudged) + " ORDER BY " + std::string(order);
}

}  // namespace

Result<Listing> ReadNodeRows(Database& database, CampaignId campaign,
                             std::span<const std::int64_t> numbers) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Listing> {
    Listing all;
    for (const std::int64_t number : numbers) {
      Statement read = connection.Prepare(
          "SELECT n.number AS node, n.parent_number AS parent,"
          " v.name AS verdict, n.speedup, n.speedup_low AS low,"
          " n.speedup_high AS high, p.technique, a.policy, a.decision,"
          " n.refuted, n.confirmed, n.same_as, n.lines_again,"
          " n.committed_at_s, (SELECT sum(m.cost_usd) FROM model_call m"
          "  WHERE m.attempt_id = n.attempt_id) AS cost_usd"
          " FROM node n JOIN verdict v USING (verdict)"
          " LEFT JOIN attempt a USING (attempt_id)"
          " LEFT JOIN plan p ON p.plan_id = n.plan_id"
          " WHERE n.campaign_id = ? AND n.number = ?",
          campaign, number);
      Listing one = ListingOf(read);
      all.columns = std::move(one.columns);
      for (auto& row : one.rows) all.rows.push_back(std::move(row));
    }
    return all;
  });
}

Result<std::vector<std::int64_t>> FindNodes(Database& database,
                                            CampaignId campaign,
                                            const std::string& text) {
  return ReadRows(
      database,
      "SELECT n.number FROM node n LEFT JOIN attempt a USING (attempt_id)"
      " LEFT JOIN plan p ON p.plan_id = n.plan_id WHERE n.campaign_id = ?1"
      " AND (instr(lower(coalesce(p.technique, '')), lower(?2))"
      " OR instr(lower(coalesce(p.advice, '')), lower(?2))"
      " OR instr(lower(coalesce(a.reason, '')), lower(?2)))"
      " ORDER BY n.number",
      [](const Statement& read) { return read.Int(0); }, campaign, text);
}

Result<Children> ReadChildren(Database& database, CampaignId campaign,
                              std::int64_t node, int limit) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Children> {
    return Children{
        connection.Rows(
            "SELECT number FROM node WHERE campaign_id = ?"
            " AND parent_number = ? ORDER BY number LIMIT ?",
            [](const Statement& read) { return read.Int(0); }, campaign, node,
            limit),
        connection.Number("SELECT count(*) FROM node WHERE campaign_id = ?"
                          " AND parent_number = ?",
                          campaign, node)};
  });
}

Result<Listing> ReadNodeDetail(Database& database, CampaignId campaign,
                               std::int64_t node) {
  return Ask(
      database,
      "SELECT l.name AS language, n.entry_symbol AS entry,"
      " blob_text(n.source_blob) AS source, p.advice, p.technique_arguments,"
      " a.reason, m.origin AS claim_origin, blob_text(e.log_blob) AS log,"
      " a.no_candidate_reason, e.hint_factor, e.hint_low, e.hint_high,"
      " b.name AS breach, blob_text(p.annotated_blob) AS annotated,"
      " p.grounded AS plan_grounded"
      " FROM node n"
      " LEFT JOIN evaluation e ON e.campaign_id = n.campaign_id"
      "  AND e.node_number = coalesce(n.same_as, n.number)"
      "  AND e.ordinal = n.decided_by"
      " LEFT JOIN breach b ON b.breach = e.breach"
      " LEFT JOIN attempt a ON a.attempt_id = n.attempt_id"
      " LEFT JOIN claim m ON m.attempt_id = n.attempt_id"
      " LEFT JOIN plan p ON p.plan_id = n.plan_id"
      " LEFT JOIN language l ON l.language = n.language"
      " WHERE n.campaign_id = ? AND n.number = ?",
      campaign, node);
}

Result<Listing> ReadParentsOf(Database& database, CampaignId campaign,
                              std::int64_t node) {
  return Ask(database,
             "SELECT a.parent_number AS parent FROM node n"
             " JOIN attempt a USING (attempt_id)"
             " WHERE n.campaign_id = ?1 AND n.number = ?2 UNION ALL "
             "SELECT p.parent_number FROM node n"
             " JOIN attempt_parent p USING (attempt_id)"
             " WHERE n.campaign_id = ?1 AND n.number = ?2",
             campaign, node);
}

Result<std::int64_t> CountShown(Database& database, CampaignId campaign,
                                std::int64_t node) {
  return ReadNumber(database,
                    "SELECT count(*) FROM window_entry"
                    " WHERE campaign_id = ? AND node_number = ?",
                    campaign, node);
}

Result<Measured> ReadMeasured(Database& database, CampaignId campaign,
                              std::int64_t node) {
  Connection& connection = database.connection();
  return connection.Read([&]() -> Result<Measured> {
    TRY(evaluations,
        Ask(database,
            OfView("ordinal, further, tier, verdict, speedup,"
                   " speedup_low AS low, speedup_high AS high, runtime_s,"
                   " root_runtime_s, hardware, evaluated_at_s,"
                   " blob_text(log_blob) AS log,"
                   " blob_text(profile_blob) AS profile_text",
                   "evaluations", "ordinal"),
            campaign, node));
    TRY(results,
        Ask(database,
            OfView("ordinal, position, workload, verdict, worst_error_ratio,"
                   " max_absolute_error, max_relative_error, calls_verified,"
                   " samples, discarded_samples, lower_quartile_s, median_s,"
                   " upper_quartile_s, root_lower_quartile_s, root_median_s,"
                   " root_upper_quartile_s, floor_s, clock_mhz, temperature_c",
                   "workload_results", "ordinal, position"),
            campaign, node));
    TRY(profiles,
        Ask(database,
            OfView("ordinal, position, workload, shape, runtime_s, bound,"
                   " roof_share, bytes, bytes_per_s, roof_bytes_per_s, flops,"
                   " flops_per_s, roof_flops_per_s, instructions, cycles,"
                   " cache_misses, branch_misses, page_faults, note",
                   "profiles", "ordinal, position"),
            campaign, node));
    TRY(kernels,
        Ask(database,
            OfView("ordinal, position, workload, place, kernel, calls,"
                   " total_s, mean_s, registers, shared_bytes, local_bytes,"
                   " occupancy, residency_limit, dram_bytes, busy,"
                   " achieved_occupancy, l2_hits",
                   "kernels", "ordinal, position, place"),
            campaign, node));
    return Measured{std::move(evaluations), std::move(results),
                    std::move(profiles), std::move(kernels)};
  });
}

Result<Listing> ReadTuningTrials(Database& database, CampaignId campaign,
                                 std::int64_t node) {
  return Ask(database,
             "SELECT ordinal, configuration, verdict, speedup,"
             " speedup_low AS low, speedup_high AS high, evaluator_s, chosen"
             " FROM tuning_trials WHERE node = ?2 AND campaign ="
             " (SELECT name FROM campaign WHERE campaign_id = ?1)"
             " ORDER BY ordinal",
             campaign, node);
}

Result<Listing> ReadSamples(Database& database, CampaignId campaign,
                            std::int64_t node, std::int64_t ordinal) {
  return Ask(database,
             "SELECT r.position, w.uuid AS workload, f.shape, s.runtime_s,"
             " s.root_runtime_s, s.session FROM evaluation e"
             " JOIN workload_result r USING (evaluation_id)"
             " JOIN workload w USING (workload_id)"
             " JOIN sample s ON s.evaluation_id = r.evaluation_id"
             "  AND s.position = r.position AND e.ordinal = ?3"
             " LEFT JOIN profile f ON f.evaluation_id = r.evaluation_id"
             "  AND f.position = r.position"
             " WHERE e.campaign_id = ?1 AND e.node_number = " +
                 std::string(kJudged) +
                 " ORDER BY e.ordinal, r.position, s.round_index",
             campaign, node, ordinal);
}

Result<Listing> ReadLineageSources(Database& database, CampaignId campaign,
                                   std::int64_t node) {
  return Ask(database,
             "SELECT l.generation, l.ancestor AS node, l.verdict, n.speedup,"
             " n.speedup_low AS low, n.speedup_high AS high, l.technique,"
             " blob_text(n.source_blob) AS source FROM lineage l"
             " JOIN node n ON n.campaign_id = ?1 AND n.number = l.ancestor"
             " WHERE l.campaign = (SELECT name FROM campaign"
             "  WHERE campaign_id = ?1) AND l.node = ?2 ORDER BY l.generation",
             campaign, node);
}

Result<Listing> ReadSource(Database& database, CampaignId campaign,
                           std::int64_t node) {
  return Ask(database,
             "SELECT blob_text(n.source_blob) AS source, l.name AS language"
             " FROM node n LEFT JOIN language l USING (language)"
             " WHERE n.campaign_id = ? AND n.number = ?",
             campaign, node);
}

Result<Listing> ReadCallsOf(Database& database, CampaignId campaign,
                            std::int64_t node) {
  return Ask(database,
             "SELECT m.call_id AS call, r.name AS role, m.provider, m.model,"
             " m.sent_at_s, m.latency_s, o.name AS outcome, m.error,"
             " m.input_tokens AS tokens_in, m.cached_input_tokens AS cached,"
             " m.output_tokens AS tokens_out, m.cost_usd, m.nodes_cut,"
             " coalesce(m.retry_of, (SELECT max(l.call_id) FROM model_call l"
             "  JOIN attempt b ON b.attempt_id = l.attempt_id"
             "  WHERE b.campaign_id = ?1 AND b.decision = a.decision - 1"
             "  AND l.role = m.role)) AS previous_call"
             " FROM node n JOIN attempt a USING (attempt_id)"
             " JOIN model_call m USING (attempt_id) JOIN role r USING (role)"
             " JOIN call_outcome o ON o.outcome = m.outcome"
             " WHERE n.campaign_id = ?1 AND n.number = ?2 ORDER BY m.call_id",
             campaign, node);
}

Result<Listing> ReadWindow(Database& database, std::int64_t call) {
  return Ask(database,
             "SELECT w.position, w.node_number AS node, k.name AS kinship"
             " FROM window_entry w JOIN kinship k USING (kinship)"
             " WHERE w.call_id = ? ORDER BY w.position",
             call);
}

Result<Listing> ReadWindowCut(Database& database, std::int64_t call) {
  return Ask(database,
             "SELECT k.name AS kinship, w.first_node AS first,"
             " w.last_node AS last FROM window_cut w"
             " JOIN kinship k USING (kinship) WHERE w.call_id = ?"
             " ORDER BY w.kinship, w.first_node",
             call);
}

Result<Listing> ReadCallTexts(Database& database, CampaignId campaign,
                              std::int64_t call) {
  return Ask(database,
             "SELECT blob_text(system_prompt_blob) AS system,"
             " blob_text(user_prompt_blob) AS user,"
             " blob_text(answer_blob) AS answer, error, temperature, top_p,"
             " max_output_tokens, effort, served_model, template_set"
             " FROM calls WHERE call_id = ?2 AND campaign ="
             " (SELECT name FROM campaign WHERE campaign_id = ?1)",
             campaign, call);
}

Result<std::optional<std::int64_t>> KernelHashOf(Database& database,
                                                 CampaignId campaign,
                                                 std::int64_t node) {
  TRY(hash, ReadValue<std::int64_t>(database,
                                    "SELECT kernel_hash FROM node"
                                    " WHERE campaign_id = ? AND number = ?",
                                    campaign, node));
  if (!hash) {
    return database.connection().FailHere(Errc::kNotFound,
                                          "no node " + std::to_string(node));
  }
  if (*hash == 0) return std::nullopt;
  return hash;
}

Result<Listing> ReadKernelHistory(Database& database,
                                  std::int64_t kernel_hash) {
  return Ask(database,
             "SELECT c.name AS c, n.number AS node, e.ordinal, w.hardware,"
             " w.driver, w.compiler, e.evaluated_at_s, v.name AS verdict,"
             " e.speedup, e.speedup_low AS low, e.speedup_high AS high"
             " FROM campaign c CROSS JOIN node n"
             " ON n.campaign_id = c.campaign_id AND n.kernel_hash = ?"
             " AND n.same_as IS NULL"
             " CROSS JOIN evaluation e ON e.campaign_id = n.campaign_id"
             " AND e.node_number = n.number"
             " JOIN verdict v ON v.verdict = e.verdict"
             " JOIN environment w USING (environment_id)"
             " ORDER BY e.evaluated_at_s, e.evaluation_id",
             kernel_hash);
}

}  // namespace coppice::store
