#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// The small set of tests/trace_set: two definitions; gemm by a baseline (4 and
// 6 ms), ann (1 and 3 ms) and bob (2 ms, and a failure); scale by nobody.
const std::string kSet = std::string(COPPICE_SOURCE_DIR) + "/tests/trace_set";

class TracesReportTest : public ::testing::Test, protected Rehearsal {
 protected:
  nlohmann::json Json(const std::string& what) {
    const Said said = SayBare({"report", what, kSet, "--json"});
    EXPECT_EQ(said.exit, Exit::kDone) << said.err;
    return nlohmann::json::parse(said.out);
  }
};

TEST_F(TracesReportTest, TheSummaryCountsAllThereIs) {
  EXPECT_EQ(SayBare({"report", "summary", kSet}).out,
            "what                 value\n"
            "definitions              2\n"
            "workloads                3\n"
            "solutions                4\n"
            "authors                  3\n"
            "traces                   7\n"
            "PASSED                   5\n"
            "INCORRECT_NUMERICAL      1\n"
            "TIMEOUT                  1\n"
            "min latency_ms           1\n"
            "max latency_ms           6\n"
            "mean latency_ms        3.2\n");
}

TEST_F(TracesReportTest, TheLeaderboardRanksSolutionsAndAuthors) {
  const auto live_tree = Json("leaderboard");
  EXPECT_EQ(live_tree["solutions"][0]["solution"], "gemm_ann");
  EXPECT_EQ(live_tree["solutions"][0]["score"], 3.0);
  EXPECT_EQ(live_tree["solutions"][0]["over"], "baseline");
  EXPECT_EQ(live_tree["solutions"][2]["score"], 0.0);
  EXPECT_EQ(live_tree["authors"][0]["author"], "ann");
  ASSERT_EQ(live_tree["authors_by_definition"].size(), 4u);
  EXPECT_EQ(live_tree["authors_by_definition"][1],
            (nlohmann::json{{"definition", "gemm_k8"},
                            {"rank", 2},
                            {"author", "baseline"},
                            {"score", 1.0},
                            {"solution", "gemm_baseline"}}));
}

TEST_F(TracesReportTest, WhereNothingPassedTablesAreReadable) {
  fs::copy(kSet, File("failed"), fs::copy_options::recursive);
  for (const char* path : {"ann", "baseline", "bob/gemm"}) {
    fs::remove_all(File("failed") / "traces" / path);
  }
  fs::copy(kSet, File("bare"), fs::copy_options::recursive);
  fs::remove_all(File("bare") / "traces");
  const std::string failed = File("failed").string();
  const std::string bare = File("bare").string();
  EXPECT_THAT(SayBare({"report", "leaderboard", failed}).out,
              HasSubstr("row_scale_bob  bob         0"));
  for (const char* what : {"best", "leaderboard", "curves", "visualize"}) {
    const Said said = SayBare({"report", what, bare});
    EXPECT_EQ(said.exit, Exit::kDone);
    EXPECT_EQ(said.out, "");
    EXPECT_EQ(said.err,
              "nothing to show: no solution has a trace that counts\n");
    EXPECT_FALSE(
        nlohmann::json::parse(SayBare({"report", what, bare, "--json"}).out,
                              nullptr, false)
            .is_discarded());
  }
  EXPECT_EQ(SayBare({"report", "best", failed}).out, "");
}

// The pictures need matplotlib, which says so.
TEST_F(TracesReportTest, CurvesAreDrawn) {
  const fs::path pictures = File("pictures");
  const Said said =
      SayBare({"report", "visualize", kSet, "--output", pictures.string()});
  EXPECT_TRUE(fs::exists(pictures / "fast_p.csv"));
  EXPECT_TRUE(fs::exists(pictures / "win_at_p.csv"));
  if (said.exit != Exit::kDone) {
    EXPECT_THAT(said.err, HasSubstr("figures need python3 and matplotlib"));
    GTEST_SKIP() << said.err;
  }
  for (const char* name : {"fast_p.svg", "win_at_p.svg", "fast_p.png"}) {
    EXPECT_TRUE(fs::exists(pictures / name)) << name;
  }
}

