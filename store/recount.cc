#include "store/recount.h"

namespace coppice::store {
namespace {

constexpr Recount kRecounts[] = {
    {"spend", R"sql(
SELECT c.name, c.task, r.name, m.provider, m.model, count(*),
       sum(m.outcome = 1), sum(m.outcome = 2), sum(m.outcome = 3),
       sum(m.outcome = 0), sum(m.input_tokens), sum(m.cached_input_tokens),
       sum(m.output_tokens), sum(m.cost_usd), sum(m.latency_s),
       m.provider = 'outside'
FROM campaign c JOIN attempt a USING (campaign_id)
JOIN model_call m USING (attempt_id) JOIN role r USING (role)
GROUP BY c.name, c.task, r.name, m.provider, m.model)sql"},
    {"spend_by_day", R"sql(
SELECT c.name, c.task, date(m.sent_at_s, 'unixepoch') AS day, r.name,
       m.provider, m.model, count(*), sum(m.outcome = 1), sum(m.outcome = 2),
       sum(m.outcome = 3), sum(m.outcome = 0), sum(m.input_tokens),
       sum(m.cached_input_tokens), sum(m.output_tokens), sum(m.cost_usd),
       sum(m.latency_s), m.provider = 'outside'
FROM campaign c JOIN attempt a USING (campaign_id)
JOIN model_call m USING (attempt_id) JOIN role r USING (role)
GROUP BY c.name, c.task, day, r.name, m.provider, m.model)sql"},
    {"failures", R"sql(
SELECT campaign, task, policy, verdict, nodes, share
FROM (
  SELECT c.name AS campaign, c.task, a.policy, v.name AS verdict,
         count(*) AS nodes,
         count(*) * 1.0 / sum(count(*)) OVER (PARTITION BY c.name, a.policy)
           AS share
  FROM campaign c JOIN node n USING (campaign_id)
  JOIN attempt a ON a.attempt_id = n.attempt_id
  JOIN verdict v ON v.verdict = n.verdict
  GROUP BY c.name, c.task, a.policy, v.verdict)
WHERE verdict NOT IN ('passed', 'inconclusive'))sql"},
    {"scores", R"sql(
SELECT campaign, task, level, policy, agents, seed, count(*), sum(compiled),
       sum(correct), sum(undecided), nullif(max(speedup), 0.0), speedup_low,
       speedup_high
FROM trials GROUP BY campaign, policy
UNION ALL
SELECT c.name, c.task, c.task_level, c.policy, coalesce(s.value, 'team'),
       c.seed, 0, 0, 0, 0, NULL, NULL, NULL
FROM campaign c
LEFT JOIN setting s ON s.campaign_id = c.campaign_id AND s.key = 'agents'
WHERE NOT EXISTS (SELECT 1 FROM node n
                  WHERE n.campaign_id = c.campaign_id AND n.number > 0))sql"},
    {"best_so_far", R"sql(
SELECT campaign, task, policy, seed, node, node, committed_at_s, since_start_s,
       runtime_s, speedup, best,
       speedup IS NOT NULL AND (before IS NULL OR speedup > before), agents
FROM (
  SELECT c.name AS campaign, c.task, c.policy, c.seed, n.number AS node,
         n.committed_at_s, n.committed_at_s - c.created_at_s AS since_start_s,
         c.root_runtime_s / n.speedup AS runtime_s, n.speedup,
         max(n.speedup) OVER (PARTITION BY c.name ORDER BY n.number
                              ROWS UNBOUNDED PRECEDING) AS best,
         max(n.speedup) OVER (PARTITION BY c.name ORDER BY n.number
                              ROWS BETWEEN UNBOUNDED PRECEDING
                                AND 1 PRECEDING) AS before,
         coalesce(s.value, 'team') AS agents
  FROM campaign c JOIN node n USING (campaign_id)
  LEFT JOIN setting s ON s.campaign_id = c.campaign_id
    AND s.key = 'agents'))sql"},
    {"improvement_costs", R"sql(
SELECT campaign, task, policy, attempts, cost_usd, unsettled_usd, improvements,
       cost_usd / nullif(improvements, 0), best_speedup, claimed_usd
FROM (
  SELECT c.name AS campaign, c.task, c.policy, c.attempts,
         (SELECT coalesce(sum(m.cost_usd), 0.0) FROM attempt a
          JOIN model_call m USING (attempt_id)
          WHERE a.campaign_id = c.campaign_id AND m.provider <> 'outside')
           AS cost_usd,
         (SELECT coalesce(sum(m.cost_usd), 0.0) FROM attempt a
          JOIN model_call m USING (attempt_id)
          WHERE a.campaign_id = c.campaign_id AND m.provider = 'outside')
           AS claimed_usd,
         (SELECT coalesce(sum(max(w.charged_usd - coalesce(w.cost_usd, 0.0),
                                  0.0)), 0.0)
          FROM attempt a JOIN model_call m USING (attempt_id)
          JOIN wire_call w USING (call_id)
          WHERE a.campaign_id = c.campaign_id AND w.outcome IN (0, 3)
            AND m.provider <> 'outside')
           AS unsettled_usd,
         (SELECT count(*) FROM (
            SELECT n.number, n.speedup,
                   max(n.speedup) OVER (ORDER BY n.number ROWS BETWEEN
                     UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
            FROM node n WHERE n.campaign_id = c.campaign_id)
          WHERE number > 0 AND speedup > coalesce(before, 0.0))
           AS improvements,
         (SELECT max(n.speedup) FROM node n
          WHERE n.campaign_id = c.campaign_id) AS best_speedup
  FROM campaign c))sql"},
};

}  // namespace

std::span<const Recount> ViewRecounts() { return kRecounts; }

std::string DifferencesSql(const Recount& recount) {
  const std::string view = std::string("SELECT * FROM ") + recount.view;
  const std::string rows = std::string("SELECT * FROM (") + recount.sql + ")";
  return "SELECT (SELECT count(*) FROM (" + view + " EXCEPT " + rows +
         ")) + (SELECT count(*) FROM (" + rows + " EXCEPT " + view +
         ")) + abs((SELECT count(*) FROM (" + view +
         ")) - (SELECT count(*) FROM (" + rows + ")))";
}

}  // namespace coppice::store
