// list_tasks and describe_task, over the program's own tasks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "engine/service/json.h"
#include "engine/service/test_service.h"

namespace coppice::service {
namespace {

using store::Must;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class TaskOperationsTest : public ::testing::Test {
 protected:
  Json Ask(const char* name, const Json& request) {
    return Json::parse(Must(service_.Ask(name, request.dump())));
  }
  Json Part(const char* part, const char* task = "gelu_tanh") {
    return Ask("describe_task", {{"task", task}, {"part", part}});
  }

  TestService service_;
};

TEST_F(TaskOperationsTest, PagesHoldEachTaskOnce) {
  std::set<std::string> names;
  std::size_t count = 0;
  Json request = Json::object();
  for (;;) {
    const Json page = Ask("list_tasks", request);
    EXPECT_LE(page["tasks"].size(), 50U);
    for (const Json& task : page["tasks"]) {
      names.insert(task["task"]);
      ++count;
    }
    if (page["next_cursor"].is_null()) break;
    request["cursor"] = page["next_cursor"];
  }
  EXPECT_EQ(names.size(), count);
  EXPECT_TRUE(names.contains("gelu_tanh"));
  EXPECT_TRUE(names.contains("sim:basic"));
}

TEST_F(TaskOperationsTest, ATaskIsAskedForByWhatItIs) {
  const auto listed = [&](const Json& filter) -> Json {
    return Ask("list_tasks", filter)["tasks"];
  };
  const Json cuda = listed({{"device", "cuda"}});
  for (const Json& task : cuda) EXPECT_EQ(task["device"], "cuda");
  const Json second = listed({{"level", "2"}});
  EXPECT_FALSE(second.empty());
  for (const Json& task : second) EXPECT_EQ(task["level"], "2");
  const Json simulated = listed({{"device", "none"}});
  EXPECT_FALSE(simulated.empty());
  for (const Json& task : simulated) {
    EXPECT_THAT(std::string(task["task"]), HasSubstr(":"));
  }
  const Json loud = Ask("list_tasks", {{"query", "GELU"}});
  EXPECT_EQ(loud["tasks"], Ask("list_tasks", {{"query", "gelu"}})["tasks"]);
  EXPECT_FALSE(loud["tasks"].empty());
  EXPECT_TRUE(Ask("list_tasks", {{"query", "no such thing"}})["tasks"].empty());
}

TEST_F(TaskOperationsTest, ACursorIsOneThatAPageHad) {
  const auto answer = service_.Ask("list_tasks", R"({"cursor":"zz"})");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "cursor: no task is called zz");
}

TEST_F(TaskOperationsTest, ATaskIsDescribedPartByPart) {
  const Json summary = Part("summary");
  EXPECT_EQ(summary["task"], "gelu_tanh");
  EXPECT_EQ(summary["language"], "C++");
  EXPECT_EQ(summary["entry"], "run");
  EXPECT_THAT(std::string(summary["signature"]), HasSubstr("run("));
  EXPECT_THAT(std::string(summary["tolerance"]), StartsWith("|y - r| <= "));
  EXPECT_THAT(std::string(summary["text"]), HasSubstr("\nInputs:\n"));
  EXPECT_EQ(summary["is_cut"], false);
  EXPECT_FALSE(summary["workloads"][0]["axes"].empty());
  EXPECT_THAT(std::string(Part("own_rule")["text"]), HasSubstr("oracle("));
  EXPECT_NE(Part("workloads")["text"], "");
  EXPECT_NE(Part("reference")["text"], Part("root")["text"]);
}

// An x and characters of two bytes: byte 12,000 is in the last one.
TEST_F(TaskOperationsTest, ALongTextIsCutBetweenCharacters) {
  const store::ScratchDirectory directory;
  const std::filesystem::path folder = directory.File("mine");
  std::filesystem::copy(
      std::filesystem::path(COPPICE_SOURCE_DIR) / "data/cpu/gelu_tanh", folder);
  std::string source = "//x";
  for (int i = 0; i < 7'000; ++i) source += "\xC3\xA9";
  std::ofstream(folder / "root.cc") << source;
  const Json task = Part("root", folder.c_str());
  EXPECT_EQ(task["is_cut"], true);
  EXPECT_EQ(task["text"], source.substr(0, 11'999));
  EXPECT_EQ(Part("own_rule", folder.c_str())["is_cut"], false);
}

// A benchmark says how near is near enough.
TEST_F(TaskOperationsTest, AProblemInPyTorchIsDescribedToo) {
  const store::ScratchDirectory directory;
  const auto file = directory.File("19_ReLU.py");
  std::ofstream(file)
      << "import torch\nimport torch.nn as nn\n"
         "class Model(nn.Module):\n"
         "    def forward(self, x):\n        return torch.relu(x)\n"
         "def get_inputs():\n    return [torch.randn(16, 16)]\n"
         "def get_init_inputs():\n    return []\n";
  const Json task = Part("reference", ("kernelbench:" + file.string()).c_str());
  EXPECT_EQ(task["language"], "Python");
  EXPECT_EQ(task["signature"], nullptr);
  EXPECT_EQ(task["tolerance"], "that of its benchmark");
  EXPECT_THAT(std::string(task["text"]), HasSubstr("torch.relu(x)"));
}

TEST_F(TaskOperationsTest, ALandscapeHasNoSignature) {
  const Json task = Part("summary", "sim:basic");
  EXPECT_EQ(task["signature"], nullptr);
}

TEST_F(TaskOperationsTest, ATaskThatIsNotThereGetsTheNearestName) {
  const auto answer = service_.Ask("describe_task", R"({"task":"gelu_tan"})");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::kUsage);
  EXPECT_THAT(answer.error().what, HasSubstr("did you mean gelu_tanh?"));
  EXPECT_THAT(service_.Ask("describe_task", R"({"part":"all"})").error().what,
              StartsWith("task: missing; part: expected one of summary, "));
}

}  // namespace
}  // namespace coppice::service
