// What the tree memory costs as it grows, as ratios against bare SQLite and
// bare fsync in the same run.
//
//   tree_memory_benchmark [--nodes 1000,10000,100000] [--directory DIR]
//
// One campaign grows to each size in turn under the policy `stark`, through
// the public interface, with the texts that attempt_texts.h describes.  At each
// size it measures, on a copy of nothing but the file:
//
//   append     the 4 or 6 transactions of an attempt (reserve, begin and end
//              of each call, commit), beside the same rows in the same
//              transactions in bare SQLite (bare_sqlite.h), attempt by
//              attempt in turn.  Goal: a ratio of 1.5 or less with
//              synchronous=FULL.
//   selection  of a parent, median.  Goal: 10 us or less.
//   opening    of the file by a fresh process until its first selection, which
//              reads every node and rebuilds the tree.  Goal: 1.5 s or less at
//              a million nodes.
//   window     the texts and measurements of three random nodes.
//   size       of the file over that of the distinct texts in it.  Goal: 30 %
//              or less.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "search/policy.h"
#include "search/tree.h"
#include "store/database.h"
#include "store/records/model_call.h"
#include "store/write/attempts.h"
#include "store/write/calls.h"
#include "store/write/campaigns.h"
#include "store/write/nodes.h"
#include "tests/attempt_texts.h"
#include "tests/bare_sqlite.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr CampaignId kCampaign{1};
constexpr double kLeaseS = 1e12;
constexpr int kWarmUps = 50;

template <class T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().what);
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double Sum(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum;
}

double ResidentMB() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

struct Searcher {
  std::unique_ptr<search::Policy> policy = Must(search::MakePolicy("stark"));
  search::Tree tree = search::MakeTreeFor(*policy);

  NodeId Select(std::uint64_t index) {
    RandomStream stream(7, Purpose::kSelect, index);
    return policy->Select(tree, stream).node;
  }
};

std::unique_ptr<Searcher> Rebuild(store::Database& database) {
  auto searcher = std::make_unique<Searcher>();
  Must(store::Nodes(database).Scan(
      kCampaign, [&](const NodeSummary& node) { searcher->tree.Add(node); }));
  return searcher;
}

template <class Call>
std::invoke_result_t<Call> Timed(std::vector<double>& seconds, Call&& call) {
  const auto start = Clock::now();
  auto result = call();
  seconds.push_back(SecondsSince(start));
  return result;
}

// A campaign as the engine runs it, with made-up agents and measurements.
class Campaign {
 public:
  Campaign(const fs::path& path, store::Durability durability)
      : texts_(COPPICE_SOURCE_DIR),
        database_(Must(
            store::Database::Open(path, store::Access::kCreate, durability))) {
    if (Must(store::Campaigns(database_).List()).empty()) Plant();
    searcher_ = Rebuild(database_);
    decision_ = Must(store::Campaigns(database_).List()).at(0).attempts;
  }

  std::int64_t Size() const { return searcher_->tree.Size(); }

  // One attempt.  The seconds of each of its transactions are appended.
  void Grow(std::vector<double>& seconds) {
    RandomStream random(8, Purpose::kSimulation,
                        static_cast<std::uint64_t>(decision_));
    const NodeId selected =
        searcher_->Select(static_cast<std::uint64_t>(decision_));
    const NodeRecord parent =
        Must(store::Nodes(database_).Load(kCampaign, selected));
    Reservation reservation;
    reservation.uuid = NextUuid(random);
    reservation.decision = decision_++;
    reservation.parent = selected;
    reservation.policy = "stark";
    reservation.reason = "exploit: best eligible";
    reservation.lease_owner = "host 4711";
    reservation.lease_until_s = kLeaseS;
    reservation.reserved_at_s = Now();
    const AttemptId attempt = Must(Timed(seconds, [&] {
      return store::Attempts(database_).Reserve(kCampaign, reservation);
    }));
    NodeRecord node;
    node.id = NodeId{Size()};
    node.uuid = NextUuid(random);
    node.parent = selected;
    node.plan = parent.plan;
    const bool is_debug = parent.evaluation.verdict != Verdict::kPassed;
    if (!is_debug) PlanIt(attempt, parent, node, random, seconds);
    CodeIt(attempt, parent, is_debug, node, random, seconds);
    node.evaluation = Judge(parent, node, random);
    Must(Timed(seconds, [&] {
      return store::Nodes(database_).Commit(kCampaign, attempt, node, Now());
    }));
    searcher_->tree.Add({node.id, node.parent, node.evaluation.verdict,
                         node.evaluation.runtime_s,
                         std::hash<std::string>()(node.candidate->source) | 1});
  }

