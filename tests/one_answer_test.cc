// Whoever is asked who won, and how fast that is, gives one answer: every verb,
// every view and every export, of 60 campaigns on machines that drift.  The
// answer is worked out here from what each session measured.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "engine/cli/dispatch.h"
#include "engine/cli/verbs.h"
#include "engine/inspector/inspector.h"
#include "store/records/speedup_text.h"
#include "store/records/tier.h"
#include "store/records/worth.h"
#include "store/scratch.h"
#include "tests/bare_sqlite.h"
#include "tests/drifting_campaigns.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

// --- What each session measured, and what follows of it ----------------------

double Real(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    return static_cast<double>(*whole);
  }
  return std::get<double>(cell);
}
std::int64_t Int(const Cell& cell) { return std::get<std::int64_t>(cell); }
bool IsNull(const Cell& cell) {
  return std::holds_alternative<std::monostate>(cell);
}
const std::string& Text(const Cell& cell) {
  return std::get<std::string>(cell);
}

// "1.25 (1.2 to 1.3)" of columns x, x_low, x_high, to all digits.
std::optional<Speedup> SpeedupIn(const Row& row, const std::string& ratio,
                                 const std::string& low,
                                 const std::string& high) {
  if (IsNull(row[ratio])) return std::nullopt;
  Speedup speedup{Real(row[ratio]), std::nullopt};
  if (!IsNull(row[low])) {
    speedup.interval = Interval{Real(row[low]), Real(row[high])};
  }
  return speedup;
}

std::optional<Speedup> SpeedupIn(const Row& row) {
  return SpeedupIn(row, "speedup", "speedup_low", "speedup_high");
}

std::optional<Speedup> SpeedupIn(const json& object) {
  if (object.at("speedup").is_null()) return std::nullopt;
  Speedup speedup{object["speedup"], std::nullopt};
  if (!object.at("speedup_low").is_null()) {
    speedup.interval = Interval{object["speedup_low"], object["speedup_high"]};
  }
  return speedup;
}

// Equal, or but for rounding.
bool IsSame(const std::optional<Speedup>& a, const std::optional<Speedup>& b) {
  const auto near = [](double x, double y) {
    return std::abs(x - y) <= 1e-9 * std::abs(y);
  };
  if (!a || !b) return a.has_value() == b.has_value();
  if (!near(a->ratio, b->ratio)) return false;
  if (!a->interval || !b->interval) {
    return a->interval.has_value() == b->interval.has_value();
  }
  return near(a->interval->low, b->interval->low) &&
         near(a->interval->high, b->interval->high);
}

std::string Shown(const std::optional<Speedup>& speedup) {
  return speedup ? Describe(*speedup) : "none";
}

// "2.31x (95 % interval 2.28-2.34)", as sentences have it.
std::string Printed(const Speedup& speedup) {
  return SpeedupText(speedup, kInterval);
}

// As a regular expression that only it matches.
std::string Quoted(const std::string& text) {
  static const std::regex kMarks(R"([.()?*+])");
  return std::regex_replace(text, kMarks, R"(\$&)");
}

struct Node {
  Worth worth;
  std::int64_t original = 0;
  std::int64_t parent = 0;
  std::string policy;  // Empty: the root.
  bool is_refuted = false;
  bool is_confirmed = false;
  std::vector<Evidence> findings;  // Of its tokens.
};

struct Truth {
  std::string campaign;
  std::string task;
  std::string policy;  // Of its start.
  double root_s = 0.0;
  double root_efficiency = 0.0;
  std::vector<Node> nodes;
  std::size_t winner = 0;

  const Speedup& speedup() const { return *nodes[winner].worth.speedup; }
  std::string Solution() const {
    return winner == 0 ? task + "_root"
                       : campaign + ".node" + std::to_string(winner);
  }
  // The fastest of the other kernels that pass, the root among them.
  std::optional<std::size_t> Next() const {
    std::optional<std::size_t> next;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i == winner || !nodes[i].worth.speedup) continue;
      if (nodes[i].original != static_cast<std::int64_t>(i)) continue;
      if (!next ||
          nodes[i].worth.speedup->ratio > nodes[*next].worth.speedup->ratio) {
        next = i;
      }
    }
    return next;
  }
  bool IsNear() const {
    const auto next = Next();
    return next && Over(speedup(), *nodes[*next].worth.speedup).Sign() == 0;
  }
  // The winner as tables print it.
  std::string WinnerCell() const {
    return std::to_string(winner) + (IsNear() ? " ~" : "");
  }
  // The fastest candidate; of one policy if that is named.  The root is none.
  std::optional<std::size_t> Best(const std::string& of_policy = "") const {
    std::optional<std::size_t> best;
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      if (!nodes[i].worth.speedup) continue;
      if (!of_policy.empty() && nodes[i].policy != of_policy) continue;
      if (!best ||
          nodes[i].worth.speedup->ratio > nodes[*best].worth.speedup->ratio) {
        best = i;
      }
    }
    return best;
  }
};

// Whether a further one failed, when it had passed.
bool IsRefuted(std::span<const Evidence> findings) {
  bool passed = false;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const Verdict verdict = WorthOf(findings.first(i + 1)).verdict;
    if (passed && findings[i].further && verdict != Verdict::kPassed) {
      return true;
    }
    passed = verdict == Verdict::kPassed;
  }
  return false;
}

bool HasPassedInFull(std::span<const Evidence> findings) {
  return std::ranges::any_of(findings, [](const Evidence& each) {
    return each.tier == Tier::kFull && each.verdict == Verdict::kPassed;
  });
}

std::vector<Truth> TruthsOf(const fs::path& path) {
  BareSqlite file(path);
  std::vector<Truth> truths;
  for (const Row& campaign : file.Rows("SELECT * FROM campaign")) {
    Truth truth;
    truth.campaign = Text(campaign["name"]);
    truth.task = Text(campaign["task"]);
    truth.policy = Text(campaign["policy"]);
    const std::string of_campaign =
        " WHERE campaign_id = " + std::to_string(Int(campaign["campaign_id"]));
    std::map<std::int64_t, std::vector<Evidence>> findings;
    for (const Row& row :
         file.Rows("SELECT * FROM evaluation" + of_campaign +
                   " AND node_number IS NOT NULL ORDER BY ordinal")) {
      const std::int64_t node = Int(row["node_number"]);
      if (node == 0 && findings[0].empty()) {
        truth.root_s = Real(row["runtime_s"]);
      }
      findings[node].push_back({static_cast<Verdict>(Int(row["verdict"])),
                                SpeedupIn(row), !IsNull(row["further"]),
                                static_cast<Tier>(Int(row["tier"]))});
    }
    double log_sum = 0.0;
    const auto results = file.Rows(
        "SELECT floor_s, median_s FROM workload_result"
        " JOIN evaluation USING (evaluation_id)" +
        of_campaign + " AND node_number = 0 AND ordinal = 0");
    for (const Row& row : results) {
      if (IsNull(row["floor_s"])) continue;
      log_sum += std::log(Real(row["floor_s"]) / Real(row["median_s"]));
    }
    truth.root_efficiency =
        std::exp(log_sum / static_cast<double>(results.size()));
    for (const Row& row :
         file.Rows("SELECT n.number, n.same_as, n.parent_number, a.policy"
                   " FROM node n LEFT JOIN attempt a USING (attempt_id)"
                   " WHERE n.campaign_id = " +
                   std::to_string(Int(campaign["campaign_id"])) +
                   " ORDER BY number")) {
      Node node;
      const std::int64_t number = Int(row["number"]);
      node.original = IsNull(row["same_as"]) ? number : Int(row["same_as"]);
      if (number > 0) {
        node.parent = Int(row["parent_number"]);
        node.policy = Text(row["policy"]);
      }
      node.findings = findings.at(node.original);
      if (node.original == 0) {
        node.worth = WorthOfRoot();
      } else {
        node.worth = WorthOf(node.findings);
        node.is_refuted = IsRefuted(node.findings);
        node.is_confirmed = node.worth.verdict == Verdict::kPassed &&
                            HasPassedInFull(node.findings);
      }
      truth.nodes.push_back(node);
    }
    for (std::size_t i = 1; i < truth.nodes.size(); ++i) {
      const auto& speedup = truth.nodes[i].worth.speedup;
      if (speedup && speedup->ratio > truth.speedup().ratio) truth.winner = i;
    }
    truths.push_back(std::move(truth));
  }
  return truths;
}

