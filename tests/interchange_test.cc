// Kernels of others through the whole program: judged by what they do, however
// they were praised.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "store/database.h"
#include "tests/campaign_process.h"

namespace coppice {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string TextOf(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class InterchangeTest : public testing::Test {
 protected:
  std::string Put(const std::string& name, const std::string& text) const {
    const auto path = processes_.directory() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  std::string Program(Arguments arguments) const {
    arguments.insert(arguments.end(), {"--db", File()});
    return processes_.Succeed(arguments);
  }
  std::string File() const { return processes_.Database("x").string(); }
  std::vector<std::string> Lines(const std::string& sql) const {
    const auto rows =
        nlohmann::ordered_json::parse(Program({"sql", sql, "--json"}));
    std::vector<std::string> lines;
    for (const auto& row : rows) {
      std::string line;
      for (const auto& [name, value] : row.items()) {
        line += (line.empty() ? "" : "|") + value.dump();
      }
      lines.push_back(std::move(line));
    }
    return lines;
  }

  CampaignProcesses processes_;
};

// The root's own source twice, one that is no C++ and one that computes
// something else, in a list that praises the wrong ones.
TEST_F(InterchangeTest, ALiarsListIsJudgedByItsKernels) {
  const std::string root =
      TextOf(std::string(COPPICE_SOURCE_DIR) + "/data/cpu/gelu_tanh/root.cc");
  ASSERT_NE(root, "");
  std::string list;
  const auto add = [&](const std::string& source, double speedup) {
    list +=
        nlohmann::json({{"code", source}, {"speedup", speedup}}).dump() + "\n";
  };
  add(root, 1.0);
  add("not C++", 100.0);
  std::string wrong = root;
  wrong.replace(wrong.find("0.5f"), 4, "0.6f");
  add(wrong, 50.0);
  add(root, 3.0);
  const std::string file = Put("list.jsonl", list);
  const Arguments import = {"import",    "kernels",    file,  "--task",
                            "gelu_tanh", "--progress", "none"};
  const std::string said = Program(import);
  EXPECT_THAT(said, HasSubstr("list.jsonl: 4 kernels (source from code, "
                              "speedup from speedup)"));
  EXPECT_THAT(said, HasSubstr("gelu_tanh.import: 3 new, 3 to judge, 1 known"));
  // On a busy machine the times of what is right may tell nothing.
  EXPECT_THAT(Lines("SELECT origin, claimed_speedup, node,"
                    " replace(verdict, 'inconclusive', 'passed') AS verdict"
                    " FROM claims ORDER BY claim"),
              ElementsAre("\"list.jsonl:1\"|1.0|1|\"passed\"",
                          "\"list.jsonl:2\"|100.0|2|\"compile_failed\"",
                          "\"list.jsonl:3\"|50.0|3|\"wrong_output\""));
  EXPECT_THAT(Lines("SELECT policy, trials, compiled FROM scores"),
              ElementsAre("\"import\"|3|2"));
  EXPECT_THAT(Program(import), HasSubstr("0 new, 0 to judge, 4 known"));
  EXPECT_THAT(Program({"db", "doctor"}), HasSubstr("sound"));
}

TEST_F(InterchangeTest, UnmeasuredIsOnlyKept) {
  Program({"import", "kernels", Put("one.json", R"([{"code": "x"}])"), "--task",
           "gelu_tanh", "--unmeasured", "--progress", "none"});
  EXPECT_THAT(Lines("SELECT origin, node FROM claims"),
              ElementsAre("\"one.json:1\"|null"));
  EXPECT_THAT(Lines("SELECT count(*) AS nodes FROM nodes"), ElementsAre("0"));
}

// Killed at any commit, an import is whole after resuming.
TEST_F(InterchangeTest, KilledItGoesOn) {
  Program({"run", "sim:basic", "--budget", "12", "--name", "agents",
           "--progress", "none"});
  const auto found =
      nlohmann::json::parse(Program({"sql",
                                     "SELECT DISTINCT blob_text(source_blob)"
                                     " AS code FROM nodes"
                                     " WHERE node > 0 AND code IS NOT NULL",
                                     "--json"}));
  const std::string file = Put("list.json", found.dump());
  int interrupted = 0;
  for (int commit = 1; commit <= 12; ++commit) {
    const std::string database =
        processes_.Database("k" + std::to_string(commit)).string();
    const Arguments import = {"import", "kernels",    file,
                              "--task", "sim:basic",  "--db",
                              database, "--progress", "none"};
    const int status = CampaignProcesses::Wait(
        processes_.Start(import, std::to_string(commit)));
    interrupted += WIFSIGNALED(status) ? 1 : 0;
    processes_.Succeed(import);
    const auto counts = nlohmann::json::parse(processes_.Succeed(
        {"sql",
         "SELECT count(*) AS claims, count(verdict) AS judged,"
         " (SELECT count(*) FROM nodes) AS nodes FROM claims",
         "--db", database, "--json"}));
    EXPECT_EQ(counts[0]["claims"], found.size());
    EXPECT_EQ(counts[0]["judged"], found.size());
    EXPECT_EQ(counts[0]["nodes"], found.size() + 1);
  }
  EXPECT_GT(interrupted, 8);
}

}  // namespace
}  // namespace coppice
