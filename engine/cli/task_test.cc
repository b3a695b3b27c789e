#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cli/rehearsal.h"

namespace coppice::cli {
namespace {

class TaskTest : public ::testing::Test, protected Rehearsal {};

// What the verb does with tasks runs in tests/misuse_test.cc.
TEST_F(TaskTest, NamesWhatItCanDo) {
  EXPECT_EQ(SayBare({"task"}).exit, Exit::kUsage);
  EXPECT_THAT(SayBare({"task"}).err, testing::HasSubstr("missing ACTION"));
  EXPECT_EQ(SayBare({"task", "chekc"}).err,
            "coppice task: unknown 'chekc'; did you mean 'task check'?\n");
  EXPECT_THAT(SayBare({"task", "check"}).err,
              testing::HasSubstr("missing TASK; `coppice task list`"));
  EXPECT_THAT(SayBare({"task", "list", "x"}).err,
              testing::HasSubstr("unexpected 'x'"));
  EXPECT_THAT(SayBare({"task", "check", "x", "--level", "2"}).err,
              testing::HasSubstr("--level: is of a checkout of KernelBench"));
  EXPECT_THAT(SayBare({"task", "check", "x", "--kernelbench", "y"}).err,
              testing::HasSubstr("name no other, x"));
}

// The campaign of the rehearsal has one edit that passed.
TEST_F(TaskTest, AFitNeedsCampaignsAndAFile) {
  EXPECT_EQ(SayBare({"task", "fit", Path()}).err,
            "coppice task fit: say where with --output FILE\n");
  const std::string file = File("live.txt").string();
  const Said said = SayBare({"task", "fit", Path(), "--output", file});
  EXPECT_EQ(said.exit, Exit::kUsage);
  EXPECT_THAT(said.err, testing::HasSubstr("needs two campaigns"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace coppice::cli