// --- The files, made once ----------------------------------------------------

struct World {
  store::ScratchDirectory directory;
  config::Surroundings surroundings;
  std::vector<DriftingFile> files;
  std::vector<std::vector<Truth>> truths;  // By file.

  World() {
    surroundings.environment["HOME"] = directory.File("home").string();
    surroundings.cores = 2;
    // Without experts, which `bench` would judge for minutes: a speed is no
    // other for them.
    surroundings.data_directory = directory.File("data");
    fs::copy(COPPICE_DATA, surroundings.data_directory,
             fs::copy_options::recursive);
    fs::remove_all(surroundings.data_directory / "cpu/solutions/expert");
    const char* policies[] = {"stark", "xei_b", "greedy", "best_of_k"};
    for (std::uint64_t i = 0; i < 4; ++i) {
      files.push_back({directory.File("f" + std::to_string(i) + ".db"),
                       policies[i], i + 1});
    }
    std::vector<std::thread> threads;
    for (const DriftingFile& file : files) {
      threads.emplace_back([&] { RunDriftingCampaigns(file, surroundings); });
    }
    for (std::thread& thread : threads) thread.join();
    for (const DriftingFile& file : files) {
      truths.push_back(TruthsOf(file.path));
    }
  }
};

World& TheWorld() {
  static World world;
  return world;
}

struct Said {
  int exit = -1;
  std::string out;
  std::string err;
};

// Through the table of verbs, in this process.
Said SayAny(const Words& words) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  cli::Streams streams{in, out, err};
  const cli::Exit exit = cli::Dispatch(words, TheWorld().surroundings, streams);
  return {static_cast<int>(exit), out.str(), err.str()};
}

Said Say(const Words& words) {
  Said said = SayAny(words);
  EXPECT_EQ(said.exit, 0) << words[0] << ": " << said.err;
  return said;
}

// By the program, for what needs its runner; its output alone.
std::string Run(const std::string& words) {
  const std::string command = "HOME='" +
                              TheWorld().directory.File("home").string() +
                              "' " COPPICE_PROGRAM " " + words + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  char some[4096];
  for (std::size_t n = 0; (n = fread(some, 1, sizeof some, pipe)) > 0;) {
    output.append(some, n);
  }
  pclose(pipe);
  return output;
}

json Json(Words words) {
  words.push_back("--json");
  const Said said = Say(words);
  EXPECT_EQ(said.exit, 0) << words[0] << ": " << said.err;
  return json::parse(said.out, nullptr, false);
}

std::string FileText(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The cells of the line of a printed table that begins so, or of all lines.
std::vector<Words> CellsOf(const std::string& text, const std::string& begin) {
  std::vector<Words> rows;
  std::istringstream lines(text);
  static const std::regex kGap("  +");
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(begin)) continue;
    rows.emplace_back(
        std::sregex_token_iterator(line.begin(), line.end(), kGap, -1),
        std::sregex_token_iterator());
  }
  return rows;
}

Words CellsOfOne(const std::string& text, const std::string& begin) {
  const std::vector<Words> rows = CellsOf(text, begin);
  EXPECT_EQ(rows.size(), 1u) << begin << " in\n" << text;
  return rows.empty() ? Words(32) : rows.front();
}

#define EXPECT_SAME(said, truth) \
  EXPECT_TRUE(IsSame(said, truth)) << Shown(said) << ", not " << Shown(truth)

// --- Verbs -------------------------------------------------------------------

using AskFile =
    std::function<void(const DriftingFile&, const std::vector<Truth>&)>;

void ExpectNext(const json& next, const Truth& truth) {
  EXPECT_EQ(next.is_null(), !truth.Next());
  if (next.is_null()) return;
  EXPECT_EQ(next["node"], *truth.Next());
  EXPECT_EQ(next["told_apart"], !truth.IsNear());
}

void AskBest(const DriftingFile& file, const std::vector<Truth>& truths) {
  const std::string table = Say({"best", "--db", file.path}).out;
  json all = Json({"best", "--db", file.path});
  ASSERT_EQ(all.size(), truths.size());
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const Truth& truth = truths[i];
    SCOPED_TRACE(truth.campaign);
    const Words cells = CellsOfOne(table, truth.campaign + " ");
    EXPECT_EQ(cells[3], SpeedupText(truth.speedup()));
    EXPECT_EQ(cells[4], truth.WinnerCell());
    EXPECT_EQ(all[i]["node"], truth.winner);
    ExpectNext(all[i]["next"], truth);
    EXPECT_EQ(all[i]["faster"], truth.speedup().Sign() > 0);
    EXPECT_EQ(all[i]["confirmed"], truth.nodes[truth.winner].is_confirmed);
    EXPECT_SAME(SpeedupIn(all[i]), truth.speedup());
    EXPECT_DOUBLE_EQ(all[i]["runtime_s"].get<double>(),
                     truth.root_s / truth.speedup().ratio);
    EXPECT_SAME(SpeedupIn(all[i]["lineage"].back()), truth.speedup());
    const std::string text =
        Say({"best", "--db", file.path, "--campaign", truth.campaign}).out;
    EXPECT_THAT(text, HasSubstr(": node " + std::to_string(truth.winner) +
                                " of " + truth.task +
                                (truth.winner == 0 ? ", the root\n"
                                                   : ", by its speedup ")));
    EXPECT_THAT(text, HasSubstr("\nspeedup " + Printed(truth.speedup())));
    EXPECT_EQ(text.find("cannot tell that it is faster") != text.npos,
              truth.winner != 0 && truth.speedup().Sign() <= 0);
  }
}

void AskStatus(const DriftingFile& file, const std::vector<Truth>& truths) {
  const std::string table = Say({"status", "--db", file.path}).out;
  json all = Json({"status", "--db", file.path});
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const Truth& truth = truths[i];
    SCOPED_TRACE(truth.campaign);
    const Words cells = CellsOfOne(table, truth.campaign + " ");
    EXPECT_EQ(cells[4], SpeedupText(truth.speedup()));
    EXPECT_EQ(cells[5], truth.WinnerCell());
    EXPECT_EQ(all[i]["best"]["node"], truth.winner);
    ExpectNext(all[i]["best"]["next"], truth);
    EXPECT_SAME(SpeedupIn(all[i]["best"]), truth.speedup());
  }
}

void AskWatch(const DriftingFile& file, const std::vector<Truth>& truths) {
  const std::string all = Say({"watch", "--once", "--db", file.path}).out;
  for (const Truth& truth : truths) {
    SCOPED_TRACE(truth.campaign);
    EXPECT_THAT(all, HasSubstr(SpeedupText(truth.speedup()) + "  "));
    const std::string text =
        Say({"watch", truth.campaign, "--once", "--db", file.path}).out;
    const std::string winner = std::to_string(truth.winner);
    EXPECT_THAT(text, HasSubstr("\nbest " + Printed(truth.speedup()) +
                                " at node " + winner));
    EXPECT_THAT(text, ContainsRegex("\n  1  node " + winner + " +" +
                                    Quoted(SpeedupText(truth.speedup()))));
    EXPECT_EQ(text.find("not told from node") != text.npos, truth.IsNear());
  }
}

