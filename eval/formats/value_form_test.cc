#include "eval/formats/value_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "eval/formats/test_tasks.h"

namespace coppice::eval {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// x of floats, p of integers.
Definition Two(std::vector<std::string> tags) {
  Definition definition;
  definition.name = "two";
  definition.inputs = {Tensor("x", {"N"}), Tensor("p", {"N"}, DType::kInt32)};
  definition.tags = std::move(tags);
  return definition;
}

std::string WhatIsWrongWithForms(std::vector<std::string> tags) {
  const auto forms = ValueForms(Two(std::move(tags)));
  return forms ? "" : forms.error().what;
}

TEST(ValueFormTest, IsSaidByTags) {
  const auto forms =
      ValueForms(Two({"level:1", "positive:x", "range:p:0..N", "pinned:p"}));
  ASSERT_TRUE(forms) << forms.error().what;
  EXPECT_EQ(forms->at("x"), ValueForm::kPositive);
  EXPECT_EQ(forms->at("p"), ValueForm::kPinned);
}

TEST(ValueFormTest, NamesATagThatCannotBe) {
  EXPECT_EQ(WhatIsWrongWithForms({"sorted:y"}),
            "two: tag sorted:y: no input tensor is called so");
  EXPECT_THAT(WhatIsWrongWithForms({"sorted:p"}),
              HasSubstr("p is no tensor of floats"));
  EXPECT_THAT(WhatIsWrongWithForms({"permutation:x"}),
              HasSubstr("of integers"));
  EXPECT_THAT(WhatIsWrongWithForms({"pinned:p"}),
              HasSubstr("range:p:LOW..HIGH"));
  EXPECT_THAT(WhatIsWrongWithForms({"sorted:x", "positive:x"}),
              HasSubstr("another form"));
}

TEST(ValueFormTest, MakesNumbersPositive) {
  std::vector<float> x = {-2, 0, 0.5};
  GiveForm(ValueForm::kPositive, 3, x);
  EXPECT_THAT(x, ElementsAre(2, 1, 0.5));
}

// Two rows of two: each of a sum of 4.
TEST(ValueFormTest, MakesRowsAscendOrSumToOne) {
  std::vector<float> x = {3, -1, 0, 3};
  GiveForm(ValueForm::kSorted, 2, x);
  EXPECT_THAT(x, ElementsAre(-1, 3, 0, 3));
  GiveForm(ValueForm::kProbabilities, 2, x);
  EXPECT_THAT(x, ElementsAre(0.25, 0.75, 0.25, 0.75));
}

TEST(ValueFormTest, MakesPermutationsAndPinsEnds) {
  std::vector<std::int64_t> p = {7, 7, 7, 7};
  GiveForm(ValueForm::kPermutation, 5, 0, 0, p);
  EXPECT_THAT(p, UnorderedElementsAre(0, 1, 2, 3));
  std::vector<std::int64_t> ends = {2, 3, 5};
  GiveForm(ValueForm::kPinned, 5, 0, 9, ends);
  EXPECT_THAT(ends, ElementsAre(0, 3, 9));
}

}  // namespace
}  // namespace coppice::eval