TEST_F(TracesReportTest, AFolderThatCannotBeMadeIsNamed) {
  const std::string below = Put("file", "") + "/pictures";
  const Said said = SayBare({"report", "visualize", kSet, "--output", below});
  EXPECT_EQ(said.exit, Exit::kFailure);
  EXPECT_EQ(said.err,
            "coppice report visualize: " + below + ": Not a directory\n");
}

TEST_F(TracesReportTest, BestIsTheFastestOnEachWorkload) {
  EXPECT_EQ(SayBare({"report", "best", kSet, "--csv"}).out,
            "definition,workload,axes,solution,author,latency_ms,ratio,over\n"
            "gemm_k8,w1,M=4,gemm_ann,ann,1,4,baseline\n"
            "gemm_k8,w2,M=6,gemm_ann,ann,3,2,baseline\n");
}

// On three workloads, ann has one above 2, and bob one within a half.
TEST_F(TracesReportTest, CurvesHaveEverySteP) {
  const auto curves = Json("curves");
  const auto point = [](const char* author, double p, const char* name,
                        double share) {
    return nlohmann::json{{"author", author}, {"p", p}, {name, share}};
  };
  EXPECT_THAT(curves["fast_p"],
              ::testing::Contains(point("ann", 2.0, "fast_p", 1.0 / 3)));
  EXPECT_THAT(curves["win_at_p"],
              ::testing::Contains(point("bob", 0.5, "win_at_p", 1.0 / 3)));
  EXPECT_THAT(SayBare({"report", "curves", kSet}).out, HasSubstr("fast_p 0.5"));
}

TEST_F(TracesReportTest, VisualizeShowsEveryTrace) {
  const auto shown = Json("visualize");
  EXPECT_EQ(shown["traces"].size(), 7u);
  EXPECT_EQ(shown["best"].size(), 2u);
}

TEST_F(TracesReportTest, AMergedSetIsTheSetAgain) {
  const std::string merged = File("merged").string();
  const Said said =
      SayBare({"report", "merge", kSet, kSet, "--output", merged});
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  const auto text = [](const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kSet)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    EXPECT_EQ(text(fs::path(merged) / fs::relative(entry.path(), kSet)),
              text(entry.path()))
        << entry.path();
  }
  EXPECT_GE(files, 10u);
  EXPECT_EQ(SayBare({"report", "summary", merged}).out,
            SayBare({"report", "summary", kSet}).out);
}

