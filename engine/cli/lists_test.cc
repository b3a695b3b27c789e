#include "engine/cli/lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/cli/cli_fixture.h"
#include "engine/cli/verbs.h"
#include "search/policy.h"

namespace coppice::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

using Names = std::vector<std::string>;

// The policies of `coppice compare WORDS`, or why there are none.
Names Policies(const Names& words, const Names& otherwise = {}) {
  const auto policies = PoliciesOf(AsTyped(CompareVerb(), words), otherwise);
  return policies ? *policies : Names{"refused: " + policies.error().what};
}

std::string Refusal(const Names& words) {
  const Names policies = Policies(words);
  return policies.size() == 1 ? policies.front() : "not refused";
}

TEST(ListsTest, KeepsTheFirstOfEqualsInTheirOrder) {
  std::vector<int> numbers = {3, 1, 3, 2, 1, 3};
  KeepFirsts(numbers);
  EXPECT_THAT(numbers, ElementsAre(3, 1, 2));
  std::vector<std::string> none;
  KeepFirsts(none);
  EXPECT_THAT(none, IsEmpty());
  // A text that stays where it is must survive the others being moved.
  Names texts = {"a long text that is on the heap, a", "b", "b",
                 "a long text that is on the heap, c"};
  KeepFirsts(texts);
  EXPECT_THAT(texts, ElementsAre("a long text that is on the heap, a", "b",
                                 "a long text that is on the heap, c"));
}

TEST(ListsTest, AListHasEachWordOnceAndNoneIsEmpty) {
  const struct {
    const char* text;
    Names words;
  } kCases[] = {
      {"a,b", {"a", "b"}},
      {"a,,b,", {"a", "b"}},
      {",", {}},
      {"b,a,b", {"b", "a"}},
      {"", {}},
      {"one", {"one"}},
      {" a , b ", {" a ", " b "}},  // A name may begin or end with a blank.
  };
  for (const auto& [text, words] : kCases) {
    EXPECT_EQ(SplitList(text), words) << text;
  }
}

TEST(ListsTest, AListThatIsNotGivenIsWhatElseThereIs) {
  const Invocation bare = AsTyped(CompareVerb(), {});
  EXPECT_EQ(*GivenList(bare, "tasks", {"x"}, "hint"), Names{"x"});
  const auto refused = GivenList(bare, "tasks", {}, "as --tasks gemv");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::kUsage);
  EXPECT_EQ(refused.error().what, "--tasks: say which, as --tasks gemv");
}

// An empty list says something: that nothing is wanted, which is a mistake.
TEST(ListsTest, AListOfNothingIsNotWhatElseThereIs) {
  const Invocation typed = AsTyped(CompareVerb(), {"--tasks", ",,"});
  const auto refused = GivenList(typed, "tasks", {"x"}, "hint");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "--tasks: say which, hint");
}

TEST(ListsTest, CountsHaveTheirLimits) {
  const auto text_of = [](const Names& words, std::int64_t most) {
    const auto count = CountUpTo(most, AsTyped(CompareVerb(), words), "seeds",
                                 /*otherwise=*/5);
    return count ? std::to_string(*count) : count.error().what;
  };
  EXPECT_EQ(text_of({}, 10), "5");
  EXPECT_EQ(text_of({"--seeds", "1"}, 10), "1");
  EXPECT_EQ(text_of({"--seeds", "10"}, 10), "10");
  EXPECT_EQ(text_of({"--seeds", "0"}, 10), "--seeds 0: expected 1 to 10");
  EXPECT_EQ(text_of({"--seeds", "11"}, 10), "--seeds 11: expected 1 to 10");
}

