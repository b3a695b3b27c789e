#include "engine/mcp/stdio.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "engine/mcp/test_operations.h"

namespace coppice::mcp {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A client at the other ends of two pipes.
class StdioTest : public ::testing::Test {
 protected:
  StdioTest() {
    EXPECT_EQ(::pipe2(there_.data(), O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(back_.data(), O_CLOEXEC), 0);
    server_ = std::thread([this] {
      ended_ = ServePipe(session_, there_[0], back_[1], [] { return false; });
      ::close(back_[1]);
    });
  }
  ~StdioTest() override {
    ::close(there_[0]);
    ::close(back_[0]);
  }

  void Send(const std::string& text) {
    EXPECT_EQ(::write(there_[1], text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
  }
  void EndOfInput() { ::close(there_[1]); }
  std::string Line() {
    std::string line;
    for (char c = 0; ::read(back_[0], &c, 1) == 1 && c != '\n';) line += c;
    return line;
  }
  std::string Rest() {
    std::string all;
    for (std::string line; !(line = Line()).empty();) all += line + "\n";
    server_.join();
    return all;
  }

  SetClock clock_;
  TestOperations operations_;
  Session session_{operations_.terms, clock_, "pipe"};
  std::array<int, 2> there_{};
  std::array<int, 2> back_{};
  std::thread server_;
  Ended ended_ = Ended::kUnfinished;
};

TEST_F(StdioTest, EachLineIsAMessageHoweverItArrives) {
  Send("{\"jsonrpc\":\"2.0\",\"id\":1,");
  Send(
      "\"method\":\"ping\"}\r\n\n{\"jsonrpc\":\"2.0\",\"id\":2,"
      "\"method\":\"ping\"}\n{");
  EXPECT_EQ(Line(), R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(Line(), R"({"jsonrpc":"2.0","id":2,"result":{}})");
  EndOfInput();
  EXPECT_EQ(Rest(), "");  // Half a line is none.
  EXPECT_EQ(ended_, Ended::kWhole);
}

TEST_F(StdioTest, WhileAToolRunsOthersAreAnsweredAndItCanBeCancelled) {
  Send(R"({"jsonrpc":"2.0","id":1,"method":"tools/call",)"
       R"("params":{"name":"wait"}})"
       "\n");
  operations_.AwaitWaiting(1);
  Send(R"({"jsonrpc":"2.0","id":2,"method":"ping"})"
       "\n");
  EXPECT_EQ(Line(), R"({"jsonrpc":"2.0","id":2,"result":{}})");
  Send(R"({"jsonrpc":"2.0","method":"notifications/cancelled",)"
       R"("params":{"requestId":1}})"
       "\n");
  EndOfInput();
  EXPECT_EQ(Rest(), "");
  EXPECT_EQ(ended_, Ended::kWhole);
}

TEST_F(StdioTest, TheEndOfInputCancelsAll) {
  for (const char* id : {"1", "2", "3"}) {
    Send(R"({"jsonrpc":"2.0","id":)" + std::string(id) +
         R"(,"method":"tools/call","params":{"name":"wait"}})"
         "\n");
  }
  operations_.AwaitWaiting(3);
  EndOfInput();
  EXPECT_EQ(Rest(), "");
  EXPECT_EQ(ended_, Ended::kWhole);
}

TEST_F(StdioTest, ALineWithoutAnEndIsGivenUp) {
  std::thread sender([this] {
    const std::string much(1 << 16, 'x');
    for (std::size_t sent = 0; sent <= kMessageBytes; sent += much.size()) {
      Send(much);
    }
  });
  EXPECT_THAT(Line(), AllOf(HasSubstr("-32600"), Not(HasSubstr("\"id\""))));
  sender.join();
  EXPECT_EQ(Rest(), "");
  EndOfInput();
}

}  // namespace
}  // namespace coppice::mcp