 private:
  double Now() const { return 1.7e9 + 30.0 * static_cast<double>(decision_); }

  Uuid NextUuid(RandomStream& random) const {
    return MakeUuidV7(static_cast<std::uint64_t>(Now() * 1e3), random.NextU64(),
                      random.NextU64());
  }

  void Plant() {
    RandomStream random(8, Purpose::kSimulation, 1ull << 60);
    store::CampaignSpec spec;
    spec.uuid = NextUuid(random);
    spec.name = "benchmark";
    spec.task_name = "attention_head";
    spec.task_json = "{}";
    spec.policy = "stark";
    Must(store::Campaigns(database_).Create(spec));
    NodeRecord root;
    root.uuid = NextUuid(random);
    root.candidate = Candidate{Language::kCpp, texts_.root(), "run"};
    root.evaluation.verdict = Verdict::kPassed;
    AddSamples(root.evaluation, 2e-3, random);
    root.evaluation.log = texts_.Log(texts_.root(), Verdict::kPassed, random);
    Must(store::Nodes(database_).Commit(kCampaign, {}, root, Now()));
  }

  Window WindowOf(NodeId selected) const {
    Window window{{{selected, Kinship::kSelected}}, {}};
    if (selected != kRootNode) {
      window.shown.push_back({kRootNode, Kinship::kRoot});
    }
    for (const NodeId leader : searcher_->tree.Leaders(selected, 6)) {
      if (window.shown.size() < 5) {
        window.shown.push_back({leader, Kinship::kLeader});
      } else {
        window.cut.push_back({Kinship::kLeader, leader, leader, 1});
      }
    }
    return window;
  }

  CallIntent Intent(Role role, const NodeRecord& parent,
                    const std::string& annotated, RandomStream& random) {
    std::vector<std::string> relatives;
    if (parent.plan) relatives.push_back(parent.plan->advice);
    for (const NodeId leader : searcher_->tree.Leaders(parent.id, 3)) {
      const auto record = Must(store::Nodes(database_).Load(kCampaign, leader));
      if (record.plan) relatives.push_back(record.plan->advice);
    }
    CallIntent intent;
    intent.uuid = NextUuid(random);
    intent.role = role;
    intent.provider = "openai";
    intent.model = "a-model-2026-01";
    intent.system_prompt = texts_.system_prompt();
    intent.user_prompt =
        texts_.Prompt(std::string(Name(role)), parent, annotated, relatives);
    intent.sent_at_s = Now();
    return intent;
  }

  CallEnd Answer(std::string text, RandomStream& random) const {
    CallEnd end;
    end.answer = std::move(text);
    end.usage = {static_cast<std::int64_t>(2000 + random.Below(9000)), 1500,
                 static_cast<std::int64_t>(500 + random.Below(2000))};
    end.cost_usd = 1e-2 * random.Uniform();
    end.latency_s = 20.0 * random.Uniform();
    end.ended_at_s = Now();
    return end;
  }

  void PlanIt(AttemptId attempt, const NodeRecord& parent, NodeRecord& node,
              RandomStream& random, std::vector<double>& seconds) {
    node.plan =
        Plan{texts_.Advice(random), "tile",
             texts_.Annotated(parent.candidate->source, random), 1, true};
    const CallIntent intent = Intent(Role::kPlan, parent, "", random);
    const CallEnd end =
        Answer("Technique: tile\n\n" + node.plan->advice + "\n\n```cpp\n" +
                   node.plan->annotated_source + "```\n",
               random);
    EndCall(attempt, intent, seconds, WindowOf(parent.id), [&](CallId call) {
      return store::Calls(database_).EndWithPlan(call, end, *node.plan);
    });
  }

