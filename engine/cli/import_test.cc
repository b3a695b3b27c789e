// What coppice import makes of baseline times, of kernels of what is simulated,
// and of mistakes; kernels that have to be compiled are in
// tests/interchange_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/cli_fixture.h"
#include "store/records/node.h"

namespace coppice::cli {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Beside campaign "a" there is "k" on 19_ReLU of level 1, whose best node takes
// 1 s.
class CliImportTest : public ::testing::Test, protected Rehearsal {
 protected:
  CliImportTest() {
    store::CampaignSpec spec = store::SpecNamed("k");
    spec.task_name = "level1_19_ReLU";
    const CampaignId id =
        store::Must(store::Campaigns(database()).Create(spec));
    store::Must(store::Nodes(database())
                    .Commit(id, std::nullopt, store::RootNode(), 1000.0));
    store::Grow(database(), id, kRootNode);
  }
};

constexpr const char* kTimes = R"({"level1": {
  "19_ReLU.py": {"mean": 8000, "std": 1, "min": 7000, "max": 9000,
                 "num_trials": 100, "hardware": "a processor",
                "device": "cuda:0"},
  "2_Two.py": null}, "level2": {}})";

TEST_F(CliImportTest, TimesOfBaselinesAreComparedWith) {
  const std::string path = Put("baseline_time_torch.json", kTimes);
  EXPECT_EQ(Say({"import", "kernelbench", path}).out,
            path + ": times of 1 problem, 1 new; 1 has none\n");
  EXPECT_THAT(store::Rows(database(),
                          "SELECT campaign, baseline, quoted, speedup,"
                          " best_over_baseline FROM baselines"),
              ElementsAre("k|torch|1|0.5|8"));
  EXPECT_THAT(Say({"import", "kernelbench", path}).out,
              HasSubstr("times of 1 problem, 0 new"));
}

TEST_F(CliImportTest, TimesOfBaselinesAreOfNoCampaign) {
  const std::string path = Put("baseline_time_torch.json", kTimes);
  for (const char* option : {"--task", "--name", "--problem", "--level"}) {
    const Said said = Say({"import", "kernelbench", path, option, "1"});
    EXPECT_EQ(said.exit, Exit::kUsage);
    EXPECT_EQ(said.err, "coppice import kernelbench: " + std::string(option) +
                            ": goes with kernels, but " + path +
                            " holds times of baselines\n");
  }
  EXPECT_THAT(store::Rows(database(), "SELECT baseline FROM baselines"),
              IsEmpty());
}

TEST_F(CliImportTest, APathCannotSteerTheTerminal) {
  Put("odd\033[2J/baseline_time_torch.json", kTimes);
  EXPECT_THAT(
      Say({"import", "kernelbench", File("odd\033[2J").string()}).out,
      AllOf(HasSubstr("odd?[2J: times of 1 problem,"), Not(HasSubstr("\033"))));
}

TEST_F(CliImportTest, ADirectoryOfTimesIsReadWhole) {
  Put("H/baseline_time_torch.json", kTimes);
  Put("H/baseline_time_torch_compile_inductor_default.json", kTimes);
  const Said said =
      Say({"import", "kernelbench", File("H").string(), "--json"});
  EXPECT_EQ(said.out,
            "{\n  \"times\": 2,\n  \"new\": 2,\n"
            "  \"failed\": 2\n}\n");
  EXPECT_THAT(store::Rows(database(),
                          "SELECT baseline FROM baselines"
                          " ORDER BY 1"),
              ElementsAre("torch", "torch_compile_inductor_default"));
}

TEST_F(CliImportTest, OneTornFileOfADirectoryAddsNothing) {
  Put("H/baseline_time_a.json", kTimes);
  Put("H/baseline_time_b.json", "{");
  const Said said = Say({"import", "kernelbench", File("H").string()});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_THAT(said.err, HasSubstr("baseline_time_b.json: not JSON"));
  EXPECT_THAT(store::Rows(database(), "SELECT * FROM baselines"), IsEmpty());
}

TEST_F(CliImportTest, MistakesAreTold) {
  const auto error = [&](const std::vector<std::string>& words) {
    const Said said = Say(words);
    EXPECT_EQ(said.exit, Exit::kUsage);
    return said.err;
  };
  const std::string times = Put("baseline_time_torch.json", kTimes);
  EXPECT_EQ(error({"import", "everything", "x"}),
            "coppice import: unknown 'everything'; there are: import kernels, "
            "import kernelbench, import traces\n");
  EXPECT_THAT(error({"import", "kernels"}), HasSubstr("missing FILE"));
  EXPECT_THAT(error({"import", "kernels", "list.json"}),
              HasSubstr("list.json: say with --task TASK"));
  EXPECT_THAT(error({"import", "kernelbench", Put("x.json", "{}")}),
              HasSubstr("x.json: expected baseline_time_NAME.json, or the "
                        "directory of a run"));
  EXPECT_THAT(error({"import", "kernelbench", times, "--task", "t"}),
              HasSubstr("--task: goes with kernels"));
  EXPECT_THAT(error({"import", "kernelbench", times, "--source-field", "t"}),
              HasSubstr("it goes with import kernels\n"));
  EXPECT_EQ(error({"import", "kernelbench", File("none").string(), "--task",
                   "kernelbench:19_ReLU.py"}),
            "coppice import kernelbench: " + File("none").string() +
                ": No such file or directory\n");
  EXPECT_THAT(error({"import", "kernelbench", Put("k.py", ""), "--task",
                     "kernelbench:19_ReLU.py"}),
              HasSubstr("k.py: expected baseline_time_NAME.json"));
  EXPECT_THAT(
      error({"import", "kernelbench", File("baseline_time_x.json").string()}),
      HasSubstr("No such file or directory"));
}