TEST_F(TracesReportTest, MisuseIsOneLine) {
  const auto err = [&](const std::vector<std::string>& words) {
    const Said said = SayBare(words);
    EXPECT_EQ(said.exit, Exit::kUsage);
    return said.err;
  };
  EXPECT_EQ(err({"report", "sumary", kSet}),
            "coppice report: unknown 'sumary'; did you mean 'report "
            "summary'?\n");
  EXPECT_THAT(err({"report", "mine.db"}),
              EndsWith("; a database is named by --db mine.db\n"));
  EXPECT_EQ(err({"report", "merge", kSet}),
            "coppice report merge: say where with --output DIRECTORY\n");
  EXPECT_EQ(err({"report", "best", kSet, "--output", "x"}),
            "coppice report best: unknown option '--output'; it goes with "
            "report visualize, report merge\n");
  EXPECT_THAT(err({"report", "merge", kSet, "--output", kSet}),
              EndsWith("tests/trace_set: is not empty\n"));
  fs::create_directories(File("empty"));
  EXPECT_THAT(err({"report", "summary", File("empty").string()}),
              HasSubstr("no trace set: it has none of definitions/"));
  EXPECT_THAT(err({"import", "nothing", kSet}), HasSubstr("unknown 'nothing'"));
  fs::create_directories(File("cut/definitions"));
  std::ofstream(File("cut/definitions/a.json")) << "{";
  for (const char* verb : {"import", "report"}) {
    const char* what = *verb == 'i' ? "traces" : "summary";
    EXPECT_THAT(err({verb, what, File("cut").string(), "--db", Path()}),
                HasSubstr("a.json: not JSON"));
  }
  fs::copy(kSet, File("quiet"), fs::copy_options::recursive);
  fs::remove_all(File("quiet/traces"));
  EXPECT_THAT(err({"import", "traces", File("quiet").string(), "--db",
                   File("t.db").string()}),
              HasSubstr("quiet: nothing to import: no definition has traces"));
  for (const char* option : {"--task", "--name", "--problem", "--level"}) {
    EXPECT_EQ(err({"import", "traces", kSet, option, "1", "--db",
                   File("t.db").string()}),
              std::string("coppice import traces: unknown option '") + option +
                  "'; it goes with import kernels, import kernelbench\n");
  }
  EXPECT_THAT(err({"import", "traces", kSet, "--unmeasured"}),
              HasSubstr("it goes with import kernels, import kernelbench"));
  EXPECT_THAT(err({"import", "traces", kSet, "--source-field", "x"}),
              EndsWith("it goes with import kernels\n"));
  EXPECT_EQ(err({"export", "traces", "--db", Path()}),
            "coppice export traces: say where with --output DIRECTORY\n");
}

TEST_F(TracesReportTest, ASetIsImportedOnce) {
  const auto import = [&] {
    return SayBare(
        {"import", "traces", kSet, "--json", "--db", File("t.db").string()});
  };
  const Said first = import();
  ASSERT_EQ(first.exit, Exit::kDone) << first.err;
  const auto document = nlohmann::json::parse(first.out);
  EXPECT_EQ(document["campaigns"], (nlohmann::json{"gemm_k8.traces"}));
  const Said again = import();
  EXPECT_EQ(again.exit, Exit::kUsage);
  EXPECT_EQ(
      again.err,
      "coppice import traces: gemm_k8.traces: is in the database already; "
      "import into another with --db\n");
}

// FlashInfer-Bench would refuse the set.
TEST_F(TracesReportTest, AConstraintThatIsNoPythonIsNamed) {
  fs::copy(kSet, File("set"), fs::copy_options::recursive);
  const fs::path file = File("set") / "definitions/gemm/gemm_k8.json";
  std::ifstream in(file);
  auto document = nlohmann::ordered_json::parse(in);
  document["constraints"] = {"M >"};
  std::ofstream(file) << document;
  const std::string set = File("set").string();
  const Said none =
      SayBare({"report", "summary", set, "--python", "/no/python"});
  EXPECT_EQ(none.exit, Exit::kDone);
  EXPECT_THAT(none.err, testing::StartsWith("not checked whether references "));
  const Said said = SayBare({"report", "summary", set});
  if (said.err.starts_with("not checked")) GTEST_SKIP() << said.err;
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.err, "coppice report summary: " + file.string() +
                          ": /constraints/0: line 1: invalid syntax\n");
}

TEST_F(TracesReportTest, AMalformedFileIsNamedWithItsLine) {
  fs::copy(kSet, File("set"), fs::copy_options::recursive);
  std::ofstream(File("set") / "traces/ann/gemm/gemm_k8.jsonl", std::ios::app)
      << "{\"definition\": \"gemm_k8\"}\n";
  const Said said = SayBare({"report", "summary", File("set").string()});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_EQ(said.err,
            "coppice report summary: " +
                (File("set") / "traces/ann/gemm/gemm_k8.jsonl").string() +
                ":3: \"workload\" is missing\n");
}

