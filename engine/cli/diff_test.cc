#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/rehearsal.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

class DiffTest : public ::testing::Test, protected Rehearsal {};

TEST_F(DiffTest, LabelsItsSidesWithWhatTheyDid) {
  EXPECT_EQ(Say({"diff", "1", "best"}).out,
            "--- node 1 (passed, tile)\n"
            "+++ node 3 (passed, tile)\n"
            "@@ -1,2 +1,2 @@\n"
            " one\n"
            "-two\n"
            "+three\n");
}

TEST_F(DiffTest, TakesItsContextFromTheUser) {
  EXPECT_THAT(Say({"diff", "1", "3", "--context", "0"}).out,
              HasSubstr("@@ -2 +2 @@\n-two\n+three\n"));
}

TEST_F(DiffTest, EqualSourcesAreNoFailure) {
  const Said said = Say({"diff", "1", "1"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err, "the sources are equal\n");
}

TEST_F(DiffTest, ColoursOnATerminal) {
  terminal = true;
  EXPECT_THAT(Say({"diff", "1", "3"}).out,
              HasSubstr("\033[31m-two\033[0m\n\033[32m+three\033[0m\n"));
}

TEST_F(DiffTest, JsonHoldsTheTextAndItsSides) {
  const auto json =
      nlohmann::json::parse(Say({"diff", "1", "3", "--json"}).out);
  EXPECT_EQ(json["a"], 1);
  EXPECT_EQ(json["b"], 3);
  EXPECT_THAT(json["diff"].get<std::string>(), HasSubstr("+three"));
}

TEST_F(DiffTest, NeedsTwoNodes) {
  EXPECT_EQ(Say({"diff", "1"}).err,
            "coppice diff: missing B; see: coppice diff --help\n");
}

}  // namespace
}  // namespace coppice::cli