// The first is faster than the root, the second is the root's own point, and
// the third is no point.
constexpr const char* kKernels = R"([
  {"code": "sim basic\nlayout 0\ntile 0\nvectorise 3\nunroll 0\nprefetch 0\nfuse 0\n",
   "speedup": 2.0},
  {"code": "sim basic\nlayout 0\ntile 0\nvectorise 0\nunroll 0\nprefetch 0\nfuse 0\n",
   "runtime_us": 1500},
  {"code": "bad"}])";

class CliKernelsTest : public ::testing::Test, protected Rehearsal {
 protected:
  CliKernelsTest() { Install(); }

  Said Import(const std::vector<std::string>& more) {
    std::vector<std::string> words = {
        "import", "kernels",   Put("list.json", kKernels),
        "--task", "sim:basic", "--progress",
        "none"};
    words.insert(words.end(), more.begin(), more.end());
    return SayIn("new.db", words);
  }
};

TEST_F(CliKernelsTest, KernelsOfAListAreJudgedBesideWhatIsClaimed) {
  const Said said = Import({});
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_THAT(said.out, ContainsRegex("\nlist.json:1 +2.00x +1.[0-9]+x "
                                      "\\([-.0-9]+\\) +1 +passed\n"
                                      "list.json:2 +1.5 ms .* 2 +passed\n"
                                      "list.json:3 +3 +compile_failed\n"));
  EXPECT_THAT(said.out, EndsWith("\nsim:basic.import: 3 new, 3 to judge, 0 "
                                 "known already\n"));
  const auto again = nlohmann::json::parse(Import({"--json"}).out);
  EXPECT_EQ(again["new"], 0);
  EXPECT_EQ(again["duplicates"], 3);
  EXPECT_EQ(again["claims"][0]["claimed_speedup"], 2.0);
  EXPECT_EQ(again["claims"][0]["verdict"], "passed");
  EXPECT_EQ(again["claims"][1]["claimed_runtime_s"], 0.0015);
  EXPECT_EQ(again["claims"][2]["speedup"], nullptr);
}

TEST_F(CliKernelsTest, KernelsMayBeKeptAndNotJudged) {
  const Said said = Import({"--unmeasured", "--name", "kept"});
  EXPECT_EQ(said.exit, Exit::kDone) << said.err;
  EXPECT_THAT(said.out, ContainsRegex("\nlist.json:3 +not judged\n"));
  EXPECT_THAT(said.out,
              EndsWith("\nkept: 3 new, 0 to judge, 0 known already\n"));
}

// A field that ends in no unit has the one that is said.
TEST_F(CliKernelsTest, FieldsAndTheirUnitsMayBeNamed) {
  const std::string list =
      Put("odd.json", R"([{"text": "x", "took": 2, "times": 3}])");
  const auto claim_with = [&](const std::string& unit) {
    const Said said =
        SayIn("odd" + unit + ".db",
              {"import", "kernels", list, "--task", "sim:basic", "--unmeasured",
               "--json", "--progress", "none", "--source-field", "text",
               "--runtime-field", "took", "--speedup-field", "times",
               "--runtime-unit", unit});
    return nlohmann::json::parse(said.out)["claims"][0];
  };
  EXPECT_EQ(claim_with("s")["claimed_runtime_s"], 2.0);
  EXPECT_EQ(claim_with("ms")["claimed_runtime_s"], 0.002);
  EXPECT_DOUBLE_EQ(claim_with("us")["claimed_runtime_s"].get<double>(), 2e-6);
  EXPECT_EQ(claim_with("s")["claimed_speedup"], 3.0);
}

TEST_F(CliImportTest, AFileOfTimesHasANameOfItsOwn) {
  for (const char* name : {"baseline_time_.json", "baseline_time_torch.txt",
                           "Baseline_time_torch.json", "torch.json"}) {
    EXPECT_THAT(Say({"import", "kernelbench", Put(name, kTimes)}).err,
                HasSubstr("expected baseline_time_NAME.json, or the directory "
                          "of a run"))
        << name;
  }
  // Whatever stands between is the name.
  EXPECT_EQ(
      Say({"import", "kernelbench", Put("baseline_time_a.json.json", kTimes)})
          .exit,
      Exit::kDone);
  EXPECT_THAT(store::Rows(database(), "SELECT baseline FROM baselines"),
              ElementsAre("a.json"));
}

// A folder without files of times is one of kernels, which are for a task.
TEST_F(CliImportTest, KernelsAreForATaskAndACampaign) {
  Put("run/level_1_problem_19_sample_0_kernel.py", "");
  const std::string run = File("run").string();
  const auto error = [&](const std::vector<std::string>& words) {
    const Said said = Say(words);
    EXPECT_EQ(said.exit, Exit::kUsage);
    EXPECT_EQ(said.out, "");
    return said.err;
  };
  EXPECT_EQ(error({"import", "kernelbench", run}),
            "coppice import kernelbench: " + run +
                ": say with --task TASK which task its kernels are for\n");
  EXPECT_THAT(error({"import", "kernels", "list.json", "--task", "gemv",
                     "--name", "a\tb"}),
              HasSubstr("has control characters"));
  EXPECT_THAT(error({"import", "kernels", "list.json", "--task", "gemv",
                     "--progress", "loud"}),
              HasSubstr("--progress loud: expected"));
  EXPECT_THAT(error({"import", "kernels", "list.json", "--task", "gemv",
                     "--runtime-unit", "h"}),
              HasSubstr("--runtime-unit h: expected s, ms or us"));
  EXPECT_THAT(error({"import", "kernels", "list.json", "--problem", "first"}),
              HasSubstr("--problem: expected a whole number"));
}

}  // namespace
}  // namespace coppice::cli