void AskPage(const DriftingFile& file, const std::vector<Truth>& truths) {
  for (const Truth& truth : truths) {
    SCOPED_TRACE(truth.campaign);
    const std::string page =
        Say({"export", "report", truth.campaign, "--db", file.path}).out;
    const std::string winner = std::to_string(truth.winner);
    const std::string speedup = SpeedupText(truth.speedup());
    const bool is_confirmed = truth.nodes[truth.winner].is_confirmed;
    EXPECT_THAT(page, HasSubstr("<dd class=best>" + speedup + "</dd>"));
    EXPECT_THAT(page, HasSubstr("<dd>node " + winner +
                                (is_confirmed ? ", confirmed</dd>" : "</dd>")));
    EXPECT_THAT(page, HasSubstr("<tr><td class=n>1<td class=n>" + winner +
                                "<td class=n>" + speedup));
    EXPECT_EQ(page.find("It cannot be told apart from the next") != page.npos,
              truth.IsNear());
  }
}

void AskTree(const DriftingFile& file, const std::vector<Truth>& truths) {
  static const std::regex kBest(
      "(\\d+)( root| variant \\d+)?  +(\\S+x|\\S+x [(]\\S+[)])( = \\S+ \\S+)?"
      "  best( ~)?\n");
  for (const Truth& truth : truths) {
    SCOPED_TRACE(truth.campaign);
    const Words words = {"tree", "--db", file.path, "--campaign",
                         truth.campaign};
    const std::string text = Say(words).out;
    std::smatch found;
    ASSERT_TRUE(std::regex_search(text, found, kBest)) << text;
    EXPECT_EQ(found[1], std::to_string(truth.winner)) << text;
    EXPECT_EQ(found[3], SpeedupText(truth.speedup())) << text;
    EXPECT_EQ(found[5].matched, truth.IsNear()) << text;
    json all = Json(words);
    for (std::size_t i = 0; i < truth.nodes.size(); ++i) {
      EXPECT_SAME(SpeedupIn(all[i]), truth.nodes[i].worth.speedup);
      EXPECT_EQ(all[i]["verdict"], Name(truth.nodes[i].worth.verdict));
      EXPECT_EQ(all[i]["quarantined"], truth.nodes[i].is_refuted);
    }
  }
}

void AskShow(const DriftingFile& file, const std::vector<Truth>& truths) {
  for (const Truth& truth : truths) {
    SCOPED_TRACE(truth.campaign);
    const Words words = {"show",    "best",       "--db",
                         file.path, "--campaign", truth.campaign};
    EXPECT_THAT(Say(words).out, HasSubstr(Printed(truth.speedup())));
    json node = Json(words);
    EXPECT_EQ(node["node"], truth.winner);
    EXPECT_SAME(SpeedupIn(node), truth.speedup());
  }
}

void AskDiff(const DriftingFile& file, const std::vector<Truth>& truths) {
  for (const Truth& truth : truths) {
    if (truth.winner == 0) continue;
    SCOPED_TRACE(truth.campaign);
    const Words words = {"diff",    "root",       "best",        "--db",
                         file.path, "--campaign", truth.campaign};
    EXPECT_THAT(Say(words).err,
                HasSubstr("node " + std::to_string(truth.winner) +
                          " against node 0: " + Describe(truth.speedup())));
    json ratio = Json(words)["b_over_a"];
    EXPECT_DOUBLE_EQ(ratio["ratio"].get<double>(), truth.speedup().ratio);
    EXPECT_EQ(ratio["told_apart"], truth.speedup().Sign() != 0);
  }
}

void AskSql(const DriftingFile& file, const std::vector<Truth>& truths) {
  json rows = Json(
      {"sql", "--db", file.path, "SELECT * FROM leaderboard WHERE rank = 1"});
  ASSERT_EQ(rows.size(), truths.size());
  std::map<std::string, json> by_campaign;
  for (json row : rows) by_campaign[row["campaign"]] = row;
  for (const Truth& truth : truths) {
    json row = by_campaign.at(truth.campaign);
    EXPECT_EQ(row["node"], truth.winner) << truth.campaign;
    EXPECT_SAME(SpeedupIn(row), truth.speedup());
  }
}

void AskPrompt(const DriftingFile& file, const std::vector<Truth>& truths) {
  for (const Truth& truth : truths) {
    if (truth.winner == 0) continue;
    SCOPED_TRACE(truth.campaign);
    const std::string text = Run("prompt best --db '" + file.path.string() +
                                 "' --campaign " + truth.campaign);
    const Speedup speedup = truth.speedup();
    EXPECT_THAT(text, HasSubstr(speedup.Sign() == 0
                                    ? "correct, no difference told ("
                                    : Printed(speedup) + " as fast as the "
                                                         "source to speed up"));
  }
}

void AskSpend(const DriftingFile& file, const std::vector<Truth>& truths) {
  json all = Json({"report", "spend", "--db", file.path})["improvements"];
  ASSERT_EQ(all.size(), truths.size());
  std::map<std::string, double> best;
  for (json row : all) best[row["campaign"]] = row["best_speedup"];
  for (const Truth& truth : truths) {
    EXPECT_DOUBLE_EQ(best.at(truth.campaign), truth.speedup().ratio);
  }
}

void AskExportBest(const DriftingFile& file, const std::vector<Truth>& truths) {
  for (const Truth& truth : truths) {
    SCOPED_TRACE(truth.campaign);
    const Words of = {"--db", file.path, "--campaign", truth.campaign};
    const auto said = [&](Words words) {
      words.insert(words.end(), of.begin(), of.end());
      return Say(words).out;
    };
    EXPECT_EQ(said({"export", "best"}),
              said({"show", std::to_string(truth.winner), "--source"}));
    json document = json::parse(said({"export", "best", "--solution"}));
    EXPECT_EQ(document["name"], truth.Solution());
  }
}

void AskTrajectories(const DriftingFile& file,
                     const std::vector<Truth>& truths) {
  std::map<std::string, std::map<std::int64_t, std::optional<Speedup>>> told;
  std::istringstream lines(
      Say({"export", "trajectories", "--db", file.path}).out);
  for (std::string line; std::getline(lines, line);) {
    json call = json::parse(line);
    if (call["node"].is_null()) continue;
    told[call["campaign"]][call["node"]] = SpeedupIn(call);
  }
  for (const Truth& truth : truths) {
    SCOPED_TRACE(truth.campaign);
    for (const auto& [node, speedup] : told.at(truth.campaign)) {
      EXPECT_SAME(speedup,
                  truth.nodes.at(static_cast<std::size_t>(node)).worth.speedup);
    }
    if (truth.winner != 0 && truth.nodes[truth.winner].policy != "import") {
      EXPECT_TRUE(told[truth.campaign].contains(
          static_cast<std::int64_t>(truth.winner)));
    }
  }
}

// Their scores divide the mean of a baseline's file by the runtime.
void AskKernelBench(const DriftingFile& file,
                    const std::vector<Truth>& truths) {
  const fs::path out = file.path.string() + ".kb";
  ASSERT_EQ(
      Say({"export", "kernelbench", "--db", file.path, "--output", out}).exit,
      0);
  const Truth& truth = truths.back();
  json results = json::parse(
      FileText(out / "runs" /
               (truth.policy + ".s" + std::to_string(file.seed) + ".level1") /
               "eval_results.json"));
  json root = json::parse(FileText(
      out / "results/timing/a_drifting_machine/baseline_time_root.json"));
  const double root_ms = root["level1"]["19_ReLU.py"]["mean"];
  const auto best = truth.Best();
  if (!best) {
    EXPECT_EQ(results["19"][0]["correctness"], false);
    return;
  }
  EXPECT_NEAR(root_ms / results["19"][0]["runtime"].get<double>(),
              truth.nodes[*best].worth.speedup->ratio, 1e-9);
}