TEST_F(TracesReportTest, AReportHasOneForm) {
  for (const char* what :
       {"summary", "best", "leaderboard", "curves", "visualize"}) {
    const Said said = SayBare({"report", what, kSet, "--json", "--csv"});
    EXPECT_EQ(said.exit, Exit::kUsage);
    EXPECT_EQ(said.err, "coppice report " + std::string(what) +
                            ": --json or --csv, not both\n");
    EXPECT_EQ(said.out, "");
  }
  const std::string folder = File("pictures").string();
  for (const char* form : {"--json", "--csv"}) {
    EXPECT_THAT(
        SayBare({"report", "visualize", kSet, "--output", folder, form}).err,
        HasSubstr(std::string(form) + ": does not go with --output"));
  }
  EXPECT_FALSE(fs::exists(folder));
}

// Several sheets are parted by an empty line, each with a heading of its own.
TEST_F(TracesReportTest, CsvHasEverySheetWithItsHeading) {
  const std::string csv = SayBare({"report", "leaderboard", kSet, "--csv"}).out;
  EXPECT_THAT(csv, testing::StartsWith(
                       "definition,rank,solution,author,score,geometric_mean,"
                       "passed,workloads,over\ngemm_k8,1,gemm_ann,ann,3,"));
  EXPECT_THAT(csv, HasSubstr("\n\ndefinition,rank,author,score,solution\n"));
  EXPECT_THAT(csv, HasSubstr("\n\nauthor,score,solved,definitions\n"));
  // Ranks count anew for each definition.
  EXPECT_THAT(csv, HasSubstr("\nrow_scale,1,"));
}

// A trace set twice is the set, and two sets are one of both.
TEST_F(TracesReportTest, SeveralSetsAreReadAsOne) {
  EXPECT_EQ(SayBare({"report", "summary", kSet, kSet}).out,
            SayBare({"report", "summary", kSet}).out);
  const Said missing =
      SayBare({"report", "summary", kSet, File("no.db").string()});
  EXPECT_NE(missing.exit, Exit::kDone);
  EXPECT_THAT(missing.err, HasSubstr("no.db"));
  EXPECT_EQ(missing.out, "");
}

// gemm_ann has 4 and 2 times the baseline's speed, gemm_bob 2 times and a
// failure; scores are means, 0 after a failure.
TEST_F(TracesReportTest, PeopleSeeWhatProgramsGet) {
  const std::string text = SayBare({"report", "leaderboard", kSet}).out;
  EXPECT_THAT(text, testing::ContainsRegex(
                        "gemm_k8 +1 +gemm_ann +ann +3 +2[.]828 +2 +2 +"
                        "baseline\n"));
  EXPECT_THAT(text, testing::ContainsRegex("\nauthor +score +solved +"
                                           "definitions\nann +"));
}

// There are three workloads: ann is 4 and 2 times as fast as the baseline, bob
// twice on one.  A factor has to be surpassed.  Beside the fastest, bob's 2 ms
// are half as good as ann's 1 ms, and the baseline's 6 as ann's 3.
TEST_F(TracesReportTest, PeopleSeeCurvesAtSomePoints) {
  const std::string text = SayBare({"report", "curves", kSet}).out;
  EXPECT_THAT(
      text,
      HasSubstr(
          "\nann         0.6667      0.6667      0.6667    0.6667      "
          "0.6667    0.3333         0         0\n"
          "baseline    0.6667      0.6667      0.6667         0           "
          "0         0         0         0\n"
          "bob         0.3333      0.3333      0.3333    0.3333      "
          "0.3333         0         0         0\n"));
  EXPECT_THAT(
      text,
      HasSubstr("\n\nauthor    win_at_p 1  win_at_p 0.95  win_at_p 0.9  "
                "win_at_p 0.8  win_at_p 0.5\n"
                "ann           0.6667         0.6667        0.6667        "
                "0.6667        0.6667\n"
                "baseline           0              0             0             "
                "0        0.3333\n"
                "bob                0              0             0             "
                "0        0.3333\n"));
}

}  // namespace
}  // namespace coppice::cli
