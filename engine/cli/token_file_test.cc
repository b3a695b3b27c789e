#include "engine/cli/token_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace coppice::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class TokenFileTest : public ::testing::Test {
 protected:
  TokenFileTest() : path_(fs::path(::testing::TempDir()) / "mcp_token") {
    fs::remove_all(path_);
  }
  ~TokenFileTest() override { fs::remove_all(path_); }
  const fs::path path_;
};

TEST_F(TokenFileTest, ItIsMadeOnceAndForThisUserAlone) {
  const auto token = TokenIn(path_);
  ASSERT_TRUE(token);
  EXPECT_EQ(token->size(), 64U);
  EXPECT_EQ(*TokenIn(path_), *token);
  EXPECT_EQ(fs::status(path_).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_NE(FreshToken(), FreshToken());
}

TEST_F(TokenFileTest, AFileThatOthersReadIsNoSecret) {
  ASSERT_TRUE(TokenIn(path_));
  fs::permissions(path_, fs::perms(0640));
  EXPECT_THAT(TokenIn(path_).error().what, HasSubstr("chmod 600"));
}

TEST_F(TokenFileTest, AnotherFileIsNotTaken) {
  for (const std::string& text : {std::string(), std::string("x\n"),
                                  std::string(64, 'A'), std::string(65, 'a')}) {
    std::ofstream(path_) << text;
    fs::permissions(path_, fs::perms(0600));
    EXPECT_THAT(TokenIn(path_).error().what, HasSubstr("holds no token"));
  }
  fs::remove(path_);
  fs::create_directory(path_);
  EXPECT_FALSE(TokenIn(path_));
  EXPECT_FALSE(TokenIn(path_ / "missing" / "token"));
}

}  // namespace
}  // namespace coppice::cli