// Asks one file only, since the sets are large.
void AskTraces(const DriftingFile& file, const std::vector<Truth>& truths) {
  if (file.seed != 1) return;
  const std::string set = file.path.string() + ".set";
  const Words exported = {"export",  "traces",   "--db",
                          file.path, "--output", set};
  ASSERT_EQ(Say(exported).exit, 0);
  const std::string text = Say({"report", "leaderboard", set}).out;
  EXPECT_THAT(text,
              HasSubstr("\nranks go by FlashInfer-Bench's score, the mean of "
                        "the ratios, 0 after a failure; speedup is coppice's, "
                        "over the root by all evaluations, with its 95 % "
                        "interval, and speedup_rank 1 is its winner\n"));
  EXPECT_THAT(text, HasSubstr("\neach author's first by FlashInfer-Bench's "
                              "score; coppice best names the winner"));
  EXPECT_THAT(Say({"report", "best", set}).out,
              HasSubstr("\nthe greatest ratio on each workload, by the "
                        "evaluation that decides; coppice best names the "
                        "winner over all\n"));
  EXPECT_THAT(Say({"report", "curves", set}).out,
              HasSubstr("\nover workloads, as FlashInfer-Bench counts"));
  std::map<std::string, std::optional<Speedup>> speedups;
  std::map<std::string, std::string> fastest;  // By definition.
  // As it is said, among our own: an expert of the task may be before them.
  std::map<std::string, std::string> first;
  std::map<std::string, std::int64_t> rank_of_first;
  json live_tree = Json({"report", "leaderboard", set});
  for (json row : live_tree["solutions"]) {
    const auto speedup = SpeedupIn(row);
    speedups[row["solution"]] = speedup;
    EXPECT_EQ(row["speedup_rank"].is_null(), !speedup);
    std::string& known = fastest[row["definition"]];
    if (row["author"] != "coppice" && row["author"] != "baseline") continue;
    if (speedup) {
      const std::int64_t rank = row["speedup_rank"];
      const auto [at, is_new] =
          rank_of_first.try_emplace(row["definition"], rank);
      if (is_new || rank < at->second) {
        at->second = rank;
        first[row["definition"]] = row["solution"];
      }
    }
    if (speedup && (known.empty() || speedup->ratio > speedups[known]->ratio)) {
      known = row["solution"];
    }
  }
  // Imported, the evaluations are there again; as one definition's.
  const std::string again = file.path.string() + ".again";
  ASSERT_EQ(Say({"import", "traces", set, "--db", again}).exit, 0);
  std::map<std::string, json> imported;
  for (json row : Json({"best", "--db", again})) {
    imported[row["task"]] = row;
  }
  for (const Truth& truth : truths) {
    SCOPED_TRACE(truth.campaign);
    EXPECT_EQ(fastest[truth.task], truth.Solution());
    EXPECT_EQ(first[truth.task], truth.Solution());
    EXPECT_SAME(speedups[truth.Solution()], truth.speedup());
    ASSERT_TRUE(imported.contains(truth.task));
    EXPECT_SAME(SpeedupIn(imported[truth.task]), truth.speedup());
  }
}

// The plain copy has the views' rows; it is asked as the file is.
void AskViews(const fs::path& path, const std::vector<Truth>& truths);
void AskPlain(const DriftingFile& file, const std::vector<Truth>& truths) {
  const std::string copy = file.path.string() + ".plain";
  ASSERT_EQ(Say({"export", "plain", "--db", file.path, "--output", copy}).exit,
            0);
  AskViews(copy, truths);
}

struct Shares {
  double success = 0.0;
  double fast_1 = 0.0;
  int success_open = 0;
  int fast_1_open = 0;
  double log_winners = 0.0;
};

// The shares of the best candidates; those of the policies of their starts if
// so asked.
Shares SharesOf(const std::vector<Truth>& truths, bool own) {
  Shares shares;
  const auto count = static_cast<double>(truths.size());
  for (const Truth& truth : truths) {
    const auto best = truth.Best(own ? truth.policy : "");
    shares.log_winners += std::log(truth.speedup().ratio) / count;
    if (best) {
      const Speedup& speedup = *truth.nodes[*best].worth.speedup;
      shares.success += 1.0 / count;
      if (speedup.ratio > 1.0) shares.fast_1 += 1.0 / count;
      if (speedup.Sign() == 0) ++shares.fast_1_open;
      continue;
    }
    for (const Node& node : truth.nodes) {
      if (node.worth.verdict != Verdict::kInconclusive) continue;
      if (own && node.policy != truth.policy) continue;
      ++shares.success_open;
      ++shares.fast_1_open;
      break;
    }
  }
  return shares;
}

void AskReport(json report, const std::vector<Truth>& truths) {
  ASSERT_EQ(report["tasks"].size(), truths.size());
  for (std::size_t i = 0; i < truths.size(); ++i) {
    json task = report["tasks"][i];
    SCOPED_TRACE(truths[i].campaign);
    EXPECT_EQ(task["campaign"], truths[i].campaign);
    EXPECT_EQ(task["best_node"], truths[i].winner);
    EXPECT_EQ(task["confirmed"],
              truths[i].nodes[truths[i].winner].is_confirmed);
    EXPECT_SAME(SpeedupIn(task), truths[i].speedup());
    ExpectNext(task["next"], truths[i]);
    EXPECT_DOUBLE_EQ(task["best_runtime_s"].get<double>(),
                     truths[i].root_s / truths[i].speedup().ratio);
  }
  const Shares shares = SharesOf(truths, false);
  EXPECT_NEAR(report["geometric_mean_speedup"], std::exp(shares.log_winners),
              1e-9);
  EXPECT_NEAR(report["success"], shares.success, 1e-9);
  EXPECT_NEAR(report["fast_1"], shares.fast_1, 1e-9);
  EXPECT_EQ(report["success_undecided"], shares.success_open);
  EXPECT_EQ(report["fast_1_undecided"], shares.fast_1_open);
}

std::string Options(const DriftingFile& file) {
  return " --policy " + file.policy + " --seed " + std::to_string(file.seed) +
         " --budget " + std::to_string(kDriftingBudget) +
         " --progress none --db '" + file.path.string() +
         "' --data-directory '" +
         TheWorld().surroundings.data_directory.string() + "'";
}

// Finished campaigns are reported, and nothing is run.
void AskBench(const DriftingFile& file, const std::vector<Truth>& all) {
  const std::vector<Truth> truths(all.begin(), all.end() - 1);
  const std::string text = Run("bench --level 1" + Options(file));
  for (const Truth& truth : truths) {
    const Words cells = CellsOfOne(text, truth.task + " ");
    EXPECT_EQ(cells[2], SpeedupText(truth.speedup())) << truth.campaign;
    // A baseline may stand between them.
    EXPECT_THAT(cells, testing::Contains(truth.WinnerCell())) << truth.campaign;
  }
  json report = json::parse(Run("bench --json --level 1" + Options(file)),
                            nullptr, false);
  ASSERT_FALSE(report.is_discarded());
  AskReport(report, truths);
  const Shares shares = SharesOf(truths, true);
  json metrics = report["metrics"];
  EXPECT_NEAR(metrics["success"], shares.success, 1e-9);
  EXPECT_EQ(metrics["undecided"], shares.success_open);
  json over_root = metrics["over"][0];
  EXPECT_EQ(over_root["over"], "root");
  EXPECT_NEAR(over_root["fast_p"]["1"], shares.fast_1, 1e-9);
  EXPECT_EQ(over_root["fast_p_undecided"]["1"], shares.fast_1_open);
}

void AskRun(const DriftingFile& file, const std::vector<Truth>& truths) {
  const std::string text = Run("run gemv transpose" + Options(file));
  for (const char* task : {"gemv", "transpose"}) {
    const auto truth =
        std::find_if(truths.begin(), truths.end(),
                     [&](const Truth& one) { return one.task == task; });
    const Words cells = CellsOfOne(text, std::string(task) + " ");
    EXPECT_EQ(cells[2], SpeedupText(truth->speedup()));
    EXPECT_EQ(cells[3], truth->WinnerCell());
  }
}

void AskResume(const DriftingFile& file, const std::vector<Truth>& truths) {
  const Truth& truth = truths.front();
  json report =
      json::parse(Run("resume --json --progress none " + truth.campaign +
                      " --db '" + file.path.string() + "'"),
                  nullptr, false);
  ASSERT_FALSE(report.is_discarded());
  AskReport(report, {truth});
}

