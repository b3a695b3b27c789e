-- How the sums of schema.sql are kept: by triggers that every connection that
-- writes makes for itself (store/connection.cc).  They lie in no file.
--
-- Their keys never change: neither does an attempt's campaign and policy, nor a
-- call's role, model and time.
--
-- SQLite takes it that a campaign has a few nodes, unless an index is named.

CREATE TEMP TRIGGER call_begins AFTER INSERT ON model_call
BEGIN
  INSERT INTO call_sum (
    campaign_id, role, provider, model, day, calls, answered, failed,
    outcome_unknown, input_tokens, cached_input_tokens, output_tokens, cost_usd,
    latency_s)
  SELECT a.campaign_id, NEW.role, NEW.provider, NEW.model,
         CAST(floor(NEW.sent_at_s / 86400) AS INTEGER), 1, NEW.outcome = 1,
         NEW.outcome = 2, NEW.outcome = 3, NEW.input_tokens,
         NEW.cached_input_tokens, NEW.output_tokens, NEW.cost_usd, NEW.latency_s
  FROM attempt a WHERE a.attempt_id = NEW.attempt_id
  ON CONFLICT DO UPDATE SET
    calls = calls + 1,
    answered = answered + excluded.answered,
    failed = failed + excluded.failed,
    outcome_unknown = outcome_unknown + excluded.outcome_unknown,
    input_tokens = input_tokens + excluded.input_tokens,
    cached_input_tokens = cached_input_tokens + excluded.cached_input_tokens,
    output_tokens = output_tokens + excluded.output_tokens,
    cost_usd = cost_usd + excluded.cost_usd,
    latency_s = latency_s + excluded.latency_s;
END;

CREATE TEMP TRIGGER call_changes AFTER UPDATE OF
  outcome, input_tokens, cached_input_tokens, output_tokens, cost_usd, latency_s
ON model_call
BEGIN
  UPDATE call_sum SET
    answered = answered + (NEW.outcome = 1) - (OLD.outcome = 1),
    failed = failed + (NEW.outcome = 2) - (OLD.outcome = 2),
    outcome_unknown = outcome_unknown + (NEW.outcome = 3) - (OLD.outcome = 3),
    input_tokens = input_tokens + NEW.input_tokens - OLD.input_tokens,
    cached_input_tokens =
      cached_input_tokens + NEW.cached_input_tokens - OLD.cached_input_tokens,
    output_tokens = output_tokens + NEW.output_tokens - OLD.output_tokens,
    cost_usd = cost_usd + (NEW.cost_usd - OLD.cost_usd),
    latency_s = latency_s + (NEW.latency_s - OLD.latency_s)
  WHERE campaign_id = (SELECT a.campaign_id FROM attempt a
                       WHERE a.attempt_id = NEW.attempt_id)
    AND role = NEW.role AND provider = NEW.provider AND model = NEW.model
    AND day = CAST(floor(NEW.sent_at_s / 86400) AS INTEGER);
END;

CREATE TEMP TRIGGER trial_comes AFTER INSERT ON node WHEN NEW.number > 0
BEGIN
  INSERT INTO trial_sum (campaign_id, policy, verdict, nodes, fastest)
  SELECT NEW.campaign_id, a.policy, NEW.verdict, 1,
         iif(NEW.verdict = 0, NEW.number, NULL)
  FROM attempt a WHERE a.attempt_id = NEW.attempt_id
  ON CONFLICT DO UPDATE SET
    nodes = nodes + 1,
    fastest = iif(NEW.speedup > coalesce(
      (SELECT f.speedup FROM node f WHERE f.campaign_id = NEW.campaign_id
         AND f.number = trial_sum.fastest), 0.0), NEW.number, fastest);
END;

CREATE TEMP TRIGGER trial_changes AFTER UPDATE OF verdict, speedup ON node
WHEN NEW.number > 0
  AND (NEW.verdict <> OLD.verdict OR NEW.speedup IS NOT OLD.speedup)
