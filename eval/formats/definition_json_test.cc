#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "eval/formats/test_documents.h"
#include "eval/formats/trace_json.h"

namespace coppice::eval {
namespace {

using testing::ElementsAre;

const char kScaled[] = R"({
  "name": "scale", "op_type": "rowwise",
  "axes": {"M": {"type": "var", "description": "rows"},
           "K": {"type": "const", "value": 8}},
  "inputs": {"x": {"shape": ["M", "K"], "dtype": "float32"}},
  "outputs": {"y": {"shape": ["M"], "dtype": "int64"}},
  "reference": "def make(sizes, device): pass\n\ndef run(x):\n    return x"
})";

Result<Definition> ReadScale(const std::string& text,
                             Rules rules = Rules::kTraceSet) {
  TRY(json, ParseJson(text, "d.json"));
  return ReadDefinition(Cursor(json, "d.json"), rules);
}

// Less the place of the file.
std::string ComplaintOfScale(const std::string& text,
                             Rules rules = Rules::kTraceSet) {
  const auto definition = ReadScale(text, rules);
  return definition ? "none" : definition.error().what.substr(8);
}

// An integer is read as pydantic reads it.
TEST(ReadDefinitionTest, AConstantMayBeWrittenInManyWays) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"0", 0},        {"2.0", 2},
      {"1e3", 1000},   {"true", 1},
      {"\" +2 \"", 2}, {"\"1_000\"", 1000},
      {"-0.0", 0},     {"9223372036854775807", INT64_MAX},
      {"1E2", 100},    {"\"\\u0031\"", 1}};
  for (const auto& [text, value] : cases) {
    const auto definition =
        ReadScale(Replaced(kScaled, ": 8", ": " + std::string(text)));
    ASSERT_TRUE(definition) << text << ": " << definition.error().what;
    EXPECT_EQ(definition->axes[1].constant, value) << text;
  }
}

TEST(ReadDefinitionTest, WhatIsNoSizeIsNamedByItsPlace) {
  for (const char* text :
       {"-1", "2.5", "1e19", "9223372036854775808", "\"8 rows\"", "\"\"",
        "\"0x8\"", "\"\\uff18\"", "null", "[8]", "{\"value\": 8}", "1e400"}) {
    const std::string complaint =
        ComplaintOfScale(Replaced(kScaled, ": 8", ": " + std::string(text)));
    const bool is_number = std::string(text) != "1e400";  // Beyond a double.
    EXPECT_THAT(complaint, testing::StartsWith(
                               is_number ? "/axes/K/value: expected an integer "
                                           ">= 0"
                                         : "not JSON: "))
        << text;
  }
}

// Python's json does so, too.
TEST(ReadDefinitionTest, OfAKeyThatIsThereTwiceTheLastCounts) {
  const auto definition = ReadScale(
      Replaced(kScaled, "\"value\": 8", "\"value\": 4, \"value\": 6"));
  ASSERT_TRUE(definition) << definition.error().what;
  EXPECT_EQ(definition->axes[1].constant, 6);
  const auto axes = ReadScale(
      Replaced(kScaled, "\"K\": {",
               "\"M\": {\"type\": \"const\", \"value\": 5}, \"K\": {"));
  ASSERT_TRUE(axes) << axes.error().what;
  ASSERT_EQ(axes->axes.size(), 2U);
  EXPECT_EQ(axes->axes[0].constant, 5);
}

TEST(ReadDefinitionTest, NamesMayBeOfAnyScript) {
  std::string text =
      Replaced(kScaled, "\"scale\"", "\"\\u0141 skala \\ud83c\\udf32\"");
  text = Replaced(text, "\"x\":", "\"\xc3\xa9\":");
  const auto definition = ReadScale(text);
  ASSERT_TRUE(definition) << definition.error().what;
  EXPECT_EQ(definition->name, "\xc5\x81 skala \xf0\x9f\x8c\xb2");
  EXPECT_EQ(definition->inputs[0].name, "\xc3\xa9");
}

TEST(ReadDefinitionTest, WhatIsNoUtf8IsNoJson) {
  for (const char* bad : {"\xff", "\xc3(", "\xed\xa0\x80", "\\ud83c"}) {
    EXPECT_THAT(ComplaintOfScale(Replaced(kScaled, "rows", bad)),
                testing::StartsWith("not JSON: "))
        << bad;
  }
}

