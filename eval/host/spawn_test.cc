#include "eval/host/spawn.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "eval/host/argv.h"
#include "eval/host/shared_memory.h"
#include "eval/host/unique_fd.h"

namespace coppice::eval {
namespace {

struct Finished {
  int status = -1;
  std::string output;
};

// A script of the shell's, whose output is the second descriptor.
Finished Shell(
    const std::string& script,
    const std::vector<std::pair<std::string, std::string>>& environment = {},
    std::vector<int> more = {}) {
  const UniqueFd output = CreateMemoryFile("output").value();
  const UniqueFd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::vector<int> descriptors = {nothing.get(), output.get(), output.get()};
  descriptors.insert(descriptors.end(), more.begin(), more.end());
  const auto pid =
      Spawn("/bin/sh", {"shell", "-c", script}, environment, descriptors);
  EXPECT_TRUE(pid) << pid.error().what;
  if (!pid) return {};
  Finished finished;
  waitpid(*pid, &finished.status, 0);
  finished.output = ReadMemoryFile(output, 4096);
  return finished;
}

TEST(ArgvTest, EndsWithANullPointer) {
  std::vector<std::string> words = {"a", ""};
  const std::vector<char*> pointers = ArgvOf(words);
  ASSERT_EQ(pointers.size(), 3u);
  EXPECT_STREQ(pointers[0], "a");
  EXPECT_STREQ(pointers[1], "");
  EXPECT_EQ(pointers[2], nullptr);
}

TEST(SpawnTest, AProgramHasItsWordsAndNoOtherEnvironment) {
  setenv("COPPICE_SECRET", "leaked", 1);
  EXPECT_EQ(
      Shell("echo $0 $A$B-$COPPICE_SECRET", {{"A", "1"}, {"B", "=2"}}).output,
      "shell 1=2-\n");
}

// Each as its place in the list says, also where they lie across.
TEST(SpawnTest, DescriptorsTakeTheirPlaces) {
  const UniqueFd first = CreateMemoryFile("first").value();
  const UniqueFd second = CreateMemoryFile("second").value();
  Shell("echo one >&3; echo two >&4", {}, {second.get(), first.get()});
  EXPECT_EQ(ReadMemoryFile(second, 100), "one\n");
  EXPECT_EQ(ReadMemoryFile(first, 100), "two\n");
}

TEST(SpawnTest, OneDescriptorMayHaveManyPlaces) {
  EXPECT_EQ(Shell("echo one; echo two >&2").output, "one\ntwo\n");
}

TEST(SpawnTest, NothingElseIsOpen) {
  const UniqueFd open_here(open("/dev/null", O_RDONLY));  // Not O_CLOEXEC.
  EXPECT_EQ(Shell("for i in 3 4 5 6 7 8 9; do { true >&$i; } 2>/dev/null && "
                  "echo $i; done; true",
                  {}, {open_here.get()})
                .output,
            "3\n");
}

// In a session of its own, as whose first it leads the group, too.
TEST(SpawnTest, IsOfASessionOfItsOwn) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const auto pid = Spawn("/bin/sh", {"sh", "-c", "read word"}, {}, {ends[0]});
  ASSERT_TRUE(pid);
  EXPECT_EQ(getsid(*pid), *pid);
  EXPECT_EQ(getpgid(*pid), *pid);
  close(ends[0]);
  close(ends[1]);
  waitpid(*pid, nullptr, 0);
}

// Ours are blocked or ignored by whoever starts us; a program shall not have
// them so.
TEST(SpawnTest, SignalsAreAsTheyUsuallyAre) {
  struct sigaction before;
  sigaction(SIGUSR1, nullptr, &before);
  signal(SIGUSR1, SIG_IGN);
  EXPECT_EQ(WTERMSIG(Shell("kill -USR1 $$; exit 3").status), SIGUSR1);
  sigaction(SIGUSR1, &before, nullptr);
  // Those that ask us to stop are for us.
  for (const char* name : {"INT", "QUIT", "TERM", "HUP"}) {
    EXPECT_EQ(
        WEXITSTATUS(Shell("kill -" + std::string(name) + " $$; exit 3").status),
        3)
        << name;
  }
  EXPECT_EQ(WTERMSIG(Shell("kill -ALRM $$; exit 3").status), SIGALRM);
}

TEST(SpawnTest, WhatCannotBeExecutedIsNamed) {
  const auto none = Spawn("/nowhere/program", {"x"}, {}, {0});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::kUnavailable);
  EXPECT_EQ(none.error().what, "/nowhere/program: No such file or directory");
  const auto folder = Spawn("/usr", {"x"}, {}, {0});
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().what, "/usr: Permission denied");
}

}  // namespace
}  // namespace coppice::eval
