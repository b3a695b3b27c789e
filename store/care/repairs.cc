#include "store/care/repairs.h"

namespace coppice::store {
namespace {

// Calls that nobody else will end.
constexpr RepairRule kEndings[] = {
    {R"sql(
SELECT 'attempt ' || attempt_id || ' is coded but call ' || call_id
         || ' has not ended', campaign_id
FROM attempt JOIN model_call USING (attempt_id)
WHERE stage >= 2 AND outcome = 0)sql",
     R"sql(
UPDATE model_call SET outcome = 3, ended_at_s = sent_at_s,
  error = 'it never ended'
WHERE outcome = 0 AND attempt_id IN (
  SELECT attempt_id FROM attempt WHERE stage >= 2))sql"},
    {R"sql(
SELECT 'call ' || call_id || ' has ended but its wire call ' || wire_call_id
         || ' has not', campaign_id
FROM wire_call w JOIN model_call m USING (call_id)
JOIN attempt USING (attempt_id)
WHERE w.outcome = 0 AND m.outcome <> 0)sql",
     R"sql(
UPDATE wire_call SET outcome = 3, ended_at_s = sent_at_s,
  error = 'it never ended'
WHERE outcome = 0 AND call_id IN (
  SELECT call_id FROM model_call WHERE outcome <> 0))sql"},
};

// Sums and counters.  Only rows that are wrong are changed, and in these only
// what is: what was added up in another order would differ in its last bits.
// Infinity is less than no infinity, and what is made of two is NULL: sums are
// right if they are proven to be.
constexpr RepairRule kRecounts[] = {
    {R"sql(
SELECT 'call ' || call_id || ' has another use than its wire calls',
       campaign_id
FROM model_call m JOIN wire_call w USING (call_id)
JOIN attempt a USING (attempt_id)
GROUP BY call_id
HAVING m.input_tokens <> sum(w.input_tokens)
   OR m.cached_input_tokens <> sum(w.cached_input_tokens)
   OR m.output_tokens <> sum(w.output_tokens)
   OR (abs(m.cost_usd - coalesce(sum(w.cost_usd), 0.0)) <= 1e-9) IS NOT TRUE
)sql",
     R"sql(
UPDATE model_call SET input_tokens = u.input, cached_input_tokens = u.cached,
  output_tokens = u.output,
  cost_usd = iif(abs(cost_usd - u.usd) <= 1e-9, cost_usd, u.usd)
FROM (SELECT call_id AS id, sum(input_tokens) AS input,
        sum(cached_input_tokens) AS cached, sum(output_tokens) AS output,
        coalesce(sum(cost_usd), 0.0) AS usd
      FROM wire_call GROUP BY call_id) AS u
WHERE call_id = u.id)sql"},
    {R"sql(
SELECT 'campaign ' || c.name || ' has other expenses than its calls, by '
         || abs(e.tokens) || ' tokens and $'
         || coalesce(abs(e.cost_usd), 'infinity'), campaign_id
FROM (
  SELECT campaign_id, sum(tokens) AS tokens, sum(cost_usd) AS cost_usd
  FROM (
    SELECT campaign_id, role, day, tokens, cost_usd FROM expense
    UNION ALL
    SELECT a.campaign_id, m.role, CAST(floor(w.sent_at_s / 86400) AS INTEGER),
           -w.charged_tokens, -w.charged_usd
    FROM wire_call w JOIN model_call m USING (call_id)
    JOIN attempt a USING (attempt_id))
  GROUP BY campaign_id, role, day) AS e
JOIN campaign c USING (campaign_id)
WHERE e.tokens <> 0 OR (abs(e.cost_usd) <= 1e-6) IS NOT TRUE)sql",
     R"sql(
INSERT INTO expense (campaign_id, role, day, tokens, cost_usd)
SELECT campaign_id, role, day, sum(tokens), sum(cost_usd)
FROM (
  SELECT campaign_id, role, day, 0 AS tokens, 0.0 AS cost_usd FROM expense
  UNION ALL
  SELECT a.campaign_id, m.role, CAST(floor(w.sent_at_s / 86400) AS INTEGER),
         w.charged_tokens, w.charged_usd
  FROM wire_call w JOIN model_call m USING (call_id)
  JOIN attempt a USING (attempt_id))
