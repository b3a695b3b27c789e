// What questions to a large file cost, as ratios to a lookup by key and to a
// scan of all nodes by bare SQLite in the same run.
//
//   million_nodes_benchmark [NODES] [--in DIRECTORY]
//
// Builds a file of NODES (1,000,000) as large_history.h describes, in
// DIRECTORY, which needs 1.3 KB for each.  Then it asks
//
//   verbs   the program itself, a process each, from its start to its end,
//           beside a process that opens the file and looks one node up
//   views   in bare SQLite, each by a connection of its own, beside a lookup
//           and a scan by such a one
//   writes  through the store, with the sums that they keep
//
// each five times, and prints medians.  The file is in the page cache.  Goal:
// 0.2 s for each verb and view at a million nodes.
//
// Up to 100,000 nodes it also checks what they answer: views on sums against a
// recount, before the writes and after them, and verbs against SQL.  It exits
// with 1 if one fails or answers wrongly, whatever it took.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/read/history.h"
#include "store/records/evaluation.h"
#include "store/records/random.h"
#include "store/recount.h"
#include "store/scratch.h"
#include "tests/bare_sqlite.h"
#include "tests/engine_windows.h"
#include "tests/large_history.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using store::Must;

constexpr int kTimes = 5;
constexpr std::int64_t kMostChecked = 100'000;
constexpr CampaignId kCampaign{1};

double SecondsOf(const timeval& time) {
  return static_cast<double>(time.tv_sec) +
         1e-6 * static_cast<double>(time.tv_usec);
}

double Cpu(const rusage& usage) {
  return SecondsOf(usage.ru_utime) + SecondsOf(usage.ru_stime);
}

double OwnCpu() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return Cpu(usage);
}

struct Cost {
  double wall_s = 0.0;
  double cpu_s = 0.0;
};

Cost MedianOf(const std::function<Cost()>& measure) {
  std::vector<double> wall_s;
  std::vector<double> cpu_s;
  for (int i = 0; i < kTimes; ++i) {
    const Cost cost = measure();
    wall_s.push_back(cost.wall_s);
    cpu_s.push_back(cost.cpu_s);
  }
  return {Median(wall_s), Median(cpu_s)};
}

Cost InProcess(const std::function<void()>& work) {
  const double cpu_s = OwnCpu();
  const auto start = Clock::now();
  work();
  return {std::chrono::duration<double>(Clock::now() - start).count(),
          OwnCpu() - cpu_s};
}

// The file of the benchmark, and what is asked of it.
class Bench {
 public:
  Bench(const fs::path& directory, std::int64_t nodes)
      : nodes_(nodes),
        file_(directory / "large.db"),
        output_(directory / "output") {
    // Whoever has held a million nodes in memory forks slowly.
    const Cost cost = Spawn("/proc/self/exe",
                            {"--build", file_.string(), std::to_string(nodes)});
    if (faults_ > 0) throw std::runtime_error("no file was built");
    std::printf("%lld nodes, %.0f MB, built in %.0f s\n\n",
                static_cast<long long>(nodes),
                static_cast<double>(fs::file_size(file_)) / 1e6, cost.wall_s);
  }

  void Run() {
    PrintHeader();
    MeasureVerbs();
    MeasureViews();
    if (nodes_ <= kMostChecked) Check();
    MeasureWrites();
    if (nodes_ <= kMostChecked) CheckSums();
    std::printf("\nslowest verb or view: %s, %.3f s\n", slowest_.c_str(),
                slowest_s_);
  }

  bool IsRight() const { return faults_ == 0; }

 private:
  void PrintHeader() {
    scan_ = MedianOf([&] {
      return InProcess([&] {
        BareSqlite(file_).Rows(
            "SELECT sum(number + ifnull(parent_number, 0) + verdict"
            " + ifnull(speedup, 0) + kernel_hash % 2) FROM node");
      });
    });
    lookup_ = MedianOf([&] { return InProcess([&] { LookUp(file_); }); });
    process_ = MedianOf([&] {
      return Spawn("/proc/self/exe", {"--look-up", file_.string()});
    });
    std::printf(
        "a scan of all nodes %.4f s; a lookup %.6f s, in a process of its own "
        "%.4f s\n\n%-46s %9s %9s %11s %9s\n",
        scan_.wall_s, lookup_.wall_s, process_.wall_s, "", "seconds", "CPU",
        "of a lookup", "of a scan");
  }

  void Print(const std::string& name, const Cost& cost, const Cost& lookup) {
    std::printf("%-46s %9.4f %9.4f %11.1f %9.4f\n", name.c_str(), cost.wall_s,
                cost.cpu_s, cost.wall_s / lookup.wall_s,
                cost.wall_s / scan_.wall_s);
    std::fflush(stdout);
  }

  void PrintAnswer(const std::string& name, const Cost& cost,
                   const Cost& lookup) {
    Print(name, cost, lookup);
    if (cost.wall_s <= slowest_s_) return;
    slowest_ = name;
    slowest_s_ = cost.wall_s;
  }

