#include "eval/cpu/sanitized.h"

#include <gtest/gtest.h>

#include <string>

namespace coppice::eval {
namespace {

using std::string_literals::operator""s;

// Names lie between zeros in an object.
TEST(SanitizerRunTimeTest, IsWhatTheObjectNeeds) {
  EXPECT_EQ(SanitizerRunTime("\0libubsan.so.1\0libasan.so.8\0libm.so.6\0"s),
            "libasan.so.8:libubsan.so.1");
  EXPECT_EQ(SanitizerRunTime("\0libubsan.so.12\0"s), "libubsan.so.12");
  EXPECT_EQ(SanitizerRunTime("libasan.so.8"), "libasan.so.8");
  EXPECT_EQ(SanitizerRunTime("\0libm.so.6\0"s), "");
}

TEST(WithoutWarningsTest, LeavesOutWhatTheSandboxIsToBlameFor) {
  EXPECT_EQ(WithoutWarnings("==2==WARNING: reading executable name failed "
                            "with errno 2\nERROR: overflow\n  at y"),
            "ERROR: overflow\n  at y\n");
  EXPECT_EQ(WithoutWarnings(""), "");
}

}  // namespace
}  // namespace coppice::eval
