#include "store/migration.h"

#include <string>
#include <vector>

#include "store/connection.h"
#include "store/schema.h"

namespace coppice::store {
namespace {

// More is recorded of a measurement; profiles; quarantine.  A node that a
// further evaluation had refuted was no leader's rival before either.
constexpr const char* kToFormat2 = R"sql(
ALTER TABLE node ADD COLUMN
  decided_by INTEGER NOT NULL DEFAULT 0 CHECK (decided_by >= 0);
ALTER TABLE evaluation ADD COLUMN device_s REAL CHECK (device_s >= 0);
ALTER TABLE evaluation ADD COLUMN profile_blob INTEGER REFERENCES blob;
ALTER TABLE workload_result ADD COLUMN lower_quartile_s REAL;
ALTER TABLE workload_result ADD COLUMN median_s REAL;
ALTER TABLE workload_result ADD COLUMN upper_quartile_s REAL;
ALTER TABLE workload_result ADD COLUMN root_lower_quartile_s REAL;
ALTER TABLE workload_result ADD COLUMN root_median_s REAL;
ALTER TABLE workload_result ADD COLUMN root_upper_quartile_s REAL;
ALTER TABLE workload_result ADD COLUMN
  discarded_samples INTEGER NOT NULL DEFAULT 0;
ALTER TABLE workload_result ADD COLUMN floor_s REAL;
ALTER TABLE workload_result ADD COLUMN temperature_c REAL;
ALTER TABLE sample ADD COLUMN session INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sample ADD COLUMN calls INTEGER NOT NULL DEFAULT 1;
ALTER TABLE sample ADD COLUMN wall_s REAL;
ALTER TABLE sample ADD COLUMN cpu_s REAL;
ALTER TABLE sample ADD COLUMN clock_mhz REAL;
ALTER TABLE environment ADD COLUMN driver TEXT NOT NULL DEFAULT '';

-- Sample i of n weighs what linear interpolation at p (n - 1) gives it.
CREATE TEMP TABLE ranked AS
SELECT evaluation_id, position, runtime_s, root_runtime_s,
       row_number() OVER own - 1 AS i, count(runtime_s) OVER here - 1 AS top,
       row_number() OVER roots - 1 AS root_i,
       count(root_runtime_s) OVER here - 1 AS root_top
FROM sample
WINDOW here AS (PARTITION BY evaluation_id, position),
       own AS (PARTITION BY evaluation_id, position
               ORDER BY runtime_s IS NULL, runtime_s),
       roots AS (PARTITION BY evaluation_id, position
                 ORDER BY root_runtime_s IS NULL, root_runtime_s);
CREATE TEMP TABLE quartile AS
SELECT evaluation_id, position,
       sum(runtime_s * max(0, 1 - abs(i - 0.25 * top))) AS lower,
       sum(runtime_s * max(0, 1 - abs(i - 0.50 * top))) AS median,
       sum(runtime_s * max(0, 1 - abs(i - 0.75 * top))) AS upper,
       sum(root_runtime_s * max(0, 1 - abs(root_i - 0.25 * root_top)))
         AS root_lower,
       sum(root_runtime_s * max(0, 1 - abs(root_i - 0.50 * root_top)))
         AS root_median,
       sum(root_runtime_s * max(0, 1 - abs(root_i - 0.75 * root_top)))
         AS root_upper
FROM temp.ranked GROUP BY evaluation_id, position;
UPDATE workload_result AS r
SET lower_quartile_s = q.lower, median_s = q.median, upper_quartile_s = q.upper,
    root_lower_quartile_s = q.root_lower, root_median_s = q.root_median,
    root_upper_quartile_s = q.root_upper
FROM temp.quartile AS q
WHERE q.evaluation_id = r.evaluation_id AND q.position = r.position;
DROP TABLE temp.quartile;
DROP TABLE temp.ranked;

CREATE TABLE new_event (
  event_id    INTEGER PRIMARY KEY,
  campaign_id INTEGER NOT NULL REFERENCES campaign,
  at_s        REAL    NOT NULL,
  kind        TEXT    NOT NULL CHECK (kind IN (
    'created', 'running', 'paused', 'finished', 'budget',
    'adopted', 'committed', 'evaluated', 'quarantined')),
  subject     INTEGER,  -- Decision if adopted; of the others with one, node.
  detail      TEXT    NOT NULL DEFAULT ''
) STRICT;
INSERT INTO new_event SELECT * FROM event;
DROP TABLE event;
ALTER TABLE new_event RENAME TO event;

CREATE TABLE residency_limit (  -- What keeps blocks off a multiprocessor.
  residency_limit INTEGER PRIMARY KEY,
  name            TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO residency_limit VALUES
  (0, 'threads'), (1, 'blocks'), (2, 'registers'), (3, 'shared memory');
CREATE TABLE profile (
  evaluation_id    INTEGER NOT NULL,
  position         INTEGER NOT NULL,  -- Of the workload_result.
  shape            TEXT    NOT NULL,  -- 'M=33, N=17'.
  runtime_s        REAL    NOT NULL,  -- That the observations refer to.
  bytes            REAL    NOT NULL,  -- That a call must move at least.
  flops            REAL    NOT NULL,  -- That it must do; 0: not stated.
  roof_bytes_per_s REAL    NOT NULL,  -- Measured of this machine; 0: not.
  roof_flops_per_s REAL    NOT NULL,
  instructions     REAL,              -- Counted per call by the processor.
  cycles           REAL,
  cache_misses     REAL,
  branch_misses    REAL,
  page_faults      REAL,
  note             TEXT    NOT NULL,  -- What else was to be said.
  PRIMARY KEY (evaluation_id, position),
  FOREIGN KEY (evaluation_id, position) REFERENCES workload_result
) STRICT, WITHOUT ROWID;
CREATE TABLE kernel (
  evaluation_id   INTEGER NOT NULL,
  position        INTEGER NOT NULL,  -- Of the workload_result.
  place           INTEGER NOT NULL,  -- 0, 1, ...
  name            TEXT    NOT NULL,
  calls           INTEGER NOT NULL,  -- Launches in one call of the candidate.
  total_s         REAL,              -- Of all these, by the device's clock.
  registers       INTEGER,           -- Per thread.
  shared_bytes    INTEGER,           -- Per block.
  local_bytes     INTEGER,           -- Per thread: spills, arrays.
  occupancy       REAL,              -- Resident warps over the most possible.
  residency_limit INTEGER REFERENCES residency_limit,  -- Of the occupancy.
  -- Counted by the device, of all these launches.
  dram_bytes      REAL,              -- Read and written.
  busy            REAL,              -- Share of the multiprocessors' peak.
  achieved_occupancy REAL,
  l2_hits         REAL,              -- Share of the accesses to that cache.
  PRIMARY KEY (evaluation_id, position, place),
  FOREIGN KEY (evaluation_id, position) REFERENCES profile
) STRICT, WITHOUT ROWID;

CREATE TABLE quarantine (
  campaign_id      INTEGER NOT NULL,
  node_number      INTEGER NOT NULL,
  ordinal          INTEGER NOT NULL,  -- Of the evaluation that refuted it,
  verdict          INTEGER NOT NULL REFERENCES verdict,  -- and what it says.
  quarantined_at_s REAL    NOT NULL,
  PRIMARY KEY (campaign_id, node_number),
  FOREIGN KEY (campaign_id, node_number, ordinal)
    REFERENCES evaluation (campaign_id, node_number, ordinal),
  CHECK (verdict NOT IN (0, 7))  -- Inconclusive refutes nothing.
) STRICT, WITHOUT ROWID;
INSERT INTO quarantine
SELECT e.campaign_id, e.node_number, e.ordinal, e.verdict, e.evaluated_at_s
FROM evaluation e
JOIN node n ON n.campaign_id = e.campaign_id AND n.number = e.node_number
WHERE n.verdict = 0 AND n.number > 0 AND e.verdict NOT IN (0, 7)
  AND e.ordinal = (SELECT min(f.ordinal) FROM evaluation f
                   WHERE f.campaign_id = e.campaign_id
                     AND f.node_number = e.node_number
                     AND f.verdict NOT IN (0, 7));
DELETE FROM leader
WHERE campaign_id IN (SELECT campaign_id FROM quarantine);
INSERT INTO leader
SELECT campaign_id, rank, number FROM (
  SELECT campaign_id, number, row_number() OVER (
           PARTITION BY campaign_id ORDER BY runtime_s, number) AS rank
  FROM (SELECT campaign_id, number, runtime_s, row_number() OVER (
                 PARTITION BY campaign_id, source_blob
                 ORDER BY runtime_s, number) AS place
        FROM node n
        WHERE verdict = 0
          AND campaign_id IN (SELECT campaign_id FROM quarantine)
          AND NOT EXISTS (SELECT 1 FROM quarantine q
                          WHERE q.campaign_id = n.campaign_id
                            AND q.node_number = n.number))
  WHERE place = 1)
WHERE rank <= 10;
)sql";

// Evaluations of a task's expert are of no node.  Other tables refer to this
// one, by its name.  Attempts say what their policy saw: of one worker, all
// that was decided before.  Calls on the wire and what they cost.  Environments
// say what their hardware is made of.
constexpr const char* kToFormat3 = R"sql(
CREATE TABLE new_evaluation (
  evaluation_id  INTEGER PRIMARY KEY,
  campaign_id    INTEGER NOT NULL REFERENCES campaign,
  node_number    INTEGER,  -- NULL: the expert.
  ordinal        INTEGER NOT NULL CHECK (ordinal >= 0),
  tier           INTEGER NOT NULL REFERENCES tier,
  verdict        INTEGER NOT NULL REFERENCES verdict,
  runtime_s      REAL,  -- Geometric mean over workloads of median samples.
  root_runtime_s REAL,
  compile_s      REAL    NOT NULL,
  check_s        REAL    NOT NULL,
  timing_s       REAL    NOT NULL,
  log_blob       INTEGER NOT NULL REFERENCES blob,
  environment_id INTEGER NOT NULL REFERENCES environment,
  evaluated_at_s REAL    NOT NULL,
  -- Seconds that the device spent in the candidate's calls: on a GPU its own,
  -- otherwise those of all processors.  NULL: not known.
  device_s       REAL CHECK (device_s >= 0),
  profile_blob   INTEGER REFERENCES blob,  -- What limits it; NULL: none.
  UNIQUE (campaign_id, node_number, ordinal),
  FOREIGN KEY (campaign_id, node_number) REFERENCES node
) STRICT;
INSERT INTO new_evaluation
SELECT evaluation_id, campaign_id, node_number, ordinal, tier, verdict,
       runtime_s, root_runtime_s, compile_s, check_s, timing_s, log_blob,
       environment_id, evaluated_at_s, device_s, profile_blob
FROM evaluation;
DROP TABLE evaluation;
ALTER TABLE new_evaluation RENAME TO evaluation;
CREATE UNIQUE INDEX evaluation_of_expert ON evaluation (campaign_id, ordinal)
  WHERE node_number IS NULL;

ALTER TABLE attempt ADD COLUMN
  nodes_seen INTEGER NOT NULL DEFAULT 1 CHECK (nodes_seen >= 1);
ALTER TABLE attempt ADD COLUMN
  quarantines_seen INTEGER NOT NULL DEFAULT 0 CHECK (quarantines_seen >= 0);
UPDATE attempt AS a
SET nodes_seen = decision + 1,
    quarantines_seen = (SELECT count(*) FROM quarantine q
                        WHERE q.campaign_id = a.campaign_id
                          AND q.quarantined_at_s <= a.reserved_at_s);

CREATE TABLE wire_call (
  wire_call_id        INTEGER PRIMARY KEY,
  call_id             INTEGER NOT NULL REFERENCES model_call,
  retry_of            INTEGER REFERENCES wire_call
                      CHECK (retry_of < wire_call_id),
  request_blob        INTEGER NOT NULL REFERENCES blob,  -- Holds no key.
  sent_at_s           REAL    NOT NULL,
  -- What it may use at most.
  input_tokens_bound  INTEGER NOT NULL CHECK (input_tokens_bound >= 0),
  output_tokens_bound INTEGER NOT NULL CHECK (output_tokens_bound >= 0),
  cost_usd_bound      REAL CHECK (cost_usd_bound >= 0),  -- NULL: no price.
  outcome             INTEGER NOT NULL DEFAULT 0 REFERENCES call_outcome,
  answer_blob         INTEGER REFERENCES blob,  -- As far as it came.
  error               TEXT    NOT NULL DEFAULT '',
  input_tokens        INTEGER NOT NULL DEFAULT 0,
  cached_input_tokens INTEGER NOT NULL DEFAULT 0,  -- Of input_tokens: read,
  cache_write_tokens  INTEGER NOT NULL DEFAULT 0,  -- and written.
  output_tokens       INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens    INTEGER NOT NULL DEFAULT 0,  -- Of output_tokens.
  is_estimated        INTEGER NOT NULL DEFAULT 0 CHECK (is_estimated IN (0, 1)),
  cost_usd            REAL,                        -- NULL: no price.
  price_version       TEXT    NOT NULL DEFAULT '',
  http_status         INTEGER NOT NULL DEFAULT 0,  -- 0: no reply, or no HTTP.
  request_id          TEXT    NOT NULL DEFAULT '',  -- The provider's.
  latency_s           REAL    NOT NULL DEFAULT 0,
  ended_at_s          REAL,
  -- What counts against caps: all that it may use, until it is known.
  charged_tokens INTEGER GENERATED ALWAYS AS (
    iif(outcome IN (0, 3), input_tokens_bound + output_tokens_bound,
        input_tokens + output_tokens)) VIRTUAL,
  charged_usd REAL GENERATED ALWAYS AS (
    coalesce(iif(outcome IN (0, 3), cost_usd_bound, cost_usd), 0.0)) VIRTUAL,
  CHECK ((outcome = 0) = (ended_at_s IS NULL))
) STRICT;
CREATE INDEX wire_call_by_call ON wire_call (call_id);

CREATE TABLE expense (
  campaign_id INTEGER NOT NULL REFERENCES campaign,
  role        INTEGER NOT NULL REFERENCES role,
  day         INTEGER NOT NULL,  -- Since 1970-01-01.
  tokens      INTEGER NOT NULL,
  cost_usd    REAL    NOT NULL,
  PRIMARY KEY (campaign_id, role, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX expense_by_day ON expense (day);
ALTER TABLE environment ADD COLUMN facts TEXT NOT NULL DEFAULT '';
)sql";

// Evaluations of no node are of a named baseline; all were the expert's.  The
// table is made anew for its check.  Kernels and times from elsewhere.
constexpr const char* kToFormat4 = R"sql(
CREATE TABLE new_evaluation (
  evaluation_id  INTEGER PRIMARY KEY,
  campaign_id    INTEGER NOT NULL REFERENCES campaign,
  node_number    INTEGER,  -- NULL: of a baseline.
  -- 'expert': the solution that the task comes with.  NULL: of a node.
  baseline       TEXT CHECK (baseline <> ''),
  ordinal        INTEGER NOT NULL CHECK (ordinal >= 0),
  tier           INTEGER NOT NULL REFERENCES tier,
  verdict        INTEGER NOT NULL REFERENCES verdict,
  runtime_s      REAL,  -- Geometric mean over workloads of median samples.
  root_runtime_s REAL,
  compile_s      REAL    NOT NULL,
  check_s        REAL    NOT NULL,
  timing_s       REAL    NOT NULL,
  log_blob       INTEGER NOT NULL REFERENCES blob,
  environment_id INTEGER NOT NULL REFERENCES environment,
  evaluated_at_s REAL    NOT NULL,
  -- Seconds that the device spent in the candidate's calls: on a GPU its own,
  -- otherwise those of all processors.  NULL: not known.
  device_s       REAL CHECK (device_s >= 0),
  profile_blob   INTEGER REFERENCES blob,  -- What limits it; NULL: none.
  UNIQUE (campaign_id, node_number, ordinal),
  FOREIGN KEY (campaign_id, node_number) REFERENCES node,
  CHECK ((node_number IS NULL) <> (baseline IS NULL))
) STRICT;
INSERT INTO new_evaluation
SELECT evaluation_id, campaign_id, node_number,
       iif(node_number IS NULL, 'expert', NULL), ordinal, tier, verdict,
       runtime_s, root_runtime_s, compile_s, check_s, timing_s, log_blob,
       environment_id, evaluated_at_s, device_s, profile_blob
FROM evaluation;
DROP TABLE evaluation;
ALTER TABLE new_evaluation RENAME TO evaluation;
CREATE UNIQUE INDEX evaluation_of_baseline
  ON evaluation (campaign_id, baseline, ordinal) WHERE node_number IS NULL;

CREATE TABLE claim (
  claim_id      INTEGER PRIMARY KEY,
  campaign_id   INTEGER NOT NULL REFERENCES campaign,
  source_blob   INTEGER NOT NULL REFERENCES blob,
  language      INTEGER NOT NULL REFERENCES language,
  origin        TEXT    NOT NULL,  -- 'h100.json:12': file, entry from 1.
  -- NULL: not said.
  is_correct    INTEGER CHECK (is_correct IN (0, 1)),
  speedup       REAL CHECK (speedup > 0),  -- Over what they compare with.
  runtime_s     REAL CHECK (runtime_s > 0),
  imported_at_s REAL    NOT NULL,
  attempt_id    INTEGER UNIQUE REFERENCES attempt,  -- NULL: is not judged.
  UNIQUE (campaign_id, source_blob)
) STRICT;
CREATE TABLE quoted_baseline (
  quoted_baseline_id INTEGER PRIMARY KEY,
  level     INTEGER NOT NULL,
  task      TEXT    NOT NULL,  -- As in campaign: 'level1_19_ReLU'.
  baseline  TEXT    NOT NULL CHECK (baseline <> ''),  -- 'torch'.
  hardware  TEXT    NOT NULL,
  mean_s    REAL    NOT NULL CHECK (mean_s > 0),  -- Of one call,
  std_s     REAL    NOT NULL,                     -- over all trials.
  min_s     REAL    NOT NULL,
  max_s     REAL    NOT NULL,
  trials    INTEGER NOT NULL,
  origin    TEXT    NOT NULL,  -- The file.
  read_at_s REAL    NOT NULL
) STRICT;
CREATE INDEX quoted_baseline_by_task
  ON quoted_baseline (task, level, baseline, hardware);
)sql";

constexpr Migration kMigrations[] = {
    {2, kToFormat2}, {3, kToFormat3}, {4, kToFormat4}};

void DropViews(SQLite::Database& sqlite) {
  std::vector<std::string> names;
  {
    SQLite::Statement read(
        sqlite, "SELECT name FROM sqlite_schema WHERE type = 'view'");
    while (read.executeStep()) names.push_back(read.getColumn(0).getString());
  }
  for (const std::string& name : names) sqlite.exec("DROP VIEW " + name);
}

enum class IsLast { kNo, kYes };

// While they are not enforced, a table that others refer to can be made anew;
// that no step breaks one is checked at its end.  Of no effect in a
// transaction.
class UnenforcedReferences {
 public:
  explicit UnenforcedReferences(SQLite::Database& sqlite) : sqlite_(sqlite) {
    sqlite_.tryExec("PRAGMA foreign_keys = OFF");
  }
  ~UnenforcedReferences() { sqlite_.tryExec("PRAGMA foreign_keys = ON"); }
  UnenforcedReferences(const UnenforcedReferences&) = delete;
  UnenforcedReferences& operator=(const UnenforcedReferences&) = delete;

