// What coppice submit says of mistakes; kernels need the program's own files,
// so tests/submission_test.cc submits those.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/cli/cli_fixture.h"

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

class SubmitTest : public ::testing::Test, protected Rehearsal {
 protected:
  std::string Error(const std::vector<std::string>& words) {
    const Said said = Say(words);
    EXPECT_EQ(said.exit, Exit::kUsage);
    return said.err;
  }
};

TEST_F(SubmitTest, MistakesAreTold) {
  EXPECT_THAT(Error({"submit"}), HasSubstr("missing TASK|CAMPAIGN"));
  EXPECT_THAT(Error({"submit", "a"}), HasSubstr("missing FILE"));
  EXPECT_THAT(Error({"submit", "a", "x.cc", "--author", "A\nB"}),
              HasSubstr("--author: has control characters"));
  EXPECT_THAT(Error({"submit", "a", "x.cc", "--author", std::string(81, 'x')}),
              HasSubstr("--author: is longer than 80 characters"));
  EXPECT_THAT(Error({"submit", "a", "x.cc", "--auther", "Ann"}),
              HasSubstr("did you mean '--author'?"));
}

}  // namespace
}  // namespace coppice::cli