  void Fault(const std::string& what) {
    ++faults_;
    std::printf("WRONG: %s\n", what.c_str());
  }

  void Expect(bool holds, const std::string& what) {
    if (!holds) Fault(what);
  }

 public:
  static void LookUp(const fs::path& file) {
    BareSqlite(file).Rows(
        "SELECT * FROM node WHERE campaign_id = 1"
        " AND number = (SELECT nodes / 2 FROM campaign)");
  }

 private:
  // What it prints goes into a file, but for what it says beside it.
  Cost Spawn(const char* program, std::vector<std::string> arguments) {
    std::vector<char*> words = {const_cast<char*>(program)};
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    const auto start = Clock::now();
    const pid_t child = fork();
    if (child == 0) {
      const int out =
          open(output_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
      dup2(out, STDOUT_FILENO);
      dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
      execv(program, words.data());
      _exit(127);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    if (status != 0) Fault("exit status " + std::to_string(status));
    return {std::chrono::duration<double>(Clock::now() - start).count(),
            Cpu(usage)};
  }

  Cost Ask(std::vector<std::string> words) {
    words.insert(words.end(), {"--db", file_.string()});
    return Spawn(COPPICE_PROGRAM, std::move(words));
  }

  nlohmann::json Answer(std::vector<std::string> words) {
    words.emplace_back("--json");
    Ask(std::move(words));
    std::ifstream file(output_);
    return nlohmann::json::parse(file, nullptr, false);
  }

  std::string Text() const {
    std::ifstream file(output_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // A node of which that holds, near the middle.
  std::string NodeWhere(const std::string& sql) {
    return std::to_string(BareSqlite(file_).Number(
        "SELECT number FROM node WHERE number > " + std::to_string(nodes_ / 2) +
        " AND " + sql + " LIMIT 1"));
  }

  void MeasureVerbs() {
    const std::string passing = NodeWhere("verdict = 0");
    const std::string failing = NodeWhere("verdict = 1");
    // The branch is on the root, and has the largest subtree.
    const std::string branch = std::to_string(
        BareSqlite(file_).Number("SELECT parent_number FROM node"
                                 " WHERE parent_number IN (SELECT number"
                                 "  FROM node WHERE parent_number = 0"
                                 "  AND verdict = 0)"
                                 " GROUP BY 1 ORDER BY count(*) DESC LIMIT 1"));
    const std::vector<std::vector<std::string>> kVerbs = {
        {"status"},
        {"report", "spend"},
        {"report", "spend", "--by", "day"},
        {"best"},
        {"show", "best"},
        {"show", passing},
        {"diff", "1", "2"},
        {"tree"},
        {"tree", "--from", "best"},
        {"tree", "--from", branch, "--depth", "3"},
        {"tree", "--json", "--limit", "200"},
        {"prompt", "root"},
        {"prompt", "best"},
        {"prompt", "best", "--role", "code"},
        {"prompt", passing},
        {"prompt", failing},
        {"prompt", branch},
        {"prompt", branch, "--role", "code"}};
    for (const auto& words : kVerbs) {
      std::string name = "coppice";
      for (const std::string& word : words) name += " " + word;
      PrintAnswer(name, MedianOf([&] { return Ask(words); }), process_);
    }
  }

  void MeasureViews() {
    const std::string node = std::to_string(nodes_ / 2);
    const std::string of = " WHERE campaign = 'large' AND node = " + node;
    const std::string by = " WHERE campaign = 'large' AND decision = " + node;
    const std::vector<std::string> kQueries = {
        "campaigns",
        "settings",
        "leaderboard",
        "baselines",
        "failures",
        "scores",
        "rates",
        "fast_p",
        "fast_p_over",
        "spend",
        "spend_by_day",
        "improvement_costs",
        "quarantined",
        "claims",
        "best_so_far WHERE campaign = 'large' AND improved",
        "best_so_far" + of,
        "nodes" + of,
        "nodes WHERE campaign = 'large' ORDER BY node DESC LIMIT 20",
        "nodes WHERE campaign = 'large' AND parent = 0 LIMIT 20",
        "trials" + of,
        "lineage" + of,
        "evaluations" + of,
        "workload_results" + of,
        "attempts" + by,
        "calls" + by,
        "wire_calls" + by,
        "windows" + by};
    for (const std::string& query : kQueries) {
      std::string name = query;
      constexpr std::string_view kOf = " WHERE campaign = 'large' AND";
      if (const std::size_t at = name.find(kOf); at != name.npos) {
        name.replace(at, kOf.size(), ":");
      }
      PrintAnswer(name, MedianOf([&] {
                    return InProcess([&] {
                      BareSqlite(file_).Rows("SELECT * FROM " + query);
                    });
                  }),
                  lookup_);
    }
  }

  // The last one has the highest count of sums to change: improvements that the
  // fastest node hid are found again.
  void MeasureWrites() {
    store::Database database = Must(store::Database::Open(
        file_, store::Access::kReadWrite, store::Durability::kNormal));
    std::printf("\n");
    Print("an attempt of two calls, committed", MedianOf([&] {
            return InProcess([&] {
              store::Grow(database, kCampaign, kRootNode, {.runtime_s = 3.0});
            });
          }),
          lookup_);
    const auto evaluate_best = [&](Verdict verdict) {
      const NodeId best =
          Must(store::ReadLeaders(database, kCampaign, 1)).at(0).line.node;
      const auto slower_s =
          verdict == Verdict::kPassed ? std::optional(0.2) : std::nullopt;
      return InProcess([&] {
        Must(store::Nodes(database).AddEvaluation(
            kCampaign, best, store::EvaluationOf(verdict, slower_s), 2e9));
      });
    };
    Print("the fastest node found to be slower",
          MedianOf([&] { return evaluate_best(Verdict::kPassed); }), lookup_);
    Print("the fastest node refuted",
          MedianOf([&] { return evaluate_best(Verdict::kWrongOutput); }),
          lookup_);
  }

  // Each view that rests on sums.
  void CheckSums() {
    BareSqlite file(file_);
    for (const store::Recount& recount : store::ViewRecounts()) {
      const std::int64_t rows = file.Number(store::DifferencesSql(recount));
      Expect(rows == 0, std::string(recount.view) + " differs from a recount" +
                            " in " + std::to_string(rows) + " rows");
    }
  }

  void Check() {
    CheckSums();
    BareSqlite file(file_);
    const auto number = [&](const std::string& sql) {
      return file.Number("SELECT " + sql);
    };
    const std::int64_t best = number(
        "number FROM node WHERE verdict = 0 ORDER BY speedup DESC, number"
        " LIMIT 1");
    const auto status = Answer({"status"});
    Expect(status[0]["nodes"] == nodes_, "nodes of status");
    Expect(status[0]["best"]["node"] == best, "best of status");
    Expect(status[0]["calls"] == number("count(*) FROM model_call"),
           "calls of status");
    Expect(status[0]["verdicts"]["passed"] ==
               number("count(*) FROM node WHERE verdict = 0 AND number > 0"),
           "verdicts of status");
    Expect(Answer({"best"})[0]["node"] == best, "best");
    std::int64_t tokens = 0;
    const auto spend = Answer({"report", "spend"});
    for (const auto& line : spend["spend"]) {
      tokens += line["input_tokens"].get<std::int64_t>();
    }
    Expect(tokens == number("sum(input_tokens) FROM model_call"),
           "tokens of spend");
    Expect(std::ssize(Answer({"tree"})) == nodes_, "nodes of tree");
    Ask({"tree"});
    const std::string text = Text();
    Expect(std::ranges::count(text, '\n') == 201, "lines of tree");
    Expect(text.find("... " + std::to_string(nodes_ - 200) + " more below") !=
               std::string::npos,
           "the rest of tree");
    CheckWindows(best);
  }

  // `prompt` shows what the engine would.
  void CheckWindows(std::int64_t best) {
    RandomStream random(4, Purpose::kSimulation, 0);
    std::vector<NodeId> nodes = {NodeId{0}, NodeId{1}, NodeId{best}};
    for (int i = 0; i < 7; ++i) {
      nodes.push_back(NodeId{static_cast<std::int64_t>(
          random.Below(static_cast<std::uint64_t>(nodes_)))});
    }
    for (const EngineWindow& window : EngineWindows(file_, nodes)) {
      const std::string node = std::to_string(Index(window.selected));
      const auto answer = Answer({"prompt", node});
      std::vector<std::int64_t> shown;
      for (const auto& entry : answer["window"]) {
        shown.push_back(entry["node"].get<std::int64_t>());
      }
      Expect(shown == window.shown && answer["nodes_cut"] == window.nodes_cut,
             "the window of node " + node);
    }
  }

  std::int64_t nodes_;
  fs::path file_;
  fs::path output_;
  Cost scan_;
  Cost lookup_;
  Cost process_;
  std::string slowest_;
  double slowest_s_ = 0.0;
  int faults_ = 0;
};

int Run(std::int64_t nodes, const fs::path& parent) {
  std::string name = (parent / "million_nodes_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw std::runtime_error(parent.string() + ": no folder can be made there");
  }
  bool is_right = false;
  try {
    Bench bench(name, nodes);
    bench.Run();
    is_right = bench.IsRight();
  } catch (...) {
    fs::remove_all(name);
    throw;
  }
  fs::remove_all(name);
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace coppice

int main(int argc, char** argv) {
  std::int64_t nodes = 1'000'000;
  std::filesystem::path directory = std::filesystem::temp_directory_path();
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == "--build") {
        coppice::BuildLargeHistory(words.at(i + 1),
                                   std::stoll(words.at(i + 2)));
        return 0;
      }
      if (words[i] == "--look-up") {
        coppice::Bench::LookUp(words.at(i + 1));
        return 0;
      }
      if (words[i] == "--in") {
        directory = words.at(++i);
      } else {
        nodes = std::stoll(words[i]);
      }
    }
    return coppice::Run(nodes, directory);
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "%s\n", exception.what());
    return 1;
  }
}
