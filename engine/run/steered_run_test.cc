// What people ask of a campaign, as its run takes it up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "engine/campaign/campaign_parts.h"
#include "engine/campaign/named_agents.h"
#include "engine/run/simulated_rig.h"
#include "store/records/node.h"
#include "store/write/directives.h"

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Listening final : public Observer {
 public:
  void OnCommit(const Progress&, const NodeRecord&) override {}
  void OnConfirm(const Progress&, NodeId) override {}
  void OnAside(const std::string& line) override { asides.push_back(line); }
  std::vector<std::string> asides;
};

// The simulation by another name.
class Other final : public agents::Model {
 public:
  explicit Other(agents::Model& model) : model_(model) {}
  std::string_view Provider() const override { return "other"; }
  std::string_view ModelName() const override { return "m"; }
  Result<agents::ModelAnswer> Complete(
      const agents::ModelRequest& request) override {
    ++asked;
    return model_.Complete(request);
  }
  std::atomic<int> asked{0};

 private:
  agents::Model& model_;
};

class SteeredRunTest : public ::testing::Test {
 protected:
  Directive Made(DirectiveKind kind, const std::string& text = "") {
    Directive directive;
    directive.uuid = FreshUuid(rig_.clock());
    directive.author = "ana";
    directive.kind = kind;
    directive.text = text;
    return directive;
  }

  DirectiveId Say(const Directive& directive) {
    const auto database = rig_.Connect();
    return store::AppendDirective(*database, rig_.Row().id, directive)
        .value()
        .id;
  }

  Result<Ending> Run(int parallel = 1) {
    const auto database = rig_.Connect();
    CampaignParts parts = rig_.PartsFor(*database);
    parts.named = &named_;
    Campaign campaign(parts, rig_.Row(), rig_.OptionsFor(parallel));
    return campaign.Run(heard_);
  }

  SimulatedRig rig_{12};
  Other other_{rig_.model()};
  bool has_key_ = true;
  NamedAgents named_{[this](Role, const std::string& model) -> Result<Agent> {
    if (!has_key_) return Fail(Errc::kUsage, model + ": no key");
    return Agent{&other_, {}, true};
  }};
  Listening heard_;
};

// As by another program, which did not look at what it took up.
TEST_F(SteeredRunTest, APolicyThatThereIsNotIsPassedOverWithOneLine) {
  const DirectiveId id = Say(Made(DirectiveKind::kPolicy, "gredy"));
  {
    const auto database = rig_.Connect();
    ASSERT_TRUE(store::TakeUpAlone(*database, rig_.Row().id, 0, {{id, ""}}));
  }
  EXPECT_EQ(Run().value(), Ending::kBudgetSpent);
  EXPECT_THAT(heard_.asides,
              ElementsAre(HasSubstr("directive 1 of ana is passed over: ")));
  EXPECT_THAT(rig_.Rows("SELECT DISTINCT policy FROM attempts"),
              ElementsAre("stark"));
  EXPECT_THAT(rig_.Findings(), IsEmpty());
}

TEST_F(SteeredRunTest, AnotherModelIsAskedFromItsDecisionOn) {
  Directive model = Made(DirectiveKind::kModel, "other:m");
  model.role = Role::kPlan;
  model.not_before = 6;
  Say(model);
  EXPECT_EQ(Run().value(), Ending::kBudgetSpent);
  EXPECT_GT(other_.asked, 0);
  EXPECT_THAT(
      rig_.Rows("SELECT sum(provider = 'other') - " +
                std::to_string(other_.asked) +
                ", sum(provider = 'other' AND (role <> 'plan'"
                " OR decision < 6)), sum(provider <> 'other' AND role = 'plan'"
                " AND decision >= 6) FROM calls"),
      ElementsAre("0|0|0"));
  EXPECT_THAT(rig_.Findings(), IsEmpty());
}

TEST_F(SteeredRunTest, AModelThatCannotBeAskedIsRefused) {
  has_key_ = false;
  Say(Made(DirectiveKind::kModel, "other:m"));
  EXPECT_EQ(Run().value(), Ending::kBudgetSpent);
  EXPECT_EQ(other_.asked, 0);
  EXPECT_THAT(rig_.Rows("SELECT outcome, refusal FROM directives"),
              ElementsAre("refused|other:m: no key"));
}

// One that was asked before cannot be where its key is not: that is said, with
// the way out.
TEST_F(SteeredRunTest, WhoseKeyHasGoneIsSaidWithTheWayOut) {
  has_key_ = false;
  const DirectiveId id = Say(Made(DirectiveKind::kModel, "other:m"));
  {
    const auto database = rig_.Connect();
    ASSERT_TRUE(store::TakeUpAlone(*database, rig_.Row().id, 0, {{id, ""}}));
  }
  const auto stopped = Run();
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().what,
            "directive 1 of ana: other:m: no key; `coppice steer withdraw 1` "
            "asks the model of the settings again");
  Directive lift = Made(DirectiveKind::kLift);
  lift.target = id;
  Say(lift);
  EXPECT_EQ(Run().value(), Ending::kBudgetSpent);
  EXPECT_THAT(rig_.Findings(), IsEmpty());
}

TEST_F(SteeredRunTest, ANodeIsJudgedOnceByFourThreads) {
  ASSERT_EQ(Run(4).value(), Ending::kBudgetSpent);
  const auto evaluations = [&] {
    return rig_.Rows(
        "SELECT count(*) FROM evaluations WHERE further IS NOT NULL");
  };
  const int before = std::stoi(evaluations().front());
  for (const std::int64_t node : {1, 2}) {
    Directive judge = Made(DirectiveKind::kJudge);
    judge.node = NodeId{node};
    Say(judge);
  }
  ASSERT_EQ(Run(4).value(), Ending::kBudgetSpent);
  EXPECT_GE(std::stoi(evaluations().front()), before + 2);
  EXPECT_THAT(rig_.Rows("SELECT outcome FROM directives"),
              ElementsAre("applied", "applied"));
  EXPECT_THAT(rig_.Findings(), IsEmpty());
}

}  // namespace
}  // namespace coppice::engine