TEST(ListsTest, SeedsAreCountedFromTheOneOfTheSettings) {
  const auto seeds_of = [](const Names& words) {
    return CountedSeeds(AsTyped(CompareVerb(), words), /*most=*/3,
                        /*otherwise=*/2);
  };
  using Seeds = std::vector<std::uint64_t>;
  EXPECT_EQ(*seeds_of({"--seed", "7"}), (Seeds{7, 8}));
  EXPECT_EQ(*seeds_of({"--seed", "7", "--seeds", "3"}), (Seeds{7, 8, 9}));
  EXPECT_EQ(seeds_of({"--seeds", "4"}).error().what,
            "--seeds 4: expected 1 to 3");
}

TEST(ListsTest, StarkIsTheUsualBaselineWhereverItStands) {
  EXPECT_EQ(UsualBaseline({"greedy", "stark"}), "stark");
  EXPECT_EQ(UsualBaseline({"greedy", "stark.alone"}), "greedy");
}

TEST(ListsTest, ThreadsAreAsManyAsAskedForWithinReason) {
  const auto threads = [](const Names& words, int otherwise) {
    const auto count = ThreadsOf(AsTyped(CompareVerb(), words), otherwise);
    return count ? std::to_string(*count) : count.error().what;
  };
  EXPECT_EQ(threads({}, 3), "3");
  EXPECT_EQ(threads({"--parallel", "256"}, 3), "256");
  EXPECT_EQ(threads({"--parallel", "0"}, 3), "--parallel 0: expected 1 to 256");
  EXPECT_EQ(threads({"--parallel", "257"}, 3),
            "--parallel 257: expected 1 to 256");
}

// Nobody asked for 384 threads, so nobody is refused them.
TEST(ListsTest, AMachineOfManyCoresUsesWhatIsAllowed) {
  EXPECT_EQ(*ThreadsOf(AsTyped(CompareVerb(), {}), 384), 256);
}

TEST(ListsTest, PoliciesAreSpelledInOneWay) {
  const struct {
    const char* typed;
    Names policies;
  } kCases[] = {
      {"stark,greedy,stark", {"stark", "greedy"}},
      {"greedy,,stark,", {"greedy", "stark"}},
      // Commas separate constants, too.
      {"stark:epsilon=0.4,n_root=8,greedy",
       {"stark:epsilon=0.4,n_root=8", "greedy"}},
      {"stark:n_root=8,epsilon=0.4", {"stark:epsilon=0.4,n_root=8"}},
      // 0.3 is the default.
      {"stark:epsilon=0.3,stark", {"stark"}},
      {"stark.alone", {"stark.alone"}},
      {"stark@window_history=0,grounding=off,greedy",
       {"stark@window_history=0,grounding=off", "greedy"}},
      {"stark@agents=alone", {"stark.alone"}},
  };
  for (const auto& [typed, policies] : kCases) {
    EXPECT_EQ(Policies({"--policies", typed}), policies) << typed;
  }
}

TEST(ListsTest, AllAreAllPoliciesEachOnce) {
  const auto known = search::PolicyNames();
  const Names all = Policies({"--policies", "all"});
  EXPECT_EQ(all.size(), known.size());
  const Names greedy_first = Policies({"--policies", "greedy,all"});
  EXPECT_EQ(greedy_first.front(), "greedy");
  EXPECT_EQ(greedy_first.size(), all.size());
}

TEST(ListsTest, PoliciesOfAFileAreUsedUnlessOthersAreNamed) {
  EXPECT_THAT(Policies({}, {"greedy"}), ElementsAre("greedy"));
  EXPECT_THAT(Policies({"--policies", "stark"}, {"greedy"}),
              ElementsAre("stark"));
}

TEST(ListsTest, WhatIsNoPolicyIsNamed) {
  EXPECT_THAT(Refusal({}),
              StartsWith("refused: --policies: say which, as in --policies "
                         "stark,greedy, or all; there are stark "));
  EXPECT_THAT(Refusal({"--policies", ","}), HasSubstr("say which"));
  EXPECT_THAT(Refusal({"--policies", "strak"}),
              HasSubstr("did you mean stark?"));
  EXPECT_THAT(Refusal({"--policies", "stark:epsilon=2"}), HasSubstr("epsilon"));
  // A value with nothing before it that it could belong to.
  EXPECT_THAT(Refusal({"--policies", "epsilon=0.4"}), StartsWith("refused: "));
  EXPECT_THAT(Refusal({"--policies", "stark@window_histroy=0"}),
              HasSubstr("did you mean window_history?"));
}