  void CodeIt(AttemptId attempt, const NodeRecord& parent, bool is_debug,
              NodeRecord& node, RandomStream& random,
              std::vector<double>& seconds) {
    node.candidate = Candidate{
        Language::kCpp, texts_.Edited(parent.candidate->source, random), "run"};
    node.footprint = {static_cast<int>(random.Below(20)), 0};
    const CallIntent intent =
        Intent(is_debug ? Role::kDebug : Role::kCode, parent,
               is_debug ? "" : node.plan->annotated_source, random);
    const CallEnd end = Answer(texts_.Advice(random) + "\n\n```cpp\n" +
                                   node.candidate->source + "```\n",
                               random);
    EndCall(attempt, intent, seconds, WindowOf(parent.id), [&](CallId call) {
      return store::Calls(database_).EndWithCandidate(
          call, end, *node.candidate, node.footprint);
    });
  }

  void EndCall(AttemptId attempt, const CallIntent& intent,
               std::vector<double>& seconds, const Window& window,
               const std::function<Result<void>(CallId)>& end) {
    const CallId call = Must(Timed(seconds, [&] {
      return store::Calls(database_).Begin(attempt, intent, window);
    }));
    Must(Timed(seconds, [&] { return end(call); }));
  }

  static void AddSamples(Evaluation& evaluation, double runtime_s,
                         RandomStream& random) {
    for (int i = 0; i < 3; ++i) {
      WorkloadResult result;
      result.workload =
          "0190163d-8694-739b-aea5-966c26f8ad9" + std::to_string(i);
      result.verdict = Verdict::kPassed;
      result.worst_error_ratio = random.Uniform();
      result.calls_verified = 7;
      for (int round = 0; round < 7; ++round) {
        result.samples_s.push_back(runtime_s * (1 + 0.01 * random.Normal()));
        result.root_samples_s.push_back(2e-3 * (1 + 0.01 * random.Normal()));
      }
      evaluation.workloads.push_back(std::move(result));
    }
    Summarise(evaluation);
  }

  Evaluation Judge(const NodeRecord& parent, const NodeRecord& node,
                   RandomStream& random) const {
    constexpr Verdict kFailures[] = {
        Verdict::kCompileFailed, Verdict::kWrongOutput, Verdict::kCompileFailed,
        Verdict::kCrashed};
    Evaluation evaluation;
    evaluation.environment = {"a processor",
                              2,
                              "Linux 6.1",
                              "",
                              "2 cores, AVX2",
                              "g++ 12.2",
                              "-O3 -march=native -fopenmp",
                              {}};
    evaluation.compile_s = random.Uniform();
    evaluation.check_s = random.Uniform();
    evaluation.timing_s = random.Uniform();
    if (random.Below(2) == 0) {
      evaluation.verdict = kFailures[random.Below(4)];
    } else {
      evaluation.verdict = Verdict::kPassed;
      const double before = parent.evaluation.runtime_s.value_or(1e-3);
      // A change gains or loses a tenth or so, down to what the machine allows.
      const double least = 1e-4 * (1 + 0.05 * random.Uniform());
      AddSamples(evaluation,
                 std::max(before * (1 + 0.1 * random.Normal()), least), random);
    }
    evaluation.log =
        texts_.Log(node.candidate->source, evaluation.verdict, random);
    return evaluation;
  }

  AttemptTexts texts_;
  store::Database database_;
  std::unique_ptr<Searcher> searcher_;
  std::int64_t decision_ = 0;
};

// Seconds of one 4 KB append and fdatasync.
double MeasureFsync(const fs::path& directory) {
  const fs::path path = directory / "fsync";
  const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
  const std::string page(4096, 'x');
  std::vector<double> seconds;
  for (int i = 0; i < 200; ++i) {
    const auto start = Clock::now();
    if (write(file, page.data(), page.size()) < 0 || fdatasync(file) != 0) {
      throw std::runtime_error(path.string() + ": cannot be synced");
    }
    seconds.push_back(SecondsSince(start));
  }
  close(file);
  fs::remove(path);
  return Median(seconds);
}

struct Appends {
  std::vector<double> ours;  // Seconds of each transaction.
  std::vector<double> bare;
};

