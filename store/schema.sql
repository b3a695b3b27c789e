-- The tree memory of coppice, format 1.
--
-- One file holds many campaigns.  A campaign searches for a fast kernel of one
-- task: each attempt reserves a parent node, asks agents for a plan and a
-- candidate, has the candidate evaluated, and commits it as one new node.
-- History is immutable: nothing of it is ever deleted, and only the rows of
-- unfinished work (campaign, attempt, ticket, model_call, directive), caches, sums, and
-- what a node counts for now are ever updated.
--
--   campaign --< setting
--      |-------< attempt --< model_call --< window_entry, window_cut
--      |            |             '-------< wire_call, session_call
--      |            |--< attempt_parent, attempt_model, ticket
--      |            |--- plan
--      |-------< node --< evaluation --< workload_result --< sample
--      |                 |       |               '--- profile --< kernel
--      |-------< expense |       |--- environment --< environment_library
--      |-------< event   |       '--- blob  (all long texts)
--      |-------< claim
--      |-------< directive  (of a person; some make attempts)
--      |-------< tuning_trial  (of a node)
--      |-------< lesson
--      |-------< assistant_turn
--      '-------< call_sum, trial_sum, improvement  (sums of the others)
--
-- A quoted_baseline belongs to no campaign, nor does a lesson that the file keeps
-- for campaigns to come.  Campaigns that are played in memory keep no tree:
--   landscape --< series --< request, score
--
-- Tables have singular names and may change with the format.  Views (second
-- half of this file) have plural names or names of questions; they are the
-- contract: their columns keep name, unit and meaning.  They run in the plain
-- sqlite3 shell, pandas, DuckDB and Datasette.
--
-- Units are in names: _s is seconds (at_s, until_s: Unix time), _usd US dollars.
-- A column that ends in _blob is the id of a text; see the table blob.

PRAGMA application_id = 1668247664;  -- 0x636f7070, "copp": see file(1)
PRAGMA user_version = 1;             -- The format.  Newer ones are refused.

