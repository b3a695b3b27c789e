#include "eval/sandbox/embedded_jail.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "eval/host/shared_memory.h"
#include "eval/host/spawn.h"

namespace coppice::eval {
namespace {

TEST(EmbeddedJailTest, IsUnpackedOnceAndCannotBeChanged) {
  const auto path = EmbeddedJail();
  ASSERT_TRUE(path) << path.error().what;
  EXPECT_EQ(access(path->c_str(), R_OK | X_OK), 0);
  const auto again = EmbeddedJail();
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *path);
  const UniqueFd file(open(path->c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(file.valid());
  EXPECT_EQ(pwrite(file.get(), "x", 1, 0), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_EQ(ftruncate(file.get(), 0), -1);
}

TEST(EmbeddedJailTest, IsTheProgramThatRefusesWhatItDoesNotKnow) {
  auto output = CreateMemoryFile("output");
  ASSERT_TRUE(output);
  const UniqueFd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const auto pid = Spawn(EmbeddedJail().value(), {"sandbox", "--nonsense"}, {},
                         {nothing.get(), output->get(), output->get()});
  ASSERT_TRUE(pid) << pid.error().what;
  int status = 0;
  waitpid(*pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(ReadMemoryFile(*output, 100),
            "sandbox: option --nonsense is not known: Invalid argument\n");
}

}  // namespace
}  // namespace coppice::eval
