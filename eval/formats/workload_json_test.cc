#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <variant>

#include "eval/formats/test_documents.h"
#include "eval/formats/test_tasks.h"
#include "eval/formats/trace_json.h"

namespace coppice::eval {
namespace {

using testing::StartsWith;

// z[N, M], a; the order is not that of the document.
Definition Scaling() {
  Definition definition;
  definition.name = "scaling";
  definition.axes = {{"N", std::nullopt, std::nullopt},
                     {"K", 3, std::nullopt},
                     {"M", std::nullopt, std::nullopt}};
  definition.inputs = {Tensor("z", {"N", "M"}), Tensor("a", {"K"})};
  definition.outputs = {Tensor("y", {"N"})};
  return definition;
}

const char kSizes[] = R"({"uuid": "w", "axes": {"M": 4, "N": 7},
                          "inputs": {"a": {"type": "scalar", "value": 1},
                                     "z": {"type": "random"}}})";

Result<Workload> ReadSizes(const std::string& text) {
  TRY(json, ParseJson(text, "w"));
  return ReadWorkload(Cursor(json, "w"), Scaling());
}

std::string ComplaintOfSizes(const std::string& text) {
  const auto workload = ReadSizes(text);
  return workload ? "none" : workload.error().what.substr(3);
}

// The scalar as it is written again.
std::string ScalarIn(const std::string& value) {
  const auto workload =
      ReadSizes(Replaced(kSizes, "\"value\": 1", "\"value\": " + value));
  if (!workload) return workload.error().what;
  return ToJson(*workload)["inputs"]["a"]["value"].dump();
}

// A text is read as an integer if it is one, else as a number, else as a bool.
TEST(ReadWorkloadTest, AScalarHasTheTypeOfItsText) {
  const std::pair<const char*, const char*> cases[] = {
      {"-3", "-3"},
      {"2.0", "2.0"},
      {"1e3", "1000.0"},
      {"true", "true"},
      {"\"7\"", "7"},
      {"\" 7 \"", "7"},
      {"\"7.5\"", "7.5"},
      {"\"yes\"", "true"},
      {"\"1\"", "1"},
      {"\"NaN\"", "\"NaN\""},
      {"\"-inf\"", "\"-Infinity\""},
      {"-9223372036854775808", "-9223372036854775808"},
      {"9223372036854775807", "9223372036854775807"},
      {"9223372036854775808", "w: /inputs/a/value: does not fit 64 bits"},
      {"-9223372036854775809", "-9.223372036854776e+18"},
      {"\"half\"", "w: /inputs/a/value: expected a number or a bool"},
      {"\"\"", "w: /inputs/a/value: expected a number or a bool"},
      {"[1]", "w: /inputs/a/value: expected a number or a bool"},
      {"null", "w: /inputs/a/value: expected a number or a bool"}};
  for (const auto& [value, written] : cases) {
    EXPECT_EQ(ScalarIn(value), written) << value;
  }
}

TEST(ReadWorkloadTest, AxesAndInputsAreInTheDefinitionsOrder) {
  const auto workload = ReadSizes(kSizes);
  ASSERT_TRUE(workload) << workload.error().what;
  EXPECT_EQ(ToJson(*workload).dump(),
            R"({"axes":{"N":7,"M":4},"inputs":{"z":{"type":"random"},)"
            R"("a":{"type":"scalar","value":1}},"uuid":"w"})");
}

TEST(ReadWorkloadTest, SizesAreReadAsPydanticDoes) {
  for (const char* size : {"7.0", "\"7\"", "\" +7\"", "7e0"}) {
    const auto workload =
        ReadSizes(Replaced(kSizes, "\"N\": 7", "\"N\": " + std::string(size)));
    ASSERT_TRUE(workload) << size << workload.error().what;
    EXPECT_EQ(workload->axes[0].second, 7) << size;
  }
  for (const char* size : {"-7", "7.5", "\"seven\"", "null", "1e30", "[7]"}) {
    EXPECT_EQ(ComplaintOfSizes(
                  Replaced(kSizes, "\"N\": 7", "\"N\": " + std::string(size))),
              "/axes/N: expected an integer >= 0")
        << size;
  }
}

TEST(ReadWorkloadTest, EveryDrawComesBack) {
  for (const char* draw :
       {"ones", "zeros", "causal_mask", "bits", "cosine", "sine", "positive",
        "decay", "log_decay", "decay_sums", "gate", "softmax", "weight"}) {
    const auto workload = ReadSizes(
        Replaced(kSizes, "\"random\"",
                 "\"random\", \"draw\": \"" + std::string(draw) + "\""));
    ASSERT_TRUE(workload) << draw;
    EXPECT_EQ(ToJson(*workload)["inputs"]["z"]["draw"], draw);
  }
  EXPECT_EQ(ComplaintOfSizes(Replaced(kSizes, "\"random\"",
                                      "\"random\", \"draw\": \"normal\"")),
            "/inputs/z/draw: unknown value \"normal\"");
}

TEST(ReadWorkloadTest, WhatIsOddIsNamed) {
  const Malformed cases[] = {
      {"{\"M\": 4, \"N\": 7}", "[4, 7]", "/axes: expected an object"},
      {"\"M\": 4, ", "", "/axes: \"M\" is missing"},
      {"\"M\": 4", "\"M\": 4, \"K\": 3", "/axes/K: not a varying axis of"},
      {"\"M\": 4", "\"M\": 4, \"m/n\": 3", "/axes/m~1n: not a varying axis of"},
      {"\"M\": 4", "\"M\": 0", "/axes/M: expected an integer > 0"},
      {"\"uuid\": \"w\"", "\"uuid\": 5", "/uuid: expected a string"},
      {"{\"type\": \"random\"}", "\"random\"", "/inputs/z: expected an object"},
      {"\"random\"", "null", "/inputs/z/type: expected a string"},
      {"\"random\"", "\"Random\"", "/inputs/z: /type \"Random\" is none of"},
      {"\"random\"", "\"custom\"",
       "/inputs/z: scaling names no custom_inputs_entrypoint"},
      {"\"random\"", "\"safetensors\", \"path\": \"\"",
       "/inputs/z/path: expected a string that is not empty"},
      {"\"random\"", "\"safetensors\", \"path\": \"p\", \"tensor_key\": 0",
       "/inputs/z/tensor_key: expected a string"},
      {"\"z\": {", "\"Z\": {", "/inputs/Z: not an input of scaling"},
      {"\"inputs\"", "\"input\"", "\"inputs\" is missing"}};
  for (const auto& [from, to, complaint] : cases) {
    EXPECT_THAT(ComplaintOfSizes(Replaced(kSizes, from, to)),
                StartsWith(complaint));
  }
}

// Their parser alone holds nothing to a definition.
TEST(ReadWorkloadTest, WithoutADefinitionAnyAxisIsTaken) {
  const auto json = ParseJson(
      R"({"uuid": "w", "axes": {"b": 0, "a": 2}, "inputs": {"q": {}}})", "w");
  const auto workload = ReadWorkload(Cursor(*json, "w"));
  ASSERT_TRUE(workload) << workload.error().what;
  EXPECT_EQ(workload->axes[0], (std::pair<std::string, std::int64_t>("b", 0)));
  EXPECT_TRUE(std::holds_alternative<RandomInput>(workload->inputs[0].second));
}

}  // namespace
}  // namespace coppice::eval
