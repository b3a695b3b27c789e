#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "engine/cli/rehearsal.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

// The rehearsal's decisions say "exploit: best eligible", which is no reason
// that a policy gives.
class ReplayVerbTest : public ::testing::Test, protected Rehearsal {};

TEST_F(ReplayVerbTest, TheFirstDifferenceIsNamedAndFails) {
  const Said said = SayBare({"replay", Path(), "--check"});
  EXPECT_EQ(said.exit, Exit::kFailure);
  EXPECT_THAT(said.out, HasSubstr("a: decision 0 took node 0 (exploit: best "
                                  "eligible), made again it takes node 0 ("));
}

TEST_F(ReplayVerbTest, JsonSaysHowManyAgree) {
  const auto json = nlohmann::json::parse(Say({"replay", "--json"}).out);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["campaign"], "a");
  EXPECT_EQ(json[0]["agreeing"], 0);
  EXPECT_THAT(json[0]["difference"].get<std::string>(),
              HasSubstr("decision 0"));
}

TEST_F(ReplayVerbTest, WithoutCheckEveryDecisionIsListed) {
  const Said said = Say({"replay"});
  EXPECT_EQ(said.exit, Exit::kDone);
  EXPECT_THAT(said.out, HasSubstr("decision  seen  in flight  node  agrees"));
  EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\n'), 4);
}

TEST_F(ReplayVerbTest, AnUnknownCampaignIsNamed) {
  const Said said = Say({"replay", "--check", "--campaign", "b"});
  EXPECT_NE(said.exit, Exit::kDone);
  EXPECT_THAT(said.err, HasSubstr("b"));
}

}  // namespace
}  // namespace coppice::cli