 private:
  SQLite::Database& sqlite_;
};

Result<void> Apply(Connection& connection, const Migration& step,
                   IsLast is_last) {
  const UnenforcedReferences unenforced(connection.sqlite());
  return connection.Write([&]() -> Result<void> {
    SQLite::Database& sqlite = connection.sqlite();
    // Another process may have been here since we looked.
    const std::int64_t version =
        sqlite.execAndGet("PRAGMA user_version").getInt64();
    if (version >= step.to_version) return {};
    const std::string name =
        "the migration to format " + std::to_string(step.to_version);
    if (version != step.to_version - 1) {
      return connection.FailHere(
          Errc::kCorrupt,
          name + " does not apply to format " + std::to_string(version));
    }
    DropViews(sqlite);
    sqlite.exec(step.sql);
    if (SQLite::Statement(sqlite, "PRAGMA foreign_key_check").executeStep()) {
      return connection.FailHere(Errc::kCorrupt,
                                 name + " would break a reference");
    }
    if (is_last == IsLast::kYes) sqlite.exec(std::string(ViewsSql()));
    sqlite.exec("PRAGMA user_version = " + std::to_string(step.to_version));
    return {};
  });
}

}  // namespace

std::span<const Migration> Migrations() { return kMigrations; }

Result<void> Migrate(Connection& connection, std::span<const Migration> steps) {
  for (const Migration& step : steps) {
    TRY_DONE(Apply(connection, step,
                   &step == &steps.back() ? IsLast::kYes : IsLast::kNo));
  }
  return {};
}

}  // namespace coppice::store
