#include "eval/host/process_limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace coppice::eval {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// In a process of its own, what is said under a limit; "" if all is well, and
// then the soft limit behind it.
template <class Check>
std::string Under(__rlimit_resource resource, rlim_t soft, rlim_t hard,
                  const Check& check) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    rlimit limit{.rlim_cur = soft, .rlim_max = hard};
    if (setrlimit(resource, &limit) != 0) _exit(1);
    const Result<void> checked = check();
    getrlimit(resource, &limit);
    const std::string text =
        checked ? std::to_string(limit.rlim_cur)
                : (checked.error().code == Errc::kUnavailable ? "" : "?") +
                      checked.error().what;
    static_cast<void>(!write(ends[1], text.data(), text.size()));
    _exit(0);
  }
  close(ends[1]);
  std::string text(1000, '\0');
  const ssize_t got = read(ends[0], text.data(), text.size());
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

TEST(DescriptorsTest, ALowLimitIsRaisedAsFarAsIsNeeded) {
  EXPECT_EQ(Under(RLIMIT_NOFILE, 64, 1000, MakeRoomForDescriptors), "256");
  EXPECT_EQ(Under(RLIMIT_NOFILE, 255, 256, MakeRoomForDescriptors), "256");
  EXPECT_EQ(Under(RLIMIT_NOFILE, 256, 1000, MakeRoomForDescriptors), "256");
  EXPECT_EQ(Under(RLIMIT_NOFILE, 300, 1000, MakeRoomForDescriptors), "300");
}

TEST(DescriptorsTest, WhatCannotBeRaisedIsTold) {
  EXPECT_EQ(Under(RLIMIT_NOFILE, 64, 200, MakeRoomForDescriptors),
            "only 200 files may be open at once, and judging takes up to 256: "
            "raise the limit, as by ulimit -n 1024");
}

// 20 TB are 20 * 2^40 bytes.
TEST(AddressSpaceTest, ALimitThatTheSanitizerCannotBearIsTold) {
  constexpr rlim_t kEnough = rlim_t{20} << 40;
  EXPECT_EQ(Under(RLIMIT_AS, kEnough, kEnough, CheckAddressSpace),
            std::to_string(kEnough));
  const std::string refused =
      Under(RLIMIT_AS, 8'000'000'000, kEnough, CheckAddressSpace);
  EXPECT_THAT(refused, StartsWith("only 8 GB of addresses are allowed, and"));
  EXPECT_THAT(refused, HasSubstr("ulimit -v unlimited"));
}

TEST(NameSpacesTest, ThereIsAReasonAndAWayOut) {
  const std::string why = WhyNoUserNamespace();
  EXPECT_TRUE(why.starts_with("since ") || why.starts_with("as ")) << why;
  EXPECT_THAT(why, HasSubstr(": "));
}

}  // namespace
}  // namespace coppice::eval
