#include "engine/python_policy/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace coppice::engine {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::StartsWith;

NodeSummary Summary() {
  NodeSummary node;
  node.id = NodeId{3};
  node.parent = NodeId{1};
  node.verdict = Verdict::kPassed;
  node.runtime_s = 0.1;
  node.kernel_hash = 18446744073709551615U;
  node.cost_s = 2.5;
  return node;
}

std::string Complaint(const std::string& line, Errc code) {
  const auto choice = ParseChoice(line);
  EXPECT_FALSE(choice) << line;
  if (choice) return "";
  EXPECT_EQ(choice.error().code, code);
  return choice.error().what;
}

// In the order of docs/python_policies.md; 0.1 is the shortest that is 0.1, and
// a hash keeps its 64 bits.
TEST(WireTest, ANodeIsARowAndSeveralAreALine) {
  NodeLines lines(NodeLines::Kind::kAdd);
  EXPECT_EQ(lines.Take(), "");
  lines.Add(Summary());
  NodeSummary root;
  root.id = kRootNode;
  root.is_repeat = true;
  root.is_frozen = true;
  root.log_hint = -0.5;
  lines.Add(root);
  const std::string line = lines.Take();
  EXPECT_THAT(
      line,
      StartsWith(
          R"({"op":"add","nodes":[[1,0,0.1,18446744073709551615,0,null,2.5,)"));
  EXPECT_TRUE(line.ends_with("\n"));
  const Json nodes = Json::parse(line)["nodes"];
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[1][0], nullptr);  // It has no parent,
  EXPECT_EQ(nodes[1][2], nullptr);  // and no time here;
  EXPECT_EQ(nodes[1][4], 3);        // it is a repeat, and frozen.
  EXPECT_EQ(nodes[1][5], -0.5);
  EXPECT_EQ(lines.Take(), "");
}

TEST(WireTest, WhatCountsForSomethingElseIsNamed) {
  NodeLines lines(NodeLines::Kind::kQuarantine);
  lines.Add(Summary());
  EXPECT_THAT(lines.Take(),
              StartsWith(R"({"op":"quarantine","nodes":[[3,1,0,0.1,)"));
}

TEST(WireTest, MessagesOfATreeAreLines) {
  EXPECT_EQ(TreeLine(), "{\"op\":\"tree\"}\n");
  EXPECT_EQ(FlightLine(true, NodeId{4}), "{\"op\":\"begin\",\"parent\":4}\n");
  EXPECT_EQ(FlightLine(false, NodeId{4}), "{\"op\":\"end\",\"parent\":4}\n");
}

// A seed of 64 bits, from which the child draws as we would.
TEST(WireTest, ADecisionComesWithItsStream) {
  const RandomStream stream(18446744073709551615U, Purpose::kSelect, 7);
  const Json open = Json::parse(SelectLine(stream, std::nullopt));
  EXPECT_EQ(open["op"], "select");
  EXPECT_EQ(open["decision"], 7);
  EXPECT_EQ(open["stream"]["seed"], 18446744073709551615U);
  EXPECT_EQ(open["stream"]["index"], 7);
  EXPECT_FALSE(open.contains("attempts_left"));
  EXPECT_EQ(Json::parse(SelectLine(stream, 3))["attempts_left"], 3);
}

TEST(WireTest, ARuleIsReadWithinItsLimits) {
  const auto traits = ParseHello(
      R"({"protocol":"coppice-policy/1","rule":{"max_root_children":3,)"
      R"("max_failing_children":-2},"looks_ahead":true,"place":"a.py:3"})");
  ASSERT_TRUE(traits) << traits.error().what;
  EXPECT_EQ(traits->rule.max_root_children, 3);
  EXPECT_EQ(traits->rule.max_failing_children, 0);
  EXPECT_TRUE(traits->looks_ahead);
  EXPECT_EQ(traits->place, "a.py:3");
  EXPECT_EQ(traits->suspects, "");
  const auto bare = ParseHello(R"({"protocol":"coppice-policy/1"})");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->rule.max_root_children, search::Eligibility::kNoLimit);
  EXPECT_FALSE(bare->looks_ahead);
  const auto huge = ParseHello(
      R"({"protocol":"coppice-policy/1","rule":{"max_root_children":)"
      R"(18446744073709551615}})");
  EXPECT_EQ(huge->rule.max_root_children, search::Eligibility::kNoLimit);
}

TEST(WireTest, AChildOfAnotherProtocolIsNone) {
  for (const char* line :
       {"", "[]", "{}", R"({"protocol":"coppice-policy/2"})"}) {
    EXPECT_EQ(ParseHello(line).error().code, Errc::kCorrupt) << line;
  }
}

