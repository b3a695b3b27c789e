#include "eval/formats/set_documents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "eval/formats/set_files.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class SetDocumentsTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::path(testing::TempDir()) /
            (std::string("set_documents_") +
             testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void Write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  // A problem of SOL-ExecBench with one workload.
  void Problem(const fs::path& folder, const std::string& name) const {
    Write(folder / "definition.json", R"({"name": ")" + name + R"("})");
    Write(folder / "workload.jsonl", R"({"uuid": "w"})");
  }

  std::string Relative(const fs::path& file) const {
    return file.lexically_relative(root_);
  }

  // "FILE" or "FILE:LINE" of all documents of a kind, with their names.
  std::vector<std::string> Definitions() const {
    std::vector<std::string> all;
    const auto done = ForEachDefinition(
        root_, [&](const fs::path& file, const Json& json) -> Result<void> {
          all.push_back(Relative(file) + " " + json.value("name", ""));
          return {};
        });
    EXPECT_TRUE(done) << done.error().what;
    return all;
  }
  std::vector<std::string> Solutions() const {
    std::vector<std::string> all;
    const auto done = ForEachSolution(
        root_, [&](const fs::path& file, const Json&) -> Result<void> {
          all.push_back(Relative(file));
          return {};
        });
    EXPECT_TRUE(done) << done.error().what;
    return all;
  }
  std::vector<std::string> Lines(bool workloads) const {
    std::vector<std::string> all;
    const UseLine use = [&](const Cursor& line) -> Result<void> {
      all.push_back(
          line.Wrong("").value().what.substr(root_.string().size() + 1));
      return {};
    };
    const auto done =
        workloads ? ForEachWorkload(root_, use) : ForEachTrace(root_, use);
    EXPECT_TRUE(done) << done.error().what;
    return all;
  }

  fs::path root_;
};

TEST_F(SetDocumentsTest, AFolderWithNeitherLayoutIsNoSet) {
  EXPECT_FALSE(IsSet(root_));
  Write("definition.json", "{}");
  EXPECT_FALSE(IsSet(root_));  // It has no workloads.
  Write("workload.jsonl", "");
  EXPECT_TRUE(IsSet(root_));
  EXPECT_TRUE(IsProblemFolder(root_));
  EXPECT_FALSE(IsSet(root_ / "gone"));
}

// A folder of a kind decides, though it is empty.
TEST_F(SetDocumentsTest, FoldersOfKindsGoBeforeProblems) {
  Problem("one", "a");
  Write("definitions/x/b.json", R"({"name": "b"})");
  Write("definitions/c.JSON", R"({"name": "c"})");
  EXPECT_THAT(Definitions(), ElementsAre("definitions/x/b.json b"));
  fs::remove_all(root_ / "definitions");
  fs::create_directories(root_ / "traces");
  EXPECT_THAT(Definitions(), IsEmpty());
  EXPECT_TRUE(IsSet(root_));
}

TEST_F(SetDocumentsTest, ProblemsAreUpToFourFoldersBelow) {
  Problem("1/2/3/4", "four");
  Problem("1/2/3/4/5", "five");
  Problem("1/.hidden", "hidden");
  Problem("0", "zero");
  EXPECT_THAT(Definitions(), ElementsAre("0/definition.json zero",
                                         "1/2/3/4/definition.json four"));
}

TEST_F(SetDocumentsTest, OfEqualDefinitionsTheFirstFoldersWorkloadsCount) {
  Problem("b", "same");
  Problem("a", "same");
  Problem("c", "other");
  EXPECT_THAT(Definitions(),
              ElementsAre("a/definition.json same", "c/definition.json other"));
  EXPECT_THAT(Lines(true),
              ElementsAre("a/workload.jsonl:1: ", "c/workload.jsonl:1: "));
}

// Each by itself, whatever is in it.
TEST_F(SetDocumentsTest, FilesOfDefinitionsAreAllThereAre) {
  Problem("a", "same");
  Problem("b", "same");
  Write("c/definition.json", "{");
  const auto files = DefinitionFiles(root_);
  ASSERT_TRUE(files) << files.error().what;
  std::vector<std::string> names;
  for (const fs::path& file : *files) names.push_back(Relative(file));
  EXPECT_THAT(names, ElementsAre("a/definition.json", "b/definition.json",
                                 "c/definition.json"));
  Write("definitions/z/one.json", "{");
  EXPECT_THAT(*DefinitionFiles(root_),
              ElementsAre(root_ / "definitions/z/one.json"));
}

