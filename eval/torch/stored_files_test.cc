#include "eval/torch/stored_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::eval {
namespace {

using testing::ElementsAre;

Workload OfInputs(std::vector<std::pair<std::string, InputSpec>> inputs) {
  return {.uuid = "w", .axes = {}, .inputs = std::move(inputs)};
}

TEST(StoredFilesTest, AFileOfSeveralInputsIsShownOnce) {
  const Workload workload =
      OfInputs({{"a", SafetensorsInput{"/set/one", "a"}},
                {"b", RandomInput{}},
                {"c", SafetensorsInput{"/set/two", "c"}},
                {"d", SafetensorsInput{"/set/one", "d"}}});
  EXPECT_THAT(StoredFiles(workload), ElementsAre("/set/one", "/set/two"));
  EXPECT_EQ(PathInWorker(workload, {"/set/two", "c"}), "/stored/1");
  EXPECT_EQ(PathInWorker(workload, {"/set/one", "d"}), "/stored/0");
}

// A sandbox knows no working directory.
TEST(StoredFilesTest, APathIsWholeWhereverItWasNamed) {
  const auto here = std::filesystem::current_path() / "one";
  const Workload workload =
      OfInputs({{"a", SafetensorsInput{"one", "a"}},
                {"b", SafetensorsInput{here.string(), "b"}}});
  EXPECT_THAT(StoredFiles(workload), ElementsAre(here));
  EXPECT_EQ(PathInWorker(workload, {"one", "a"}), "/stored/0");
}

TEST(StoredFilesTest, OtherInputsHaveNone) {
  EXPECT_TRUE(StoredFiles(OfInputs({{"a", RandomInput{}},
                                    {"b", ScalarInput{true}},
                                    {"c", CustomInput{}}}))
                  .empty());
  EXPECT_TRUE(StoredFiles(OfInputs({})).empty());
}

// What the worker is told must be what its sandbox shows.
TEST(StoredFilesTest, TheIthFileHasOneNameOnly) {
  EXPECT_EQ(StoredFileInWorker(0), "/stored/0");
  EXPECT_EQ(StoredFileInWorker(12), "/stored/12");
}

}  // namespace
}  // namespace coppice::eval
