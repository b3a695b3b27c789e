#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "engine/cli/rehearsal.h"
#include "engine/simulation.h"
#include "eval/trace_set.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

class ExportTest : public ::testing::Test, protected Rehearsal {
 protected:
  // A campaign whose task is a real one, with a root and one faster node.
  void PlantSimulation() {
    const Task task = store::Must(engine::SimulatedTask("basic"));
    store::CampaignSpec spec = store::SpecNamed("sim");
    spec.task_json = eval::SerialiseTask(task);
    const CampaignId sim =
        store::Must(store::Campaigns(database()).Create(spec));
    store::Must(store::Nodes(database())
                    .Commit(sim, std::nullopt, store::RootNode(), 1000.0));
    store::Grow(database(), sim, kRootNode,
                {.source = "fast\n", .runtime_s = 2.0, .advice = "hurry"});
  }
};

TEST_F(ExportTest, PrintsTheBestSource) {
  EXPECT_EQ(Say({"export", "best"}).out, "one\nthree\n");
}

TEST_F(ExportTest, WritesAFile) {
  const std::string path = File("fast.cc").string();
  const Said said = Say({"export", "best", "--output", path});
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err, path + ": node 3 of a\n");
  std::ifstream file(path);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}),
            "one\nthree\n");
}

TEST_F(ExportTest, AFileThatCannotBeWrittenIsAFailure) {
  const Said said =
      Say({"export", "best", "--output", File("no/fast.cc").string()});
  EXPECT_EQ(said.exit, Exit::kFailure);
  EXPECT_THAT(said.err, HasSubstr("fast.cc: cannot be written"));
}

TEST_F(ExportTest, ASolutionIsTheRootsWithTheBestSource) {
  PlantSimulation();
  const Said said = Say({"export", "best", "--solution", "--campaign", "sim"});
  ASSERT_EQ(said.exit, Exit::kDone) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  EXPECT_EQ(json["name"], "sim.node1");
  EXPECT_EQ(json["author"], "coppice");
  EXPECT_EQ(json["definition"], "sim:basic");
  EXPECT_EQ(json["sources"][0]["content"], "fast\n");
}

TEST_F(ExportTest, ExportsOnlyWhatItKnows) {
  EXPECT_EQ(Say({"export", "worst"}).err,
            "coppice export: unknown 'worst'; there are: export best, export "
            "plain\n");
}

TEST_F(ExportTest, PlainIsADatabaseWithTheTextsThemselves) {
  const std::string path = File("plain.db").string();
  EXPECT_EQ(Say({"export", "plain", "--output", path}).exit, Exit::kDone);
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_EQ(Say({"export", "plain"}).err,
            "coppice export: export plain: say where with --output FILE\n");
}

}  // namespace
}  // namespace coppice::cli
