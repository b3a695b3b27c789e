#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

class VerifyTest : public ::testing::Test, protected Rehearsal {};

TEST_F(VerifyTest, MisuseIsNamed) {
  EXPECT_EQ(Say({"verify", "--top", "0"}).err,
            "coppice verify: --top: expected at least 1\n");
  EXPECT_THAT(Say({"verify", "--campain", "a"}).err,
              HasSubstr("did you mean '--campaign'?"));
  EXPECT_EQ(SayBare({"verify", "--help"}).exit, Exit::kDone);
}

class NoiseVerbTest : public ::testing::Test, protected Rehearsal {};

TEST_F(NoiseVerbTest, MisuseIsNamed) {
  EXPECT_EQ(SayBare({"task", "noise", "--sessions", "2"}).err,
            "coppice task noise: --sessions: expected 3 to 1000, not 2\n");
  EXPECT_EQ(SayBare({"nois"}).err,
            "coppice: unknown verb 'nois'; did you mean 'task noise'?\n");
  EXPECT_EQ(SayBare({"task", "noise", "a", "b", "c"}).exit, Exit::kUsage);
}

}  // namespace
}  // namespace coppice::cli
