#include "engine/steering/directive_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace coppice::engine {
namespace {

using enum DirectiveKind;
using testing::HasSubstr;
using testing::StartsWith;

Directive Said(DirectiveKind kind, const std::string& text = "") {
  Directive directive;
  directive.kind = kind;
  directive.author = "ana";
  directive.text = text;
  return directive;
}

// "", or why it can be told at once that it holds nothing.
std::string Refusal(const Directive& directive) {
  const auto checked = CheckSaid(directive);
  if (checked) return "";
  EXPECT_EQ(checked.error().code, Errc::kUsage);
  EXPECT_EQ(checked.error().what.find('\n'), std::string::npos);
  return checked.error().what;
}

TEST(CheckSaidTest, AModelIsOneThatStartsNoProgram) {
  EXPECT_EQ(Refusal(Said(kModel, "openai:gpt-5.4-mini")), "");
  EXPECT_EQ(Refusal(Said(kModel, "catalogue")), "");
  EXPECT_EQ(Refusal(Said(kModel, "exec:rm -rf .")),
            "model exec:rm -rf .: a command is for --code-model of who runs "
            "the campaign");
  // Nor one of several.
  EXPECT_NE(Refusal(Said(kModel, "openai:gpt-5.4-mini,exec:touch it")), "");
  EXPECT_EQ(Refusal(Said(kModel, "openai:a,openai:b")),
            "model openai:a,openai:b: expected one, as openai:gpt-5.4-mini");
  for (const char* text : {",", ":", "openai:a,", "nobody:x,", " "}) {
    EXPECT_NE(Refusal(Said(kModel, text)), "") << text;
  }
}

TEST(CheckSaidTest, APolicyIsOneThatThisProgramKnows) {
  EXPECT_EQ(Refusal(Said(kPolicy, "greedy")), "");
  EXPECT_EQ(Refusal(Said(kPolicy, "stark")), "");
  EXPECT_THAT(Refusal(Said(kPolicy, "gredy")), HasSubstr("gredy"));
  EXPECT_EQ(Refusal(Said(kPolicy, "python:mine.py:Mine")),
            "python:mine.py:Mine: is for --policy of who runs the campaign");
}

TEST(CheckSaidTest, ARuleIsOneThatCanBeChecked) {
  for (const DirectiveKind kind : {kForbid, kRequire}) {
    Directive rule = Said(kind, "a(");
    rule.aspect = kPatternAspect;
    EXPECT_THAT(Refusal(rule), StartsWith("pattern 'a(': "));
    rule.aspect = kHeaderAspect;
    EXPECT_EQ(Refusal(rule), "");
    rule.text.assign(1001, 'h');
    EXPECT_EQ(Refusal(rule), "header of more than 1000 bytes");
  }
}

// What its row lacks is told before what its text says.
TEST(CheckSaidTest, ARowOfWrongShapeIsRefusedFirst) {
  Directive model = Said(kModel, "exec:x");
  model.node = NodeId{3};
  EXPECT_EQ(Refusal(model), "model: takes no node");
  EXPECT_EQ(Refusal(Said(kPolicy, "\n\t ")), "policy: needs a text");
  Directive boost = Said(kBoost);
  boost.node = NodeId{3};
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double amount : {0.0, 0.5, 1001.0, -1.0, kInfinity,
                              std::numeric_limits<double>::quiet_NaN()}) {
    boost.amount = amount;
    EXPECT_THAT(Refusal(boost), StartsWith("boost: expected "));
  }
  boost.amount = 1000.0;
  EXPECT_EQ(Refusal(boost), "");
}

TEST(CheckSaidTest, OtherKindsNeedNoMoreThanTheirRow) {
  EXPECT_EQ(Refusal(Said(kNote, "exec:x")), "");
  EXPECT_EQ(Refusal(Said(kAdvise, "try (")), "");
  EXPECT_EQ(Refusal(Said(kPause)), "");
}

}  // namespace
}  // namespace coppice::engine