// `bare` is a copy of `path`, and stays one.
Appends MeasureAppends(const fs::path& path, const fs::path& bare,
                       store::Durability durability, int attempts) {
  Appends appends;
  Campaign campaign(path, durability);
  BareSqlite reader(path);
  BareSqlite writer(bare);
  writer.Execute(durability == store::Durability::kFull
                     ? "PRAGMA synchronous = FULL"
                     : "PRAGMA synchronous = NORMAL");
  writer.Execute("PRAGMA cache_size = -65536");
  std::int64_t blob = writer.Number("SELECT max(blob_id) FROM blob");
  std::int64_t attempt =
      writer.Number("SELECT ifnull(max(attempt_id), 0) FROM attempt");
  for (int i = 0; i < kWarmUps + attempts; ++i) {
    if (i == kWarmUps) appends = {};
    campaign.Grow(appends.ours);
    for (const TransactionSteps& steps :
         RecordedTransactions(reader, attempt, blob)) {
      appends.bare.push_back(writer.Replay(steps));
    }
    ++attempt;
    if (appends.ours.size() != appends.bare.size()) {
      throw std::runtime_error("the bare file does other transactions");
    }
  }
  return appends;
}

void ReportAppends(const char* mode, const Appends& appends, double fsync_s) {
  std::printf(
      "  append %-6s  %.3f ms a transaction (median), bare %.3f ms: ratio "
      "%.2f; means %.3f and %.3f ms: ratio %.2f; in raw fsyncs: %.1f\n",
      mode, 1e3 * Median(appends.ours), 1e3 * Median(appends.bare),
      Median(appends.ours) / Median(appends.bare),
      1e3 * Sum(appends.ours) / static_cast<double>(appends.ours.size()),
      1e3 * Sum(appends.bare) / static_cast<double>(appends.bare.size()),
      Sum(appends.ours) / Sum(appends.bare), Median(appends.ours) / fsync_s);
}

void ReportSize(const fs::path& path) {
  BareSqlite file(path);
  file.Execute("PRAGMA wal_checkpoint(TRUNCATE)");
  const auto bytes = static_cast<double>(fs::file_size(path));
  const auto text =
      static_cast<double>(file.Number("SELECT sum(raw_bytes) FROM blob"));
  const auto stored =
      static_cast<double>(file.Number("SELECT sum(length(bytes)) FROM blob"));
  const auto nodes =
      static_cast<double>(file.Number("SELECT count(*) FROM node"));
  std::printf(
      "  size           file %.1f MB, distinct texts %.1f MB (%.1f KB a node): "
      "%.1f %%; compressed texts alone %.1f %%\n",
      bytes / 1e6, text / 1e6, text / nodes / 1e3, 100 * bytes / text,
      100 * stored / text);
  constexpr std::pair<const char*, const char*> kKinds[] = {
      {"sources", "SELECT source_blob FROM node"},
      {"annotated sources", "SELECT annotated_blob FROM plan"},
      {"prompts", "SELECT user_prompt_blob FROM model_call"},
      {"answers", "SELECT answer_blob FROM model_call"},
      {"logs", "SELECT log_blob FROM evaluation"}};
  for (const auto& [name, select] : kKinds) {
    const Row row = file.Rows(std::string("SELECT sum(raw_bytes) AS raw,"
                                          " sum(length(bytes)) AS kept"
                                          " FROM blob"
                                          " WHERE blob_id IN (") +
                              select + ")")
                        .at(0);
    const auto raw = static_cast<double>(std::get<std::int64_t>(row["raw"]));
    const auto kept = static_cast<double>(std::get<std::int64_t>(row["kept"]));
    std::printf("    %-18s %7.2f KB a node, compressed to %.1f %%\n", name,
                raw / nodes / 1e3, 100 * kept / raw);
  }
}

// Runs in a process of its own, since that is what opening means.
void Probe(const fs::path& path) {
  const auto start = Clock::now();
  store::Database database =
      Must(store::Database::Open(path, store::Access::kReadWrite));
  const std::unique_ptr<Searcher> searcher = Rebuild(database);
  searcher->Select(0);
  const double open_s = SecondsSince(start);
  const double resident_mb = ResidentMB();

  double bare_s = 0.0;
  {
    const auto bare_start = Clock::now();
    BareSqlite bare(path);
    bare.Rows(
        "SELECT sum(number + ifnull(parent_number, 0) + verdict"
        " + ifnull(speedup, 0) + kernel_hash % 2) FROM node");
    bare_s = SecondsSince(bare_start);
  }
  std::vector<double> selections;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const auto from = Clock::now();
    searcher->Select(i);
    selections.push_back(SecondsSince(from));
  }
  RandomStream random(9, Purpose::kSimulation, 0);
  std::vector<double> windows;
  for (int i = 0; i < 300; ++i) {
    const auto from = Clock::now();
    for (int node = 0; node < 3; ++node) {
      const auto id =
          random.Below(static_cast<std::uint64_t>(searcher->tree.Size()));
      Must(store::Nodes(database).Load(kCampaign,
                                       NodeId{static_cast<std::int64_t>(id)}));
    }
    windows.push_back(SecondsSince(from));
  }
  std::printf("  selection      %.2f us (median)\n", 1e6 * Median(selections));
  std::printf(
      "  opening        %.4f s to the first selection; bare SQLite scans the "
      "same columns in %.4f s: ratio %.2f; RSS then %.0f MB\n",
      open_s, bare_s, open_s / bare_s, resident_mb);
  std::printf("  window         %.3f ms for three random nodes (median)\n",
              1e3 * Median(windows));
}

