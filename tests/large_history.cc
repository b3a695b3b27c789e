#include "tests/large_history.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "eval/formats/trace_set.h"
#include "eval/judge/same_task.h"
#include "store/care/maintenance.h"
#include "store/records/node.h"
#include "store/records/random.h"
#include "store/records/task.h"
#include "store/records/technique.h"
#include "store/records/tier.h"
#include "store/records/worth.h"
#include "store/scratch.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;

constexpr int kSeeds = 40;  // Attempts that the store writes.
constexpr std::size_t kFastest = 20;
constexpr double kSpacing_s = 30.0;  // Between two commits.
constexpr double kBegin_s = 1.7e9;
constexpr int kWorkloads = 3;
constexpr double kFloor_s = 1e-5;
constexpr double kRoot_s = 4.0;  // store/scratch.h

// Statements by their text; values in the order of the places.
class Writer {
 public:
  explicit Writer(const fs::path& file) {
    if (sqlite3_open(file.c_str(), &handle_) != SQLITE_OK) Throw();
    Execute("PRAGMA synchronous = OFF");
    Execute("PRAGMA cache_size = -1000000");
    Execute("PRAGMA foreign_keys = OFF");
    Execute("BEGIN");
  }
  ~Writer() {
    for (const auto& [sql, statement] : statements_) {
      sqlite3_finalize(statement);
    }
    sqlite3_close(handle_);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void Execute(const char* sql) {
    if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
      Throw();
    }
  }

  std::int64_t Number(const std::string& sql) { return Numbers(sql).at(0); }

  std::vector<std::int64_t> Numbers(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) !=
        SQLITE_OK) {
      Throw();
    }
    std::vector<std::int64_t> numbers;
    while (sqlite3_step(statement) == SQLITE_ROW) {
      numbers.push_back(sqlite3_column_int64(statement, 0));
    }
    sqlite3_finalize(statement);
    return numbers;
  }

  // `sql` must be a literal.
  template <class... Values>
  void Run(const char* sql, const Values&... values) {
    sqlite3_stmt*& statement = statements_[sql];
    if (statement == nullptr &&
        sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT,
                           &statement, nullptr) != SQLITE_OK) {
      Throw();
    }
    int place = 0;
    (Bind(statement, ++place, values), ...);
    if (sqlite3_step(statement) != SQLITE_DONE) Throw();
    sqlite3_reset(statement);
  }

 private:
  [[noreturn]] void Throw() const {
    throw std::runtime_error(sqlite3_errmsg(handle_));
  }
  static void Bind(sqlite3_stmt* statement, int place, double value) {
    sqlite3_bind_double(statement, place, value);
  }
  static void Bind(sqlite3_stmt* statement, int place, std::int64_t value) {
    sqlite3_bind_int64(statement, place, value);
  }
  static void Bind(sqlite3_stmt* statement, int place,
                   const std::string& value) {
    sqlite3_bind_text(statement, place, value.data(),
                      static_cast<int>(value.size()), SQLITE_STATIC);
  }
  static void Bind(sqlite3_stmt* statement, int place, const Uuid& value) {
    sqlite3_bind_blob(statement, place, value.bytes.data(),
                      static_cast<int>(value.bytes.size()), SQLITE_STATIC);
  }
  template <class T>
  static void Bind(sqlite3_stmt* statement, int place,
                   const std::optional<T>& value) {
    if (value) {
      Bind(statement, place, *value);
    } else {
      sqlite3_bind_null(statement, place);
    }
  }

  sqlite3* handle_ = nullptr;
  std::map<const char*, sqlite3_stmt*> statements_;
};

double Rounded(double value, double step) {
  return step * std::round(value / step);
}

