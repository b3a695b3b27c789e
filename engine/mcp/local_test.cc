#include "engine/mcp/local.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "engine/mcp/test_operations.h"

namespace coppice::mcp {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class LocalTest : public ::testing::Test {
 protected:
  LocalTest() {
    std::signal(SIGPIPE, SIG_IGN);
    std::string name = testing::TempDir() + "/coppice_local_XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  ~LocalTest() override { fs::remove_all(folder_); }

  Result<std::unique_ptr<Local>> Open(const fs::path& place) {
    return Local::Open(place, operations_.terms, clock_, "client");
  }
  // The first line that is answered to this one, by a bridge.
  static std::string Answer(const fs::path& place, const std::string& line) {
    auto in = agents::MakePipe();
    auto out = agents::MakePipe();
    const std::string text = line + "\n";
    EXPECT_EQ(write(in->write.get(), text.data(), text.size()),
              static_cast<ssize_t>(text.size()));
    const std::jthread bridge(
        [&] { EXPECT_TRUE(Bridge(place, in->read.get(), out->write.get())); });
    std::string said;
    for (char c = 0; read(out->read.get(), &c, 1) == 1 && c != '\n';) said += c;
    in->write.Close();
    return said;
  }

  SetClock clock_;
  TestOperations operations_;
  fs::path folder_;
};

TEST_F(LocalTest, EachConnectionIsAConversationOfItsOwn) {
  const auto local = Open(folder_ / "socket");
  ASSERT_TRUE(local) << local.error().what;
  for (const char* id : {"1", "2"}) {
    EXPECT_THAT(Answer(folder_ / "socket", R"({"jsonrpc":"2.0","id":)" +
                                               std::string(id) +
                                               R"(,"method":"ping"})"),
                HasSubstr(R"("id":)" + std::string(id)));
  }
}

// Thirty-two may be open at a time; those that ended are none of them.
TEST_F(LocalTest, AnyNumberOfConnectionsMayFollowEachOther) {
  const auto local = Open(folder_ / "socket");
  ASSERT_TRUE(local) << local.error().what;
  for (int i = 0; i < 40; ++i) {
    EXPECT_THAT(Answer(folder_ / "socket",
                       R"({"jsonrpc":"2.0","id":1,"method":"ping"})"),
                HasSubstr("result"))
        << i;
  }
}

// A socket's address has 108 bytes, and a path may have more.
TEST_F(LocalTest, AFolderMayHaveALongName) {
  const fs::path deep = folder_ / std::string(200, 'd');
  fs::create_directory(deep);
  const auto local = Open(deep / "socket");
  ASSERT_TRUE(local) << local.error().what;
  EXPECT_THAT(
      Answer(deep / "socket", R"({"jsonrpc":"2.0","id":1,"method":"ping"})"),
      HasSubstr("result"));
}

TEST_F(LocalTest, ThePlaceGoesWithItsServer) {
  auto local = Open(folder_ / "socket");
  ASSERT_TRUE(local);
  EXPECT_TRUE(fs::exists(folder_ / "socket"));
  local->reset();
  EXPECT_FALSE(fs::exists(folder_ / "socket"));
}

TEST_F(LocalTest, APlaceThatIsTakenOrNowhereIsNamed) {
  const auto first = Open(folder_ / "socket");
  ASSERT_TRUE(first);
  EXPECT_THAT(Open(folder_ / "socket").error().what, HasSubstr("/socket: "));
  EXPECT_THAT(Open(folder_ / "none" / "socket").error().what,
              HasSubstr("no place for a socket"));
  EXPECT_FALSE(Bridge(folder_ / "other", 0, 1));
}

}  // namespace
}  // namespace coppice::mcp