// Neither a configuration nor what is in a folder that is no problem's.
TEST_F(SetDocumentsTest, SolutionsAreBesideAProblemAndHaveASpec) {
  Problem("p", "p");
  const std::string solution =
      R"({"name": "s", "spec": {"language": "python"}})";
  Write("p/s1.json", solution);
  Write("p/s2.json", solution);  // The same again.
  Write("p/s3.json", R"({"name": "t", "spec": {"language": "python"}})");
  Write("p/metadata.json", solution);
  Write("p/config.json", R"({"iterations": 5})");
  Write("p/list.json", "[1]");
  Write("q/s4.json", solution);
  EXPECT_THAT(Solutions(), ElementsAre("p/s1.json", "p/s3.json"));
}

TEST_F(SetDocumentsTest, TracesAreLinesOrAList) {
  Problem("p", "p");
  Write("p/run.jsonl", "{}\n\n  \r\n{}\n");
  Write("r/traces.json", R"([{}, {"evaluation": 3}])");
  Write("s/run.jsonl", "{}");
  EXPECT_THAT(Lines(false),
              ElementsAre("p/run.jsonl:1: ", "p/run.jsonl:4: ",
                          "r/traces.json: /0: ", "r/traces.json: /1: "));
  EXPECT_THAT(Lines(true), ElementsAre("p/workload.jsonl:1: "));
}

// A place in a workload is one of the user's document, which is not wrapped.
TEST_F(SetDocumentsTest, PlacesAreThoseOfTheUsersDocument) {
  Problem("p", "p");
  Write("p/workload.jsonl", R"({"uuid": "w", "workload": {"axes": 1}})");
  std::string place;
  const auto done =
      ForEachWorkload(root_, [&](const Cursor& line) -> Result<void> {
        const Cursor workload = *line.Member("workload");
        place = workload.Member("uuid")->Wrong("").value().what + " " +
                workload.Member("workload")->Wrong("").value().what + " " +
                line.Member("definition")->Value().get<std::string>();
        return {};
      });
  ASSERT_TRUE(done) << done.error().what;
  const std::string file = (root_ / "p/workload.jsonl:1").string();
  EXPECT_EQ(place, file + ": /uuid:  " + file + ": /workload:  p");
}

TEST_F(SetDocumentsTest, WhatIsNoJsonIsNamed) {
  Problem("p", "p");
  Write("p/workload.jsonl", "{}\n{\"uuid\": }\n");
  const auto ignored = [](const Cursor&) -> Result<void> { return {}; };
  EXPECT_THAT(ForEachWorkload(root_, ignored).error().what,
              testing::StartsWith((root_ / "p/workload.jsonl:2").string() +
                                  ": not JSON: parse error at line 1, column "
                                  "10"));
  Write("p/traces.json", R"({"evaluation": 1})");
  EXPECT_EQ(ForEachTrace(root_, ignored).error().what,
            (root_ / "p/traces.json").string() + ": expected an array");
}

// Below, and sorted by their whole paths.
TEST_F(SetDocumentsTest, FilesAreThoseWithTheVeryEnding) {
  for (const char* file : {"f/b/2.json", "f/a/9.json", "f/1.json", "f/1.jsonl",
                           "f/.json", "f/x.json.bak", "g/3.json"}) {
    Write(file, "");
  }
  fs::create_directories(root_ / "f/folder.json");
  const auto files = FilesBelow(root_, "f", ".json");
  ASSERT_TRUE(files) << files.error().what;
  std::vector<std::string> names;
  for (const fs::path& file : *files) names.push_back(Relative(file));
  EXPECT_THAT(names, ElementsAre("f/1.json", "f/a/9.json", "f/b/2.json"));
  EXPECT_THAT(*FilesBelow(root_, "none", ".json"), IsEmpty());
}

TEST_F(SetDocumentsTest, BytesAreTheSameOrNot) {
  Write("a", "one");
  Write("b", "one");
  Write("c", "on");
  Write("d", "");
  EXPECT_TRUE(*SameBytes(root_ / "a", root_ / "b"));
  EXPECT_FALSE(*SameBytes(root_ / "a", root_ / "c"));
  EXPECT_FALSE(*SameBytes(root_ / "c", root_ / "a"));
  EXPECT_FALSE(*SameBytes(root_ / "a", root_ / "d"));
  EXPECT_EQ(SameBytes(root_ / "a", root_ / "gone").error().what,
            (root_ / "gone").string() + ": cannot be read");
}

}  // namespace
}  // namespace coppice::eval