WHERE true GROUP BY campaign_id, role, day
ON CONFLICT DO UPDATE SET tokens = excluded.tokens,
  cost_usd = iif(abs(cost_usd - excluded.cost_usd) <= 1e-6, cost_usd,
                 excluded.cost_usd))sql"},
    {R"sql(
SELECT 'campaign ' || name || ' counts ' || nodes || ' nodes but has ' || has,
       campaign_id
FROM (SELECT campaign_id, name, nodes, (SELECT count(*) FROM node n
        WHERE n.campaign_id = c.campaign_id) AS has FROM campaign c)
WHERE nodes <> has)sql",
     R"sql(
UPDATE campaign SET nodes = (SELECT count(*) FROM node n
  WHERE n.campaign_id = campaign.campaign_id))sql"},
    {R"sql(
SELECT 'campaign ' || name || ' counts ' || attempts || ' attempts but has '
         || has, campaign_id
FROM (SELECT campaign_id, name, attempts, (SELECT count(*) FROM attempt a
        WHERE a.campaign_id = c.campaign_id) AS has FROM campaign c)
WHERE attempts <> has)sql",
     R"sql(
UPDATE campaign SET attempts = (SELECT count(*) FROM attempt a
  WHERE a.campaign_id = campaign.campaign_id))sql"},
    {R"sql(
SELECT 'campaign ' || name || ' counts ' || further
         || ' further evaluations but has ' || has, campaign_id
FROM (SELECT campaign_id, name, further, (SELECT count(further)
        FROM evaluation e WHERE e.campaign_id = c.campaign_id) AS has
      FROM campaign c)
WHERE further <> has)sql",
     R"sql(
UPDATE campaign SET further = (SELECT count(e.further) FROM evaluation e
  WHERE e.campaign_id = campaign.campaign_id))sql"},
    {R"sql(
SELECT 'campaign ' || name || ' counts ' || evaluator_s
         || ' seconds of the evaluator but has ' || has, campaign_id
FROM (SELECT campaign_id, name, evaluator_s, (
        SELECT coalesce(sum(e.compile_s + e.check_s + e.timing_s), 0.0)
        FROM evaluation e WHERE e.campaign_id = c.campaign_id
          AND e.node_number > 0 AND e.further IS NULL)
        + (SELECT coalesce(sum(t.evaluator_s), 0.0) FROM tuning_trial t
           WHERE t.campaign_id = c.campaign_id AND NOT t.chosen) AS has
      FROM campaign c)
WHERE abs(evaluator_s - has) > 1e-9 * (1.0 + has))sql",
     R"sql(
UPDATE campaign SET evaluator_s = r.has
FROM (SELECT campaign_id AS id, (
        SELECT coalesce(sum(e.compile_s + e.check_s + e.timing_s), 0.0)
        FROM evaluation e WHERE e.campaign_id = c.campaign_id
          AND e.node_number > 0 AND e.further IS NULL)
        + (SELECT coalesce(sum(t.evaluator_s), 0.0) FROM tuning_trial t
           WHERE t.campaign_id = c.campaign_id AND NOT t.chosen) AS has
      FROM campaign c) AS r
WHERE campaign_id = r.id AND abs(evaluator_s - r.has) > 1e-9 * (1.0 + r.has))sql"},
    {R"sql(
SELECT 'campaign ' || name || ' has not the seconds of its root', campaign_id
FROM campaign c WHERE root_runtime_s IS NOT (
  SELECT e.runtime_s FROM evaluation e WHERE e.campaign_id = c.campaign_id
    AND e.node_number = 0 AND e.further IS NULL
  ORDER BY e.ordinal DESC LIMIT 1))sql",
     R"sql(
UPDATE campaign SET root_runtime_s = (
  SELECT e.runtime_s FROM evaluation e
  WHERE e.campaign_id = campaign.campaign_id AND e.node_number = 0
    AND e.further IS NULL ORDER BY e.ordinal DESC LIMIT 1))sql"},
    {R"sql(
SELECT DISTINCT 'campaign ' || c.name || ' has other sums than its calls',
       campaign_id
FROM (
  SELECT campaign_id FROM (
    SELECT campaign_id, role, provider, model, day, calls, answered, failed,
           outcome_unknown, input_tokens, cached_input_tokens, output_tokens,
           cost_usd, latency_s FROM call_sum
    UNION ALL
    SELECT a.campaign_id, m.role, m.provider, m.model,
           CAST(floor(m.sent_at_s / 86400) AS INTEGER), -1, -(m.outcome = 1),
           -(m.outcome = 2), -(m.outcome = 3), -m.input_tokens,
           -m.cached_input_tokens, -m.output_tokens, -m.cost_usd, -m.latency_s
    FROM model_call m JOIN attempt a USING (attempt_id))
  GROUP BY campaign_id, role, provider, model, day
  HAVING sum(calls) <> 0 OR sum(answered) <> 0 OR sum(failed) <> 0
    OR sum(outcome_unknown) <> 0 OR sum(input_tokens) <> 0
    OR sum(cached_input_tokens) <> 0 OR sum(output_tokens) <> 0
    OR (abs(sum(cost_usd)) < 1e-9 * (1 + sum(abs(cost_usd)))) IS NOT TRUE
    OR (abs(sum(latency_s)) < 1e-9 * (1 + sum(abs(latency_s)))) IS NOT TRUE)
JOIN campaign c USING (campaign_id))sql",
     R"sql(