// The campaign grows row by row.
class History {
 public:
  explicit History(Writer& writer)
      : writer_(writer),
        sources_(writer.Numbers("SELECT source_blob FROM node"
                                " WHERE source_blob IS NOT NULL")),
        annotated_(writer.Numbers("SELECT annotated_blob FROM plan")),
        system_(writer.Numbers("SELECT system_prompt_blob FROM model_call")),
        prompts_(writer.Numbers("SELECT user_prompt_blob FROM model_call")),
        answers_(writer.Numbers("SELECT answer_blob FROM model_call")),
        logs_(writer.Numbers("SELECT log_blob FROM evaluation")),
        workload_(writer.Number("SELECT workload_id FROM workload")),
        attempt_(writer.Number("SELECT max(attempt_id) FROM attempt")),
        plan_(writer.Number("SELECT max(plan_id) FROM plan")),
        call_(writer.Number("SELECT max(call_id) FROM model_call")),
        evaluation_(
            writer.Number("SELECT max(evaluation_id) FROM evaluation")) {
    for (const std::int64_t hash :
         writer.Numbers("SELECT kernel_hash FROM node ORDER BY number")) {
      nodes_.push_back({WorthOfRoot(), true, hash});
    }
    fastest_.emplace_back(1.0, 0);
  }

  void Add() {
    const auto number = static_cast<std::int64_t>(nodes_.size());
    now_s_ = kBegin_s + kSpacing_s * static_cast<double>(number);
    ++attempt_;
    const bool is_imported = number % 5000 == 0;
    const std::int64_t parent = is_imported ? 0 : Parent();
    const bool is_planned = !is_imported && Passes(parent);
    Made made{number, parent, is_imported, is_planned, Any(sources_), {}};
    const double luck = random_.Uniform();
    if (luck < 0.03) made.same_as = AnyFirst();
    const Verdict verdict = VerdictOf(luck);
    made.has_source = made.same_as || verdict != Verdict::kNoCandidate;
    InsertAttempt(made);
    if (!is_imported) {
      if (is_planned) InsertCalls(0);
      InsertCalls(is_planned ? 1 : 2);
    }
    const Worth worth = made.same_as
                            ? At(*made.same_as).worth
                            : Evaluate(number, verdict, SpeedupAfter(parent));
    InsertNode(made, worth);
    writer_.Run(
        "INSERT INTO event (campaign_id, at_s, kind, subject)"
        " VALUES (1, ?, 'committed', ?)",
        now_s_, number);
    nodes_.push_back({worth, !made.same_as && made.has_source, HashOf(made)});
    if (made.same_as || worth.verdict != Verdict::kPassed) return;
    fastest_.emplace_back(worth.speedup->ratio, number);
    std::ranges::sort(fastest_, std::greater());
    if (fastest_.size() > kFastest) fastest_.pop_back();
  }

  void Finish() {
    writer_.Run(
        "UPDATE campaign SET nodes = (SELECT count(*) FROM node),"
        " attempts = (SELECT count(*) FROM attempt), further = ?,"
        " evaluator_s = (SELECT sum(compile_s + check_s + timing_s)"
        "  FROM evaluation WHERE node_number > 0 AND further IS NULL),"
        " budget_attempts = (SELECT count(*) FROM attempt)",
        further_);
    writer_.Execute("COMMIT");
  }

 private:
  struct Known {
    Worth worth;
    bool is_first = true;  // Of its tokens.
    std::int64_t hash = 0;
  };
  struct Made {
    std::int64_t number = 0;
    std::int64_t parent = 0;
    bool is_imported = false;
    bool is_planned = false;
    std::int64_t source = 0;
    std::optional<std::int64_t> same_as;
    bool has_source = true;

    // NULL where the answer held no candidate.
    template <class T>
    std::optional<T> OfSource(T value) const {
      return has_source ? std::optional(std::move(value)) : std::nullopt;
    }
  };

  const Known& At(std::int64_t node) const {
    return nodes_[static_cast<std::size_t>(node)];
  }
  bool Passes(std::int64_t node) const {
    return At(node).worth.verdict == Verdict::kPassed;
  }
  std::int64_t Any(const std::vector<std::int64_t>& of) {
    return of[random_.Below(of.size())];
  }
  std::int64_t AnyFirst() {
    for (;;) {
      const auto node = static_cast<std::int64_t>(random_.Below(nodes_.size()));
      if (At(node).is_first) return node;
    }
  }
  std::int64_t Parent() {
    const double luck = random_.Uniform();
    if (luck < 0.01) return 0;
    if (luck < 0.41) return fastest_[random_.Below(fastest_.size())].second;
    return AnyFirst();
  }
  // A change gains or loses a tenth or so, up to what the machine allows.
  double SpeedupAfter(std::int64_t parent) {
    const auto& before = At(parent).worth.speedup;
    const double gain = std::exp(0.08 * random_.Normal());
    return std::min(gain * (before ? before->ratio : 1.0),
                    40.0 * (1.0 + 0.01 * random_.Uniform()));
  }
  static Verdict VerdictOf(double luck) {
    if (luck < 0.53) return Verdict::kPassed;
    if (luck < 0.73) return Verdict::kCompileFailed;
    if (luck < 0.88) return Verdict::kWrongOutput;
    if (luck < 0.93) return Verdict::kCrashed;
    if (luck < 0.95) return Verdict::kTimedOut;
    if (luck < 0.97) return Verdict::kRejected;
    if (luck < 0.99) return Verdict::kNoCandidate;
    return Verdict::kInconclusive;
  }
  Uuid NextUuid() {
    return MakeUuidV7(static_cast<std::uint64_t>(now_s_ * 1e3),
                      random_.NextU64(), random_.NextU64());
  }