// A comparison's campaigns are its own; here they run on landscapes.
void AskCompare(const DriftingFile& file, const std::vector<Truth>&) {
  if (file.seed != 1) return;
  const std::string lab = file.path.string() + ".lab";
  json report =
      json::parse(Run("compare '" + lab +
                      "' --policies stark,greedy --tasks sim:hill/1 --seeds 2 "
                      "--budget 8 --json --progress none"),
                  nullptr, false);
  ASSERT_FALSE(report.is_discarded());
  std::map<std::string, std::vector<Truth>> by_policy;
  for (const Truth& truth : TruthsOf(lab)) {
    by_policy[truth.policy].push_back(truth);
  }
  ASSERT_EQ(by_policy.size(), 2u);
  for (json policy : report.at("policies")) {
    const Shares shares = SharesOf(by_policy.at(policy["policy"]), false);
    EXPECT_NEAR(policy["geometric_mean_speedup"], std::exp(shares.log_winners),
                1e-9);
    EXPECT_NEAR(policy["fast_1"], shares.fast_1, 1e-9);
    EXPECT_EQ(policy["undecided"], shares.fast_1_open);
    EXPECT_NEAR(policy["success"], shares.success, 1e-9);
  }
}

// How each verb and action is asked; of the others why not.
json ServedJson(inspector::Inspector& inspector, const std::string& path,
                const std::string& campaign) {
  http::Request request{"GET", path};
  request.query = {{"c", campaign}, {"limit", "1000"}};
  return json::parse(inspector.Answer(request).body);
}

void ExpectServed(const json& row, const std::optional<Speedup>& speedup) {
  json named = {{"speedup", row["speedup"]},
                {"speedup_low", row["low"]},
                {"speedup_high", row["high"]}};
  EXPECT_SAME(SpeedupIn(named), speedup);
}

void AskServe(const DriftingFile& file, const std::vector<Truth>& truths) {
  const engine::SystemClock clock;
  inspector::Inspector inspector({{file.path}, true}, clock);
  const json all = ServedJson(inspector, "/api/campaigns", "");
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const Truth& truth = truths[i];
    SCOPED_TRACE(truth.campaign);
    EXPECT_EQ(all[i]["best"]["node"], truth.winner);
    EXPECT_EQ(all[i]["best"]["told"], !truth.IsNear());
    ExpectServed(all[i]["best"], truth.speedup());
    const json page = ServedJson(inspector, "/api/campaign", truth.campaign);
    EXPECT_EQ(page["leaders"][0]["node"], truth.winner);
    ExpectServed(page["leaders"][0], truth.speedup());
    EXPECT_EQ(page["curve"].back()["best"], truth.speedup().ratio);
    const json list = ServedJson(inspector, "/api/nodes", truth.campaign);
    ASSERT_EQ(list["rows"].size(), truth.nodes.size());
    for (std::size_t n = 0; n < truth.nodes.size(); ++n) {
      const json& row = list["rows"][n];
      ExpectServed(row, truth.nodes[n].worth.speedup);
      EXPECT_EQ(row["verdict"], Name(truth.nodes[n].worth.verdict));
      EXPECT_EQ(row["refuted"], truth.nodes[n].is_refuted);
    }
  }
}

const char* const kNoSpeed = "names no node and no speed";
const char* const kMeasures = "tells of the session that it makes itself";
const char* const kBelow = "asked under another verb";
struct Asked {
  AskFile ask;
  const char* why_not = nullptr;
};
const std::map<std::string, Asked> kVerbs = {
    {"ask", {{}, "prints what the views say"}},
    {"bench", {AskBench}},
    {"best", {AskBest}},
    {"compare", {AskCompare}},
    {"completion", {{}, kNoSpeed}},
    {"config policies", {{}, kNoSpeed}},
    {"config show", {{}, kNoSpeed}},
    {"diff", {AskDiff}},
    {"eval", {{}, kMeasures}},
    {"export best", {AskExportBest}},
    {"export kernelbench", {AskKernelBench}},
    {"export plain", {AskPlain}},
    {"export report", {AskPage}},
    {"export traces", {AskTraces}},
    {"export trajectories", {AskTrajectories}},
    {"import kernelbench", {{}, kMeasures}},
    {"import kernels", {{}, kMeasures}},
    {"import traces", {{}, kBelow}},
    {"lessons add", {{}, kNoSpeed}},
    {"lessons edit", {{}, kNoSpeed}},
    // Effects are over a parent.
    {"lessons list", {{}, kNoSpeed}},
    {"lessons remove", {{}, kNoSpeed}},
    {"mcp", {{}, kBelow}},
    {"prompt", {AskPrompt}},
    {"replay", {{}, kNoSpeed}},
    {"report best", {{}, kBelow}},
    {"report curves", {{}, kBelow}},
    {"report leaderboard", {{}, kBelow}},
    {"report merge", {{}, kNoSpeed}},
    // Gains are over an ancestor.
    {"report models", {{}, kNoSpeed}},
    {"report spend", {AskSpend}},
    {"report summary", {{}, kNoSpeed}},
    {"report visualize", {{}, "prints traces as they are"}},
    {"resume", {AskResume}},
    {"run", {AskRun}},
    {"serve", {AskServe}},
    {"setup-agent", {{}, kNoSpeed}},
    {"show", {AskShow}},
    {"spend settle", {{}, kNoSpeed}},
    {"sql", {AskSql}},
    {"status", {AskStatus}},
    {"ticket ask", {{}, "gives what an agent is shown"}},
    {"ticket give-up", {{}, kNoSpeed}},
    {"ticket renew", {{}, kNoSpeed}},
    {"ticket tell", {{}, kMeasures}},
    {"steer advise", {{}, kNoSpeed}},
    {"steer approve", {{}, kNoSpeed}},
    {"steer boost", {{}, kNoSpeed}},
    {"steer budget", {{}, kNoSpeed}},
    {"steer forbid", {{}, kNoSpeed}},
    {"steer freeze", {{}, kNoSpeed}},
    {"steer gate", {{}, kNoSpeed}},
    {"steer insert", {{}, kNoSpeed}},
    {"steer judge", {{}, kNoSpeed}},
    {"steer list", {{}, kNoSpeed}},
    {"steer model", {{}, kNoSpeed}},
    {"steer note", {{}, kNoSpeed}},
    {"steer pause", {{}, kNoSpeed}},
    {"steer pin", {{}, kNoSpeed}},
    {"steer policy", {{}, kNoSpeed}},
    {"steer require", {{}, kNoSpeed}},
    {"steer resume", {{}, kNoSpeed}},
    {"steer temperature", {{}, kNoSpeed}},
    {"steer unfreeze", {{}, kNoSpeed}},
    {"steer withdraw", {{}, kNoSpeed}},
    {"new", {{}, kMeasures}},
    {"submit", {{}, kMeasures}},
    {"tree", {AskTree}},
    {"tune", {{}, kMeasures}},
    {"verify", {{}, kMeasures}},
    {"watch", {AskWatch}},
};

// --- Views -------------------------------------------------------------------

using AskRows = std::function<void(BareSqlite&, const std::vector<Truth>&)>;

std::string Of(const Truth& truth) {
  return " WHERE campaign = '" + truth.campaign + "'";
}

const Node& NodeIn(const Truth& truth, const Row& row,
                   const std::string& column = "node") {
  return truth.nodes.at(static_cast<std::size_t>(Int(row[column])));
}

void AskNodes(BareSqlite& file, const std::vector<Truth>& truths) {
  for (const Truth& truth : truths) {
    const auto rows = file.Rows("SELECT * FROM nodes" + Of(truth));
    EXPECT_EQ(rows.size(), truth.nodes.size());
    for (const Row& row : rows) {
      const Node& node = NodeIn(truth, row);
      EXPECT_EQ(Text(row["verdict"]), Name(node.worth.verdict));
      EXPECT_SAME(SpeedupIn(row), node.worth.speedup);
      EXPECT_EQ(IsNull(row["quarantined_at_s"]), !node.is_refuted);
      if (!node.worth.speedup) continue;
      EXPECT_DOUBLE_EQ(Real(row["runtime_s"]),
                       truth.root_s / node.worth.speedup->ratio);
    }
  }
}

