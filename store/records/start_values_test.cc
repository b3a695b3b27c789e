#include "store/records/start_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace coppice {
namespace {

using testing::ElementsAre;
using testing::Pair;

TensorSpec Floats(const std::string& name, std::vector<std::string> shape) {
  return {name, std::move(shape), DType::kFloat32, std::nullopt};
}

// a and y_before of N floats, s of one.
Definition Update(const std::string& tag) {
  Definition definition;
  definition.name = "update";
  definition.inputs = {Floats("a", {"N"}), Floats("s", {}),
                       Floats("y_before", {"N"})};
  definition.outputs = {Floats("y", {"N"})};
  definition.tags = {"level:1", tag};
  return definition;
}

TEST(StartValuesTest, AnOutputStartsAsTheInputThatItsTagNames) {
  const auto starts = StartValues(Update("starts:y=y_before"));
  ASSERT_TRUE(starts) << starts.error().what;
  EXPECT_THAT(*starts, ElementsAre(Pair("y", 2u)));
}

TEST(StartValuesTest, NamesATagThatCannotBe) {
  const auto wrong = [](const std::string& tag) {
    const auto starts = StartValues(Update(tag));
    return starts ? "" : starts.error().what;
  };
  EXPECT_EQ(wrong("starts:y"),
            "update: tag starts:y: expected starts:OUTPUT=INPUT");
  EXPECT_EQ(wrong("starts:z=a"),
            "update: tag starts:z=a: no output is called z");
  EXPECT_EQ(wrong("starts:y=b"),
            "update: tag starts:y=b: no input is called b");
  EXPECT_EQ(wrong("starts:y=s"),
            "update: tag starts:y=s: they differ in type or shape");
}

}  // namespace
}  // namespace coppice
