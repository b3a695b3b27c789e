#include "engine/documents/measured_text.h"

#include <gtest/gtest.h>

#include "store/records/speedup.h"

namespace coppice::cli {
namespace {

TEST(MeasuredTextTest, FactorsAndMoneyHaveTheirDigits) {
  EXPECT_EQ(TimesText(8.314), "8.31x");
  EXPECT_EQ(DollarText(0.25), "$0.2500");
  EXPECT_EQ(TimeBySpeedup(4.0, Speedup{2.0, {}}),
            "2.00 s where the root took 4.00 s");
}

}  // namespace
}  // namespace coppice::cli
