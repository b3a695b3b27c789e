#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/policy.h"
#include "search/text_tree.h"

namespace coppice::search {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PoliciesTest, EveryNameMakesThePolicyOfThatName) {
  EXPECT_EQ(PolicyNames().front(), "stark");
  for (const std::string_view name : PolicyNames()) {
    const auto policy = MakePolicy(name);
    ASSERT_TRUE(policy.has_value()) << name;
    EXPECT_EQ((*policy)->Name(), name);
  }
}

TEST(PoliciesTest, AnUnknownNameIsAUsageErrorThatListsAllAndSuggestsOne) {
  const auto policy = MakePolicy("epsilon-greedy");
  ASSERT_FALSE(policy.has_value());
  EXPECT_EQ(policy.error().code, Errc::kUsage);
  EXPECT_THAT(policy.error().what,
              HasSubstr("policy 'epsilon-greedy' is unknown; did you mean "
                        "epsilon_greedy?"));
  for (const std::string_view name : PolicyNames()) {
    EXPECT_THAT(policy.error().what, HasSubstr(std::string(name)));
  }
}

TEST(PoliciesTest, NothingIsSuggestedForANameLikeNone) {
  for (const char* name : {"", "mcts"}) {
    const auto policy = MakePolicy(name);
    ASSERT_FALSE(policy.has_value());
    EXPECT_THAT(policy.error().what, Not(HasSubstr("did you mean"))) << name;
  }
}

TEST(PoliciesTest, AnEqualTreeAndStreamGiveAnEqualSelection) {
  const std::string_view tree =
      "n0 10ms +1\n"
      "  n1 9ms\n"
      "    n3 failed\n"
      "    n4 8ms +2\n"
      "  n2 failed\n"
      "    n5 9ms\n";
  for (const std::string_view name : PolicyNames()) {
    const auto policy = MakePolicy(name);
    ASSERT_TRUE(policy.has_value());
    for (std::uint64_t seed = 1; seed < 50; ++seed) {
      EXPECT_EQ(PickWithReason(**policy, tree, seed),
                PickWithReason(**policy, tree, seed));
    }
  }
}

}  // namespace
}  // namespace coppice::search