void ProbeInOwnProcess(const char* program, const fs::path& path) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", program, "--probe", path.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error("the probe failed");
}

void GrowTo(const fs::path& path, std::int64_t size) {
  const auto start = Clock::now();
  Campaign campaign(path, store::Durability::kNormal);
  const std::int64_t before = campaign.Size();
  std::vector<double> seconds;
  while (campaign.Size() < size) {
    campaign.Grow(seconds);
    if (seconds.size() > 10000) seconds.clear();
  }
  std::printf(
      "%lld nodes (grown in %.0f s, %.2f ms a node, text making and "
      "loading of parents included)\n",
      static_cast<long long>(size), SecondsSince(start),
      1e3 * SecondsSince(start) /
          static_cast<double>(
              std::max<std::int64_t>(1, campaign.Size() - before)));
}

void Measure(const char* program, const fs::path& path, std::int64_t size,
             int attempts) {
  GrowTo(path, size);
  const fs::path bare = path.string() + ".bare";
  fs::remove(bare);
  // Nobody has the file open: the log is in it.
  fs::copy_file(path, bare);
  for (const auto& [mode, durability] :
       {std::pair{"FULL", store::Durability::kFull},
        std::pair{"NORMAL", store::Durability::kNormal}}) {
    const double fsync_s = MeasureFsync(path.parent_path());
    ReportAppends(mode, MeasureAppends(path, bare, durability, attempts),
                  fsync_s);
  }
  fs::remove(bare);
  ProbeInOwnProcess(program, path);
  ReportSize(path);
  std::printf("\n");
  std::fflush(stdout);
}

std::vector<std::int64_t> ParseSizes(const std::string& text) {
  std::vector<std::int64_t> sizes;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    sizes.push_back(std::atoll(text.substr(at, comma - at).c_str()));
    at = comma + 1;
  }
  return sizes;
}

int Run(int argc, char** argv) {
  std::vector<std::int64_t> sizes = {1000, 10000, 100000};
  int attempts = 300;
  fs::path directory = fs::temp_directory_path();
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--probe") {
      Probe(argv[i + 1]);
      return 0;
    }
    if (option == "--nodes") sizes = ParseSizes(argv[i + 1]);
    if (option == "--attempts") attempts = std::atoi(argv[i + 1]);
    if (option == "--directory") directory = argv[i + 1];
  }
  const bool are_valid = !sizes.empty() &&
                         std::is_sorted(sizes.begin(), sizes.end()) &&
                         sizes.front() > 0;
  if (argc % 2 == 0 || !are_valid) {
    std::fprintf(stderr,
                 "usage: tree_memory_benchmark [--nodes N,N,...] "
                 "[--attempts N] [--directory DIR]\n"
                 "sizes are positive and rise; so many attempts are timed at "
                 "each\n");
    return 2;
  }
  std::string name = (directory / "tree_memory_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    std::fprintf(stderr, "%s: cannot be created\n", name.c_str());
    return 1;
  }
  const fs::path path = fs::path(name) / "tree.db";
  std::printf("one fsync of %s: %.3f ms\n\n", directory.c_str(),
              1e3 * MeasureFsync(name));
  try {
    for (const std::int64_t size : sizes)
      Measure(argv[0], path, size, attempts);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "%s\n", exception.what());
    fs::remove_all(name);
    return 1;
  }
  fs::remove_all(name);
  return 0;
}

}  // namespace
}  // namespace coppice

int main(int argc, char** argv) { return coppice::Run(argc, argv); }