TEST(ListsTest, EachPolicyIsVariedByEachValue) {
  EXPECT_THAT(
      Policies({"--policies", "stark,greedy", "--vary", "window_history=0,5"}),
      ElementsAre("stark@window_history=0", "stark@window_history=5",
                  "greedy@window_history=0", "greedy@window_history=5"));
  EXPECT_THAT(Policies({"--policies", "stark", "--vary", "agents=team,alone"}),
              ElementsAre("stark", "stark.alone"));
  // Two axes, and --prompts is a third way to say one.
  EXPECT_THAT(Policies({"--policies", "stark", "--vary", "window_history=0,5",
                        "--prompts", "v1,v2"}),
              ElementsAre("stark@window_history=0,prompts=v1",
                          "stark@window_history=0,prompts=v2",
                          "stark@window_history=5,prompts=v1",
                          "stark@window_history=5,prompts=v2"));
  EXPECT_THAT(Policies({"--vary", "agents=alone"}, {"greedy"}),
              ElementsAre("greedy.alone"));
}

TEST(ListsTest, AnAxisThatIsNoneIsNamedByItsOption) {
  EXPECT_EQ(Refusal({"--policies", "stark", "--vary", "5"}),
            "refused: --vary 5: expected KEY=VALUE,VALUE,...");
  EXPECT_THAT(Refusal({"--policies", "stark", "--vary", "wndow_history=0"}),
              AllOf(StartsWith("refused: --vary 'wndow_history' is no setting"),
                    HasSubstr("did you mean window_history?")));
  EXPECT_THAT(Refusal({"--policies", "stark", "--vary", "window_history=many"}),
              StartsWith("refused: --vary window_history=many: "));
}

TEST(ListsTest, TheBaselineIsOneOfThePolicies) {
  const auto baseline = [](const Names& words) {
    const Invocation typed = AsTyped(CompareVerb(), words);
    const auto found = BaselineOf(typed, store::Must(PoliciesOf(typed, {})));
    if (!found) return "refused: " + found.error().what;
    return found->value_or("none");
  };
  const std::string policies = "stark:epsilon=0.4,n_root=8,greedy";
  EXPECT_EQ(baseline({"--policies", policies}), "none");
  EXPECT_EQ(baseline({"--policies", policies, "--baseline", "greedy"}),
            "greedy");
  // In whatever order its constants come.
  EXPECT_EQ(baseline({"--policies", policies, "--baseline",
                      "stark:n_root=8,epsilon=0.4"}),
            "stark:epsilon=0.4,n_root=8");
  EXPECT_EQ(baseline({"--policies", policies, "--baseline", "stark"}),
            "refused: --baseline stark: is not among the policies");
  EXPECT_THAT(baseline({"--policies", policies, "--baseline", "starkk"}),
              HasSubstr("did you mean stark?"));
}

// --agents alone says it of all of them, and of the baseline as well.
TEST(ListsTest, TheBaselineWorksAloneWhereAllDo) {
  const Invocation typed =
      AsTyped(CompareVerb(), {"--agents", "alone", "--policies", "stark,greedy",
                              "--baseline", "greedy"});
  const Names policies = store::Must(PoliciesOf(typed, {}));
  EXPECT_THAT(policies, ElementsAre("stark.alone", "greedy.alone"));
  const auto baseline = BaselineOf(typed, policies);
  ASSERT_TRUE(baseline) << baseline.error().what;
  EXPECT_EQ(*baseline, "greedy.alone");
}

}  // namespace
}  // namespace coppice::cli