BEGIN
  UPDATE trial_sum SET nodes = nodes - 1
  WHERE campaign_id = NEW.campaign_id AND verdict = OLD.verdict
    AND policy = (SELECT a.policy FROM attempt a
                  WHERE a.attempt_id = NEW.attempt_id);
  INSERT INTO trial_sum (campaign_id, policy, verdict, nodes, fastest)
  SELECT NEW.campaign_id, a.policy, NEW.verdict, 1,
         iif(NEW.verdict = 0, NEW.number, NULL)
  FROM attempt a WHERE a.attempt_id = NEW.attempt_id
  ON CONFLICT DO UPDATE SET
    nodes = nodes + 1,
    fastest = iif(NEW.speedup > coalesce(
      (SELECT f.speedup FROM node f WHERE f.campaign_id = NEW.campaign_id
         AND f.number = trial_sum.fastest), 0.0), NEW.number, fastest);

  -- If the fastest has become slower: the first leader that is of the policy,
  -- or whose tokens are, too.
  UPDATE trial_sum SET fastest = (
    SELECT number FROM (
      SELECT iif(a.policy = trial_sum.policy, l.number, (
               SELECT min(n.number) FROM node n INDEXED BY node_by_original
               CROSS JOIN attempt b ON b.attempt_id = n.attempt_id
               WHERE n.campaign_id = l.campaign_id AND n.same_as = l.number
                 AND b.policy = trial_sum.policy)) AS number
      FROM node l INDEXED BY node_by_speedup
      LEFT JOIN attempt a ON a.attempt_id = l.attempt_id
      WHERE l.campaign_id = NEW.campaign_id AND l.verdict = 0
        AND l.same_as IS NULL
      ORDER BY l.speedup DESC, l.number
    ) WHERE number IS NOT NULL LIMIT 1)
  WHERE campaign_id = NEW.campaign_id AND verdict = 0
    AND policy = (SELECT a.policy FROM attempt a
                  WHERE a.attempt_id = NEW.attempt_id)
    AND fastest = NEW.number
    AND coalesce(NEW.speedup < OLD.speedup, true);
END;

-- It has the highest number.
CREATE TEMP TRIGGER improvement_comes AFTER INSERT ON node
WHEN NEW.number = 0 OR NEW.speedup > coalesce(
  (SELECT i.speedup FROM improvement i WHERE i.campaign_id = NEW.campaign_id
   ORDER BY i.number DESC LIMIT 1), 0.0)
BEGIN
  INSERT INTO improvement (campaign_id, number, speedup)
  VALUES (NEW.campaign_id, NEW.number, NEW.speedup);
END;

-- A node that is no improvement, and becomes none, changes none.  One that is
-- or was: up to the next that is faster than it is and was.
CREATE TEMP TRIGGER improvement_changes AFTER UPDATE OF speedup ON node
WHEN NEW.speedup IS NOT OLD.speedup AND NEW.same_as IS NULL
  AND (EXISTS (SELECT 1 FROM improvement i
               WHERE i.campaign_id = NEW.campaign_id AND i.number = NEW.number)
       OR NEW.speedup > coalesce(
         (SELECT i.speedup FROM improvement i
          WHERE i.campaign_id = NEW.campaign_id AND i.number < NEW.number
          ORDER BY i.number DESC LIMIT 1), 0.0))
BEGIN
  DELETE FROM improvement
  WHERE campaign_id = NEW.campaign_id AND number >= max(NEW.number, 1)
    AND speedup <= max(coalesce(NEW.speedup, 0.0), coalesce(OLD.speedup, 0.0));
  UPDATE improvement SET speedup = NEW.speedup
  WHERE NEW.number = 0 AND campaign_id = NEW.campaign_id AND number = 0;
  INSERT INTO improvement (campaign_id, number, speedup)
  SELECT NEW.campaign_id, NEW.number, NEW.speedup
  WHERE NEW.number > 0 AND NEW.speedup > coalesce(
    (SELECT i.speedup FROM improvement i
     WHERE i.campaign_id = NEW.campaign_id AND i.number < NEW.number
     ORDER BY i.number DESC LIMIT 1), 0.0);
  INSERT INTO improvement (campaign_id, number, speedup)
  SELECT NEW.campaign_id, number, speedup
  FROM (
    SELECT n.number, n.speedup,
           max(n.speedup) OVER (ORDER BY n.number ROWS BETWEEN
             UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
    FROM node n INDEXED BY node_by_speedup
    WHERE n.campaign_id = NEW.campaign_id AND n.verdict = 0
      AND n.same_as IS NULL AND n.number > NEW.number
      AND n.number < coalesce(
        (SELECT min(i.number) FROM improvement i
         WHERE i.campaign_id = NEW.campaign_id AND i.number > NEW.number),
        9223372036854775807)
      AND n.speedup > coalesce(
        (SELECT i.speedup FROM improvement i
         WHERE i.campaign_id = NEW.campaign_id AND i.number <= NEW.number
         ORDER BY i.number DESC LIMIT 1), 0.0)
  )
  WHERE before IS NULL OR speedup > before;
END;