TEST(WireTest, AChoiceIsANodeWithAReason) {
  const auto choice = ParseChoice(R"({"node":4,"reason":"best","mate":2})");
  ASSERT_TRUE(choice);
  EXPECT_EQ(*choice, (ChildChoice{4, "best", 2}));
  EXPECT_EQ(ParseChoice(R"({"node":4,"reason":"best"})")->mate, std::nullopt);
}

TEST(WireTest, WhatIsNoAnswerIsShownAndNotAllOfIt) {
  for (const char* line :
       {"{", "7", R"({"node":4})", R"({"reason":"x"})",
        R"({"node":1.5,"reason":"x"})", R"({"node":4,"reason":7})"}) {
    EXPECT_EQ(Complaint(line, Errc::kCorrupt),
              "said what is no answer: " + std::string(line));
  }
  EXPECT_EQ(Complaint(std::string(999, 'x'), Errc::kCorrupt),
            "said what is no answer: " + std::string(200, 'x'));
}

TEST(WireTest, AFailureIsToldInTheChildsWords) {
  EXPECT_EQ(Complaint(R"({"error":"a.py:3: no node"})", Errc::kUsage),
            "a.py:3: no node");
  EXPECT_EQ(Complaint(R"({"error":[1]})", Errc::kUsage), "[1]");
}

TEST(WireTest, AReasonIsOneShortLine) {
  const std::string what = "its reason is more than one line of 500 bytes";
  EXPECT_EQ(Complaint(R"({"node":4,"reason":"a\nb"})", Errc::kUsage), what);
  const std::string most(500, 'r');
  EXPECT_TRUE(ParseChoice(R"({"node":4,"reason":")" + most + R"("})"));
  EXPECT_EQ(
      Complaint(R"({"node":4,"reason":"r)" + most + R"("})", Errc::kUsage),
      what);
}

TEST(WireTest, TheFirstLineHasWhatNumbersStandFor) {
  PolicyFile policy;
  policy.file = "a.py";
  policy.class_name = "A";
  policy.text = "class A: ...";
  const Json hello = Json::parse(HelloLine(policy, 1.5));
  EXPECT_EQ(hello["protocol"], "coppice-policy/1");
  EXPECT_EQ(hello["class"], "A");
  EXPECT_EQ(hello["timeout_s"], 1.5);
  EXPECT_EQ(hello["verdicts"][0], "passed");
  EXPECT_EQ(hello["verdicts"].size(), 8U);
}

// A child may print what it likes: a line that is none is told as it came.
TEST(WireTest, NoLineOfAChildsEndsUs) {
  std::string deep(10'000, '[');
  for (const std::string& line :
       {std::string(), std::string("\xff\xfe"), std::string("{\"node\":\xff}"),
        std::string("{\"node\":1e999,\"reason\":\"x\"}"), deep,
        std::string("{\"node\":null,\"reason\":\"x\"}"),
        std::string("{\"node\":\"4\",\"reason\":\"x\"}"),
        std::string("{\"node\":true,\"reason\":\"x\"}"),
        std::string("{\"node\":4,\"reason\":null}"),
        std::string("\0{\"node\":4}", 11)}) {
    const auto choice = ParseChoice(line);
    ASSERT_FALSE(choice) << line;
    EXPECT_EQ(choice.error().code, Errc::kCorrupt) << line;
    EXPECT_LE(choice.error().what.size(), 300u);
    EXPECT_FALSE(ParseHello(line)) << line;
  }
}

// Which there is not in any tree, whatever it is; who asked says so.
TEST(WireTest, ANumberBeyondAllNodesIsOneBeyondAllNodes) {
  const auto far = ParseChoice(R"({"node":18446744073709551615,"reason":"x"})");
  ASSERT_TRUE(far);
  EXPECT_EQ(far->node, search::Eligibility::kNoLimit);
  const auto below = ParseChoice(R"({"node":-1,"reason":"","mate":-7})");
  ASSERT_TRUE(below);
  EXPECT_EQ(*below, (ChildChoice{-1, "", -7}));
}

TEST(WireTest, ARuleThatIsNoneIsNoLimit) {
  for (const char* rule : {"null", "7", "[]", R"({"max_root_children":"3"})",
                           R"({"max_root_children":1.5})", "{}"}) {
    const auto traits = ParseHello(
        R"({"protocol":"coppice-policy/1","looks_ahead":"yes","place":7,)"
        R"("rule":)" +
        std::string(rule) + "}");
    ASSERT_TRUE(traits) << rule;
    EXPECT_EQ(traits->rule.max_root_children, search::Eligibility::kNoLimit);
    EXPECT_FALSE(traits->looks_ahead);
    EXPECT_EQ(traits->place, "");
  }
}

}  // namespace
}  // namespace coppice::engine
