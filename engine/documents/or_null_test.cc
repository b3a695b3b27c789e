#include "engine/documents/or_null.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "engine/documents/document.h"
#include "store/records/ids.h"
#include "store/records/speedup.h"
#include "store/records/verdict.h"

namespace coppice::cli {
namespace {

TEST(OrNullTest, WhatIsMissingIsNull) {
  EXPECT_EQ(LineOf(OrNull(std::optional<double>())), "null");
  EXPECT_EQ(LineOf(NameOrNull(std::optional<Verdict>())), "null");
  EXPECT_EQ(LineOf(TextOrNull("")), "null");
}

TEST(OrNullTest, WhatIsThereIsItself) {
  EXPECT_EQ(LineOf(OrNull(std::optional(NodeId{7}))), "7");
  EXPECT_EQ(LineOf(OrNull(std::optional(Speedup{2.5, {}}), &Speedup::ratio)),
            "2.5");
  EXPECT_EQ(LineOf(NameOrNull(std::optional(Verdict::kCrashed))),
            "\"crashed\"");
  EXPECT_EQ(LineOf(TextOrNull("plan")), "\"plan\"");
}

TEST(OrNullTest, AnArrayHasAnElementForEach) {
  const auto json = [](int number) -> nlohmann::ordered_json {
    return {{"n", number}};
  };
  EXPECT_EQ(LineOf(ArrayOf(std::vector{1, 2}, json)), R"([{"n":1},{"n":2}])");
  EXPECT_EQ(LineOf(ArrayOf(std::vector<int>(), json)), "[]");
}

}  // namespace
}  // namespace coppice::cli