-- Names of stored numbers ---------------------------------------------------
--
-- Each is an enum of store/records/*.h.  Values are appended, never reused.

CREATE TABLE verdict (  -- What a candidate did.
  verdict INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO verdict VALUES
  (0, 'passed'), (1, 'compile_failed'), (2, 'crashed'), (3, 'timed_out'),
  (4, 'wrong_output'), (5, 'rejected'), (6, 'no_candidate'),
  (7, 'inconclusive');

CREATE TABLE breach (  -- Which rule was broken by who is rejected.
  breach INTEGER PRIMARY KEY,
  name   TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO breach VALUES
  (0, 'none'), (1, 'wrote_input'), (2, 'worked_late'), (3, 'forged_answer'),
  (4, 'forged_time'), (5, 'too_fast'), (6, 'delegated'), (7, 'hazard'),
  (8, 'too_much'), (9, 'unusable');

CREATE TABLE stage (  -- The last stage of an attempt that is durable.
  stage INTEGER PRIMARY KEY,
  name  TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO stage VALUES
  (0, 'reserved'), (1, 'planned'), (2, 'coded'), (3, 'committed');

CREATE TABLE role (  -- Of an agent.
  role INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO role VALUES (0, 'plan'), (1, 'code'), (2, 'debug');

CREATE TABLE call_outcome (
  outcome INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO call_outcome VALUES
  (0, 'sent'), (1, 'answered'), (2, 'failed'), (3, 'outcome_unknown');

CREATE TABLE kinship (  -- Why a node is in a window.
  kinship INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO kinship VALUES
  (0, 'selected'), (1, 'root'), (2, 'child'), (3, 'leader'), (4, 'nephew'),
  (5, 'sibling'), (6, 'mate');

CREATE TABLE tier (  -- How much an evaluation costs and proves.
  tier INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO tier VALUES (0, 'fast'), (1, 'full');

CREATE TABLE residency_limit (  -- What keeps blocks off a multiprocessor.
  residency_limit INTEGER PRIMARY KEY,
  name            TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO residency_limit VALUES
  (0, 'threads'), (1, 'blocks'), (2, 'registers'), (3, 'shared memory');

CREATE TABLE behaviour_limit (  -- What limits a kernel that passed.
  behaviour_limit INTEGER PRIMARY KEY,
  name            TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO behaviour_limit VALUES
  (0, 'unknown'), (1, 'memory'), (2, 'compute'), (3, 'latency');

CREATE TABLE technique_family (
  technique_family INTEGER PRIMARY KEY,
  name             TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO technique_family VALUES
  (0, 'other'), (1, 'algorithm'), (2, 'fusion'), (3, 'loops'), (4, 'memory'),
  (5, 'vectors'), (6, 'parallel'), (7, 'precision');

CREATE TABLE language (
  language INTEGER PRIMARY KEY,
  name     TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO language VALUES
  (0, 'cpp'), (1, 'cuda'), (2, 'python'), (3, 'triton'), (4, 'tilelang'),
  (5, 'sim');

CREATE TABLE campaign_state (
  state INTEGER PRIMARY KEY,
  name  TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO campaign_state VALUES (0, 'running'), (1, 'paused'), (2, 'finished');

-- Texts ---------------------------------------------------------------------

-- Every long text (source, log, prompt, answer, task) once, found by its hash.
--
-- codec 0: `bytes` is the text.  codec 1: `bytes` is one zstd frame.  If
-- base_blob is set the frame was made with the text of that blob as its prefix
-- (zstd --patch-from; ZSTD_DCtx_refPrefix), since a kernel is mostly its
-- parent's text.  `depth` counts the blobs below it, so a read decodes at most
-- depth + 1 frames.  A text never changes; how it is stored may, once, when it
-- is at the end of its chain and another is to be built on it.  sha256 is of
-- the text, so `sha256sum` finds it.
CREATE TABLE blob (
  blob_id   INTEGER PRIMARY KEY,
  sha256    BLOB    NOT NULL UNIQUE CHECK (length(sha256) = 32),
  raw_bytes INTEGER NOT NULL CHECK (raw_bytes >= 0),
  codec     INTEGER NOT NULL CHECK (codec IN (0, 1)),
  base_blob INTEGER REFERENCES blob CHECK (base_blob < blob_id),
  depth     INTEGER NOT NULL CHECK (depth BETWEEN 0 AND 8),
  bytes     BLOB    NOT NULL,
  CHECK ((depth = 0) = (base_blob IS NULL)),
  CHECK (codec = 1 OR (base_blob IS NULL AND length(bytes) = raw_bytes))
) STRICT;

-- Campaigns -----------------------------------------------------------------

CREATE TABLE campaign (
  campaign_id     INTEGER PRIMARY KEY,
  uuid            BLOB    NOT NULL UNIQUE CHECK (length(uuid) = 16),
  name            TEXT    NOT NULL UNIQUE CHECK (name <> ''),
  task            TEXT    NOT NULL,
  task_level      INTEGER NOT NULL CHECK (task_level >= 0),  -- 0: none stated
  task_blob       INTEGER NOT NULL REFERENCES blob,          -- As JSON.
  policy          TEXT    NOT NULL,  -- Of its start; attempts have their own.
  seed            INTEGER NOT NULL,  -- The 64 bits of an unsigned number.
  budget_attempts INTEGER NOT NULL CHECK (budget_attempts >= 0),
  budget_s        REAL CHECK (budget_s >= 0),  -- Wall time; NULL: none.
  state           INTEGER NOT NULL DEFAULT 0 REFERENCES campaign_state,
  created_at_s    REAL    NOT NULL,
  updated_at_s    REAL    NOT NULL,
  elapsed_s       REAL    NOT NULL DEFAULT 0 CHECK (elapsed_s >= 0),
  -- Seconds of the root as it was first measured: what a speedup is turned into
  -- seconds by.  NULL: it was not measured yet.
  root_runtime_s  REAL,
  -- Counters kept by the transactions that add rows; `doctor` recounts them.
  attempts        INTEGER NOT NULL DEFAULT 0,
  nodes           INTEGER NOT NULL DEFAULT 0,
  further         INTEGER NOT NULL DEFAULT 0,  -- Evaluations of old nodes.
  -- Seconds of those that nodes were committed with, and of trials beside them;
  -- the root's cost nothing.
  evaluator_s     REAL    NOT NULL DEFAULT 0
) STRICT;

-- Every setting that was in force, with where it came from.
CREATE TABLE setting (
  campaign_id INTEGER NOT NULL REFERENCES campaign,
  key         TEXT    NOT NULL,
  value       TEXT    NOT NULL,
  origin      TEXT    NOT NULL,  -- 'default', 'command line', 'x.toml:12'.
  PRIMARY KEY (campaign_id, key)
) STRICT, WITHOUT ROWID;

-- Attempts ------------------------------------------------------------------

-- What a plan agent asked for.  Immutable.  A node that a debug agent repaired
-- shares the row of the plan that it still tries to realise.
CREATE TABLE plan (
  plan_id        INTEGER PRIMARY KEY,
  technique      TEXT    NOT NULL,  -- 'tile(i, 8)'; '' if none was given.
  -- What it says, as store/records/technique.h reads it: 'tile' and 'i, 8'; of
  -- several 'jam + parallel' and 'j, 32; i'.
  technique_name      TEXT NOT NULL,
  technique_arguments TEXT NOT NULL,
  advice         TEXT    NOT NULL,
  annotated_blob INTEGER NOT NULL REFERENCES blob,  -- Source with anchors.
  anchors        INTEGER NOT NULL CHECK (anchors >= 0),
  grounded       INTEGER NOT NULL CHECK (grounded IN (0, 1))
) STRICT;

-- The work that yields one node.  `stage` only grows.  Who works on it holds a
-- lease; when that has run out another process may adopt the attempt and go on
-- at its first missing stage.  That raises the epoch, and who held it in a lower
-- one can write nothing more for it.
CREATE TABLE attempt (
  attempt_id     INTEGER PRIMARY KEY,
  uuid           BLOB    NOT NULL UNIQUE CHECK (length(uuid) = 16),
  campaign_id    INTEGER NOT NULL REFERENCES campaign,
  decision       INTEGER NOT NULL CHECK (decision >= 0),  -- 0, 1, 2, ...
  parent_number  INTEGER NOT NULL,
  policy         TEXT    NOT NULL,
  reason         TEXT    NOT NULL,  -- Of the policy, for this parent.
  stage          INTEGER NOT NULL DEFAULT 0 REFERENCES stage,
  lease_owner    TEXT    NOT NULL,
  lease_until_s  REAL    NOT NULL,
  epoch          INTEGER NOT NULL DEFAULT 0 CHECK (epoch >= 0),
  reserved_at_s  REAL    NOT NULL,
  -- What the policy saw: the first so many nodes, the first so many further
  -- evaluations, and in flight all earlier decisions without one of these nodes.
  nodes_seen       INTEGER NOT NULL DEFAULT 1 CHECK (nodes_seen >= 1),
  further_seen     INTEGER NOT NULL DEFAULT 0 CHECK (further_seen >= 0),
  -- Of the budget, before this one; NULL: nobody chose it.
  attempts_left    INTEGER CHECK (attempts_left >= 1),
  plan_id        INTEGER REFERENCES plan,
  -- Set when coded: a candidate, or the reason why there is none.
  source_blob    INTEGER REFERENCES blob,
  language       INTEGER REFERENCES language,
  entry_symbol   TEXT,
  changed_inside  INTEGER NOT NULL DEFAULT 0,  -- Lines in the marked spans.
  changed_outside INTEGER NOT NULL DEFAULT 0,
  no_candidate_reason TEXT,
  -- By which a person chose; NULL: a policy did, or nobody.
  directive_id   INTEGER REFERENCES directive,
  UNIQUE (campaign_id, decision),
  FOREIGN KEY (campaign_id, parent_number) REFERENCES node,
  CHECK ((source_blob IS NULL) = (language IS NULL)),
  CHECK ((source_blob IS NULL) = (entry_symbol IS NULL)),
  CHECK (source_blob IS NULL OR no_candidate_reason IS NULL),
  CHECK ((stage >= 2) = (source_blob IS NOT NULL
                         OR no_candidate_reason IS NOT NULL)),
  CHECK (stage <> 1 OR plan_id IS NOT NULL),
  CHECK (stage <> 0 OR plan_id IS NULL)
) STRICT;
-- The further parents of an attempt, which its agents are to combine with the
-- selected one: position 1 and so on.  The view `parents` has all of them.
CREATE TABLE attempt_parent (
  attempt_id    INTEGER NOT NULL REFERENCES attempt,
  position      INTEGER NOT NULL CHECK (position >= 1),
  campaign_id   INTEGER NOT NULL,
  parent_number INTEGER NOT NULL,
  PRIMARY KEY (attempt_id, position),
  FOREIGN KEY (campaign_id, parent_number) REFERENCES node
) STRICT, WITHOUT ROWID;
-- Which model an attempt asks as the agent of a role that has several.
CREATE TABLE attempt_model (
  attempt_id INTEGER NOT NULL REFERENCES attempt,
  role       INTEGER NOT NULL REFERENCES role,
  model      TEXT    NOT NULL,  -- 'openai:gpt-5.4-mini'.
  models     TEXT    NOT NULL,  -- What it was chosen of, with commas between.
  rule       TEXT    NOT NULL,  -- 'bandit:cost_weight=0.3'.
  reason     TEXT    NOT NULL,  -- Of the rule.
  -- When the attempt was committed, and never after: its answers, and what the
  -- requests for them cost.  NULL: not yet, or no price is known.
  answers    INTEGER CHECK (answers >= 0),
  cost_usd   REAL CHECK (cost_usd >= 0),
  PRIMARY KEY (attempt_id, role)
) STRICT, WITHOUT ROWID;
CREATE INDEX attempt_unfinished ON attempt (campaign_id, decision)
  WHERE stage < 3;

-- An attempt as an outside agent holds it, from when it asked until it told what
-- it made of it.  Its lease is the attempt's; one that has run out may be told
-- all the same until somebody else takes the attempt over, which raises the
-- epoch: then the ticket is lost.
CREATE TABLE ticket (
  ticket_id    INTEGER PRIMARY KEY,
  uuid         BLOB    NOT NULL UNIQUE CHECK (length(uuid) = 16),
  campaign_id  INTEGER NOT NULL REFERENCES campaign,
  attempt_id   INTEGER NOT NULL REFERENCES attempt,
  epoch        INTEGER NOT NULL CHECK (epoch >= 0),  -- That it is held in.
  agent        TEXT    NOT NULL CHECK (agent <> ''),
  -- The agent's own name of what it asked, of which the same ticket comes each
  -- time; NULL: it gave none.  Who asks for several has them in places 0, 1, ...
  request      TEXT,
  place        INTEGER NOT NULL DEFAULT 0 CHECK (place >= 0),
  roles        INTEGER NOT NULL CHECK (roles BETWEEN 1 AND 7),  -- 1 << role.
  asked_at_s   REAL    NOT NULL,
  deadline_s   REAL    NOT NULL,  -- Unix time: when the lease runs out.
  max_cost_usd REAL CHECK (max_cost_usd >= 0),  -- As declared; NULL: it is not.
  state        TEXT    NOT NULL DEFAULT 'open'
               CHECK (state IN ('open', 'told', 'given_up')),
  -- SHA-256 of what was told: as plan, and at the end.
  plan_sha256  BLOB CHECK (length(plan_sha256) = 32),
  told_sha256  BLOB CHECK (length(told_sha256) = 32),
  told_at_s    REAL,
  -- The lost ticket whose candidate this is, told as an extra; NULL: it is none.
  late_for     INTEGER UNIQUE REFERENCES ticket CHECK (late_for < ticket_id),
  UNIQUE (campaign_id, agent, request, place),
  UNIQUE (attempt_id, epoch),
  CHECK ((state = 'told') = (told_sha256 IS NOT NULL)),
  CHECK ((state = 'open') = (told_at_s IS NULL))
) STRICT;
CREATE INDEX attempt_by_directive ON attempt (directive_id)
  WHERE directive_id IS NOT NULL;

-- What a person asks of a campaign (store/records/directive.h).  It waits until
-- whoever reserves a decision takes it up, in the transaction that adds the
-- attempt: then it holds from that decision on, or is refused.  Never deleted,
-- and lifted by another.
CREATE TABLE directive (
  directive_id  INTEGER PRIMARY KEY,
  uuid          BLOB    NOT NULL UNIQUE CHECK (length(uuid) = 16),
  campaign_id   INTEGER NOT NULL REFERENCES campaign,
  at_s          REAL    NOT NULL,
  author        TEXT    NOT NULL CHECK (author <> ''),
  kind          TEXT    NOT NULL CHECK (kind IN (
    'advise', 'forbid', 'require', 'freeze', 'unfreeze', 'boost', 'insert',
    'pause', 'resume', 'budget', 'policy', 'temperature', 'note', 'pin',
    'lift', 'model', 'judge', 'gate', 'approve')),
  node_number   INTEGER,  -- And what is below; NULL: the campaign.
  role          INTEGER REFERENCES role,  -- That it is for; NULL: all.
  -- Of a rule: technique, pattern, header or constraint.  Of a budget: attempts,
  -- seconds, usd or tokens.  Of an approval: attempts or usd.
  aspect        TEXT    NOT NULL DEFAULT '',
  amount        REAL,  -- Of a boost: attempts.  Of a budget: the new limit.
  target_id     INTEGER REFERENCES directive CHECK (target_id < directive_id),
  text_blob     INTEGER NOT NULL REFERENCES blob,
  not_before    INTEGER NOT NULL DEFAULT 0 CHECK (not_before >= 0),
  outcome       TEXT    NOT NULL DEFAULT 'pending' CHECK (outcome IN (
    'pending', 'applied', 'refused', 'withdrawn')),
  -- The first decision that it holds for; NULL: none yet, or it touches none.
  effective_decision INTEGER CHECK (effective_decision >= not_before),
  refusal       TEXT    NOT NULL DEFAULT '',
  FOREIGN KEY (campaign_id, node_number) REFERENCES node,
  CHECK ((kind = 'lift') = (target_id IS NOT NULL)),
  CHECK ((outcome = 'refused') = (refusal <> '')),
  CHECK (effective_decision IS NULL OR outcome IN ('applied', 'refused')),
  CHECK (outcome <> 'applied' OR kind IN ('note', 'pin')
         OR effective_decision IS NOT NULL)
) STRICT;
CREATE INDEX directive_by_campaign ON directive (campaign_id, outcome, kind);

-- One call to a language model, or to what stands in for one.  The row exists
-- before the call is sent; `sent` in the row of a dead process becomes
-- `outcome_unknown` when its attempt is adopted.  Tokens and cost are those of
-- its calls on the wire together, if it has any.
CREATE TABLE model_call (
  call_id             INTEGER PRIMARY KEY,
  uuid                BLOB    NOT NULL UNIQUE CHECK (length(uuid) = 16),
  attempt_id          INTEGER NOT NULL REFERENCES attempt,
  epoch               INTEGER NOT NULL,  -- Of the attempt, when it was begun.
  role                INTEGER NOT NULL REFERENCES role,
  provider            TEXT    NOT NULL,
  model               TEXT    NOT NULL,
  sample_index        INTEGER NOT NULL,
  -- The attempt's last call of this role before it, whatever became of that.
  retry_of            INTEGER REFERENCES model_call CHECK (retry_of < call_id),
  system_prompt_blob  INTEGER NOT NULL REFERENCES blob,
  user_prompt_blob    INTEGER NOT NULL REFERENCES blob,
  -- The templates that the prompts were rendered from, one after the other, and
  -- whose they are: 'coppice', or the folder of a user's own.
  template_blob       INTEGER REFERENCES blob,
  template_set        TEXT    NOT NULL DEFAULT '',
  sent_at_s           REAL    NOT NULL,
  outcome             INTEGER NOT NULL DEFAULT 0 REFERENCES call_outcome,
  answer_blob         INTEGER REFERENCES blob,
  error               TEXT    NOT NULL DEFAULT '',  -- Or why it is not whole.
  input_tokens        INTEGER NOT NULL DEFAULT 0,
  cached_input_tokens INTEGER NOT NULL DEFAULT 0,  -- Of input_tokens.
  output_tokens       INTEGER NOT NULL DEFAULT 0,
  cost_usd            REAL    NOT NULL DEFAULT 0,
  latency_s           REAL    NOT NULL DEFAULT 0,
  ended_at_s          REAL,
  -- How many nodes belonged in its window but were cut; see window_cut.
  nodes_cut           INTEGER NOT NULL CHECK (nodes_cut >= 0),
  CHECK ((outcome = 0) = (ended_at_s IS NULL)),
  CHECK ((outcome = 1) = (answer_blob IS NOT NULL))
) STRICT;
CREATE INDEX model_call_by_attempt ON model_call (attempt_id);

-- One request to a provider: the first for a model call, or one after it failed.
-- The row exists before the first byte leaves.  Its end, if it was answered, is
-- one transaction with what was made of the answer.
CREATE TABLE wire_call (
  wire_call_id        INTEGER PRIMARY KEY,
  call_id             INTEGER NOT NULL REFERENCES model_call,
  retry_of            INTEGER REFERENCES wire_call
                      CHECK (retry_of < wire_call_id),
  request_blob        INTEGER NOT NULL REFERENCES blob,  -- Holds no key.
  sent_at_s           REAL    NOT NULL,
  -- What the request said of sampling.  NULL: nothing, so that the provider's
  -- default holds.
  temperature         REAL,
  top_p               REAL,
  max_output_tokens   INTEGER,
  effort              TEXT,  -- Of reasoning.
  -- What it may use at most.
  input_tokens_bound  INTEGER NOT NULL CHECK (input_tokens_bound >= 0),
  output_tokens_bound INTEGER NOT NULL CHECK (output_tokens_bound >= 0),
  cost_usd_bound      REAL CHECK (cost_usd_bound >= 0),  -- NULL: no price.
  input_usd_bound     REAL    NOT NULL DEFAULT 0,  -- Of it, that of the input.
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
  served_model        TEXT,  -- That the server says it ran; NULL: it says none.
  latency_s           REAL    NOT NULL DEFAULT 0,
  ended_at_s          REAL,
  -- Of unknown outcome: since when it counts as what its row says nevertheless.
  settled_at_s        REAL CHECK (settled_at_s IS NULL OR outcome = 3),
  -- What counts against caps: all that it may use, until it is known or settled.
  is_unsettled INTEGER GENERATED ALWAYS AS (
    outcome = 0 OR (outcome = 3 AND settled_at_s IS NULL)) VIRTUAL,
  charged_tokens INTEGER GENERATED ALWAYS AS (
    iif(is_unsettled, input_tokens_bound + output_tokens_bound,
        input_tokens + output_tokens)) VIRTUAL,
  charged_usd REAL GENERATED ALWAYS AS (
    coalesce(iif(is_unsettled, cost_usd_bound, cost_usd), 0.0)) VIRTUAL,
  CHECK ((outcome = 0) = (ended_at_s IS NULL))
) STRICT;
CREATE INDEX wire_call_by_call ON wire_call (call_id);
CREATE INDEX wire_call_unsettled ON wire_call (sent_at_s) WHERE is_unsettled;

-- A tool that an agent called in its session.  The row exists before the tool is
-- run.  A role of an attempt is one session; each of its runs is a model call.
CREATE TABLE session_call (
  session_call_id INTEGER PRIMARY KEY,
  attempt_id      INTEGER NOT NULL REFERENCES attempt,
  role            INTEGER NOT NULL REFERENCES role,
  number          INTEGER NOT NULL CHECK (number > 0),  -- In the session.
  call_id         INTEGER NOT NULL REFERENCES model_call,  -- Its last run.
  tool            TEXT    NOT NULL CHECK (tool <> ''),
  arguments_blob  INTEGER NOT NULL REFERENCES blob,  -- As JSON.
  state           TEXT    NOT NULL DEFAULT 'begun'
                  CHECK (state IN ('begun', 'answered', 'refused')),
  answer_blob     INTEGER REFERENCES blob,
  -- How often it was begun: again only where nobody knows how it ended.
  starts          INTEGER NOT NULL DEFAULT 1 CHECK (starts > 0),
  begun_at_s      REAL    NOT NULL,
  ended_at_s      REAL,
  UNIQUE (attempt_id, role, number),
  CHECK ((state = 'begun') = (ended_at_s IS NULL)),
  CHECK ((state = 'begun') = (answer_blob IS NULL))
) STRICT;

-- What counts against caps, by the UTC day on which calls were sent.  Kept by
-- the transactions that begin and end them; `doctor` recounts it.
CREATE TABLE expense (
  campaign_id INTEGER NOT NULL REFERENCES campaign,
  role        INTEGER NOT NULL REFERENCES role,
  day         INTEGER NOT NULL,  -- Since 1970-01-01.
  tokens      INTEGER NOT NULL,
  cost_usd    REAL    NOT NULL,
  PRIMARY KEY (campaign_id, role, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX expense_by_day ON expense (day);

-- The nodes that the agent of a call was shown, in order.
CREATE TABLE window_entry (
  call_id     INTEGER NOT NULL REFERENCES model_call,
  position    INTEGER NOT NULL,
  campaign_id INTEGER NOT NULL,
  node_number INTEGER NOT NULL,
  kinship     INTEGER NOT NULL REFERENCES kinship,
  PRIMARY KEY (call_id, position),
  FOREIGN KEY (campaign_id, node_number) REFERENCES node
) STRICT, WITHOUT ROWID;

-- The nodes that belonged in it too but were cut, as runs: all nodes of that
-- kinship to the selected one whose numbers are from the first to the last.
-- Leaders, which are no run of numbers, have a row each.  What is shown parts
-- the runs, so that a call has at most
--   window_history + window_leaders + 2
-- rows, however many nodes there are.  The view `windows` has each node.
CREATE TABLE window_cut (
  call_id    INTEGER NOT NULL REFERENCES model_call,
  kinship    INTEGER NOT NULL REFERENCES kinship,
  first_node INTEGER NOT NULL CHECK (first_node > 0),
  last_node  INTEGER NOT NULL CHECK (last_node >= first_node),
  PRIMARY KEY (call_id, kinship, first_node)
) STRICT, WITHOUT ROWID;

-- Nodes ---------------------------------------------------------------------

-- One candidate and what it did.  Numbered 0, 1, 2, ... in commit order; 0 is
-- the root, the source that the campaign starts from.  Rows are slim and
-- clustered by campaign, since opening a campaign reads all of them.
CREATE TABLE node (
  campaign_id     INTEGER NOT NULL REFERENCES campaign,
  number          INTEGER NOT NULL CHECK (number >= 0),
  parent_number   INTEGER CHECK (parent_number < number),  -- NULL: the root.
  -- What it counts for now, by all evaluations of its kernel (store/records/worth.h).
  -- The transactions that add these keep it; `doctor` works it out again.
  -- Nothing else of a node ever changes.
  verdict         INTEGER NOT NULL REFERENCES verdict,
  -- The ordinal of the evaluation that the verdict is of.
  decided_by      INTEGER NOT NULL DEFAULT 0 CHECK (decided_by >= 0),
  -- Over the root, pooled over all evaluations that passed; set if it passes.
  -- That of the root is 1.
  speedup         REAL CHECK (speedup > 0),
  speedup_low     REAL,  -- 95 %; NULL: too few rounds to tell.
  speedup_high    REAL,
  -- 1: it passed once, and a further evaluation failed.
  refuted         INTEGER NOT NULL DEFAULT 0 CHECK (refuted IN (0, 1)),
  -- 1: it passes, and an evaluation of the full tier did, too.
  confirmed       INTEGER NOT NULL DEFAULT 0 CHECK (confirmed IN (0, 1)),
  -- The first node of the same tokens, which was judged in its place and has
  -- its evaluations.  NULL: none was there before.
  same_as         INTEGER CHECK (same_as < number),
  -- 8 bytes of the hash of the source's tokens (store/kernel_hash.h); 0: no
  -- candidate.
  kernel_hash     INTEGER NOT NULL,
  source_blob     INTEGER REFERENCES blob,
  language        INTEGER REFERENCES language,
  entry_symbol    TEXT,
  attempt_id      INTEGER UNIQUE REFERENCES attempt,  -- NULL: the root.
  plan_id         INTEGER REFERENCES plan,
  changed_inside  INTEGER NOT NULL,
  changed_outside INTEGER NOT NULL,
  uuid            BLOB    NOT NULL CHECK (length(uuid) = 16),
  committed_at_s  REAL    NOT NULL,
  -- The hash of the attempt's source, as kernel_hash is, if tuning made another
  -- of it: what is written so again is not tuned again.  NULL: they are one.
  written_hash    INTEGER,
  -- Lines that its lineage deleted and it has again, and the node that deleted
  -- most of them (store/records/repeated_lines.h).
  lines_again     INTEGER NOT NULL DEFAULT 0 CHECK (lines_again >= 0),
  lines_deleted_by INTEGER CHECK (lines_deleted_by < number),
  -- How it behaves, by what it was committed with (store/records/behaviour.h).
  behaviour_limit  INTEGER NOT NULL DEFAULT 0 REFERENCES behaviour_limit,
  technique_family INTEGER NOT NULL DEFAULT 0 REFERENCES technique_family,
  PRIMARY KEY (campaign_id, number),
  FOREIGN KEY (campaign_id, parent_number) REFERENCES node,
  FOREIGN KEY (campaign_id, same_as) REFERENCES node,
  CHECK ((number = 0) = (parent_number IS NULL)),
  CHECK ((number = 0) = (attempt_id IS NULL)),
  CHECK ((source_blob IS NULL) = (kernel_hash = 0)),
  CHECK ((source_blob IS NULL) = (language IS NULL)),
  CHECK (same_as IS NULL OR kernel_hash <> 0),
  CHECK (written_hash IS NULL OR kernel_hash <> 0),
  CHECK ((lines_again = 0) = (lines_deleted_by IS NULL)),
  CHECK ((verdict = 0) = (speedup IS NOT NULL)),
  CHECK (NOT refuted OR verdict NOT IN (0, 7)),
  CHECK (NOT confirmed OR verdict = 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX node_by_parent ON node (campaign_id, parent_number);
-- The leaders of a campaign, fastest first: passing nodes, distinct in kernel.
CREATE INDEX node_by_speedup ON node (campaign_id, speedup DESC, number)
  WHERE verdict = 0 AND same_as IS NULL;
CREATE INDEX node_by_kernel ON node (campaign_id, kernel_hash)
  WHERE same_as IS NULL;
CREATE INDEX node_by_original ON node (campaign_id, same_as)
  WHERE same_as IS NOT NULL;
CREATE INDEX node_undecided ON node (campaign_id) WHERE verdict = 7;
CREATE INDEX node_by_written ON node (campaign_id, written_hash)
  WHERE written_hash IS NOT NULL;
CREATE INDEX node_by_plan ON node (campaign_id, plan_id)
  WHERE plan_id IS NOT NULL;

-- The configurations that the engine measured of an attempt's source whose
-- numbers were left open, before the node was committed; 0 is the author's.
-- The evaluation of the chosen one is the node's.
CREATE TABLE tuning_trial (
  campaign_id    INTEGER NOT NULL REFERENCES campaign,
  node_number    INTEGER NOT NULL,
  ordinal        INTEGER NOT NULL CHECK (ordinal >= 0),
  configuration  TEXT    NOT NULL,  -- 'TILE=64 UNROLL=4'.
  verdict        INTEGER NOT NULL REFERENCES verdict,
  speedup        REAL CHECK (speedup > 0),  -- Over the root; set if it passed.
  speedup_low    REAL,  -- 95 %; NULL: too few rounds to tell.
  speedup_high   REAL,
  evaluator_s    REAL    NOT NULL,  -- Compiling, checking and timing it.
  chosen         INTEGER NOT NULL CHECK (chosen IN (0, 1)),
  PRIMARY KEY (campaign_id, node_number, ordinal),
  FOREIGN KEY (campaign_id, node_number) REFERENCES node,
  CHECK ((verdict = 0) = (speedup IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- A node's evaluations in the order made: first those that it was committed
-- with, the cheap one and, if that made it a would-be best, its proof; then
-- further ones, which settle, sharpen or refute it.  Those of no node are of a
-- baseline, a trusted way to do the task: measured as nodes are, interleaved
-- with the root, and no node, since nothing is to be built on it.
CREATE TABLE evaluation (
  evaluation_id  INTEGER PRIMARY KEY,
  campaign_id    INTEGER NOT NULL REFERENCES campaign,
  node_number    INTEGER,  -- NULL: of a baseline.
  -- 'expert': the solution that the task comes with.  NULL: of a node.
  baseline       TEXT CHECK (baseline <> ''),
  ordinal        INTEGER NOT NULL CHECK (ordinal >= 0),
  -- Further ones are numbered 1, 2, ... in the campaign; NULL: it is none.
  further        INTEGER CHECK (further >= 1),
  tier           INTEGER NOT NULL REFERENCES tier,
  verdict        INTEGER NOT NULL REFERENCES verdict,
  runtime_s      REAL,  -- Geometric mean over workloads of median samples.
  root_runtime_s REAL,
  speedup        REAL CHECK (speedup > 0),  -- By rounds in pairs; if passed.
  speedup_low    REAL,  -- 95 %; NULL: too few rounds to tell.
  speedup_high   REAL,
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
  -- UUID of the GPU that it was made on, root and all; NULL: of none.
  device         TEXT CHECK (device <> ''),
  breach         INTEGER REFERENCES breach CHECK (breach <> 0),  -- NULL: none.
  -- How it ran that computed wrong, in the fast tier: so many times as fast as
  -- the root, with 95 % of the noise of so many rounds.  It may skip work, so
  -- this is no speed, and nothing is ranked by it.  NULL: nobody looked.
  hint_factor    REAL CHECK (hint_factor > 0),
  hint_low       REAL CHECK (hint_low > 0),
  hint_high      REAL CHECK (hint_high >= hint_low),
  hint_samples   INTEGER CHECK (hint_samples > 0),
  UNIQUE (campaign_id, node_number, ordinal),
  FOREIGN KEY (campaign_id, node_number) REFERENCES node,
  CHECK ((node_number IS NULL) <> (baseline IS NULL)),
  CHECK (further IS NULL OR node_number IS NOT NULL),
  CHECK (hint_factor IS NULL OR (verdict = 4 AND tier = 0)),
  CHECK ((hint_factor IS NULL) = (hint_low IS NULL)
         AND (hint_factor IS NULL) = (hint_high IS NULL)
         AND (hint_factor IS NULL) = (hint_samples IS NULL))
) STRICT;
CREATE UNIQUE INDEX evaluation_further ON evaluation (campaign_id, further)
  WHERE further IS NOT NULL;
CREATE UNIQUE INDEX evaluation_of_baseline
  ON evaluation (campaign_id, baseline, ordinal) WHERE node_number IS NULL;
CREATE INDEX evaluation_by_device
  ON evaluation (campaign_id, device, compile_s, check_s, timing_s)
  WHERE device IS NOT NULL;

CREATE TABLE workload (
  workload_id INTEGER PRIMARY KEY,
  uuid        TEXT NOT NULL UNIQUE  -- As the task names it.
) STRICT;

CREATE TABLE workload_result (
  evaluation_id      INTEGER NOT NULL REFERENCES evaluation,
  position           INTEGER NOT NULL,  -- 0, 1, ... in the task's order.
  workload_id        INTEGER NOT NULL REFERENCES workload,
  verdict            INTEGER NOT NULL REFERENCES verdict,
  worst_error_ratio  REAL,  -- Error over allowed error; <= 1 passes.
  max_absolute_error REAL,  -- NULL: not a number.
  max_relative_error REAL,
  calls_verified     INTEGER NOT NULL,
  -- Of all its samples; NULL: there are none.
  lower_quartile_s      REAL,
  median_s              REAL,
  upper_quartile_s      REAL,
  root_lower_quartile_s REAL,
  root_median_s         REAL,
  root_upper_quartile_s REAL,
  discarded_samples  INTEGER NOT NULL DEFAULT 0,  -- Disturbed: made again.
  floor_s            REAL,  -- No call on this machine can be faster.
  temperature_c      REAL,  -- Of the device after timing.
  -- By how much processes of one source differ, by the controls so far: the
  -- variance of a speedup's logarithm, on so many degrees of freedom.
  process_variance   REAL,
  process_freedom    REAL,
  PRIMARY KEY (evaluation_id, position)
) STRICT, WITHOUT ROWID;

-- All timed rounds.  In each round the candidate, the root and the control ran
-- in turn: that is the root again, where it can be in a process of its own.
CREATE TABLE sample (
  evaluation_id  INTEGER NOT NULL,
  position       INTEGER NOT NULL,  -- Of the workload_result.
  round_index    INTEGER NOT NULL,
  runtime_s      REAL,  -- Seconds of one call; NULL: not taken.
  root_runtime_s REAL,
  control_runtime_s REAL,  -- NULL: there was none.
  -- What stood beside runtime_s; NULL: not known.
  session        INTEGER NOT NULL DEFAULT 0,  -- A process with its own inputs.
  calls          INTEGER NOT NULL DEFAULT 1,  -- Timed together.
  wall_s         REAL,  -- Per call, by the evaluator's own clock.
  cpu_s          REAL,  -- Per call, of all processors.
  clock_mhz      REAL,  -- Of the device meanwhile.
  PRIMARY KEY (evaluation_id, position, round_index),
  FOREIGN KEY (evaluation_id, position) REFERENCES workload_result
) STRICT, WITHOUT ROWID;

-- What a passing kernel asked of the machine and got of it, observed after it
-- was timed.  NULL: not known here.
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

-- The kernels of a candidate for a GPU, in the order of their first launch.
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

-- Where measurements were made, once per distinct value.
CREATE TABLE environment (
  environment_id INTEGER PRIMARY KEY,
  sha256         BLOB    NOT NULL UNIQUE,  -- Of all of it, libraries too.
  hardware       TEXT    NOT NULL,
  threads        INTEGER NOT NULL,
  system         TEXT    NOT NULL,
  compiler       TEXT    NOT NULL,
  flags          TEXT    NOT NULL,
  driver         TEXT    NOT NULL DEFAULT '',  -- Of the device; '': none.
  facts          TEXT    NOT NULL DEFAULT ''  -- Of the hardware, in words.
) STRICT;

CREATE TABLE environment_library (
  environment_id INTEGER NOT NULL REFERENCES environment,
  position       INTEGER NOT NULL,
  name           TEXT    NOT NULL,
  version        TEXT    NOT NULL,
  PRIMARY KEY (environment_id, position)
) STRICT, WITHOUT ROWID;

-- Kernels that came from elsewhere, once per distinct source, with what is said
-- of them there.  That is a claim, whoever makes it: what counts is what the
-- attempt comes to, which the policy 'import' made of it.
CREATE TABLE claim (
  claim_id      INTEGER PRIMARY KEY,
  campaign_id   INTEGER NOT NULL REFERENCES campaign,
  source_blob   INTEGER NOT NULL REFERENCES blob,
  language      INTEGER NOT NULL REFERENCES language,
  origin        TEXT    NOT NULL,  -- 'h100.json:12': file, entry from 1.
  author        TEXT    NOT NULL DEFAULT '',  -- Who submitted it; '': not said.
  -- NULL: not said.
  is_correct    INTEGER CHECK (is_correct IN (0, 1)),
  speedup       REAL CHECK (speedup > 0),  -- Over what they compare with.
  runtime_s     REAL CHECK (runtime_s > 0),
  imported_at_s REAL    NOT NULL,
  attempt_id    INTEGER UNIQUE REFERENCES attempt,  -- NULL: is not judged.
  UNIQUE (campaign_id, source_blob)
) STRICT;

-- Times of baselines that others measured elsewhere, as a file of KernelBench
-- tells them; of equal ones the last counts.
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

-- What other campaigns tried, on what and with what outcome; or a person's line.
-- With a campaign: as it was when that began, the nearest first, and what it goes
-- by ever after.  Without: kept here for those to come.
CREATE TABLE lesson (
  lesson_id       INTEGER PRIMARY KEY,
  campaign_id     INTEGER REFERENCES campaign,  -- NULL: the file's own.
  origin_file     TEXT    NOT NULL,  -- Of the campaign that tried; '': a person.
  origin_campaign TEXT    NOT NULL,
  origin_uuid     BLOB CHECK (length(origin_uuid) = 16),
  origin_node     INTEGER,
  task            TEXT    NOT NULL,
  task_digest     TEXT    NOT NULL,  -- Of the definition but for its name.
  operation       TEXT    NOT NULL,  -- 'gemm'; '': any, of a person's.
  words           TEXT    NOT NULL,  -- Of name, operation and description.
  types           TEXT    NOT NULL,  -- Of inputs, then outputs.
  log_elements    REAL,              -- Of all tensors, to base 2; NULL: unknown.
  language        INTEGER REFERENCES language,
  hardware        TEXT    NOT NULL,
  bound           TEXT    NOT NULL CHECK (bound IN ('', 'memory', 'arithmetic')),
  program         TEXT    NOT NULL,  -- That made its parent; '': the root.
  technique       TEXT    NOT NULL,
  verdict         INTEGER REFERENCES verdict,
  rule            TEXT    NOT NULL,  -- That was broken; '': none.
  effect          REAL CHECK (effect > 0),  -- Over its parent; NULL: failed.
  effect_low      REAL,              -- 95 %; NULL: too few rounds to tell.
  effect_high     REAL,
  speedup         REAL CHECK (speedup > 0),  -- Over the root; NULL: failed.
  best            REAL CHECK (best > 0),     -- Of its campaign; NULL: a note's.
  failure         TEXT    NOT NULL,  -- In a line.
  note            TEXT    NOT NULL,  -- A person's line; '': it is none.
  nearness        REAL    NOT NULL,  -- To the campaign's task: 0 to 1.
  added_at_s      REAL    NOT NULL,
  removed         INTEGER NOT NULL DEFAULT 0 CHECK (removed IN (0, 1)),
  CHECK ((note = '') = (verdict IS NOT NULL)),
  CHECK ((note = '') = (origin_uuid IS NOT NULL)),
  CHECK ((verdict IS 0) = (effect IS NOT NULL))
) STRICT;
CREATE INDEX lesson_by_campaign ON lesson (campaign_id);
CREATE INDEX lesson_by_origin ON lesson (origin_uuid, origin_node)
  WHERE campaign_id IS NULL;

-- What happened, in order.
CREATE TABLE event (
  event_id    INTEGER PRIMARY KEY,
  campaign_id INTEGER NOT NULL REFERENCES campaign,
  at_s        REAL    NOT NULL,
  kind        TEXT    NOT NULL CHECK (kind IN (
    'created', 'running', 'paused', 'finished', 'budget', 'policy', 'stopped',
    'adopted', 'committed', 'evaluated', 'quarantined', 'repaired',
    'resealed')),
  -- Decision if adopted, or the first by another policy, which `detail` names;
  -- of the others with one, node.  `detail` of stopped: by which rule.
  subject     INTEGER,
  detail      TEXT    NOT NULL DEFAULT ''
) STRICT;

-- One row per request that the assistant made to a provider, written before its
-- first byte left.  A question may take several: between them the model has the
-- history looked into.  What they cost is no expense of a campaign.
CREATE TABLE assistant_turn (
  assistant_turn_id   INTEGER PRIMARY KEY,
  conversation        BLOB    NOT NULL CHECK (length(conversation) = 16),
  question_number     INTEGER NOT NULL CHECK (question_number > 0),
  campaign_id         INTEGER REFERENCES campaign,  -- NULL: no one of them.
  question_blob       INTEGER NOT NULL REFERENCES blob,
  provider            TEXT    NOT NULL,
  model               TEXT    NOT NULL,
  retry_of            INTEGER REFERENCES assistant_turn
                      CHECK (retry_of < assistant_turn_id),
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
  cached_input_tokens INTEGER NOT NULL DEFAULT 0,  -- Of input_tokens.
  output_tokens       INTEGER NOT NULL DEFAULT 0,
  is_estimated        INTEGER NOT NULL DEFAULT 0 CHECK (is_estimated IN (0, 1)),
  cost_usd            REAL,                        -- NULL: no price.
  price_version       TEXT    NOT NULL DEFAULT '',
  served_model        TEXT,  -- That the server says it ran; NULL: it says none.
  latency_s           REAL    NOT NULL DEFAULT 0,
  ended_at_s          REAL,
  -- What counts against the cap of its day.
  charged_usd REAL GENERATED ALWAYS AS (
    coalesce(iif(outcome IN (0, 3), max(coalesce(cost_usd_bound, 0.0),
                                        coalesce(cost_usd, 0.0)),
                 cost_usd), 0.0)) VIRTUAL,
  CHECK ((outcome = 0) = (ended_at_s IS NULL))
) STRICT;
CREATE INDEX assistant_turn_by_time ON assistant_turn (sent_at_s);
CREATE INDEX assistant_turn_by_question
  ON assistant_turn (conversation, question_number);

-- Campaigns in memory -------------------------------------------------------
--
-- Thousands of each policy on each landscape: what is kept of one is its score.
-- All is a function of the series and the seed, so it can be played again.

-- What seeds draw tasks from, in one definition of it.
CREATE TABLE landscape (
  landscape_id INTEGER PRIMARY KEY,
  name         TEXT    NOT NULL,  -- 'sim:hill/1', as users type it.
  -- SHA-256 of all that it is made of: parameters, or the recorded table.
  definition   BLOB    NOT NULL CHECK (length(definition) = 32),
  -- The program's, by which campaigns in memory are played and scored.
  rules        INTEGER NOT NULL CHECK (rules >= 1),
  UNIQUE (name, definition, rules)
) STRICT;

-- A contender on a landscape: a campaign for each seed.
CREATE TABLE series (
  series_id    INTEGER PRIMARY KEY,
  landscape_id INTEGER NOT NULL REFERENCES landscape,
  contender    TEXT    NOT NULL,  -- As compare_policy of a setting.
  UNIQUE (landscape_id, contender)
) STRICT;

-- What somebody asked for; of that, score has what was played.
CREATE TABLE request (
  series_id    INTEGER NOT NULL REFERENCES series,
  first_seed   INTEGER NOT NULL,  -- The 64 bits of an unsigned number.
  seeds        INTEGER NOT NULL CHECK (seeds >= 1),
  attempts     INTEGER NOT NULL CHECK (attempts >= 1),
  PRIMARY KEY (series_id, first_seed, seeds, attempts)
) STRICT, WITHOUT ROWID;

-- What a campaign had come to after so many attempts.
CREATE TABLE score (
  series_id    INTEGER NOT NULL REFERENCES series,
  seed         INTEGER NOT NULL,  -- The 64 bits of an unsigned number.
  attempts     INTEGER NOT NULL,
  -- Of the kernel that is left once incumbents were measured again; NULL: no
  -- attempt passed.
  log_speedup  REAL,
  compiled     INTEGER NOT NULL,  -- Of the attempts,
  correct      INTEGER NOT NULL,  -- likewise.
  PRIMARY KEY (series_id, seed, attempts),
  CHECK (correct BETWEEN (log_speedup IS NOT NULL) AND compiled
         AND compiled <= attempts)
) STRICT, WITHOUT ROWID;

-- Sums ----------------------------------------------------------------------
--
-- What views tell of whole campaigns without reading them.  Whoever writes with
-- coppice keeps them by the triggers of store/summary_tables.sql, in the transaction that
-- changes what is summed; `doctor` works them out again.  They hold nothing
-- that the tables above do not.

-- Of model calls, by the UTC day on which they were sent.
CREATE TABLE call_sum (
  campaign_id         INTEGER NOT NULL REFERENCES campaign,
  role                INTEGER NOT NULL REFERENCES role,
  provider            TEXT    NOT NULL,
  model               TEXT    NOT NULL,
  day                 INTEGER NOT NULL,  -- Since 1970-01-01.
  calls               INTEGER NOT NULL,
  answered            INTEGER NOT NULL,  -- Of the calls; so the next two.
  failed              INTEGER NOT NULL,
  outcome_unknown     INTEGER NOT NULL,
  input_tokens        INTEGER NOT NULL,
  cached_input_tokens INTEGER NOT NULL,
  output_tokens       INTEGER NOT NULL,
  cost_usd            REAL    NOT NULL,
  latency_s           REAL    NOT NULL,
  PRIMARY KEY (campaign_id, role, provider, model, day)
) STRICT, WITHOUT ROWID;

-- Of nodes other than the root, by the policy that chose their parent and by
-- what they count for now.
CREATE TABLE trial_sum (
  campaign_id INTEGER NOT NULL REFERENCES campaign,
  policy      TEXT    NOT NULL,
  verdict     INTEGER NOT NULL REFERENCES verdict,
  nodes       INTEGER NOT NULL,
  fastest     INTEGER,  -- Of those that passed, one that none is faster than.
  PRIMARY KEY (campaign_id, policy, verdict)
) STRICT, WITHOUT ROWID;

-- The root, and each node that is faster than all before it, as nodes count for
-- now: the steps of best_so_far.
CREATE TABLE improvement (
  campaign_id INTEGER NOT NULL REFERENCES campaign,
  number      INTEGER NOT NULL,
  speedup     REAL,  -- NULL: the root, which does not pass.
  PRIMARY KEY (campaign_id, number)
) STRICT, WITHOUT ROWID;

-- Seals ---------------------------------------------------------------------

-- What the rows of the other tables add up to, by which `doctor` finds one that
-- was changed, lost or added by anything but coppice, down to a bit.  A seal is
-- the sum, modulo 2^64, of the hashes of the rows of a block: 64 keys, counted
-- by the first number of the primary key, or by the one after campaign_id.  The
-- hash of a row is the first 8 bytes of the SHA-256 of its values as they are
-- written down in store/sealed_row.h.  Every writer of coppice keeps the seals,
-- in the transactions that change the rows.  Names of stored numbers, which
-- never change, and sums have none; the texts of sqlite_schema have one.
CREATE TABLE seal (
  seal_id     INTEGER PRIMARY KEY,
  of_table    TEXT    NOT NULL,
  campaign_id INTEGER NOT NULL,  -- 0: not what the key begins with.
  block       INTEGER NOT NULL,  -- The number, divided by 64.
  sum         INTEGER NOT NULL,
  UNIQUE (of_table, campaign_id, block)
) STRICT;

-- Views: the contract -------------------------------------------------------
--
-- All name the campaign in `campaign`, and filter fast on it and on `node` or
-- `decision`; what tells of campaigns rests on sums, and is fast at any size.
-- `speedup` of a node is how many times as fast as the root it is: both ran in
-- turn in the same rounds, pooled over all evaluations of its kernel that
-- passed; speedup_low and speedup_high are its 95 % interval, NULL with too few
-- rounds to tell.  The root's is 1.  `runtime_s` of a node is the root's
-- seconds over that, so seconds of a drifting machine are not compared.  A node
-- that a further evaluation refuted has the verdict of that, and neither.

-- One row per campaign.
--   campaign, uuid     what users type; what is unique everywhere
--   task, level        the task's name; its level, 0 if none
--   policy, seed       of its start; the seed's 64 bits as a signed number
--   state              running, paused, finished
--   budget_attempts, budget_s, attempts, nodes, elapsed_s   allowed and used
--   created_at_s, updated_at_s                              Unix time
--   task_json_blob     text
--   steered            1: a person's directive chose, or changed how agents and
--                      policy go on, so it is no sample of a policy; pauses,
--                      approvals and budgets do not, nor what lifts these.
--                      See the view directives
CREATE VIEW campaigns AS
SELECT c.name AS campaign,
       lower(substr(hex(c.uuid), 1, 8) || '-' || substr(hex(c.uuid), 9, 4)
         || '-' || substr(hex(c.uuid), 13, 4) || '-'
         || substr(hex(c.uuid), 17, 4) || '-' || substr(hex(c.uuid), 21))
         AS uuid,
       c.task, c.task_level AS level, c.policy, c.seed, s.name AS state,
       c.budget_attempts, c.budget_s, c.attempts, c.nodes, c.elapsed_s,
       c.created_at_s, c.updated_at_s, c.task_blob AS task_json_blob,
       EXISTS (SELECT 1 FROM directive d
               WHERE d.campaign_id = c.campaign_id AND d.outcome = 'applied'
                 AND coalesce((SELECT t.kind FROM directive t
                               WHERE t.directive_id = d.target_id), d.kind)
                   NOT IN ('note', 'pin', 'pause', 'resume', 'budget', 'gate',
                           'approve'))
         AS steered
FROM campaign c JOIN campaign_state s USING (state);

-- What people asked of campaigns, in the order in which they did.
--   campaign, directive, uuid, at_s, author
--   kind                      advise, forbid, require, freeze, unfreeze, boost,
--                             insert, pause, resume, budget, policy,
--                             temperature, note, pin, lift, model, judge,
--                             gate, approve
--   node                      and what is below; NULL: the campaign
--   role                      that it is for; NULL: all
--   aspect                    technique, pattern, header, constraint; attempts,
--                             seconds, usd, tokens; NULL: of another kind
--   amount                    attempts of a boost, the limit of a budget, ...
--   target                    the directive that it lifts
--   not_before                decision that it was to wait for
--   outcome                   pending, applied, refused, withdrawn
--   effective_decision        from which on it holds; NULL: none yet
--   refusal                   why; NULL: it was not refused
--   attempts                  that a person chose by it
--   text_blob                 text
CREATE VIEW directives AS
SELECT c.name AS campaign, d.directive_id AS directive,
       lower(substr(hex(d.uuid), 1, 8) || '-' || substr(hex(d.uuid), 9, 4)
         || '-' || substr(hex(d.uuid), 13, 4) || '-'
         || substr(hex(d.uuid), 17, 4) || '-' || substr(hex(d.uuid), 21))
         AS uuid,
       d.at_s, d.author, d.kind, d.node_number AS node, r.name AS role,
       nullif(d.aspect, '') AS aspect, d.amount, d.target_id AS target,
       d.not_before, d.outcome, d.effective_decision,
       nullif(d.refusal, '') AS refusal,
       (SELECT count(*) FROM attempt a WHERE a.directive_id = d.directive_id)
         AS attempts, d.text_blob
FROM campaign c
CROSS JOIN directive d USING (campaign_id)
LEFT JOIN role r USING (role);

-- The settings of campaigns.
--   campaign, key, value, origin
CREATE VIEW settings AS
SELECT c.name AS campaign, s.key, s.value, s.origin
FROM setting s JOIN campaign c USING (campaign_id);

-- One row per node.
--   campaign, task, node, parent   node 0 is the root; its parent is NULL
--   verdict                        passed, compile_failed, crashed, ...
--   runtime_s, speedup, speedup_low, speedup_high   NULL unless passed
--   hint_factor, hint_low, hint_high, hint_samples   of a wrong_output: a hint of
--                                  how fast its repair may be, and no speed; see
--                                  the view evaluations; NULL: there is none
--   same_as                        the node of equal tokens that was judged in
--                                  its place, before it; NULL: none
--   technique, advice              of the plan it realises; NULL: none
--   technique_name, technique_arguments   of 'tile(i, 8)': 'tile' and 'i, 8';
--                                  of several 'jam + parallel' and 'j, 32; i'
--   decision, policy, reason       of the attempt that made it; NULL: the root
--   changed_inside, changed_outside   lines, by the plan's marked spans
--   language, entry_symbol         NULL: the answer held no candidate
--   committed_at_s, uuid
--   quarantined_at_s               when, having passed, a further evaluation
--                                  refuted it; NULL: none did
--   source_blob, annotated_source_blob, log_blob, profile_blob   texts
--   lines_again, lines_deleted_by  lines that ancestors had and its parent lacks;
--                                  the node that deleted most of them
--   limited_by                     memory, compute or latency (far below both
--                                  roofs), by what it was committed with; NULL:
--                                  not known
--   technique_family               algorithm, fusion, loops, memory, vectors,
--                                  parallel, precision, other
--   origin, author                 as in claims; NULL: an agent's, or the root
CREATE VIEW nodes AS
SELECT c.name AS campaign, c.task, n.number AS node, n.parent_number AS parent,
       v.name AS verdict, c.root_runtime_s / n.speedup AS runtime_s,
       n.speedup, n.speedup_low, n.speedup_high,
       e.hint_factor, e.hint_low, e.hint_high, e.hint_samples, n.same_as,
       p.technique, p.technique_name, p.technique_arguments, p.advice,
       a.decision, a.policy, a.reason,
       n.changed_inside, n.changed_outside, l.name AS language,
       n.entry_symbol, n.committed_at_s,
       lower(substr(hex(n.uuid), 1, 8) || '-' || substr(hex(n.uuid), 9, 4)
         || '-' || substr(hex(n.uuid), 13, 4) || '-'
         || substr(hex(n.uuid), 17, 4) || '-' || substr(hex(n.uuid), 21))
         AS uuid,
       iif(n.refuted, e.evaluated_at_s, NULL) AS quarantined_at_s,
       n.source_blob,
       p.annotated_blob AS annotated_source_blob, e.log_blob, e.profile_blob,
       n.lines_again, n.lines_deleted_by,
       iif(n.behaviour_limit = 0, NULL, b.name) AS limited_by,
       f.name AS technique_family, m.origin,
       nullif(m.author, '') AS author
FROM campaign c
CROSS JOIN node n USING (campaign_id)
CROSS JOIN verdict v ON v.verdict = n.verdict
CROSS JOIN behaviour_limit b USING (behaviour_limit)
CROSS JOIN technique_family f USING (technique_family)
LEFT JOIN evaluation e ON e.campaign_id = n.campaign_id
  AND e.node_number = coalesce(n.same_as, n.number)
  AND e.ordinal = n.decided_by
LEFT JOIN attempt a ON a.attempt_id = n.attempt_id
LEFT JOIN plan p ON p.plan_id = n.plan_id
LEFT JOIN language l ON l.language = n.language
LEFT JOIN claim m ON m.attempt_id = n.attempt_id;

-- One row per attempt, finished or not.
--   campaign, decision, uuid    decisions are numbered 0, 1, 2, ...
--   parent, policy, reason      the node selected, by which policy, and why
--   stage                       reserved, planned, coded, committed
--   technique, technique_name, technique_arguments, advice, anchors,
--   grounded                    its own plan, as in nodes; NULL: none
--   language, changed_inside, changed_outside, no_candidate_reason
--   node, verdict               NULL until committed
--   lease_owner, lease_until_s, reserved_at_s
--   nodes_seen, further_seen  when the policy chose: the first so many nodes and
--                             further evaluations; in flight were all earlier
--                             decisions that have none of these nodes
--   attempts_left             of the budget, this one among them; NULL: nobody
--                             chose it
--   annotated_source_blob, source_blob   texts
CREATE VIEW attempts AS
SELECT c.name AS campaign, a.decision,
       lower(substr(hex(a.uuid), 1, 8) || '-' || substr(hex(a.uuid), 9, 4)
         || '-' || substr(hex(a.uuid), 13, 4) || '-'
         || substr(hex(a.uuid), 17, 4) || '-' || substr(hex(a.uuid), 21))
         AS uuid,
       a.parent_number AS parent, a.policy, a.reason, s.name AS stage,
       p.technique, p.technique_name, p.technique_arguments, p.advice,
       p.anchors, p.grounded, l.name AS language,
       a.changed_inside, a.changed_outside, a.no_candidate_reason,
       n.number AS node, v.name AS verdict, a.lease_owner, a.lease_until_s,
       a.reserved_at_s, a.nodes_seen, a.further_seen, a.attempts_left,
       p.annotated_blob AS annotated_source_blob, a.source_blob
FROM campaign c
CROSS JOIN attempt a USING (campaign_id)
CROSS JOIN stage s USING (stage)
LEFT JOIN plan p ON p.plan_id = a.plan_id
LEFT JOIN language l ON l.language = a.language
LEFT JOIN node n ON n.attempt_id = a.attempt_id
LEFT JOIN verdict v ON v.verdict = n.verdict;

-- Attempts as outside agents hold or held them, in the order in which they asked.
--   campaign, decision, ticket, agent
--   request, place            the agent's own name of what it asked; NULL: none
--   roles                     plan+code, plan, code, debug, ...: what it may do
--   state                     open, told, given_up, or lost: somebody else took
--                             the attempt over
--   asked_at_s, deadline_s, told_at_s   Unix time
--   max_cost_usd              as the agent declared; NULL: it did not
--   late_for                  ticket that was lost, and whose candidate this is
--   node, verdict             NULL until committed
CREATE VIEW tickets AS
SELECT c.name AS campaign, a.decision,
       lower(substr(hex(t.uuid), 1, 8) || '-' || substr(hex(t.uuid), 9, 4)
         || '-' || substr(hex(t.uuid), 13, 4) || '-'
         || substr(hex(t.uuid), 17, 4) || '-' || substr(hex(t.uuid), 21))
         AS ticket,
       t.agent, t.request, t.place,
       substr(iif(t.roles & 1, '+plan', '') || iif(t.roles & 2, '+code', '')
         || iif(t.roles & 4, '+debug', ''), 2) AS roles,
       iif(t.state = 'open' AND t.epoch <> a.epoch, 'lost', t.state) AS state,
       t.asked_at_s, t.deadline_s, t.told_at_s, t.max_cost_usd,
       (SELECT lower(substr(hex(l.uuid), 1, 8) || '-' || substr(hex(l.uuid), 9, 4)
         || '-' || substr(hex(l.uuid), 13, 4) || '-'
         || substr(hex(l.uuid), 17, 4) || '-' || substr(hex(l.uuid), 21))
        FROM ticket l WHERE l.ticket_id = t.late_for) AS late_for,
       n.number AS node, v.name AS verdict
FROM campaign c
CROSS JOIN ticket t USING (campaign_id)
CROSS JOIN attempt a USING (attempt_id)
LEFT JOIN node n ON n.attempt_id = a.attempt_id
LEFT JOIN verdict v ON v.verdict = n.verdict;

-- What was tried, on what, and what came of it: one row per plan that an attempt
-- realised as new tokens.
--   campaign, task, node, parent
--   technique, technique_name, technique_arguments   as in nodes
--   after                     technique_name of the parent's plan; NULL: none
--   verdict, rule             as in evaluations
--   effect, effect_low, effect_high   of the node over its parent: both over the
--                             root, errors of logarithms added in squares; NULL
--                             unless both passed and still stand
--   told                      1: it is faster than its parent, -1: slower, 0:
--                             within the noise; NULL: there is no effect
--   bound                     memory or arithmetic: that of the parent on its
--                             longest workload; NULL: not known
--   language, hardware
--   log_blob                  text
CREATE VIEW evidence AS
SELECT campaign, task, node, parent, technique, technique_name,
       technique_arguments, after, verdict, rule, effect,
       effect / factor AS effect_low, effect * factor AS effect_high,
       iif(effect IS NULL, NULL, coalesce(effect / factor > t.above, 0)
                                 - coalesce(effect * factor < t.below, 0))
         AS told, bound, language, hardware, log_blob
FROM (
  SELECT c.name AS campaign, c.task, n.number AS node,
         n.parent_number AS parent, p.technique, p.technique_name,
         p.technique_arguments, q.technique_name AS after, v.name AS verdict,
         b.name AS rule, n.speedup / o.speedup AS effect,
         exp(sqrt(pow(ln(n.speedup_high / n.speedup_low), 2)
                  + pow(ln(o.speedup_high / o.speedup_low), 2)) / 2) AS factor,
         (SELECT f.bound FROM profiles f WHERE f.campaign = c.name
            AND f.node = coalesce(o.same_as, o.number)
            AND f.ordinal = o.decided_by
          ORDER BY f.runtime_s DESC, f.position LIMIT 1) AS bound,
         l.name AS language, w.hardware, e.log_blob
  FROM campaign c
  CROSS JOIN node n USING (campaign_id)
  CROSS JOIN attempt a ON a.attempt_id = n.attempt_id
  CROSS JOIN plan p ON p.plan_id = a.plan_id
  CROSS JOIN node o ON o.campaign_id = n.campaign_id
    AND o.number = n.parent_number
  CROSS JOIN verdict v ON v.verdict = n.verdict
  LEFT JOIN plan q ON q.plan_id = o.plan_id
  LEFT JOIN evaluation e ON e.campaign_id = n.campaign_id
    AND e.node_number = n.number AND e.ordinal = n.decided_by
  LEFT JOIN environment w USING (environment_id)
  LEFT JOIN breach b ON b.breach = e.breach
  LEFT JOIN language l ON l.language = n.language
  WHERE n.same_as IS NULL
)
JOIN thresholds t ON t.p = 1.0;

-- What is known from other campaigns, and what people wrote down.
--   lesson                    its number
--   campaign                  that began with it; NULL: the file's own
--   origin_file, origin_campaign, origin_uuid, origin_node   NULL: a person's
--   task, operation, types, log_elements, language, hardware, bound
--   program                   labels that made its parent of the root's source,
--                             joined; NULL: it is the root
--   technique, verdict, rule, effect, effect_low, effect_high, failure
--                             as in evidence; failure: a line of the log
--   speedup, best             over the root: of its node, and the best of its
--                             campaign; NULL: it failed, a person's
--   note                      a person's line; NULL: it is none
--   nearness, added_at_s
CREATE VIEW lessons AS
SELECT s.lesson_id AS lesson, c.name AS campaign,
       nullif(s.origin_file, '') AS origin_file,
       nullif(s.origin_campaign, '') AS origin_campaign,
       lower(substr(hex(s.origin_uuid), 1, 8) || '-'
         || substr(hex(s.origin_uuid), 9, 4) || '-'
         || substr(hex(s.origin_uuid), 13, 4) || '-'
         || substr(hex(s.origin_uuid), 17, 4) || '-'
         || substr(hex(s.origin_uuid), 21)) AS origin_uuid,
       s.origin_node, s.task, s.operation, s.types, s.log_elements,
       l.name AS language, s.hardware, nullif(s.bound, '') AS bound,
       nullif(s.program, '') AS program, s.technique, v.name AS verdict,
       nullif(s.rule, '') AS rule, s.effect, s.effect_low, s.effect_high,
       s.speedup, s.best, nullif(s.failure, '') AS failure,
       nullif(s.note, '') AS note, s.nearness, s.added_at_s
FROM lesson s
LEFT JOIN campaign c USING (campaign_id)
LEFT JOIN language l ON l.language = s.language
LEFT JOIN verdict v ON v.verdict = s.verdict
WHERE NOT s.removed;

-- One row per parent of an attempt, finished or not.
--   campaign, decision
--   node                      NULL until committed
--   position                  0: the node selected, which `attempts` and `nodes`
--                             have as its parent; 1, ...: what its agents were
--                             to combine with that one (crossover)
--   parent                    a node
CREATE VIEW parents AS
SELECT c.name AS campaign, a.decision, n.number AS node, p.position, p.parent
FROM campaign c
CROSS JOIN attempt a USING (campaign_id)
CROSS JOIN (
  SELECT attempt_id, 0 AS position, parent_number AS parent FROM attempt
  UNION ALL
  SELECT attempt_id, position, parent_number FROM attempt_parent) p
  USING (attempt_id)
LEFT JOIN node n ON n.attempt_id = a.attempt_id;

-- One row per model that was chosen of several, for an attempt and a role.
--   campaign, task, decision, node   node: NULL until committed
--   role, model               chosen
--   models, rule, reason      of which, by which rule, and why
--   verdict                   of the node
--   gain                      its speedup over that of the nearest ancestor
--                             that passes; NULL unless it passed and is the
--                             first of its tokens
--   answers                   that counted; 0: the attempt ended without asking
--   cost_usd                  of these; NULL: no price is known
CREATE VIEW model_choices AS
SELECT c.name AS campaign, c.task, a.decision, n.number AS node,
       r.name AS role, k.model, k.models, k.rule, k.reason,
       v.name AS verdict,
       iif(n.same_as IS NULL, n.speedup, NULL) / (
         WITH RECURSIVE up (number, parent_number, speedup) AS (
           SELECT number, parent_number, speedup FROM node
           WHERE campaign_id = a.campaign_id AND number = a.parent_number
           UNION ALL
           SELECT o.number, o.parent_number, o.speedup FROM up
           CROSS JOIN node o ON o.campaign_id = a.campaign_id
             AND o.number = up.parent_number
           WHERE up.speedup IS NULL)
         SELECT speedup FROM up WHERE speedup IS NOT NULL) AS gain,
       k.answers, k.cost_usd
FROM campaign c
CROSS JOIN attempt a USING (campaign_id)
CROSS JOIN attempt_model k USING (attempt_id)
JOIN role r USING (role)
LEFT JOIN node n USING (attempt_id)
LEFT JOIN verdict v ON v.verdict = n.verdict;

-- What came of asking a model that is one of several of its role.
--   campaign, task, role, model
--   chosen                    attempts that it was chosen for
--   asked                     of these: they have nodes, and it answered
--   passed, improved          of these: gain above 1 if improved
--   mean_gain                 geometric mean over those asked; without a gain: 1
--   best_gain                 NULL: nothing passed
--   cost_usd                  NULL: no price is known
--   usd_per_improvement       NULL: there is none
CREATE VIEW model_scores AS
SELECT campaign, task, role, model, count(*) AS chosen,
       coalesce(sum(answers > 0), 0) AS asked,
       coalesce(sum(answers > 0 AND verdict = 'passed'), 0) AS passed,
       coalesce(sum(gain > 1), 0) AS improved,
       exp(avg(iif(answers > 0, ln(max(coalesce(gain, 1), 1)), NULL)))
         AS mean_gain,
       max(gain) AS best_gain, sum(cost_usd) AS cost_usd,
       sum(cost_usd) / nullif(sum(gain > 1), 0) AS usd_per_improvement
FROM model_choices
GROUP BY campaign, task, role, model;

-- One row per evaluation.
--   campaign, node, ordinal   0, 1, ... in the order made; node NULL, here and
--                             in the views below: of a baseline
--   further                   1, 2, ... in the campaign: made when the node was
--                             there; NULL: the node was committed with it, or
--                             a baseline's
--   tier, verdict, runtime_s, root_runtime_s   seconds of that one session
--   speedup, speedup_low, speedup_high   by rounds in which both ran in turn
--   compile_s, check_s, timing_s   wall seconds of each phase; check_s: what
--                                  sanitizers and profilers take, too
--   device_s                  of the device in the candidate's calls
--   evaluated_at_s
--   hardware, threads, system, driver, compiler, flags, facts   where
--   log_blob, profile_blob    texts
--   baseline                  its name; NULL: of a node
--   device                    UUID of the GPU; NULL: of none
--   rule                      that a candidate broke which was rejected:
--                             wrote_input, worked_late, forged_answer,
--                             forged_time, too_fast, delegated, hazard,
--                             too_much, unusable
--   hint_factor, hint_low, hint_high   so many times as fast as the root ran a
--                             kernel that computed wrong, in hint_samples
--                             rounds, with 95 % of their noise; one that skips
--                             work is fast, so it is a hint and no speed
CREATE VIEW evaluations AS
SELECT c.name AS campaign, e.node_number AS node, e.ordinal,
       e.further, t.name AS tier, v.name AS verdict, e.runtime_s,
       e.root_runtime_s, e.speedup, e.speedup_low, e.speedup_high,
       e.compile_s, e.check_s,
       e.timing_s, e.device_s, e.evaluated_at_s, w.hardware, w.threads,
       w.system, w.driver, w.compiler, w.flags, w.facts, e.log_blob,
       e.profile_blob, e.baseline, e.device, b.name AS rule,
       e.hint_factor, e.hint_low, e.hint_high, e.hint_samples
FROM campaign c
JOIN evaluation e USING (campaign_id)
JOIN verdict v ON v.verdict = e.verdict
JOIN tier t USING (tier)
JOIN environment w USING (environment_id)
LEFT JOIN breach b ON b.breach = e.breach;

-- One row per configuration that the engine tried of a source with open numbers.
--   campaign, node, ordinal   0: as its author wrote it
--   configuration             'TILE=64 UNROLL=4'
--   verdict, speedup, speedup_low, speedup_high   by one evaluation, fast tier
--   evaluator_s               that it took
--   chosen                    1: the node's candidate
CREATE VIEW tuning_trials AS
SELECT c.name AS campaign, t.node_number AS node, t.ordinal, t.configuration,
       v.name AS verdict, t.speedup, t.speedup_low, t.speedup_high,
       t.evaluator_s, t.chosen
FROM campaign c
CROSS JOIN tuning_trial t USING (campaign_id)
CROSS JOIN verdict v ON v.verdict = t.verdict;

-- How much of a campaign each of its GPUs was busy, with its nodes: baselines
-- are measured before and after.
--   campaign, device          its UUID
--   evaluations, busy_s       their compiling, checking and timing, in seconds
--   share                     of the campaign's wall seconds
CREATE VIEW device_times AS
SELECT c.name AS campaign, e.device, count(*) AS evaluations,
       sum(e.compile_s + e.check_s + e.timing_s) AS busy_s,
       sum(e.compile_s + e.check_s + e.timing_s) / nullif(c.elapsed_s, 0)
         AS share
FROM campaign c JOIN evaluation e USING (campaign_id)
WHERE e.device IS NOT NULL AND e.node_number IS NOT NULL
GROUP BY c.name, e.device;

-- One row per workload of an evaluation.
--   campaign, node, ordinal, position, workload, verdict
--   worst_error_ratio         error over allowed error; <= 1 passes
--   max_absolute_error, max_relative_error, calls_verified
--   samples, discarded_samples   kept; made again since they were disturbed
--   lower_quartile_s, median_s, upper_quartile_s, and the root's   of a call
--   floor_s                   the machine allows no call to be faster
--   clock_mhz                 mean of the device's over the samples
--   temperature_c             of the device after timing
CREATE VIEW workload_results AS
SELECT c.name AS campaign, e.node_number AS node, e.ordinal, r.position,
       w.uuid AS workload, v.name AS verdict, r.worst_error_ratio,
       r.max_absolute_error, r.max_relative_error, r.calls_verified,
       (SELECT count(s.runtime_s) FROM sample s
        WHERE s.evaluation_id = r.evaluation_id AND s.position = r.position)
         AS samples, r.discarded_samples,
       r.lower_quartile_s, r.median_s, r.upper_quartile_s,
       r.root_lower_quartile_s, r.root_median_s, r.root_upper_quartile_s,
       r.floor_s,
       (SELECT avg(s.clock_mhz) FROM sample s
        WHERE s.evaluation_id = r.evaluation_id AND s.position = r.position)
         AS clock_mhz, r.temperature_c
FROM campaign c
JOIN evaluation e USING (campaign_id)
JOIN workload_result r USING (evaluation_id)
JOIN workload w USING (workload_id)
JOIN verdict v ON v.verdict = r.verdict;

-- One row per timed round.
--   campaign, node, ordinal, position, workload, round_index
--   runtime_s, root_runtime_s   of that one round
--   control_runtime_s         of the root once more
--   session                   0, 1: a process of its own, with its own inputs
--   calls                     of the candidate, timed together
--   wall_s, cpu_s             per call, by the evaluator's clock; processors'
--   clock_mhz                 of the device
CREATE VIEW samples AS
SELECT c.name AS campaign, e.node_number AS node, e.ordinal, s.position,
       w.uuid AS workload, s.round_index, s.runtime_s, s.root_runtime_s,
       s.control_runtime_s, s.session, s.calls, s.wall_s, s.cpu_s, s.clock_mhz
FROM campaign c
JOIN evaluation e USING (campaign_id)
JOIN workload_result r USING (evaluation_id)
JOIN workload w USING (workload_id)
JOIN sample s ON s.evaluation_id = r.evaluation_id
  AND s.position = r.position;

-- What limits a passing node on each workload.
--   campaign, node, ordinal, position, workload, shape, runtime_s
--   bound                     memory or arithmetic: the higher roof
--   roof_share                of that roof, reached
--   bytes, bytes_per_s, roof_bytes_per_s   at least; reached; measured at most
--   flops, flops_per_s, roof_flops_per_s   likewise; NULL: not stated
--   instructions, cycles, cache_misses, branch_misses, page_faults
--                             of one call; NULL: not counted here
--   note
CREATE VIEW profiles AS
SELECT c.name AS campaign, e.node_number AS node, e.ordinal, p.position,
       w.uuid AS workload, p.shape, p.runtime_s,
       iif(coalesce(p.flops / nullif(p.roof_flops_per_s, 0), 0)
             > coalesce(p.bytes / nullif(p.roof_bytes_per_s, 0), 0),
           'arithmetic', 'memory') AS bound,
       max(coalesce(p.flops / nullif(p.roof_flops_per_s, 0), 0),
           coalesce(p.bytes / nullif(p.roof_bytes_per_s, 0), 0))
         / p.runtime_s AS roof_share,
       p.bytes, p.bytes / p.runtime_s AS bytes_per_s, p.roof_bytes_per_s,
       nullif(p.flops, 0) AS flops,
       nullif(p.flops, 0) / p.runtime_s AS flops_per_s, p.roof_flops_per_s,
       p.instructions, p.cycles, p.cache_misses, p.branch_misses,
       p.page_faults, p.note
FROM campaign c
JOIN evaluation e USING (campaign_id)
JOIN workload_result r USING (evaluation_id)
JOIN workload w USING (workload_id)
JOIN profile p ON p.evaluation_id = r.evaluation_id
  AND p.position = r.position;

-- One row per kernel that a candidate for a GPU launches.
--   campaign, node, ordinal, position, workload, place
--   kernel, calls             its name; launches in one call of the candidate
--   total_s, mean_s           of these; of one
--   registers, shared_bytes, local_bytes   per thread, per block, per thread
--   occupancy, residency_limit   resident warps over the most; what limits them
--   dram_bytes, busy, achieved_occupancy, l2_hits   counted; NULL: not here
CREATE VIEW kernels AS
SELECT c.name AS campaign, e.node_number AS node, e.ordinal, k.position,
       w.uuid AS workload, k.place, k.name AS kernel, k.calls, k.total_s,
       k.total_s / nullif(k.calls, 0) AS mean_s, k.registers, k.shared_bytes,
       k.local_bytes, k.occupancy, l.name AS residency_limit, k.dram_bytes,
       k.busy, k.achieved_occupancy, k.l2_hits
FROM campaign c
JOIN evaluation e USING (campaign_id)
JOIN workload_result r USING (evaluation_id)
JOIN workload w USING (workload_id)
JOIN kernel k ON k.evaluation_id = r.evaluation_id
  AND k.position = r.position
LEFT JOIN residency_limit l USING (residency_limit);

-- Nodes that passed until a further evaluation refuted them, fastest first.
--   campaign, task, node
--   verdict, ordinal          of the evaluation that refuted it
--   last_speedup              of the last evaluation before that, alone
--   technique, advice, quarantined_at_s
--   source_blob, log_blob     texts; the log is the refuting evaluation's
CREATE VIEW quarantined AS
SELECT c.name AS campaign, c.task, n.number AS node, v.name AS verdict,
       e.ordinal,
       (SELECT b.speedup FROM evaluation b
        WHERE b.campaign_id = e.campaign_id AND b.node_number = e.node_number
          AND b.ordinal < e.ordinal AND b.verdict = 0
        ORDER BY b.ordinal DESC LIMIT 1) AS last_speedup,
       p.technique, p.advice, e.evaluated_at_s AS quarantined_at_s,
       n.source_blob, e.log_blob
FROM campaign c
JOIN evaluation e USING (campaign_id)
JOIN node n ON n.campaign_id = e.campaign_id AND n.number = e.node_number
  AND n.decided_by = e.ordinal
JOIN verdict v ON v.verdict = n.verdict
LEFT JOIN plan p ON p.plan_id = n.plan_id
WHERE n.refuted
ORDER BY last_speedup DESC;

-- KernelBench's thresholds, and what the end of an interval has to be beyond to
-- decide one: within half a per cent nothing is claimed (store/records/speedup.h).
--   p, above, below
CREATE VIEW thresholds AS
SELECT column1 AS p, column1 * 1.005 AS above, column1 / 1.005 AS below
FROM (VALUES (0.0), (0.5), (0.8), (1.0), (1.5), (2.0), (4.0), (8.0));

-- The best nodes of each campaign, at most ten, distinct in kernel.
--   campaign, task, rank, node, runtime_s, speedup, speedup_low, speedup_high
--   confirmed                 1: an evaluation of the full tier passed, too
--   technique, advice, source_blob
--   origin, author            as in claims; NULL: an agent's, or the root
CREATE VIEW leaderboard AS
SELECT c.name AS campaign, c.task,
       row_number() OVER (PARTITION BY n.campaign_id
                          ORDER BY n.speedup DESC, n.number) AS rank,
       n.number AS node, c.root_runtime_s / n.speedup AS runtime_s, n.speedup,
       n.speedup_low, n.speedup_high,
       n.confirmed, p.technique, p.advice, n.source_blob, m.origin,
       nullif(m.author, '') AS author
FROM campaign c
CROSS JOIN node n ON n.campaign_id = c.campaign_id AND n.number IN (
  SELECT l.number FROM node l
  WHERE l.campaign_id = c.campaign_id AND l.verdict = 0 AND l.same_as IS NULL
  ORDER BY l.speedup DESC, l.number LIMIT 10)
LEFT JOIN plan p ON p.plan_id = n.plan_id
LEFT JOIN claim m ON m.attempt_id = n.attempt_id;

-- What there is to compare a campaign's winner with, beside its root.
--   campaign, task, baseline  'expert', 'torch', ...
--   quoted                    1: others measured it elsewhere, on hardware of
--                             the same name
--   hardware, tier, verdict   of its latest evaluation; tier NULL: quoted
--   speedup, speedup_low, speedup_high   over the root; NULL unless passed; of a
--                             quoted one the root's seconds here over theirs,
--                             the one ratio of two sessions, without an interval
--   best_node, best_speedup   the winner, as leaderboard has it; 0, 1: nothing
--                             beats the root
--   best_over_baseline, best_over_low, best_over_high   of the speedups, whose
--                             logarithms' errors add in squares; above 1 the
--                             baseline is beaten
--   decided                   1: that interval leaves 1 out by half a per cent;
--                             NULL: there is none
--   measured_at_s             or read
--   log_blob                  text; NULL: quoted
CREATE VIEW baselines AS
SELECT campaign, task, baseline, quoted, hardware, tier, verdict, speedup,
       speedup_low, speedup_high, best_node, best_speedup,
       best_speedup / speedup AS best_over_baseline,
       best_speedup / speedup / factor AS best_over_low,
       best_speedup / speedup * factor AS best_over_high,
       best_speedup / speedup / factor > t.above
         OR best_speedup / speedup * factor < t.below AS decided,
       measured_at_s, log_blob
FROM (
  SELECT b.*, n.number AS best_node, n.speedup AS best_speedup,
         exp(sqrt(pow(ln(n.speedup_high / n.speedup_low), 2)
                  + pow(ln(b.speedup_high / b.speedup_low), 2)) / 2) AS factor
  FROM (
    SELECT c.campaign_id, c.name AS campaign, c.task, e.baseline, 0 AS quoted,
           w.hardware, t.name AS tier, v.name AS verdict, e.speedup,
           e.speedup_low, e.speedup_high, e.evaluated_at_s AS measured_at_s,
           e.log_blob
    FROM campaign c
    JOIN evaluation e ON e.campaign_id = c.campaign_id AND e.node_number IS NULL
      AND e.ordinal = (SELECT max(f.ordinal) FROM evaluation f
                       WHERE f.campaign_id = c.campaign_id
                         AND f.node_number IS NULL AND f.baseline = e.baseline)
    JOIN verdict v USING (verdict)
    JOIN tier t USING (tier)
    JOIN environment w USING (environment_id)
    UNION ALL
    SELECT c.campaign_id, c.name, c.task, b.baseline, 1, b.hardware, NULL,
           'passed', c.root_runtime_s / b.mean_s, NULL, NULL, b.read_at_s, NULL
    FROM campaign c
    CROSS JOIN node r ON r.campaign_id = c.campaign_id AND r.number = 0
    CROSS JOIN evaluation e ON e.campaign_id = c.campaign_id
      AND e.node_number = 0 AND e.ordinal = r.decided_by
    JOIN environment w USING (environment_id)
    JOIN quoted_baseline b ON b.task = c.task AND b.level = c.task_level
      AND b.hardware = w.hardware
    WHERE NOT EXISTS (SELECT 1 FROM quoted_baseline o
                      WHERE o.task = b.task AND o.level = b.level
                        AND o.baseline = b.baseline AND o.hardware = b.hardware
                        AND o.quoted_baseline_id > b.quoted_baseline_id)
  ) AS b
  LEFT JOIN node n ON n.campaign_id = b.campaign_id AND n.number = (
    SELECT l.number FROM node l
    WHERE l.campaign_id = b.campaign_id AND l.verdict = 0 AND l.same_as IS NULL
    ORDER BY l.speedup DESC, l.number LIMIT 1)
)
JOIN thresholds t ON t.p = 1.0;

-- Kernels that were imported or submitted.
--   campaign, task, claim     in the order in which they came
--   origin, author, language, imported_at_s   origin: file and entry; author: as
--                             submitted; NULL: not said
--   claimed_correct, claimed_speedup, claimed_runtime_s   NULL: not said
--   decision, node            NULL: not judged, or not yet
--   verdict, speedup, speedup_low, speedup_high   as measured here
--   source_blob               text
CREATE VIEW claims AS
SELECT c.name AS campaign, c.task, m.claim_id AS claim, m.origin,
       nullif(m.author, '') AS author, l.name AS language, m.imported_at_s,
       m.is_correct AS claimed_correct,
       m.speedup AS claimed_speedup, m.runtime_s AS claimed_runtime_s,
       a.decision, n.number AS node, v.name AS verdict,
       n.speedup, n.speedup_low, n.speedup_high, m.source_blob
FROM campaign c
JOIN claim m USING (campaign_id)
JOIN language l ON l.language = m.language
LEFT JOIN attempt a ON a.attempt_id = m.attempt_id
LEFT JOIN node n ON n.attempt_id = m.attempt_id
LEFT JOIN verdict v ON v.verdict = n.verdict;

-- For each node the path from it up to the root, itself included.
--   campaign, node
--   generation                0: the root, 1: its child, ... up to the node
--   ancestor, verdict, runtime_s, speedup, technique, advice   of that step
-- Ask for one node (WHERE campaign = ... AND node = ... ORDER BY generation):
-- only its path is walked.
CREATE VIEW lineage AS
SELECT c.name AS campaign, n.number AS node,
       step.key AS generation,
       m.number AS ancestor, v.name AS verdict,
       c.root_runtime_s / m.speedup AS runtime_s, m.speedup, p.technique,
       p.advice
FROM campaign c
CROSS JOIN node n USING (campaign_id)
CROSS JOIN json_each((
  WITH RECURSIVE up (number, parent_number) AS (
    SELECT n.number, n.parent_number
    UNION ALL
    SELECT q.number, q.parent_number FROM up
    JOIN node q ON q.campaign_id = n.campaign_id
      AND q.number = up.parent_number
  )
  SELECT json_group_array(number)  -- A parent's number is the lower one.
  FROM (SELECT number FROM up ORDER BY number))) AS step
CROSS JOIN node m ON m.campaign_id = n.campaign_id AND m.number = step.value
CROSS JOIN verdict v ON v.verdict = m.verdict
LEFT JOIN plan p ON p.plan_id = m.plan_id;

-- How good the campaign was after each node.
--   campaign, task, policy, seed
--   attempts                  committed so far, this one included; 0: the root
--   node, committed_at_s
--   since_start_s             committed_at_s less the campaign's creation
--   runtime_s, speedup        of this node; NULL unless passed
--   best_speedup              so far; NULL: none passed
--   improved                  1: this node is the fastest so far
--   agents                    team, or alone: the code agent without plans
CREATE VIEW best_so_far AS
SELECT c.name AS campaign, c.task, c.policy, c.seed, n.number AS attempts,
       n.number AS node, n.committed_at_s,
       n.committed_at_s - c.created_at_s AS since_start_s,
       c.root_runtime_s / n.speedup AS runtime_s, n.speedup,
       i.speedup AS best_speedup,
       n.number = i.number AND i.speedup IS NOT NULL AS improved,
       coalesce(s.value, 'team') AS agents
FROM campaign c
CROSS JOIN improvement i USING (campaign_id)
CROSS JOIN node n ON n.campaign_id = i.campaign_id AND n.number >= i.number
  AND n.number < coalesce(
    (SELECT min(later.number) FROM improvement later
     WHERE later.campaign_id = i.campaign_id AND later.number > i.number),
    9223372036854775807)
LEFT JOIN setting s ON s.campaign_id = c.campaign_id AND s.key = 'agents';

-- What each call's agent was shown, and what it would have been shown too, had
-- there been room.
--   campaign, decision, role, call_id
--   position                  in the prompt; NULL: it was cut
--   node, kinship             which node, and why it belongs there
--   shown                     0: it was cut
CREATE VIEW windows AS
SELECT c.name AS campaign, a.decision, r.name AS role, m.call_id, w.position,
       w.node_number AS node, k.name AS kinship, 1 AS shown
FROM campaign c
JOIN attempt a USING (campaign_id)
JOIN model_call m USING (attempt_id)
JOIN role r USING (role)
JOIN window_entry w USING (call_id)
JOIN kinship k USING (kinship)
UNION ALL
SELECT c.name, a.decision, r.name, m.call_id, NULL, n.number, k.name, 0
FROM campaign c
JOIN attempt a USING (campaign_id)
JOIN node i ON i.campaign_id = a.campaign_id AND i.number = a.parent_number
JOIN model_call m USING (attempt_id)
JOIN role r USING (role)
JOIN window_cut w USING (call_id)
JOIN kinship k USING (kinship)
JOIN node n ON n.campaign_id = a.campaign_id
  AND n.number BETWEEN w.first_node AND w.last_node
JOIN node p ON p.campaign_id = n.campaign_id AND p.number = n.parent_number
WHERE CASE k.name
  WHEN 'child' THEN p.number = i.number
  WHEN 'sibling' THEN p.number = i.parent_number AND n.number <> i.number
  WHEN 'nephew' THEN p.parent_number = i.parent_number AND p.number <> i.number
  ELSE w.first_node = w.last_node END;

-- One row per model call.
--   campaign, decision, call_id, uuid, role, provider, model
--   served_model              that the server says it ran; NULL: it says none
--   temperature, top_p, max_output_tokens, effort   that its last request said;
--                             NULL: none, so that the provider's default holds
--   outcome                   sent, answered, failed, outcome_unknown
--   error, input_tokens, cached_input_tokens, output_tokens, cost_usd
--   latency_s, sent_at_s, ended_at_s, retry_of
--   nodes_cut                 that belonged in its window but were not shown
--   template_set              whose templates its prompts are made of: coppice,
--                             or the folder of a user's own
--   template_hash             sha256 of those templates; NULL: there are none
--   system_prompt_blob, user_prompt_blob, answer_blob, template_blob   texts
--   is_claimed                1: of an outside agent, which says itself what it
--                             used; nobody measured that
CREATE VIEW calls AS
SELECT c.name AS campaign, a.decision, m.call_id,
       lower(substr(hex(m.uuid), 1, 8) || '-' || substr(hex(m.uuid), 9, 4)
         || '-' || substr(hex(m.uuid), 13, 4) || '-'
         || substr(hex(m.uuid), 17, 4) || '-' || substr(hex(m.uuid), 21))
         AS uuid,
       r.name AS role, m.provider, m.model, w.served_model, w.temperature,
       w.top_p, w.max_output_tokens, w.effort, o.name AS outcome, m.error,
       m.input_tokens, m.cached_input_tokens, m.output_tokens, m.cost_usd,
       m.latency_s, m.sent_at_s, m.ended_at_s, m.retry_of, m.nodes_cut,
       m.template_set, nullif(lower(hex(b.sha256)), '')
         AS template_hash,
       m.system_prompt_blob, m.user_prompt_blob, m.answer_blob, m.template_blob,
       m.provider = 'outside' AS is_claimed
FROM campaign c
JOIN attempt a USING (campaign_id)
JOIN model_call m USING (attempt_id)
JOIN role r USING (role)
JOIN call_outcome o ON o.outcome = m.outcome
LEFT JOIN blob b ON b.blob_id = m.template_blob
LEFT JOIN wire_call w ON w.wire_call_id = (
  SELECT max(l.wire_call_id) FROM wire_call l WHERE l.call_id = m.call_id);

-- One row per request to a provider; a call has several if it was retried.
--   campaign, decision, call_id, role, provider, model   of its call
--   wire_call_id, retry_of    the request, and the failed one before it
--   outcome, error, http_status, request_id, sent_at_s, ended_at_s, latency_s
--   served_model, temperature, top_p, max_output_tokens, effort   see calls
--   input_tokens, cached_input_tokens, cache_write_tokens, output_tokens,
--   reasoning_tokens          cached and written are of input, reasoning of
--                             output; is_estimated 1: the provider told none
--   cost_usd, price_version   NULL: no price is known
--   settled_at_s              of unknown outcome: since when it counts as used
--                             what is said here; NULL: it is not settled
--   charged_tokens, charged_usd   what counts against caps: all that it may use,
--                             until that is known or settled
--   request_blob, answer_blob texts
--   is_claimed                1: see calls
CREATE VIEW wire_calls AS
SELECT c.name AS campaign, a.decision, w.call_id, r.name AS role, m.provider,
       m.model, w.wire_call_id, w.retry_of, o.name AS outcome, w.error,
       w.http_status, w.request_id, w.sent_at_s, w.ended_at_s, w.latency_s,
       w.served_model, w.temperature, w.top_p, w.max_output_tokens, w.effort,
       w.input_tokens, w.cached_input_tokens, w.cache_write_tokens,
       w.output_tokens, w.reasoning_tokens, w.is_estimated, w.cost_usd,
       w.price_version, w.settled_at_s, w.charged_tokens, w.charged_usd,
       w.request_blob, w.answer_blob, m.provider = 'outside' AS is_claimed
FROM campaign c
JOIN attempt a USING (campaign_id)
JOIN model_call m USING (attempt_id)
JOIN wire_call w USING (call_id)
JOIN role r USING (role)
JOIN call_outcome o ON o.outcome = w.outcome;

-- One row per tool that an agent called in a session.
--   campaign, decision, role  the session, which is numbered by number
--   call_id                   the last run that began it, as in calls
--   tool, state               begun, answered or refused; starts: how often begun
--   begun_at_s, ended_at_s
--   arguments_blob, answer_blob   texts, as JSON
CREATE VIEW session_calls AS
SELECT c.name AS campaign, a.decision, r.name AS role, s.number, s.call_id,
       s.tool, s.state, s.starts, s.begun_at_s, s.ended_at_s,
       s.arguments_blob, s.answer_blob
FROM campaign c
JOIN attempt a USING (campaign_id)
JOIN session_call s USING (attempt_id)
JOIN role r USING (role);

-- One row per request of the assistant's to a provider.
--   conversation, question_number   a question may take several requests
--   campaign                  that was asked of; NULL: no one of them
--   role, provider, model, served_model   role: assistant
--   outcome, error, sent_at_s, ended_at_s, latency_s, retry_of
--   input_tokens, cached_input_tokens, output_tokens, cost_usd, price_version
--                             is_estimated 1: the provider told no tokens
--   charged_usd               what counts against the cap of its day: all that it
--                             may cost, until that is known
--   question_blob, request_blob, answer_blob   texts
CREATE VIEW assistant_turns AS
SELECT t.assistant_turn_id,
       lower(substr(hex(t.conversation), 1, 8) || '-'
         || substr(hex(t.conversation), 9, 4) || '-'
         || substr(hex(t.conversation), 13, 4) || '-'
         || substr(hex(t.conversation), 17, 4) || '-'
         || substr(hex(t.conversation), 21)) AS conversation,
       t.question_number, c.name AS campaign, 'assistant' AS role, t.provider,
       t.model, t.served_model, o.name AS outcome, t.error, t.sent_at_s,
       t.ended_at_s, t.latency_s, t.retry_of, t.input_tokens,
       t.cached_input_tokens, t.output_tokens, t.is_estimated, t.cost_usd,
       t.price_version, t.charged_usd, t.question_blob, t.request_blob,
       t.answer_blob
FROM assistant_turn t
JOIN call_outcome o ON o.outcome = t.outcome
LEFT JOIN campaign c USING (campaign_id);

-- What model calls cost, by campaign, role and model.
--   campaign, task, role, provider, model
--   calls, answered, failed, outcome_unknown, in_flight   numbers of calls
--   input_tokens, cached_input_tokens, output_tokens, cost_usd, latency_s
--   is_claimed                1: see calls; no row sums these with others
CREATE VIEW spend AS
SELECT c.name AS campaign, c.task, r.name AS role,
       k.provider, k.model, sum(k.calls) AS calls,
       sum(k.answered) AS answered, sum(k.failed) AS failed,
       sum(k.outcome_unknown) AS outcome_unknown,
       sum(k.calls - k.answered - k.failed - k.outcome_unknown) AS in_flight,
       sum(k.input_tokens) AS input_tokens,
       sum(k.cached_input_tokens) AS cached_input_tokens,
       sum(k.output_tokens) AS output_tokens, sum(k.cost_usd) AS cost_usd,
       sum(k.latency_s) AS latency_s, k.provider = 'outside' AS is_claimed
FROM campaign c
JOIN call_sum k USING (campaign_id)
JOIN role r USING (role)
GROUP BY c.name, c.task, r.name, k.provider, k.model;

-- The same by the UTC day on which they were sent, too.
--   campaign, task, day ('2026-11-21'), role, provider, model
--   calls, answered, failed, outcome_unknown, in_flight   numbers of calls
--   input_tokens, cached_input_tokens, output_tokens, cost_usd, latency_s
--   is_claimed                1: see calls
CREATE VIEW spend_by_day AS
SELECT c.name AS campaign, c.task, date(k.day * 86400, 'unixepoch') AS day,
       r.name AS role, k.provider, k.model, k.calls, k.answered, k.failed,
       k.outcome_unknown,
       k.calls - k.answered - k.failed - k.outcome_unknown AS in_flight,
       k.input_tokens, k.cached_input_tokens, k.output_tokens, k.cost_usd,
       k.latency_s, k.provider = 'outside' AS is_claimed
FROM campaign c
JOIN call_sum k USING (campaign_id)
JOIN role r USING (role);

-- What getting faster cost.
--   campaign, task, policy, attempts, cost_usd
--   unsettled_usd             what calls in flight or of unknown outcome may
--                             have cost at most, beside cost_usd
--   improvements              nodes that were the fastest so far, but the root
--   usd_per_improvement       NULL: there is none
--   best_speedup              NULL: nothing passed
--   claimed_usd               what outside agents say that they spent, beside
--                             cost_usd and not in it
CREATE VIEW improvement_costs AS
SELECT campaign, task, policy, attempts, cost_usd, unsettled_usd, improvements,
       cost_usd / nullif(improvements, 0) AS usd_per_improvement, best_speedup,
       claimed_usd
FROM (
  SELECT c.name AS campaign, c.task, c.policy, c.attempts,
         (SELECT coalesce(sum(k.cost_usd), 0.0) FROM call_sum k
          WHERE k.campaign_id = c.campaign_id AND k.provider <> 'outside')
           AS cost_usd,
         (SELECT coalesce(sum(k.cost_usd), 0.0) FROM call_sum k
          WHERE k.campaign_id = c.campaign_id AND k.provider = 'outside')
           AS claimed_usd,
         (SELECT coalesce(sum(max(w.charged_usd - coalesce(w.cost_usd, 0.0),
                                  0.0)), 0.0)
          FROM wire_call w CROSS JOIN model_call m USING (call_id)
          CROSS JOIN attempt a USING (attempt_id)
          WHERE w.is_unsettled AND a.campaign_id = c.campaign_id
            AND m.provider <> 'outside')
           AS unsettled_usd,
         (SELECT count(*) FROM improvement i
          WHERE i.campaign_id = c.campaign_id AND i.number > 0)
           AS improvements,
         (SELECT max(i.speedup) FROM improvement i
          WHERE i.campaign_id = c.campaign_id) AS best_speedup
  FROM campaign c
);

-- Failing nodes by class.  An inconclusive one fails nothing: it is undecided.
--   campaign, task, policy    the policy that chose the parent
--   verdict, nodes            how many ended so
--   share                     of all nodes of that campaign and policy
CREATE VIEW failures AS
SELECT campaign, task, policy, verdict, nodes, share
FROM (
  SELECT c.name AS campaign, c.task, t.policy, v.name AS verdict,
         v.verdict AS v, t.nodes,
         t.nodes * 1.0 / sum(t.nodes) OVER (PARTITION BY c.name, t.policy)
           AS share
  FROM campaign c
  JOIN trial_sum t USING (campaign_id)
  JOIN verdict v ON v.verdict = t.verdict
  WHERE t.nodes > 0
)
WHERE v NOT IN (0, 7);

-- Policies on tasks at equal budget.
--   task, policy, agents, attempts
--   campaigns                 that got so far (seeds)
--   solved                    of these, with a passing node beside the root
--   best_speedup              geometric mean over them; 1 where nothing beats
--                             the root
--   least_speedup, greatest_speedup
CREATE VIEW policy_curve AS
SELECT b.task, b.policy, b.agents, b.attempts, count(*) AS campaigns,
       coalesce(sum(b.attempts >= f.node), 0) AS solved,
       exp(avg(ln(b.best_speedup))) AS best_speedup,
       min(b.best_speedup) AS least_speedup,
       max(b.best_speedup) AS greatest_speedup
FROM best_so_far b
LEFT JOIN (
  SELECT c.name AS campaign,
         (SELECT n.number FROM node n
          WHERE n.campaign_id = c.campaign_id AND n.number > 0 AND n.verdict = 0
          ORDER BY n.number LIMIT 1) AS node
  FROM campaign c
) AS f USING (campaign)
WHERE b.campaign NOT IN (SELECT campaign FROM campaigns WHERE steered)
GROUP BY b.task, b.policy, b.agents, b.attempts;

-- Campaigns that were played in memory, a row for each number of attempts at
-- which one was looked at.  Equal seeds draw equal tasks on equal definitions.
--   landscape, definition, rules   its name; the hash of what it is made of, and
--                             the program's rules of playing on it
--   policy, seed, attempts    the contender; the seed's 64 bits as a signed number
--   solved                    1: an attempt has passed
--   log_speedup               of the kernel that is left once incumbents were
--                             measured again, over the root; 0: none is faster
--   speedup                   the same as a factor
--   compiled, correct         of the attempts
CREATE VIEW scores_in_memory AS
SELECT l.name AS landscape, lower(hex(l.definition)) AS definition, l.rules,
       s.contender AS policy, c.seed, c.attempts,
       c.log_speedup IS NOT NULL AS solved,
       coalesce(c.log_speedup, 0.0) AS log_speedup,
       exp(coalesce(c.log_speedup, 0.0)) AS speedup, c.compiled, c.correct
FROM landscape l
CROSS JOIN series s USING (landscape_id)
CROSS JOIN score c USING (series_id);

-- Metrics of the field.  docs/metrics.md has the formulas and their sources.
-- They count for the policy that chose, which for an imported kernel is
-- 'import': what came from elsewhere is no merit of the campaign's own.  Where a
-- person chose it is 'human'.  What is pooled over campaigns (policy_curve,
-- rates, fast_p, fast_p_over) leaves those out that are steered.

-- One row per candidate, as the metrics below count it; the root is none.
--   campaign, task, level, policy, agents, seed, node
--   compiled                  0: compile_failed or no_candidate
--   correct                   1: passed, and not refuted since
--   undecided                 1: inconclusive, so that correct is not known
--   speedup, speedup_low, speedup_high   speedup 0: not correct
--   efficiency                share of the speed that the machine's roof allows:
--                             the root's, as it was first measured, geometric
--                             mean over workloads, times the speedup; 0: not
--                             correct; NULL: no roof is known
CREATE VIEW trials AS
SELECT c.name AS campaign, c.task, c.task_level AS level, a.policy,
       coalesce(s.value, 'team') AS agents, c.seed, n.number AS node,
       n.verdict NOT IN (1, 6) AS compiled, n.verdict = 0 AS correct,
       n.verdict = 7 AS undecided, coalesce(n.speedup, 0.0) AS speedup,
       n.speedup_low, n.speedup_high,
       iif(n.verdict = 0, n.speedup * (
         SELECT exp(avg(ln(r.floor_s / r.median_s))) FROM node o
         CROSS JOIN evaluation e ON e.campaign_id = o.campaign_id
           AND e.node_number = o.number AND e.ordinal = o.decided_by
         CROSS JOIN workload_result r USING (evaluation_id)
         WHERE o.campaign_id = n.campaign_id AND o.number = 0), 0.0)
         AS efficiency
FROM campaign c
CROSS JOIN node n USING (campaign_id)
CROSS JOIN attempt a ON a.attempt_id = n.attempt_id
LEFT JOIN setting s ON s.campaign_id = c.campaign_id AND s.key = 'agents';

-- Whether grounded edits do better (STARK, section 4.3).
--   campaign, task, policy
--   grounded                  of the plan: 1, or 0: it changes the source beside
--                             its marks; NULL: a candidate of no plan
--   repaired                  1: made by a debug agent, after the plan of another
--   nodes, candidates         those with a candidate among them
--   lines_inside, lines_outside   changed in all, by the marks
--   kept_inside               candidates without a line changed outside of them
--   passed                    of these
--     beat_parent             are faster than their parents, as their intervals
--                             say; any is faster than one that failed
--     undecided               cannot be told from their parents, or from another
--                             kernel than theirs
CREATE VIEW grounding AS
SELECT campaign, task, policy, grounded, repaired, count(*) AS nodes,
       count(source_blob) AS candidates, sum(changed_inside) AS lines_inside,
       sum(changed_outside) AS lines_outside,
       sum(is_planned AND source_blob IS NOT NULL AND changed_outside = 0)
         AS kept_inside,
       sum(correct) AS passed,
       sum(correct AND (parent IS NULL OR coalesce(ratio / factor > t.above, 0)))
         AS beat_parent,
       sum(correct AND parent IS NOT NULL AND NOT is_same
           AND NOT coalesce(ratio / factor > t.above
                            OR ratio * factor < t.below, 0)) AS undecided
FROM (
  SELECT c.name AS campaign, c.task, a.policy, p.grounded,
         p.plan_id IS NOT NULL AS is_planned,
         p.plan_id IS NOT NULL AND a.plan_id IS NULL AS repaired,
         n.source_blob, n.changed_inside, n.changed_outside,
         n.verdict = 0 AS correct, o.speedup AS parent,
         coalesce(n.same_as, n.number) = coalesce(o.same_as, o.number)
           AS is_same,
         n.speedup / o.speedup AS ratio,
         exp(sqrt(pow(ln(n.speedup_high / n.speedup_low), 2)
                  + pow(ln(o.speedup_high / o.speedup_low), 2)) / 2) AS factor
  FROM campaign c
  CROSS JOIN node n USING (campaign_id)
  JOIN attempt a ON a.attempt_id = n.attempt_id
  JOIN node o ON o.campaign_id = n.campaign_id AND o.number = n.parent_number
  LEFT JOIN plan p ON p.plan_id = n.plan_id
)
JOIN thresholds t ON t.p = 1.0
GROUP BY campaign, task, policy, grounded, repaired;

-- One row per campaign and policy that chose in it; without an attempt yet, the
-- policy that it began with.
--   campaign, task, level, policy, agents, seed
--   trials, compiled, correct, undecided   numbers of candidates
--   best_speedup, best_low, best_high   of the fastest; NULL: none is correct
CREATE VIEW scores AS
SELECT c.name AS campaign, c.task, c.task_level AS level, t.policy,
       coalesce(s.value, 'team') AS agents, c.seed, sum(t.nodes) AS trials,
       sum(iif(t.verdict NOT IN (1, 6), t.nodes, 0)) AS compiled,
       sum(iif(t.verdict = 0, t.nodes, 0)) AS correct,
       sum(iif(t.verdict = 7, t.nodes, 0)) AS undecided,
       max(n.speedup) AS best_speedup,  -- There is one such row.
       max(n.speedup_low) AS best_low, max(n.speedup_high) AS best_high
FROM campaign c
JOIN trial_sum t USING (campaign_id)
LEFT JOIN node n ON n.campaign_id = t.campaign_id AND n.number = t.fastest
LEFT JOIN setting s ON s.campaign_id = c.campaign_id AND s.key = 'agents'
WHERE t.nodes > 0
GROUP BY c.name, t.policy
UNION ALL
SELECT c.name, c.task, c.task_level, c.policy, coalesce(s.value, 'team'),
       c.seed, 0, 0, 0, 0, NULL, NULL, NULL
FROM campaign c
LEFT JOIN setting s ON s.campaign_id = c.campaign_id AND s.key = 'agents'
WHERE NOT EXISTS (SELECT 1 FROM trial_sum t
                  WHERE t.campaign_id = c.campaign_id AND t.nodes > 0);

-- Rates over the campaigns (task and seed each) of a policy.
--   policy, agents, level, campaigns, trials
--   compile_rate, correct_rate   of the trials; NULL: there is none
--   success                   share of the campaigns with a correct trial
--   undecided                 campaigns without one, of which a trial is
--                             inconclusive
--   speedup, geometric_mean_speedup   means of the best over these
CREATE VIEW rates AS
SELECT policy, agents, level, count(*) AS campaigns, sum(trials) AS trials,
       sum(compiled) * 1.0 / nullif(sum(trials), 0) AS compile_rate,
       sum(correct) * 1.0 / nullif(sum(trials), 0) AS correct_rate,
       avg(correct > 0) AS success,
       sum(correct = 0 AND undecided > 0) AS undecided,
       avg(best_speedup) AS speedup,
       exp(avg(ln(best_speedup))) AS geometric_mean_speedup
FROM scores
WHERE campaign NOT IN (SELECT campaign FROM campaigns WHERE steered)
GROUP BY policy, agents, level;

-- Whether the best candidate of a campaign is more than p times as fast as the
-- root, and as each baseline that passed.  The root itself is no candidate.
--   campaign, task, level, policy, agents, seed
--   over, quoted              'root', or the baseline
--   speedup, speedup_low, speedup_high   over that; NULL: none is correct
--   p, fast                   1: the speedup is above p; p = 0: there is one
--   decided                   0: the interval holds p, give or take half a per
--                             cent, or is not known; or no candidate is correct,
--                             and one inconclusive
CREATE VIEW fast_tasks AS
SELECT campaign, task, level, policy, agents, seed, over, quoted, speedup,
       speedup / factor AS speedup_low, speedup * factor AS speedup_high, t.p,
       coalesce(speedup, 0) > t.p AS fast,
       CASE WHEN speedup IS NULL THEN undecided = 0
            WHEN t.p = 0 THEN 1
            ELSE coalesce(speedup / factor > t.above
                          OR speedup * factor < t.below, 0) END AS decided
FROM (
  SELECT *, 'root' AS over, 0 AS quoted, best_speedup AS speedup,
         sqrt(best_high / best_low) AS factor
  FROM scores
  UNION ALL
  SELECT s.*, b.baseline, b.quoted, s.best_speedup / b.speedup,
         exp(sqrt(pow(ln(s.best_high / s.best_low), 2)
                  + pow(ln(b.speedup_high / b.speedup_low), 2)) / 2)
  FROM scores s JOIN baselines b USING (campaign)
  WHERE b.speedup IS NOT NULL
)
CROSS JOIN thresholds t;

-- KernelBench's fast_p: the share of tasks solved more than p times as fast as
-- the root.  p = 0 is the success rate.
--   policy, agents, level, p
--   campaigns                 one task and seed each
--   fast                      of these, with a node of speedup > p
--   undecided                 of these, of which fast_tasks says so
--   fast_p                    fast / campaigns
CREATE VIEW fast_p AS
SELECT policy, agents, level, p, count(*) AS campaigns, sum(fast) AS fast,
       sum(NOT decided) AS undecided, avg(fast) AS fast_p
FROM fast_tasks WHERE over = 'root'
  AND campaign NOT IN (SELECT campaign FROM campaigns WHERE steered)
GROUP BY policy, agents, level, p;

-- The same against each baseline, over the campaigns that have it.
--   policy, agents, level, baseline, quoted, p, campaigns, fast, undecided,
--   fast_p
CREATE VIEW fast_p_over AS
SELECT policy, agents, level, over AS baseline, quoted, p,
       count(*) AS campaigns, sum(fast) AS fast, sum(NOT decided) AS undecided,
       avg(fast) AS fast_p
FROM fast_tasks WHERE over <> 'root'
  AND campaign NOT IN (SELECT campaign FROM campaigns WHERE steered)
GROUP BY policy, agents, level, over, quoted, p;

-- What the best of k of a policy's candidates is worth, on average over all
-- choices of k: of n in ascending order, number i is the best of a choice with
-- probability C(i-1, k-1) / C(n, k).  Mean values over tasks are the metrics.
--   campaign, task, level, policy, agents, seed, trials, k   k: 1 to 1000
--   undecided                 trials that are inconclusive: not counted correct
--   pass_at_k                 probability that one of them is correct
--   speedup_at_k              of the fastest; 0 if none is correct
--   speedup_at_k_low, speedup_at_k_high   the same of their intervals' ends;
--                             NULL: one is not known
--   efficiency_at_k           of the most efficient; NULL: no roof is known
CREATE VIEW at_k AS
SELECT campaign, task, level, policy, agents, seed, trials, undecided, k,
       pass_at_k, speedup_at_k,
       iif(sure = correct_trials, low_at_k, NULL) AS speedup_at_k_low,
       iif(sure = correct_trials, high_at_k, NULL) AS speedup_at_k_high,
       efficiency_at_k
FROM (
  SELECT *, sum(correct * weight) OVER all_of_it AS pass_at_k,
         sum(speedup * weight) OVER all_of_it AS speedup_at_k,
         sum(iif(correct, speedup_low, 0.0) * weight) OVER all_of_it
           AS low_at_k,
         sum(iif(correct, speedup_high, 0.0) * weight) OVER all_of_it
           AS high_at_k,
         iif(rated = trials, sum(efficiency * weight) OVER all_of_it, NULL)
           AS efficiency_at_k
  FROM (
    -- The weight of number n is k / n, and that of number i - 1 is
    -- (i - k) / (i - 1) times that of number i.  Those below the correct ones
    -- are worth nothing.
    SELECT *, t.column1 AS k,
           iif(place < t.column1, 0.0, t.column1 * 1.0 / trials * exp(coalesce(
             sum(ln((place - t.column1) * 1.0 / (place - 1))) OVER (
               PARTITION BY campaign, policy, t.column1 ORDER BY place DESC
               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0.0)))
             AS weight
    FROM (
      SELECT campaign, task, level, policy, agents, seed, correct, speedup,
             speedup_low, speedup_high, trials, undecided, correct_trials, sure,
             rated, place,
             nth_value(efficiency, place) OVER (
               PARTITION BY campaign, policy ORDER BY efficiency, node
               ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
               AS efficiency
      FROM (
        SELECT campaign, task, level, policy, agents, seed, node, correct,
               speedup, speedup_low, speedup_high, efficiency,
               count(*) OVER all_of_it AS trials,
               sum(undecided) OVER all_of_it AS undecided,
               sum(correct) OVER all_of_it AS correct_trials,
               count(speedup_low) OVER all_of_it AS sure,
               count(efficiency) OVER all_of_it AS rated,
               row_number() OVER (PARTITION BY campaign, policy
                                  ORDER BY speedup, node) AS place
        FROM trials
        WINDOW all_of_it AS (PARTITION BY campaign, policy)
      )
    )
    JOIN (VALUES (1), (2), (3), (5), (10), (20), (30), (50), (100), (200),
                 (300), (500), (1000)) AS t ON t.column1 <= trials
    WHERE correct OR place = trials
  )
  WINDOW all_of_it AS (PARTITION BY campaign, policy, k)
)
WHERE place = trials;

-- speedup@k over the speedup of each baseline that passed.
--   campaign, task, level, policy, agents, seed, baseline, quoted, k
--   perf_at_k, perf_low, perf_high   NULL ends: one is not known
--   decided                   1: the interval leaves 1 out by half a per cent
CREATE VIEW perf_at_k AS
SELECT campaign, task, level, policy, agents, seed, baseline, quoted, k,
       perf_at_k, perf_at_k / factor AS perf_low, perf_at_k * factor AS perf_high,
       iif(perf_at_k = 0, undecided = 0,
           coalesce(perf_at_k / factor > t.above
                    OR perf_at_k * factor < t.below, 0)) AS decided
FROM (
  SELECT a.*, b.baseline, b.quoted, a.speedup_at_k / b.speedup AS perf_at_k,
         exp(sqrt(pow(ln(a.speedup_at_k_high / a.speedup_at_k_low), 2)
                  + pow(ln(b.speedup_high / b.speedup_low), 2)) / 2) AS factor
  FROM at_k a JOIN baselines b USING (campaign)
  WHERE b.speedup IS NOT NULL
)
JOIN thresholds t ON t.p = 1.0;
