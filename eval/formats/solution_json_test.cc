#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "eval/formats/test_documents.h"
#include "eval/formats/trace_json.h"

namespace coppice::eval {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

const char kFast[] = R"({
  "name": "fast", "definition": "scale", "author": "ann",
  "spec": {"language": "cuda", "target_hardware": ["H100"],
           "entry_point": "src/k.cu::run"},
  "sources": [{"path": "src/k.cu", "content": "// one"},
              {"path": "k.h", "content": "// two"}]
})";

Result<Solution> ReadFast(const std::string& text,
                          Rules rules = Rules::kTraceSet) {
  TRY(json, ParseJson(text, "s"));
  return ReadSolution(Cursor(json, "s"), rules);
}

std::string ComplaintOfFast(const std::string& text) {
  const auto solution = ReadFast(text);
  return solution ? "none" : solution.error().what.substr(3);
}

TEST(ReadSolutionTest, EveryLanguageComesBack) {
  for (const char* language : {"cpp", "cuda", "python", "triton", "tilelang"}) {
    const auto solution = ReadFast(
        Replaced(kFast, "\"cuda\"", "\"" + std::string(language) + "\""));
    ASSERT_TRUE(solution) << language;
    EXPECT_EQ(ToJson(*solution)["spec"]["language"], language);
  }
  EXPECT_EQ(ComplaintOfFast(Replaced(kFast, "\"cuda\"", "\"CUDA\"")),
            "/spec/language: unknown value \"CUDA\"");
}

TEST(ReadSolutionTest, AnEntryIsOneOfItsFiles) {
  const auto with = [](const std::string& entry) {
    return ComplaintOfFast(Replaced(kFast, "src/k.cu::run", entry));
  };
  EXPECT_EQ(with("k.h::run"), "none");
  EXPECT_EQ(with("src/k.cu::"), "none");  // As they have it.
  EXPECT_EQ(with("./src/k.cu::run"),
            "/spec/entry_point: \"./src/k.cu\" is not a source");
  EXPECT_EQ(with("K.h::run"), "/spec/entry_point: \"K.h\" is not a source");
  EXPECT_EQ(with("::run"), "/spec/entry_point: \"\" is not a source");
  EXPECT_EQ(with("k.h:run"), "/spec/entry_point: expected FILE::SYMBOL");
  EXPECT_EQ(with("k.h::a::b"), "/spec/entry_point: expected FILE::SYMBOL");
  EXPECT_EQ(with(""), "/spec/entry_point: expected a string that is not empty");
}

TEST(ReadSolutionTest, NoFileIsOutsideOfIt) {
  const auto with = [](const std::string& path) {
    return ComplaintOfFast(Replaced(kFast, "\"k.h\"", "\"" + path + "\""));
  };
  for (const char* inside : {"..h", "a..b/k.h", "a/..k.h", "a/./k.h",
                             "\xc3\xa9.h", "a b.h", "...", "c:k.h"}) {
    EXPECT_EQ(with(inside), "none") << inside;
  }
  for (const char* outside : {"/k.h", "..", "../k.h", "a/../k.h", "a/.."}) {
    EXPECT_EQ(with(outside), "/sources/1: /path \"" + std::string(outside) +
                                 "\" leaves the solution");
  }
  EXPECT_EQ(with("src/k.cu"), "/sources/1: /path \"src/k.cu\" is there twice");
}

TEST(ReadSolutionTest, OptionsOfACompilerAreLists) {
  const auto solution = ReadFast(Replaced(
      kFast, "\"language\"",
      R"("compile_options": {"cflags": ["-O1"], "ld_flags": ["-lm", "-lz"]},)"
      R"( "language")"));
  ASSERT_TRUE(solution) << solution.error().what;
  EXPECT_THAT(solution->compile_options.cflags, ElementsAre("-O1"));
  EXPECT_THAT(solution->compile_options.cuda_cflags, ElementsAre());
  EXPECT_THAT(solution->compile_options.ld_flags, ElementsAre("-lm", "-lz"));
  EXPECT_EQ(ToJson(*solution)["spec"]["compile_options"].dump(),
            R"({"cflags":["-O1"],"ld_flags":["-lm","-lz"]})");
  EXPECT_EQ(
      ComplaintOfFast(Replaced(kFast, "\"language\"",
                               "\"compile_options\": null, \"language\"")),
      "none");
  EXPECT_EQ(
      ComplaintOfFast(Replaced(kFast, "\"language\"",
                               "\"compile_options\": {\"cflags\": \"-O1\"}, "
                               "\"language\"")),
      "/spec/compile_options/cflags: expected an array");
}

TEST(ReadSolutionTest, WhetherItIsPassedItsOutputsIsATruth) {
  const auto with = [](const std::string& value) {
    const auto solution = ReadFast(
        Replaced(kFast, "\"language\"",
                 "\"destination_passing_style\": " + value + ", \"language\""));
    if (!solution) return solution.error().what;
    return std::string(*solution->destination_passing_style ? "yes" : "no");
  };
  for (const char* yes : {"true", "1", "\"on\"", "1.0"}) {
    EXPECT_EQ(with(yes), "yes") << yes;
  }
  for (const char* no : {"false", "0", "\"N\""})
    EXPECT_EQ(with(no), "no") << no;
  for (const char* bad : {"null", "2", "\"maybe\"", "[]"}) {
    EXPECT_EQ(with(bad), "s: /spec/destination_passing_style: expected a bool")
        << bad;
  }
}

TEST(ReadSolutionTest, WhatIsOddIsNamed) {
  const Malformed cases[] = {
      {"\"fast\"", "null", "/name: expected a string"},
      {"\"spec\": {", "\"spec\": [], \"was\": {", "/spec: expected an object"},
      {"[\"H100\"]", "\"H100\"", "/spec/target_hardware: expected an array"},
      {"[\"H100\"]", "[100]", "/spec/target_hardware/0: expected a string"},
      {"\"// one\"", "1", "/sources/0/content: expected a string"},
      {"{\"path\": \"k.h\", \"content\": \"// two\"}", "\"k.h\"",
       "/sources/1: expected an object"},
      {"\"path\": \"k.h\"", "\"file\": \"k.h\"",
       "/sources/1: \"path\" is missing"},
      {"\"ann\"", "\"ann\", \"description\": []",
       "/description: expected a string"}};
  for (const auto& [from, to, complaint] : cases) {
    EXPECT_EQ(ComplaintOfFast(Replaced(kFast, from, to)), complaint);
  }
}

// Those of landscapes and of problems in PyTorch are our own documents.
TEST(ReadSolutionTest, OurOwnMayBeBare) {
  const std::string bare =
      R"({"spec": {"language": "sim", "target_hardware": []}, "sources": []})";
  EXPECT_TRUE(ReadFast(bare, Rules::kSimulation));
  EXPECT_EQ(ReadFast(bare, Rules::kKernelBench).error().what,
            "s: /spec/language: \"sim\" is no language of programs");
  EXPECT_TRUE(ReadFast(Replaced(bare, "sim", "python"), Rules::kKernelBench));
  EXPECT_EQ(ComplaintOfFast(bare), "\"name\" is missing");
}

}  // namespace
}  // namespace coppice::eval