  void InsertAttempt(const Made& made) {
    constexpr std::array<const char*, 6> kTechniques = {
        "tile(i, 32)", "unroll(k, 4)",
        "parallel(*)", "jam(j, 64, overlap) + parallel(i)",
        "restrict()",  "simd(j)"};
    if (made.is_planned) {
      const std::string label = kTechniques[random_.Below(kTechniques.size())];
      const std::vector<Technique> techniques = TechniquesOf(label);
      writer_.Run(
          "INSERT INTO plan VALUES (?, ?, ?, ?, ?, ?, 1, 1)", ++plan_, label,
          NamesOf(techniques), ArgumentsOf(techniques),
          "Tile the inner loops so that a block of the second operand stays in "
          "the cache, then let the threads share the rows; attempt " +
              std::to_string(made.number),
          Any(annotated_));
    }
    std::optional<std::string> reason;
    if (!made.has_source) reason = "no code";
    writer_.Run(
        "INSERT INTO attempt (attempt_id, uuid, campaign_id, decision,"
        " parent_number, policy, reason, stage, lease_owner, lease_until_s,"
        " reserved_at_s, nodes_seen, plan_id, source_blob, language,"
        " entry_symbol, no_candidate_reason)"
        " VALUES (?, ?, 1, ?, ?, ?, ?, 3, 'host 4711', ?, ?, ?, ?, ?, ?, ?, ?)",
        attempt_, NextUuid(), made.number - 1, made.parent,
        std::string(made.is_imported        ? "import"
                    : made.number % 10 == 9 ? "xei_b"
                                            : "stark"),
        std::string("exploit: best eligible"), now_s_, now_s_ - 20.0,
        made.number, PlanOf(made), made.OfSource(made.source),
        made.OfSource(std::int64_t{0}), made.OfSource(std::string("run")),
        reason);
  }

  std::int64_t HashOf(const Made& made) const {
    if (!made.has_source) return 0;
    return made.same_as ? At(*made.same_as).hash
                        : made.number + (std::int64_t{1} << 40);
  }

  std::optional<std::int64_t> PlanOf(const Made& made) const {
    return made.is_planned ? std::optional(plan_) : std::nullopt;
  }

  // One call in 1,000 was lost with its process, and made again.
  void InsertCalls(std::int64_t role) {
    if (random_.Below(1000) == 0) InsertCall(role, true);
    InsertCall(role, false);
  }

