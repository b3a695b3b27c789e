#include "engine/campaign/named_agents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;

class NamedAgentsTest : public testing::Test {
 protected:
  std::vector<std::string> made_;
  bool has_key_ = true;
  // The temperature tells whose an agent is: 0, 1, 2 by its role.
  NamedAgents agents_{[this](Role role, const std::string& model) {
    made_.push_back(std::string(Name(role)) + " " + model);
    return Make(role);
  }};

 private:
  Result<Agent> Make(Role role) const {
    if (!has_key_) return Fail(Errc::kUsage, "OPENAI_API_KEY is not set");
    Agent agent;
    agent.sampling.temperature = static_cast<double>(role);
    return agent;
  }
};

TEST_F(NamedAgentsTest, EachIsMadeOnceForARoleAndAModel) {
  const Agent* plan = *agents_.Get(Role::kPlan, "a:x");
  const Agent* code = *agents_.Get(Role::kCode, "a:x");
  EXPECT_EQ(*agents_.Get(Role::kPlan, "a:x"), plan);
  EXPECT_NE(code, plan);
  EXPECT_NE(*agents_.Get(Role::kPlan, "a:y"), plan);
  EXPECT_THAT(made_, ElementsAre("plan a:x", "code a:x", "plan a:y"));
  EXPECT_EQ(code->sampling.temperature, 1.0);
}

// An attempt under way holds the address while others name more models.
TEST_F(NamedAgentsTest, OneStaysWhereItIsHoweverManyCome) {
  const Agent* first = *agents_.Get(Role::kDebug, "m:500");
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(agents_.Get(Role::kCode, "m:" + std::to_string(i)));
  }
  EXPECT_EQ(*agents_.Get(Role::kDebug, "m:500"), first);
  EXPECT_EQ(first->sampling.temperature, 2.0);
  EXPECT_EQ(agents_.All().size(), 1001u);
}

// A key may be there by the next decision.
TEST_F(NamedAgentsTest, OneThatCouldNotBeMadeIsTriedAgain) {
  has_key_ = false;
  const auto refused = agents_.Get(Role::kPlan, "a:x");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "OPENAI_API_KEY is not set");
  EXPECT_TRUE(agents_.All().empty());
  has_key_ = true;
  EXPECT_TRUE(agents_.Get(Role::kPlan, "a:x"));
  EXPECT_THAT(made_, ElementsAre("plan a:x", "plan a:x"));
}

}  // namespace
}  // namespace coppice::engine