void AskLeaderboard(BareSqlite& file, const std::vector<Truth>& truths) {
  for (const Truth& truth : truths) {
    const auto rows =
        file.Rows("SELECT * FROM leaderboard" + Of(truth) + " ORDER BY rank");
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(Int(rows[0]["node"]), truth.winner) << truth.campaign;
    double last = truth.speedup().ratio;
    for (const Row& row : rows) {
      EXPECT_SAME(SpeedupIn(row), NodeIn(truth, row).worth.speedup);
      EXPECT_EQ(Int(row["confirmed"]), NodeIn(truth, row).is_confirmed);
      EXPECT_DOUBLE_EQ(Real(row["runtime_s"]),
                       truth.root_s / Real(row["speedup"]));
      EXPECT_LE(Real(row["speedup"]), last);
      last = Real(row["speedup"]);
    }
  }
}

void AskLineage(BareSqlite& file, const std::vector<Truth>& truths) {
  for (const Truth& truth : truths) {
    for (const Row& row :
         file.Rows("SELECT * FROM lineage" + Of(truth) +
                   " AND node = " + std::to_string(truth.winner))) {
      const auto& speedup = NodeIn(truth, row, "ancestor").worth.speedup;
      EXPECT_EQ(IsNull(row["speedup"]), !speedup);
      if (!speedup) continue;
      EXPECT_DOUBLE_EQ(Real(row["speedup"]), speedup->ratio);
      EXPECT_DOUBLE_EQ(Real(row["runtime_s"]), truth.root_s / speedup->ratio);
    }
  }
}

void AskBestSoFar(BareSqlite& file, const std::vector<Truth>& truths) {
  for (const Truth& truth : truths) {
    double best = 0.0;
    for (const Row& row : file.Rows("SELECT * FROM best_so_far" + Of(truth) +
                                    " ORDER BY attempts")) {
      const auto& speedup = NodeIn(truth, row).worth.speedup;
      EXPECT_EQ(Int(row["improved"]), speedup && speedup->ratio > best);
      if (speedup) best = std::max(best, speedup->ratio);
      EXPECT_DOUBLE_EQ(Real(row["best_speedup"]), best);
      EXPECT_EQ(IsNull(row["speedup"]), !speedup);
      if (!speedup) continue;
      EXPECT_DOUBLE_EQ(Real(row["speedup"]), speedup->ratio);
      EXPECT_DOUBLE_EQ(Real(row["runtime_s"]), truth.root_s / speedup->ratio);
    }
    EXPECT_EQ(best, truth.speedup().ratio);
  }
}

void AskPolicyCurve(BareSqlite& file, const std::vector<Truth>& truths) {
  for (const Truth& truth : truths) {
    const Row last = file.Rows("SELECT * FROM policy_curve WHERE task = '" +
                               truth.task + "' ORDER BY attempts DESC LIMIT 1")
                         .at(0);
    // These are of one campaign.
    for (const char* column :
         {"best_speedup", "least_speedup", "greatest_speedup"}) {
      EXPECT_NEAR(Real(last[column]), truth.speedup().ratio, 1e-9);
    }
    EXPECT_EQ(Int(last["solved"]), truth.Best() ? 1 : 0) << truth.campaign;
  }
}

void AskImprovementCosts(BareSqlite& file, const std::vector<Truth>& truths) {
  for (const Truth& truth : truths) {
    const Row row =
        file.Rows("SELECT * FROM improvement_costs" + Of(truth)).at(0);
    EXPECT_DOUBLE_EQ(Real(row["best_speedup"]), truth.speedup().ratio);
  }
}

void AskTrials(BareSqlite& file, const std::vector<Truth>& truths) {
  for (const Truth& truth : truths) {
    const auto rows = file.Rows("SELECT * FROM trials" + Of(truth));
    EXPECT_EQ(rows.size() + 1, truth.nodes.size());
    for (const Row& row : rows) {
      const Worth& worth = NodeIn(truth, row).worth;
      EXPECT_EQ(Int(row["correct"]), worth.verdict == Verdict::kPassed);
      EXPECT_EQ(Int(row["undecided"]), worth.verdict == Verdict::kInconclusive);
      EXPECT_EQ(Real(row["speedup"]), worth.speedup ? worth.speedup->ratio : 0);
      EXPECT_NEAR(
          Real(row["efficiency"]),
          worth.speedup ? truth.root_efficiency * worth.speedup->ratio : 0.0,
          1e-12);
      if (!worth.speedup) continue;
      EXPECT_SAME(SpeedupIn(row), worth.speedup);
    }
  }
}

std::optional<Speedup> BestOf(const Truth& truth, const std::string& policy) {
  const auto best = truth.Best(policy);
  if (!best) return std::nullopt;
  return truth.nodes[*best].worth.speedup;
}

const Truth& TruthIn(const std::vector<Truth>& truths, const Row& row) {
  return *std::find_if(truths.begin(), truths.end(), [&](const Truth& one) {
    return one.campaign == Text(row["campaign"]);
  });
}

void AskScores(BareSqlite& file, const std::vector<Truth>& truths) {
  for (const Row& row : file.Rows("SELECT * FROM scores")) {
    EXPECT_SAME(SpeedupIn(row, "best_speedup", "best_low", "best_high"),
                BestOf(TruthIn(truths, row), Text(row["policy"])));
  }
}

// The campaigns in which a policy chose.
std::vector<const Truth*> Chosen(const std::vector<Truth>& truths,
                                 const std::string& policy) {
  std::vector<const Truth*> chosen;
  for (const Truth& truth : truths) {
    for (const Node& node : truth.nodes) {
      if (node.policy != policy) continue;
      chosen.push_back(&truth);
      break;
    }
  }
  return chosen;
}

void AskRates(BareSqlite& file, const std::vector<Truth>& truths) {
  for (const Row& row : file.Rows("SELECT * FROM rates")) {
    const std::string& policy = Text(row["policy"]);
    const auto chosen = Chosen(truths, policy);
    EXPECT_EQ(Int(row["campaigns"]), chosen.size());
    double solved = 0.0;
    double sum = 0.0;
    double log_sum = 0.0;
    for (const Truth* truth : chosen) {
      const auto best = BestOf(*truth, policy);
      if (!best) continue;
      solved += 1.0;
      sum += best->ratio;
      log_sum += std::log(best->ratio);
    }
    EXPECT_NEAR(Real(row["success"]),
                solved / static_cast<double>(chosen.size()), 1e-9);
    if (solved == 0.0) continue;
    EXPECT_NEAR(Real(row["speedup"]), sum / solved, 1e-9);
    EXPECT_NEAR(Real(row["geometric_mean_speedup"]), std::exp(log_sum / solved),
                1e-9);
  }
}

// A baseline's over the root; none: it did not pass, or is not there.
std::optional<Speedup> BaselineOf(BareSqlite& file, const std::string& campaign,
                                  const std::string& name, bool quoted) {
  for (const Row& row : file.Rows("SELECT * FROM baselines WHERE campaign = '" +
                                  campaign + "' AND baseline = '" + name +
                                  "' AND quoted = " + (quoted ? "1" : "0"))) {
    return SpeedupIn(row);
  }
  return std::nullopt;
}

void AskFastTasks(BareSqlite& file, const std::vector<Truth>& truths) {
  for (const Row& row : file.Rows("SELECT * FROM fast_tasks")) {
    const Truth& truth = TruthIn(truths, row);
    std::optional<Speedup> best = BestOf(truth, Text(row["policy"]));
    const std::string& over = Text(row["over"]);
    if (over != "root" && best) {
      const auto baseline =
          BaselineOf(file, truth.campaign, over, Int(row["quoted"]) == 1);
      ASSERT_TRUE(baseline);
      best = Over(*best, *baseline);
    }
    EXPECT_SAME(SpeedupIn(row), best);
    const double p = Real(row["p"]);
    EXPECT_EQ(Int(row["fast"]), best && best->ratio > p);
    if (best && p > 0.0) {
      EXPECT_EQ(Int(row["decided"]), best->Sign(p) != 0)
          << truth.campaign << " over " << over << " at " << p << ": "
          << Shown(best);
    }
  }
}

