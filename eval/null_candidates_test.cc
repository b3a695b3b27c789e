#include "eval/null_candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "eval/formats/test_tasks.h"

namespace coppice::eval {
namespace {

using testing::HasSubstr;

TEST(NullCandidatesTest, FollowTheDefinitionsSignature) {
  auto nulls = NullCandidates(RowSumTask());
  ASSERT_TRUE(nulls);
  ASSERT_EQ(nulls->size(), 9u);
  EXPECT_EQ((*nulls)[3].name, "copy of the first input");
  EXPECT_EQ((*nulls)[3].source, R"(#include <cstdint>

extern "C" void run(const float* x, float* y, int64_t R) {
  for (int64_t i_ = 0; i_ < int64_t(1) * int64_t(R); ++i_) {
    y[i_] = static_cast<float>(x[i_ % (int64_t(1) * int64_t(R) * int64_t(300))]);
  }
}
)");
}

TEST(NullCandidatesTest, WrapTheRootUnderAnotherName) {
  auto nulls = NullCandidates(RowSumTask());
  ASSERT_TRUE(nulls);
  EXPECT_EQ((*nulls)[7].name, "all but the last element");
  EXPECT_THAT((*nulls)[7].source, HasSubstr("#define run right_\n"));
  EXPECT_THAT((*nulls)[7].source, HasSubstr(R"(#undef run

extern "C" void run(const float* x, float* y, int64_t R) {
  right_(x, y, R);
  {
    using T_ = float;
    T_* y_ = y;
    const int64_t n_ = int64_t(1) * int64_t(R);
    y_[n_ - 1] = T_();
  }
}
)"));
}

TEST(NullCandidatesTest, AreInTheLanguageOfTheTask) {
  const auto nulls = NullCandidates(CudaScaleTask());
  ASSERT_TRUE(nulls) << nulls.error().what;
  EXPECT_THAT(nulls->front().source, HasSubstr("__global__"));
  Task task = RowSumTask();
  task.root.language = Language::kPython;
  const auto none = NullCandidates(task);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::kUnavailable);
}

}  // namespace
}  // namespace coppice::eval