TEST(ReadDefinitionTest, EveryTypeComesBack) {
  const std::pair<const char*, DType> types[] = {
      {"float32", DType::kFloat32},
      {"float16", DType::kFloat16},
      {"bfloat16", DType::kBFloat16},
      {"float8_e4m3fn", DType::kFloat8E4M3FN},
      {"float8_e5m2", DType::kFloat8E5M2},
      {"float4_e2m1", DType::kFloat4E2M1},
      {"int64", DType::kInt64},
      {"int32", DType::kInt32},
      {"int16", DType::kInt16},
      {"int8", DType::kInt8},
      {"float64", DType::kFloat64},
      {"uint8", DType::kUInt8},
      {"uint16", DType::kUInt16},
      {"uint32", DType::kUInt32},
      {"bool", DType::kBool}};
  for (const auto& [name, type] : types) {
    const auto definition = ReadScale(Replaced(kScaled, "float32", name));
    ASSERT_TRUE(definition) << name;
    EXPECT_EQ(definition->inputs[0].dtype, type) << name;
    EXPECT_EQ(ToJson(*definition)["inputs"]["x"]["dtype"], name);
  }
  for (const char* type : {"Float32", "float32 ", "uint64", "complex64", ""}) {
    EXPECT_THAT(ComplaintOfScale(Replaced(kScaled, "float32", type)),
                testing::StartsWith("/inputs/x/dtype: "))
        << type;
  }
}

TEST(ReadDefinitionTest, WhatIsWrittenReadsTheSame) {
  std::string text =
      Replaced(kScaled, "\"axes\"",
               "\"tags\": [\"a:b\"], \"constraints\": [\"M > 1\"], "
               "\"description\": \"It scales.\", "
               "\"custom_inputs_entrypoint\": \"make\", \"axes\"");
  const auto definition = ReadScale(text);
  ASSERT_TRUE(definition) << definition.error().what;
  const Json written = ToJson(*definition);
  const auto again = ReadDefinition(Cursor(written, "d"), Rules::kTraceSet);
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(ToJson(*again), written);
  EXPECT_EQ(again->axes[0].description, "rows");
  EXPECT_EQ(again->description, "It scales.");
  EXPECT_EQ(again->custom_inputs_entrypoint, "make");
  EXPECT_THAT(again->tags, ElementsAre("a:b"));
  EXPECT_THAT(again->constraints, ElementsAre("M > 1"));
}

TEST(ReadDefinitionTest, WhatEachRuleLetsPass) {
  const std::string without_run = Replaced(kScaled, "def run(", "def go(");
  EXPECT_EQ(ComplaintOfScale(without_run),
            "/reference has no top-level `def run(`");
  EXPECT_EQ(ComplaintOfScale(without_run, Rules::kKernelBench), "none");
  const std::string bare = Replaced(kScaled, "\"op_type\": \"rowwise\",", "");
  EXPECT_EQ(ComplaintOfScale(bare), "\"op_type\" is missing");
  EXPECT_EQ(ComplaintOfScale(bare, Rules::kKernelBench),
            "\"op_type\" is missing");
  EXPECT_EQ(ComplaintOfScale(bare, Rules::kSimulation), "none");
}

TEST(ReadDefinitionTest, WhatIsOddIsNamed) {
  const Malformed cases[] = {
      {"\"scale\"", "\"a\\nb\"", "/name holds a control character"},
      {"\"scale\"", "\"a\\u007f\"", "/name holds a control character"},
      {"[\"M\", \"K\"]", "\"M\"", "/inputs/x/shape: expected an array"},
      {"[\"M\", \"K\"]", "[\"M\", 8]", "/inputs/x/shape/1: expected a string"},
      {"[\"M\", \"K\"]", "[\"M\", \"k\"]",
       "/inputs/x/shape: no axis is called \"k\""},
      {"{\"shape\": [\"M\"], \"dtype\": \"int64\"}", "null",
       "/outputs/y: expected an object"},
      {"{\"type\": \"const\", \"value\": 8}", "8",
       "/axes/K: expected an object"},
      {"\"const\"", "7", "/axes/K/type: expected a string"},
      {"\"rows\"", "7", "/axes/M/description: expected a string"},
      {"\"inputs\":", "\"inputs\": [], \"was\":",
       "/inputs: expected an object"},
      {"\"reference\": \"def make(sizes, device): pass\\n\\ndef run(x):\\n    "
       "return x\"",
       "\"reference\": [\"def run(x):\"]", "/reference: expected a string"},
      {"\"name\": \"scale\"",
       "\"name\": \"scale\", "
       "\"custom_inputs_entrypoint\": \"mak\"",
       "/custom_inputs_entrypoint: /reference has no top-level `def mak(`"},
      {"\"name\": \"scale\"",
       "\"name\": \"scale\", "
       "\"custom_inputs_entrypoint\": 3",
       "/custom_inputs_entrypoint: expected a string"}};
  for (const auto& [from, to, complaint] : cases) {
    EXPECT_EQ(ComplaintOfScale(Replaced(kScaled, from, to)), complaint);
  }
}

}  // namespace
}  // namespace coppice::eval
