#include "eval/formats/kernel_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::eval {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// "2: code, 2.5x, problem 7", as far as it is said; then what was left out.
std::vector<std::string> Read(const std::string& text,
                              const ListFields& told = {}) {
  const auto list = ParseKernelList(text, "l.json", told);
  if (!list) return {list.error().what};
  std::vector<std::string> lines;
  for (const ListedKernel& kernel : list->kernels) {
    std::string line = std::to_string(kernel.entry) + ": " + kernel.source;
    if (kernel.speedup) line += ", " + std::to_string(*kernel.speedup) + "x";
    if (kernel.runtime) line += ", takes " + std::to_string(*kernel.runtime);
    if (kernel.correct) line += *kernel.correct ? ", correct" : ", wrong";
    if (kernel.level) line += ", level " + std::to_string(*kernel.level);
    if (kernel.problem) line += ", problem " + std::to_string(*kernel.problem);
    lines.push_back(std::move(line));
  }
  if (list->without_source > 0) {
    lines.push_back(std::to_string(list->without_source) + " without source");
  }
  return lines;
}

TEST(KernelListTest, EachLineMayBeAnObject) {
  EXPECT_THAT(
      Read("{\"level_id\": 1, \"task_id\": 7, \"custom_code\": \"a\","
           " \"score_default\": 2.5}\r\n\n"
           "{\"level_id\": 1, \"task_id\": 8, \"custom_code\": null,"
           " \"score_default\": null}\n"),
      ElementsAre("1: a, 2.500000x, level 1, problem 7", "1 without source"));
}

TEST(KernelListTest, AnArrayHasAnObjectForEachKernel) {
  EXPECT_THAT(Read(R"([{"code": "a", "runtime": 3, "correct": true},
                       {"code": "b", "runtime": -1, "correct": false}])"),
              ElementsAre("1: a, takes 3.000000, correct", "2: b, wrong"));
  // After a byte order mark.
  EXPECT_THAT(Read("\xef\xbb\xbf[{\"code\": \"a\"}]"), ElementsAre("1: a"));
}

// One after the other, as if they were one array.  An entry's own level counts.
TEST(KernelListTest, ArraysByLevelAreReadOneAfterTheOther) {
  EXPECT_THAT(
      Read(R"({
    "1": [{"task_id": 7, "code": "a"}, {"task_id": 8, "code": null}],
    "3": [],
    "2": [{"task_id": 7, "code": "b"}, {"level": 4, "code": "c"}]
  })"),
      ElementsAre("1: a, level 1, problem 7", "3: b, level 2, problem 7",
                  "4: c, level 4", "1 without source"));
  EXPECT_THAT(Read("{\"1\": [{\"code\": \"a\"}]}\n"),
              ElementsAre("1: a, level 1"));
  EXPECT_THAT(Read(R"({"easy": [{"code": "a"}]})"),
              ElementsAre("l.json: /easy: expected arrays by the number of a "
                          "level, as \"1\": [...]"));
  EXPECT_THAT(Read(R"({"1": [{"code": "a"}], "2": [5]})"),
              ElementsAre("l.json: entry 2: expected an object"));
  EXPECT_THAT(Read(R"({"1": [], "2": []})"),
              ElementsAre("l.json: has no entry"));
}

TEST(KernelListTest, ANumberMayBeAText) {
  EXPECT_THAT(
      Read(R"([{"code": "a", "score": "1.5"}, {"code": "b", "score": null}])"),
      ElementsAre("1: a, 1.500000x", "2: b"));
}

TEST(KernelListTest, OneObjectOverSeveralLines) {
  EXPECT_THAT(Read("{\n  \"code\": \"a\",\n  \"tags\": [\"x\"]\n}\n"),
              ElementsAre("1: a"));
}

// Its first line is no document, so it is not held to be lines.
TEST(KernelListTest, OfAWrongDocumentTheWrongPlaceIsTold) {
  EXPECT_THAT(
      Read("{\n  \"1\": [{\"code\": \"a\"}],\n  \"2\": [}\n"),
      ElementsAre(HasSubstr("l.json: not JSON: parse error at line 3")));
}

// "source" comes before "code" among the usual names, but not before what is
// told.
TEST(KernelListTest, WhatIsToldIsNotGuessed) {
  const char* text = R"([{"code": "a", "source": "b", "gain": 2}])";
  EXPECT_THAT(Read(text), ElementsAre("1: b"));
  EXPECT_THAT(Read(text, {.source = "code", .speedup = "gain"}),
              ElementsAre("1: a, 2.000000x"));
  const auto list = ParseKernelList(text, "l.json", {});
  ASSERT_TRUE(list.has_value());
  EXPECT_EQ(list->fields.source, "source");
  EXPECT_EQ(list->fields.speedup, "");
}

TEST(KernelListTest, AnyEntryMayHaveTheMember) {
  EXPECT_THAT(Read(R"([{"code": "a"}, {"code": "b", "speedup": 4}])"),
              ElementsAre("1: a", "2: b, 4.000000x"));
}

TEST(KernelListTest, WhatCannotBeReadSaysWhere) {
  EXPECT_THAT(Read(""), ElementsAre("l.json: empty"));
  EXPECT_THAT(Read(" \n"), ElementsAre("l.json: empty"));
  EXPECT_THAT(Read("[]"), ElementsAre("l.json: has no entry"));
  EXPECT_THAT(Read("[1]"), ElementsAre("l.json: entry 1: expected an object"));
  EXPECT_THAT(Read("{\"code\": \"a\"}\n{\"code\"")[0],
              HasSubstr("l.json:2: not JSON: "));
  EXPECT_THAT(Read(R"([{"text": "a", "id": 1}])"),
              ElementsAre("l.json: which member holds the source? The first "
                          "entry has text, id; --source-field names it"));
  EXPECT_THAT(Read("{}"),
              ElementsAre("l.json: which member holds the source? The first "
                          "entry has no members; --source-field names it"));
  EXPECT_THAT(Read(R"([{"code": "a"}])", {.speedup = "gian"}),
              ElementsAre("l.json: no entry has \"gian\"; the first has code"));
  EXPECT_THAT(Read(R"([{"code": 5}])"),
              ElementsAre("l.json: entry 1: /code: expected a string"));
  EXPECT_THAT(Read(R"([{"code": "a", "speedup": "2x"}])"),
              ElementsAre("l.json: entry 1: /speedup: expected a number"));
  EXPECT_THAT(Read(R"([{"code": "a", "level": -1}])"),
              ElementsAre("l.json: entry 1: /level: expected an integer >= 0"));
}

}  // namespace
}  // namespace coppice::eval
