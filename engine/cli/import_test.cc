// What coppice import says of baseline times and of mistakes; kernels need the
// program's own files, so tests/interchange_test.cc imports those.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cli/cli_fixture.h"
#include "store/records/node.h"

namespace coppice::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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
            path + ": times of 1 problems, 1 new; 1 have none\n");
  EXPECT_THAT(store::Rows(database(),
                          "SELECT campaign, baseline, quoted, speedup,"
                          " best_over_baseline FROM baselines"),
              ElementsAre("k|torch|1|0.5|8"));
  EXPECT_THAT(Say({"import", "kernelbench", path}).out,
              HasSubstr("times of 1 problems, 0 new"));
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
