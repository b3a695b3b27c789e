#include "agents/prompt/structured.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "agents/prompt/code_fences.h"

namespace coppice::agents {
namespace {

std::string CodeOfAnswer(const std::string& source) {
  const nlohmann::json answer = {{"source", source}};
  const auto prose = ProseOfStructured(Role::kCode, answer.dump());
  if (!prose) return "none";
  const auto blocks = FindFencedBlocks(*prose);
  return blocks.size() == 1 && blocks[0].closed ? blocks[0].content
                                                : "not one block: " + *prose;
}

// Whatever the source holds comes out of the one fence as it was.
TEST(ProseOfStructuredTest, ASourceGoesThroughItsFence) {
  for (const char* source :
       {"int x;\n", "int x;\n\n\n", "  int x;\n", "a\n```\nb\n```\nc\n",
        "// ~~~\nx\n", "// `````` \n", "\"```\"\n", "/* ``` */ int y;\n",
        "x\n```cpp\n"}) {
    EXPECT_EQ(CodeOfAnswer(source), source);
  }
  EXPECT_EQ(CodeOfAnswer("int x;"), "int x;\n");
}

TEST(ProseOfStructuredTest, AFenceForAllThatWasSaidIsTakenOff) {
  EXPECT_EQ(CodeOfAnswer("```cpp\nint x;\n```\n"), "int x;\n");
  EXPECT_EQ(CodeOfAnswer("\n\n  ```\nint x;\n```"), "int x;\n");
  // A fence within a fence, as from a model that quotes itself.
  EXPECT_EQ(CodeOfAnswer("````\n```cpp\nint x;\n```\n````\n"), "int x;\n");
  EXPECT_EQ(CodeOfAnswer("int x;\r\nint y;\r\n"), "int x;\nint y;\n");
  for (const char* empty : {"", " \n\t", "```\n```\n", "```\n  \n```\n"}) {
    EXPECT_EQ(CodeOfAnswer(empty), "none") << empty;
  }
}

std::string ProseOfPlan(const nlohmann::json& answer) {
  const auto prose = ProseOfStructured(Role::kPlan, answer.dump());
  return prose ? *prose : "none";
}

// Words that hold a fence would be read as the source.
TEST(ProseOfStructuredTest, AdviceHasNoFenceOfItsOwn) {
  EXPECT_EQ(ProseOfPlan({{"technique", "a\nb"},
                         {"advice", "Use\n```\nthis\n```\nor ~~~"},
                         {"source", "x\n"}}),
            "Technique: a b\n\nUse\n'''\nthis\n'''\nor ---\n\n```\nx\n```\n");
  EXPECT_EQ(
      ProseOfPlan({{"technique", ""}, {"advice", "Go."}, {"source", "x\n"}}),
      "Go.\n\n```\nx\n```\n");
  EXPECT_EQ(ProseOfPlan({{"source", "x\n"}}), "```\nx\n```\n");
}

TEST(ProseOfStructuredTest, APlanMayBeWordsAlone) {
  EXPECT_EQ(ProseOfPlan({{"technique", "t"}, {"advice", "a"}, {"source", ""}}),
            "Technique: t\n\na\n\n```\n\n```\n");
  EXPECT_EQ(ProseOfPlan({{"technique", "t"}, {"advice", "a"}}), "none");
  EXPECT_EQ(ProseOfPlan({{"advice", "a"}, {"source", nullptr}}), "none");
}

// Each property is asked for, and no other is let in: so strict providers want
// it.
TEST(AnswerSchemaTest, IsStrict) {
  for (const Role role : {Role::kPlan, Role::kCode}) {
    const auto schema = nlohmann::json::parse(AnswerSchema(role));
    EXPECT_EQ(schema["additionalProperties"], false);
    EXPECT_EQ(schema["required"].size(), schema["properties"].size());
    for (const auto& name : schema["required"]) {
      EXPECT_EQ(schema["properties"][name.get<std::string>()]["type"],
                "string");
    }
  }
}

}  // namespace
}  // namespace coppice::agents