void AskFastP(BareSqlite& file, const std::vector<Truth>& truths) {
  for (const Row& row : file.Rows("SELECT * FROM fast_p WHERE p > 0")) {
    const std::string& policy = Text(row["policy"]);
    const double p = Real(row["p"]);
    int fast = 0;
    for (const Truth* truth : Chosen(truths, policy)) {
      const auto best = BestOf(*truth, policy);
      fast += best && best->ratio > p ? 1 : 0;
    }
    EXPECT_EQ(Int(row["fast"]), fast) << policy << " at " << p;
    EXPECT_NEAR(Real(row["fast_p"]),
                fast / static_cast<double>(Chosen(truths, policy).size()),
                1e-9);
  }
}

// Sums of what fast_tasks has.
void AskFastPOver(BareSqlite& file, const std::vector<Truth>&) {
  for (const Row& row : file.Rows("SELECT * FROM fast_p_over")) {
    char p[32];
    std::snprintf(p, sizeof p, "%.17g", Real(row["p"]));
    EXPECT_NEAR(Real(row["fast_p"]), Real(row["fast"]) / Real(row["campaigns"]),
                1e-9);
    EXPECT_EQ(
        Int(row["fast"]),
        file.Number("SELECT sum(fast) FROM fast_tasks WHERE policy = '" +
                    Text(row["policy"]) + "' AND over = '" +
                    Text(row["baseline"]) + "' AND quoted = " +
                    std::to_string(Int(row["quoted"])) + " AND p = " + p));
  }
}

// With k the number of trials the best of k is the best.
void AskAtK(BareSqlite& file, const std::vector<Truth>& truths) {
  int asked = 0;
  for (const Row& row : file.Rows("SELECT * FROM at_k WHERE k = trials")) {
    const Truth& truth = TruthIn(truths, row);
    const auto best = BestOf(truth, Text(row["policy"]));
    EXPECT_NEAR(Real(row["speedup_at_k"]), best ? best->ratio : 0.0, 1e-9);
    EXPECT_NEAR(Real(row["efficiency_at_k"]),
                best ? truth.root_efficiency * best->ratio : 0.0, 1e-9);
    EXPECT_NEAR(Real(row["pass_at_k"]), best ? 1.0 : 0.0, 1e-9);
    ++asked;
    if (!best || IsNull(row["speedup_at_k_low"])) continue;
    EXPECT_SAME(
        SpeedupIn(row, "speedup_at_k", "speedup_at_k_low", "speedup_at_k_high"),
        best);
  }
  EXPECT_GT(asked, 5);
}

void AskPerfAtK(BareSqlite& file, const std::vector<Truth>& truths) {
  int asked = 0;
  for (const Row& row : file.Rows(
           "SELECT p.* FROM perf_at_k p JOIN at_k a USING (campaign, policy, k)"
           " WHERE a.k = a.trials AND a.speedup_at_k_low IS NOT NULL")) {
    const Truth& truth = TruthIn(truths, row);
    const auto best = BestOf(truth, Text(row["policy"]));
    if (!best) continue;
    const auto over =
        Over(*best, *BaselineOf(file, truth.campaign, Text(row["baseline"]),
                                Int(row["quoted"]) == 1));
    EXPECT_SAME(SpeedupIn(row, "perf_at_k", "perf_low", "perf_high"), over);
    EXPECT_EQ(Int(row["decided"]), over.Sign() != 0);
    ++asked;
  }
  EXPECT_EQ(asked > 0, !file.Rows("SELECT * FROM baselines").empty());
}

void AskBaselines(BareSqlite& file, const std::vector<Truth>& truths) {
  for (const Row& row : file.Rows("SELECT * FROM baselines")) {
    const Truth& truth = TruthIn(truths, row);
    EXPECT_EQ(Int(row["best_node"]), truth.winner);
    EXPECT_EQ(Real(row["best_speedup"]), truth.speedup().ratio);
    const auto baseline = SpeedupIn(row);
    if (!baseline) continue;
    const Speedup over = Over(truth.speedup(), *baseline);
    EXPECT_SAME(
        SpeedupIn(row, "best_over_baseline", "best_over_low", "best_over_high"),
        over);
    EXPECT_EQ(!IsNull(row["decided"]) && Int(row["decided"]) == 1,
              over.Sign() != 0);
  }
}

void AskClaims(BareSqlite& file, const std::vector<Truth>& truths) {
  const auto rows = file.Rows("SELECT * FROM claims");
  EXPECT_FALSE(rows.empty());
  for (const Row& row : rows) {
    EXPECT_SAME(SpeedupIn(row),
                NodeIn(TruthIn(truths, row), row).worth.speedup);
  }
}

void AskQuarantined(BareSqlite& file, const std::vector<Truth>& truths) {
  std::size_t refuted = 0;
  for (const Truth& truth : truths) {
    for (std::size_t i = 0; i < truth.nodes.size(); ++i) {
      const Node& node = truth.nodes[i];
      const bool is_own = node.original == static_cast<std::int64_t>(i);
      refuted += node.is_refuted && is_own ? 1 : 0;
    }
  }
  const auto rows = file.Rows("SELECT * FROM quarantined");
  EXPECT_EQ(rows.size(), refuted);
  for (const Row& row : rows) {
    const Node& node = NodeIn(TruthIn(truths, row), row);
    EXPECT_TRUE(node.is_refuted);
    EXPECT_EQ(Int(row["ordinal"]), node.worth.decided_by);
    std::optional<Speedup> last;
    for (std::size_t i = 0; i < node.worth.decided_by; ++i) {
      if (node.findings[i].speedup) last = node.findings[i].speedup;
    }
    EXPECT_EQ(Real(row["last_speedup"]), last->ratio);
  }
}

void AskGrounding(BareSqlite& file, const std::vector<Truth>& truths) {
  for (const Truth& truth : truths) {
    int beat = 0;
    int open = 0;
    for (std::size_t i = 1; i < truth.nodes.size(); ++i) {
      const Node& node = truth.nodes[i];
      if (!node.worth.speedup) continue;
      const Node& parent = truth.nodes[static_cast<std::size_t>(node.parent)];
      if (!parent.worth.speedup) {
        ++beat;
      } else if (node.original != parent.original) {
        const int sign =
            Over(*node.worth.speedup, *parent.worth.speedup).Sign();
        beat += sign > 0 ? 1 : 0;
        open += sign == 0 ? 1 : 0;
      }
    }
    const Row row = file.Rows(
                            "SELECT sum(beat_parent) AS beat, sum(undecided)"
                            " AS open FROM grounding" +
                            Of(truth))
                        .at(0);
    EXPECT_EQ(Int(row["beat"]), beat) << truth.campaign;
    EXPECT_EQ(Int(row["open"]), open) << truth.campaign;
  }
}

// What a session measured.
void NotAsked(BareSqlite&, const std::vector<Truth>&) {}

// How each view is asked, and for which of its columns of speeds and verdicts.
struct AskedView {
  AskRows ask;
  std::set<std::string> columns;
};
const std::set<std::string> kOwn = {"speedup", "speedup_low", "speedup_high"};

std::set<std::string> With(const std::set<std::string>& columns,
                           const std::set<std::string>& more) {
  std::set<std::string> all = columns;
  all.insert(more.begin(), more.end());
  return all;
}

