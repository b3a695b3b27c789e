#include "engine/sessions/own_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "store/scratch.h"

namespace coppice::sessions {
namespace {

namespace fs = std::filesystem;

class OwnFileTest : public testing::Test {
 protected:
  OwnFileTest() {
    fs::create_directories(folder_ / "sub");
    std::ofstream(folder_ / "sub" / "k.cc") << "mine";
    std::ofstream(directory_.File("secret")) << "theirs";
  }

  // What is read, or what is wrong.
  std::string Read(const std::string& name, std::size_t most = 100) {
    const auto text = ReadOwnFile(folder_, name, most);
    if (text) return *text;
    EXPECT_EQ(text.error().code, Errc::kUsage);
    return "! " + text.error().what;
  }

  store::ScratchDirectory directory_;
  fs::path folder_ = directory_.File("own");
};

TEST_F(OwnFileTest, AFileInTheFolderIsRead) {
  EXPECT_EQ(Read("sub/k.cc"), "mine");
  EXPECT_EQ(Read("./sub/../sub/k.cc"), "mine");
  EXPECT_EQ(Read((folder_ / "sub/k.cc").string()), "mine");
  EXPECT_EQ(Read("sub/k.cc", 4), "mine");
}

TEST_F(OwnFileTest, WhatIsOutsideOrNoPlainFileIsRefused) {
  fs::create_symlink(directory_.File("secret"), folder_ / "link");
  fs::create_directory_symlink(directory_.File(""), folder_ / "up");
  mkfifo((folder_ / "fifo").c_str(), 0600);
  EXPECT_EQ(Read("../secret"), "! path: ../secret: is not in your folder");
  EXPECT_EQ(Read("sub/../../secret"),
            "! path: sub/../../secret: is not in your folder");
  EXPECT_EQ(Read("link"), "! path: link: is a symbolic link");
  EXPECT_EQ(Read("up/secret"), "! path: up/secret: Not a directory");
  EXPECT_EQ(Read("fifo"), "! path: fifo: is no regular file");
  EXPECT_EQ(Read("sub"), "! path: sub: is no regular file");
  EXPECT_EQ(Read(""), "! path: : is no file in your folder");
  EXPECT_EQ(Read("sub/k.cc", 3), "! path: sub/k.cc: has more than 3 bytes");
  const std::string secret = directory_.File("secret").string();
  EXPECT_EQ(Read(secret), "! path: " + secret + ": is not in your folder");
}

// Each step is looked at as it lies, however the name is written.
TEST_F(OwnFileTest, ANameThatLeadsOutIsRefusedHoweverItIsWritten) {
  const std::string folder = folder_.string();
  for (const std::string& name :
       {std::string(".."), std::string("."), std::string("./"),
        std::string("/"), std::string("sub/../.."), std::string("//etc/passwd"),
        std::string("/etc/passwd"), folder, folder + "/", folder + "/..",
        folder + "/../secret", folder + "x/k.cc",
        std::string("sub/k.cc\0.txt", 12), std::string("sub/k.cc/"),
        std::string("sub/k.cc/x"), std::string("none"), std::string(5000, 'n'),
        std::string("/proc/self/environ")}) {
    EXPECT_TRUE(Read(name).starts_with("! path: ")) << name;
  }
}

TEST_F(OwnFileTest, AFileMayBeEmptyAndHoldAnyBytes) {
  std::ofstream(folder_ / "empty");
  EXPECT_EQ(Read("empty", 0), "");
  const std::string bytes("a\0\xff\n", 4);
  std::ofstream(folder_ / "bytes", std::ios::binary) << bytes;
  EXPECT_EQ(Read("bytes"), bytes);
}

// A hundred thousand bytes are more than are read at once.
TEST_F(OwnFileTest, AFileOfManyPiecesIsReadWholeOrNot) {
  const std::string text(200'000, 'x');
  std::ofstream(folder_ / "long") << text;
  EXPECT_EQ(Read("long", 200'000), text);
  EXPECT_EQ(Read("long", 199'999), "! path: long: has more than 199999 bytes");
}

}  // namespace
}  // namespace coppice::sessions