  void InsertCall(std::int64_t role, bool is_lost) {
    ++call_;
    const bool was_retried = random_.Below(33) == 0;
    const bool is_plan = role == 0;
    const auto input = static_cast<std::int64_t>(2000 + random_.Below(9000));
    const auto output = static_cast<std::int64_t>(500 + random_.Below(2000));
    const double usd = Rounded(1e-2 * random_.Uniform(), 0x1p-14);
    const double latency_s = Rounded(20.0 * random_.Uniform(), 0x1p-4);
    using Number = std::optional<std::int64_t>;
    const std::int64_t outcome = is_lost ? 3 : 1;
    const auto used = [is_lost](std::int64_t tokens) {
      return is_lost ? 0 : tokens;
    };
    writer_.Run(
        "INSERT INTO model_call (call_id, uuid, attempt_id, epoch, role,"
        " provider, model, sample_index, system_prompt_blob, user_prompt_blob,"
        " sent_at_s, outcome, answer_blob, input_tokens, cached_input_tokens,"
        " output_tokens, cost_usd, latency_s, ended_at_s, nodes_cut)"
        " VALUES (?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
        call_, NextUuid(), attempt_, role,
        std::string(is_plan ? "anthropic" : "openai"),
        std::string(is_plan ? "claude-opus-4-8" : "gpt-5.4-mini"), call_,
        Any(system_), Any(prompts_), now_s_ - 20.0, outcome,
        is_lost ? Number() : Number(Any(answers_)), used(input), used(1500),
        used(output), is_lost ? 0.0 : usd, latency_s, now_s_ - 1.0);
    if (was_retried) {
      writer_.Run(
          "INSERT INTO wire_call (call_id, request_blob, sent_at_s,"
          " input_tokens_bound, output_tokens_bound, cost_usd_bound, outcome,"
          " error, cost_usd, http_status, ended_at_s)"
          " VALUES (?, ?, ?, 12000, 16384, 0.25, 2, 'overloaded', 0, 529, ?)",
          call_, Any(prompts_), now_s_ - 20.0, now_s_ - 19.0);
    }
    writer_.Run(
        "INSERT INTO wire_call (call_id, request_blob, sent_at_s,"
        " max_output_tokens, input_tokens_bound, output_tokens_bound,"
        " cost_usd_bound, outcome, answer_blob, input_tokens,"
        " cached_input_tokens, output_tokens, cost_usd, price_version,"
        " http_status, request_id, served_model, latency_s, ended_at_s)"
        " VALUES (?, ?, ?, 16384, 12000, 16384, 0.25, ?, ?, ?, ?, ?, ?,"
        " '2026-11-01', 200, 'req_0123456789abcdef', 'gpt-5.4-mini', ?, ?)",
        call_, Any(prompts_), now_s_ - 19.0, outcome,
        is_lost ? Number() : Number(Any(answers_)), used(input), used(1500),
        used(output), is_lost ? std::optional<double>() : std::optional(usd),
        latency_s, now_s_ - 1.0);
  }

  // An evaluation of it, with its workloads.
  Evidence InsertEvaluation(std::int64_t node, std::int64_t ordinal,
                            Verdict verdict, double speedup) {
    ++evaluation_;
    const bool passed = verdict == Verdict::kPassed;
    using Real = std::optional<double>;
    const auto real = [passed](double value) {
      return passed ? Real(value) : Real();
    };
    const double runtime_s = passed ? kRoot_s / speedup : 0.0;
    writer_.Run(
        "INSERT INTO evaluation (evaluation_id, campaign_id, node_number,"
        " ordinal, further, tier, verdict, runtime_s, root_runtime_s, speedup,"
        " speedup_low, speedup_high, compile_s, check_s, timing_s, log_blob,"
        " environment_id, evaluated_at_s)"
        " VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0.5, 0.25, 0.5, ?, 1, ?)",
        evaluation_, node, ordinal,
        ordinal > 0 ? std::optional(++further_) : std::optional<std::int64_t>(),
        std::int64_t{ordinal > 0}, static_cast<std::int64_t>(verdict),
        real(runtime_s), real(kRoot_s), real(speedup), real(0.98 * speedup),
        real(1.02 * speedup), Any(logs_), now_s_);
    for (std::int64_t i = 0; passed && i < kWorkloads; ++i) {
      writer_.Run(
          "INSERT INTO workload_result (evaluation_id, position, workload_id,"
          " verdict, worst_error_ratio, max_absolute_error,"
          " max_relative_error, calls_verified, lower_quartile_s, median_s,"
          " upper_quartile_s, root_lower_quartile_s, root_median_s,"
          " root_upper_quartile_s, floor_s)"
          " VALUES (?, ?, ?, 0, 0.1, 1e-6, 1e-5, 40, ?, ?, ?, 3.9, 4.0, 4.1,"
          " ?)",
          evaluation_, i, workload_, 0.99 * runtime_s, runtime_s,
          1.01 * runtime_s, kFloor_s);
    }
    Evidence finding{verdict, std::nullopt, ordinal > 0,
                     ordinal > 0 ? Tier::kFull : Tier::kFast};
    if (passed) {
      finding.speedup =
          Speedup{speedup, Interval{0.98 * speedup, 1.02 * speedup}};
    }
    return finding;
  }

