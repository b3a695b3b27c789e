#include "eval/sandbox/fork_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <string>

#include "eval/host/affinity.h"
#include "eval/host/waiting.h"
#include "eval/host/whole_file.h"

namespace coppice::eval {
namespace {

using testing::HasSubstr;

// Servers in shell: 3 is the socket, and a word on it says that one is ready.
class ForkServerTest : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(order_); }

  std::unique_ptr<ForkServer> Start(const std::string& script) {
    auto server =
        ForkServer::Start({"/bin/sh", "-c", script},
                          {{"PATH", "/usr/bin:/bin"}, {"ORDER", order_}});
    EXPECT_TRUE(server) << server.error().what;
    return std::move(server).value_or(nullptr);
  }
  // What went wrong.
  static Error Fork(ForkServer& server,
                    const std::atomic<bool>* cancelled = nullptr) {
    const std::array<int, 1> descriptors = {STDERR_FILENO};
    auto forked = server.Fork({"sandbox", "--", "/x"}, {{"A", "1"}},
                              descriptors, cancelled);
    EXPECT_FALSE(forked);
    return forked ? Error{} : forked.error();
  }
  // Waits until it has ended by itself.
  static void AwaitEnd(const ForkServer& server) {
    const auto late = For(60.0, nullptr).until;
    while (!server.HasEnded() && Clock::now() < late) {
    }
    EXPECT_TRUE(server.HasEnded());
  }

  const std::string order_ =
      std::filesystem::path(testing::TempDir()) / "fork_server_order";
};

TEST_F(ForkServerTest, OneThatEndsSaysWhy) {
  const auto server = Start("echo no torch; echo here >&2; exit 1");
  ASSERT_TRUE(server);
  const Error error = Fork(*server);
  EXPECT_EQ(error.code, Errc::kUnavailable);
  EXPECT_EQ(error.what, "no torch\nhere");
  AwaitEnd(*server);
}

TEST_F(ForkServerTest, OneThatEndsWithoutAWordIsToldOf) {
  const auto server = Start("exit 0");
  ASSERT_TRUE(server);
  EXPECT_EQ(Fork(*server).what, "it has not answered, and says nothing");
}

TEST_F(ForkServerTest, WaitingUntilItIsReadyCanBeCancelled) {
  const std::atomic<bool> cancelled = true;
  const auto server = Start("exec sleep 100");
  ASSERT_TRUE(server);
  const Error error = Fork(*server, &cancelled);
  EXPECT_EQ(error.code, Errc::kCancelled);
  EXPECT_FALSE(server->HasEnded());  // Another may wait for it.
}

// It reads one order, keeps it, and answers without a process.
constexpr char kWithout[] =
    "printf x >&3; dd bs=65536 count=1 <&3 >$ORDER 2>/dev/null; printf y >&3; "
    "exec sleep 100";

TEST_F(ForkServerTest, IsToldAllThatAProcessNeeds) {
  const auto server = Start(kWithout);
  ASSERT_TRUE(server);
  Fork(*server);
  std::string processors;
  for (const int processor : ProcessorsOf(0)) {
    processors += (processors.empty() ? "" : ",") + std::to_string(processor);
  }
  EXPECT_EQ(ReadWhole(order_).value_or(""),
            R"({"arguments":["sandbox","--","/x"],"environment":[["A","1"]],)"
            R"("processors":[)" +
                processors + "]}");
}

// What it might still say would be taken for another's process.
TEST_F(ForkServerTest, OneThatAnswersWithoutAProcessIsEnded) {
  const auto server = Start(kWithout);
  ASSERT_TRUE(server);
  const Error error = Fork(*server);
  EXPECT_EQ(error.code, Errc::kUnavailable);
  EXPECT_EQ(error.what, "fork server: no process came");
  AwaitEnd(*server);
  EXPECT_EQ(Fork(*server).code, Errc::kUnavailable);
}

TEST_F(ForkServerTest, OneThatEndsWhenItIsAskedSaysWhy) {
  const auto server = Start(
      "printf x >&3; dd bs=65536 count=1 <&3 >/dev/null 2>&1; echo no memory");
  ASSERT_TRUE(server);
  EXPECT_EQ(Fork(*server).what, "no memory");
}

TEST_F(ForkServerTest, OneThatCannotBeExecutedIsNamed) {
  const auto server = ForkServer::Start({"/nowhere/python"}, {});
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().code, Errc::kUnavailable);
  EXPECT_THAT(server.error().what, HasSubstr("/nowhere/python"));
}

}  // namespace
}  // namespace coppice::eval
