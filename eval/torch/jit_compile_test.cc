#include "eval/torch/jit_compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "eval/torch/scratch_folder.h"

namespace coppice::eval::torch {
namespace {

namespace fs = std::filesystem;

void Write(const fs::path& file, const std::string& text) {
  std::ofstream(file) << text;
}

std::string Read(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

ScratchFolder MakeFolder() {
  auto made = ScratchFolder::Create(testing::TempDir());
  EXPECT_TRUE(made.has_value());
  return *std::move(made);
}

TEST(JitCompileTest, WhatWasBuiltIsCopiedWithItsFolders) {
  const ScratchFolder from = MakeFolder(), to = MakeFolder();
  fs::create_directories(from.path() / "triton" / "ab");
  Write(from.path() / "triton" / "ab" / "kernel.cubin", "code");
  Write(from.path() / "empty", "");
  ASSERT_TRUE(CopyBuilt(from.path(), to.path()).has_value());
  EXPECT_EQ(Read(to.path() / "triton" / "ab" / "kernel.cubin"), "code");
  EXPECT_TRUE(fs::exists(to.path() / "empty"));
}

TEST(JitCompileTest, NothingIsCopiedThatLeadsOutOrIsNoFile) {
  const ScratchFolder from = MakeFolder(), to = MakeFolder();
  const ScratchFolder host = MakeFolder();
  Write(host.path() / "secret", "the host's");
  fs::create_symlink(host.path() / "secret", from.path() / "link");
  fs::create_directory_symlink(host.path(), from.path() / "folder");
  fs::create_symlink("/nowhere", from.path() / "dangling");
  ASSERT_EQ(mkfifo((from.path() / "fifo").c_str(), 0600), 0);
  Write(from.path() / "plain", "its own");
  ASSERT_TRUE(CopyBuilt(from.path(), to.path()).has_value());
  EXPECT_EQ(Read(to.path() / "plain"), "its own");
  EXPECT_EQ(std::distance(fs::directory_iterator(to.path()), {}), 1);
}

TEST(JitCompileTest, OfTooManyFilesAPartIsCopied) {
  const ScratchFolder from = MakeFolder(), to = MakeFolder();
  for (int i = 0; i < 20'000; ++i) Write(from.path() / std::to_string(i), "");
  EXPECT_TRUE(CopyBuilt(from.path(), to.path()).value());
  Write(from.path() / "another", "");
  EXPECT_FALSE(CopyBuilt(from.path(), to.path()).value());
}

TEST(JitCompileTest, OfTooManyBytesAPartIsCopied) {
  const ScratchFolder from = MakeFolder(), to = MakeFolder();
  Write(from.path() / "large", "");
  fs::resize_file(from.path() / "large", (std::uintmax_t{1} << 30) + 1);
  EXPECT_FALSE(CopyBuilt(from.path(), to.path()).value());
}

TEST(JitCompileTest, WhatCannotBeWrittenIsAnErrorOfOurs) {
  const ScratchFolder from = MakeFolder();
  Write(from.path() / "plain", "text");
  const auto copied = CopyBuilt(from.path(), "/proc/nowhere");
  ASSERT_FALSE(copied.has_value());
  EXPECT_EQ(copied.error().code, Errc::kIo);
}

TEST(JitCompileTest, OnlyCompilersOfTorchsNeedABuilder) {
  for (const char* source : {"import triton", "f = torch.compile(g)",
                             "torch.cuda._compile_kernel(source)"}) {
    EXPECT_TRUE(NeedsBuilding(source)) << source;
  }
  for (const char* source : {"", "load_inline(name='x')", "re.compile('x')"}) {
    EXPECT_FALSE(NeedsBuilding(source)) << source;
  }
}

TEST(JitCompileTest, OfNothingNothingIsCopied) {
  const ScratchFolder to = MakeFolder();
  EXPECT_TRUE(CopyBuilt(to.path() / "gone", to.path()).value());
  EXPECT_TRUE(fs::is_empty(to.path()));
}

}  // namespace
}  // namespace coppice::eval::torch
