// What torch makes of a task, through the whole program on the CPU: judged for
// itself, and measured once for the campaigns on it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "store/database.h"
#include "tests/campaign_process.h"
#include "tests/chosen_python.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr char kProblem[] =
    COPPICE_SOURCE_DIR "/tests/kernelbench/level1/1_Row_scale.py";
constexpr char kDefault[] = "torch_compile_inductor_default";

class TorchBaselinesTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string python = ChosenPython();
    if (std::system((python + " -c 'import torch' 2>/dev/null").c_str()) != 0) {
      GTEST_SKIP() << python << ": has no PyTorch";
    }
    setenv("COPPICE_PYTHON", python.c_str(), 1);
  }

  // Its exit status.  Compilers may have to wait on a busy machine.
  int Exit(Arguments arguments) const {
    arguments.insert(arguments.end(),
                     {"--devices", "cpu", "--threads", "1",
                      "--compile-timeout-s", "300", "--call-timeout-s", "60"});
    const int status = CampaignProcesses::Wait(processes_.Start(arguments));
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  // With one attempt, whose answer is the problem itself.
  std::string Run(const std::string& name, const std::string& model,
                  Arguments more) const {
    more.insert(more.begin(),
                {"run", std::string("kernelbench:") + kProblem, "--name", name,
                 "--preset", "sampling", "--budget", "1", "--progress", "plain",
                 "--baselines", "eager,compile", "--code-model", model, "--db",
                 File()});
    // 3: nothing beat the root.
    EXPECT_THAT(Exit(more), AnyOf(0, 3)) << processes_.Output();
    return processes_.Output();
  }

  json Rows(const std::string& query) const {
    return json::parse(
        processes_.Succeed({"sql", query, "--json", "--db", File()}));
  }

  json BaselinesOf(const std::string& campaign) const {
    return Rows(
        "SELECT baseline, verdict, speedup, measured_at_s FROM baselines"
        " WHERE campaign = '" +
        campaign + "' ORDER BY baseline");
  }

  static bool HavePassed(const json& rows) {
    return std::ranges::all_of(
        rows, [](const json& row) { return row["verdict"] == "passed"; });
  }

  std::string File() const { return processes_.Database("x").string(); }

  CampaignProcesses processes_;
};

TEST_F(TorchBaselinesTest, AreJudgedAndNotStored) {
  ASSERT_EQ(Exit({"eval", std::string("kernelbench:") + kProblem, "--baseline",
                  "eager", "--json"}),
            0)
      << processes_.Output();
  const json eager = json::parse(processes_.Output());
  EXPECT_EQ(eager["verdict"], "passed");
  EXPECT_GT(eager["runtime_s"], 0.0);
  EXPECT_EQ(eager["statistic"], "median");
  EXPECT_NEAR(eager["workloads"][0]["runtime_s"], eager["runtime_s"], 1e-12);
  EXPECT_EQ(eager["workloads"][0]["worst_error_ratio"], 0.0);
}

TEST_F(TorchBaselinesTest, AreMeasuredOnceForTheCampaignsOnATask) {
  const std::string cassette = (processes_.directory() / "cassette").string();
  const fs::path answer = processes_.directory() / "answer";
  std::ofstream(answer) << "```python\nimport torch\n"
                           "class ModelNew(torch.nn.Module):\n"
                           "    def forward(self, x):\n"
                           "        return 2 * x\n```\n";
  const std::string first =
      Run("first", "exec:cat " + answer.string(), {"--record", cassette});
  EXPECT_THAT(first, HasSubstr("level1_1_Row_scale: baseline eager: "));
  EXPECT_THAT(first, HasSubstr("level1_1_Row_scale: baseline compile: "));
  std::string settled = "first";
  json rows = BaselinesOf(settled);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["baseline"], "torch");
  EXPECT_EQ(rows[1]["baseline"], kDefault);
  // One may be inconclusive beside other tests; the next campaign measures that
  // again.
  for (int i = 0; i < 4 && !HavePassed(rows); ++i) {
    settled = "again" + std::to_string(i);
    Run(settled, "replay:" + cassette, {});
    rows = BaselinesOf(settled);
  }
  EXPECT_TRUE(HavePassed(rows)) << rows;

  const std::string second = Run("second", "replay:" + cassette, {});
  EXPECT_THAT(second, Not(HasSubstr("baseline compile: ")));
  EXPECT_EQ(BaselinesOf("second"), rows);
  EXPECT_THAT(processes_.Succeed({"db", "doctor", "--db", File()}),
              HasSubstr("sound"));

  const fs::path out = processes_.directory() / "out";
  processes_.Succeed({"export", "kernelbench", "--campaign", settled,
                      "--output", out.string(), "--db", File()});
  int files = 0;
  for (const auto& hardware : fs::directory_iterator(out / "results/timing")) {
    for (const std::string name : {"torch", kDefault}) {
      std::ifstream file(hardware.path() / ("baseline_time_" + name + ".json"));
      const json times = json::parse(file);
      EXPECT_GT(times["level1"]["1_Row_scale.py"]["mean"], 0.0) << name;
      ++files;
    }
  }
  EXPECT_EQ(files, 2);
}

}  // namespace
}  // namespace coppice