DELETE FROM call_sum;
INSERT INTO call_sum (
  campaign_id, role, provider, model, day, calls, answered, failed,
  outcome_unknown, input_tokens, cached_input_tokens, output_tokens, cost_usd,
  latency_s)
SELECT a.campaign_id, m.role, m.provider, m.model,
       CAST(floor(m.sent_at_s / 86400) AS INTEGER) AS day, count(*),
       sum(m.outcome = 1), sum(m.outcome = 2), sum(m.outcome = 3),
       sum(m.input_tokens), sum(m.cached_input_tokens), sum(m.output_tokens),
       sum(m.cost_usd), sum(m.latency_s)
FROM model_call m JOIN attempt a USING (attempt_id)
GROUP BY a.campaign_id, m.role, m.provider, m.model, day)sql"},
    {R"sql(
WITH kept AS (
  SELECT t.campaign_id, t.policy, t.verdict, t.nodes, n.speedup
  FROM trial_sum t LEFT JOIN node n
    ON n.campaign_id = t.campaign_id AND n.number = t.fastest
  WHERE t.nodes <> 0),
recounted AS (
  SELECT n.campaign_id, a.policy, n.verdict, count(*), max(n.speedup)
  FROM node n JOIN attempt a USING (attempt_id)
  GROUP BY n.campaign_id, a.policy, n.verdict)
SELECT DISTINCT 'campaign ' || c.name || ' has other sums than its trials by '
         || t.policy, campaign_id
FROM (SELECT * FROM (SELECT * FROM kept EXCEPT SELECT * FROM recounted)
      UNION ALL
      SELECT * FROM (SELECT * FROM recounted EXCEPT SELECT * FROM kept)) AS t
JOIN campaign c USING (campaign_id))sql",
     R"sql(
DELETE FROM trial_sum;
INSERT INTO trial_sum (campaign_id, policy, verdict, nodes, fastest)
SELECT campaign_id, policy, verdict, nodes, iif(verdict = 0, number, NULL)
FROM (SELECT n.campaign_id, a.policy, n.verdict, count(*) AS nodes,
             max(n.speedup), n.number
      FROM node n JOIN attempt a USING (attempt_id)
      GROUP BY n.campaign_id, a.policy, n.verdict))sql"},
    {R"sql(
WITH recounted AS (
  SELECT campaign_id, number, speedup FROM (
    SELECT campaign_id, number, speedup,
           max(speedup) OVER (PARTITION BY campaign_id ORDER BY number ROWS
             BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM node)
  WHERE number = 0 OR speedup > coalesce(before, 0.0))
SELECT DISTINCT 'campaign ' || c.name
         || ' has other improvements than its nodes', campaign_id
FROM (SELECT * FROM (SELECT campaign_id, number, speedup FROM improvement
                     EXCEPT SELECT * FROM recounted)
      UNION ALL
      SELECT * FROM (SELECT * FROM recounted
                     EXCEPT
                     SELECT campaign_id, number, speedup FROM improvement))
JOIN campaign c USING (campaign_id))sql",
     R"sql(
DELETE FROM improvement;
INSERT INTO improvement (campaign_id, number, speedup)
SELECT campaign_id, number, speedup FROM (
  SELECT campaign_id, number, speedup,
         max(speedup) OVER (PARTITION BY campaign_id ORDER BY number ROWS
           BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before FROM node)
WHERE number = 0 OR speedup > coalesce(before, 0.0))sql"},
};

}  // namespace

std::span<const RepairRule> Endings() { return kEndings; }
std::span<const RepairRule> Recounts() { return kRecounts; }

}  // namespace coppice::store
