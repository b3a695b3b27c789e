// What coppice tune refuses before it looks for the task; tuning needs the
// program's own files, so tests/ does that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

class TuneVerbTest : public ::testing::Test, protected Rehearsal {};

TEST_F(TuneVerbTest, MeasuringAllIsNoClimb) {
  const std::string table = File("space.csv").string();
  for (const std::vector<std::string>& option :
       {std::vector<std::string>{"--trials", "3"},
        {"--output", "x.cc"},
        {"--json"}}) {
    std::vector<std::string> words = {"tune", "gemm", "k.cc", "--all", table};
    words.insert(words.end(), option.begin(), option.end());
    const Said said = SayBare(words);
    EXPECT_EQ(said.exit, Exit::kUsage);
    EXPECT_EQ(said.err,
              "coppice tune: " + option.front() + ": does not go with --all\n");
  }
  EXPECT_FALSE(std::filesystem::exists(table));
}

TEST_F(TuneVerbTest, ATaskAndAFileAreNeeded) {
  EXPECT_THAT(SayBare({"tune"}).err, HasSubstr("missing TASK"));
  EXPECT_THAT(SayBare({"tune", "gemm"}).err, HasSubstr("missing FILE"));
  EXPECT_THAT(SayBare({"tune", "gemm", "a.cc", "b.cc"}).err,
              HasSubstr("unexpected 'b.cc'"));
  EXPECT_THAT(SayBare({"tune", "gemm", "a.cc", "--trials", "many"}).err,
              HasSubstr("--trials: expected a whole number of at least 0"));
}

}  // namespace
}  // namespace coppice::cli