const std::map<std::string, AskedView> kViews = {
    {"nodes", {AskNodes, With(kOwn, {"runtime_s", "quarantined_at_s"})}},
    {"leaderboard",
     {AskLeaderboard, With(kOwn, {"rank", "runtime_s", "confirmed"})}},
    {"lineage", {AskLineage, {"runtime_s", "speedup"}}},
    {"best_so_far",
     {AskBestSoFar, {"runtime_s", "speedup", "best_speedup", "improved"}}},
    {"policy_curve",
     {AskPolicyCurve, {"best_speedup", "least_speedup", "greatest_speedup"}}},
    {"improvement_costs", {AskImprovementCosts, {"best_speedup"}}},
    {"trials", {AskTrials, With(kOwn, {"efficiency"})}},
    {"scores", {AskScores, {"best_speedup", "best_low", "best_high"}}},
    {"rates", {AskRates, {"speedup", "geometric_mean_speedup"}}},
    {"fast_tasks", {AskFastTasks, With(kOwn, {"fast", "decided"})}},
    {"fast_p", {AskFastP, {"fast", "fast_p"}}},
    {"fast_p_over", {AskFastPOver, {"fast", "fast_p"}}},
    {"at_k",
     {AskAtK,
      {"speedup_at_k", "speedup_at_k_low", "speedup_at_k_high",
       "efficiency_at_k"}}},
    {"perf_at_k",
     {AskPerfAtK, {"perf_at_k", "perf_low", "perf_high", "decided"}}},
    {"baselines",
     {AskBaselines,
      With(kOwn, {"best_node", "best_speedup", "best_over_baseline",
                  "best_over_low", "best_over_high", "decided"})}},
    // What others claim is theirs.
    {"claims",
     {AskClaims, With(kOwn, {"claimed_speedup", "claimed_runtime_s"})}},
    {"quarantined", {AskQuarantined, {"last_speedup", "quarantined_at_s"}}},
    {"grounding", {AskGrounding, {}}},
    {"evaluations", {NotAsked, With(kOwn, {"runtime_s", "root_runtime_s"})}},
    {"tuning_trials", {NotAsked, kOwn}},
    {"session_calls", {NotAsked, {}}},
    {"workload_results", {NotAsked, {}}},
    {"samples",
     {NotAsked, {"runtime_s", "root_runtime_s", "control_runtime_s"}}},
    {"profiles", {NotAsked, {"runtime_s"}}},
    // These are of other campaigns.
    {"lessons", {NotAsked, {"speedup", "best"}}},
    // The gain is over an ancestor.
    {"model_scores", {NotAsked, {"best_gain"}}},
    // These are of campaigns that have no nodes.
    {"scores_in_memory", {NotAsked, {"log_speedup", "speedup"}}},
};

void AskViews(const fs::path& path, const std::vector<Truth>& truths) {
  BareSqlite file(path);
  for (const auto& [view, asked] : kViews) {
    SCOPED_TRACE(view + " of " + path.filename().string());
    asked.ask(file, truths);
  }
}

// An event for each node that was refuted, and for no other.
void AskEvents(const fs::path& path, const std::vector<Truth>& truths) {
  BareSqlite file(path);
  for (const Truth& truth : truths) {
    std::multiset<std::int64_t> told;
    for (const Row& row :
         file.Rows("SELECT subject FROM event JOIN campaign c"
                   " USING (campaign_id) WHERE kind = 'quarantined'"
                   " AND c.name = '" +
                   truth.campaign + "'")) {
      told.insert(Int(row["subject"]));
    }
    std::multiset<std::int64_t> refuted;
    for (const Node& node : truth.nodes) {
      const std::int64_t number = &node - truth.nodes.data();
      if (node.is_refuted && node.original == number) refuted.insert(number);
    }
    EXPECT_EQ(told, refuted) << truth.campaign;
  }
}

// --- The tests ---------------------------------------------------------------

// A verb that is in neither list fails this.
TEST(OneAnswerTest, EveryVerbIsAskedOrSaysWhyNot) {
  std::set<std::string> verbs;
  for (const cli::Verb* verb : cli::Verbs()) {
    if (verb->actions.empty()) verbs.emplace(verb->name);
    for (const cli::Verb& action : verb->actions) {
      verbs.emplace(action.name);
    }
  }
  for (const std::string& verb : verbs) {
    const bool is_upkeep = verb.starts_with("db ") || verb.starts_with("task ");
    EXPECT_TRUE(is_upkeep || kVerbs.contains(verb)) << verb;
  }
  for (const auto& [verb, asked] : kVerbs) {
    EXPECT_TRUE(verbs.contains(verb)) << verb;
  }
}

// A column of speeds, or of what became of a node, that is in no list fails
// this.
TEST(OneAnswerTest, EveryColumnOfSpeedsIsAsked) {
  static const std::regex kSpeed(
      "speed|fast|perf|runtime|best|efficien|rank|confirmed|quarantined");
  BareSqlite file(TheWorld().files[0].path);
  for (const Row& row : file.Rows("SELECT v.name AS view, c.name AS column"
                                  " FROM sqlite_schema v"
                                  " JOIN pragma_table_info(v.name) c"
                                  " WHERE v.type = 'view'")) {
    const std::string& column = Text(row["column"]);
    if (!std::regex_search(column, kSpeed)) continue;
    const auto view = kViews.find(Text(row["view"]));
    EXPECT_TRUE(view != kViews.end() && view->second.columns.contains(column))
        << Text(row["view"]) << "." << column;
  }
}

// Else the questions are easy.
TEST(OneAnswerTest, TheCampaignsAreHard) {
  int campaigns = 0;
  int root_won = 0;
  int refuted = 0;
  int repeated = 0;
  int inconclusive = 0;
  int settled_as_failures = 0;
  int cannot_tell = 0;
  int without_interval = 0;
  int other_by_seconds = 0;
  for (std::size_t f = 0; f < TheWorld().files.size(); ++f) {
    BareSqlite file(TheWorld().files[f].path);
    for (const Truth& truth : TheWorld().truths[f]) {
      ++campaigns;
      root_won += truth.winner == 0 ? 1 : 0;
      cannot_tell += truth.winner != 0 && truth.speedup().Sign() == 0 ? 1 : 0;
      for (const Node& node : truth.nodes) {
        refuted += node.is_refuted ? 1 : 0;
        inconclusive += node.worth.verdict == Verdict::kInconclusive ? 1 : 0;
        settled_as_failures +=
            !node.is_refuted && node.worth.verdict != Verdict::kPassed &&
                    node.findings.at(node.worth.decided_by).further
                ? 1
                : 0;
        without_interval +=
            node.worth.speedup && !node.worth.speedup->interval ? 1 : 0;
        repeated += node.original != &node - truth.nodes.data() ? 1 : 0;
      }
      // Who would have won by the seconds of sessions.
      const auto fastest = file.Number(
          "SELECT node_number FROM evaluation JOIN campaign c"
          " USING (campaign_id) WHERE verdict = 0 AND node_number IS NOT NULL"
          " AND c.name = '" +
          truth.campaign + "' ORDER BY runtime_s LIMIT 1");
      other_by_seconds +=
          fastest != static_cast<std::int64_t>(truth.winner) ? 1 : 0;
    }
  }
  EXPECT_EQ(campaigns, 60);
  EXPECT_GE(root_won, 5);
  EXPECT_GE(refuted, 10);
  EXPECT_GE(repeated, 20);
  EXPECT_GE(inconclusive, 10);
  EXPECT_GE(settled_as_failures, 10);
  EXPECT_GE(cannot_tell, 3);
  EXPECT_GE(without_interval, 5);
  EXPECT_GE(other_by_seconds, 30);
}

TEST(OneAnswerTest, EveryViewGivesIt) {
  for (std::size_t f = 0; f < TheWorld().files.size(); ++f) {
    AskViews(TheWorld().files[f].path, TheWorld().truths[f]);
  }
}

TEST(OneAnswerTest, TheEventsGiveIt) {
  for (std::size_t f = 0; f < TheWorld().files.size(); ++f) {
    AskEvents(TheWorld().files[f].path, TheWorld().truths[f]);
  }
}

TEST(OneAnswerTest, EveryVerbGivesIt) {
  for (const auto& [verb, asked] : kVerbs) {
    if (!asked.ask) continue;
    for (std::size_t f = 0; f < TheWorld().files.size(); ++f) {
      SCOPED_TRACE(verb + " of " + TheWorld().files[f].path.string());
      asked.ask(TheWorld().files[f], TheWorld().truths[f]);
    }
  }
}

}  // namespace
}  // namespace coppice