  // What a node of other tokens than all before it counts for.
  Worth Evaluate(std::int64_t number, Verdict verdict, double speedup) {
    std::vector<Evidence> findings = {
        InsertEvaluation(number, 0, verdict, speedup)};
    if (verdict == Verdict::kPassed && random_.Below(500) == 0) {
      const bool is_refuted = random_.Below(10) == 0;
      findings.push_back(InsertEvaluation(
          number, 1, is_refuted ? Verdict::kWrongOutput : Verdict::kPassed,
          speedup * std::exp(0.02 * random_.Normal())));
    }
    return WorthOf(findings);
  }

  void InsertNode(const Made& made, const Worth& worth) {
    using Real = std::optional<double>;
    const std::optional<Speedup>& speedup = worth.speedup;
    writer_.Run(
        "INSERT INTO node (campaign_id, number, parent_number, verdict,"
        " decided_by, speedup, speedup_low, speedup_high, same_as, kernel_hash,"
        " source_blob, language, entry_symbol, attempt_id, plan_id,"
        " changed_inside, changed_outside, uuid, committed_at_s, refuted,"
        " confirmed) VALUES"
        " (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 7, 0, ?, ?, ?, ?)",
        made.number, made.parent, static_cast<std::int64_t>(worth.verdict),
        static_cast<std::int64_t>(worth.decided_by),
        speedup ? Real(speedup->ratio) : Real(),
        speedup ? Real(speedup->interval->low) : Real(),
        speedup ? Real(speedup->interval->high) : Real(), made.same_as,
        HashOf(made), made.OfSource(made.source),
        made.OfSource(std::int64_t{0}), made.OfSource(std::string("run")),
        attempt_, PlanOf(made), NextUuid(), now_s_,
        std::int64_t{worth.is_refuted}, std::int64_t{worth.is_confirmed});
  }

  Writer& writer_;
  RandomStream random_{11, Purpose::kSimulation, 0};
  const std::vector<std::int64_t> sources_;
  const std::vector<std::int64_t> annotated_;
  const std::vector<std::int64_t> system_;
  const std::vector<std::int64_t> prompts_;
  const std::vector<std::int64_t> answers_;
  const std::vector<std::int64_t> logs_;
  const std::int64_t workload_;
  std::int64_t attempt_;
  std::int64_t plan_;
  std::int64_t call_;
  std::int64_t evaluation_;
  std::int64_t further_ = 0;
  double now_s_ = 0.0;
  std::vector<Known> nodes_;                              // By number.
  std::vector<std::pair<double, std::int64_t>> fastest_;  // Best first.
};

// Attempts on the root, which take 8 seconds where it takes 4.
void PlantSeeds(const fs::path& file, const Task& task) {
  store::Database database = store::NewFile(file);
  store::CampaignSpec spec = store::SpecNamed(kLargeCampaign);
  spec.task_name = task.definition.name;
  spec.task_json = eval::SerialiseTask(task);
  spec.created_at_s = kBegin_s - 60.0;
  const CampaignId campaign =
      store::Must(store::Campaigns(database).Create(spec));
  const std::string source = eval::SourceOf(task.root);
  store::Must(store::Nodes(database).Commit(campaign, std::nullopt,
                                            store::RootNode(source), kBegin_s));
  for (int i = 1; i <= kSeeds; ++i) {
    store::Grow(database, campaign, kRootNode,
                {.source = source + "\nstatic int seed_" + std::to_string(i) +
                           " = 0;\n",
                 .runtime_s = 8.0});
  }
}

}  // namespace

void BuildLargeHistory(const fs::path& file, std::int64_t nodes) {
  PlantSeeds(file,
             store::Must(eval::LoadTask(COPPICE_TASKS_DIR, "gemm_square")));
  {
    Writer writer(file);
    History history(writer);
    for (std::int64_t i = kSeeds + 1; i < nodes; ++i) history.Add();
    history.Finish();
  }
  store::Database database = store::Must(store::Database::Open(
      file, store::Access::kReadWrite, store::Durability::kNormal));
  store::Must(store::Reseal(database, kBegin_s));
  store::Must(store::Repair(database, kBegin_s, [](const std::string&) {
    return Result<bool>(true);
  }));
}

}  // namespace coppice
