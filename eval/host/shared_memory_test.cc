#include "eval/host/shared_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace coppice::eval {
namespace {

class SharedMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = SharedMemory::Create("test", 4096, Sharing::kReadOnly);
    ASSERT_TRUE(made);
    memory_ = std::move(*made);
    std::memcpy(memory_.data(), "abc", 3);
  }

  SharedMemory memory_;
};

TEST_F(SharedMemoryTest, NoReaderSeesHowFarAnotherHasRead) {
  const auto first = memory_.OpenToRead();
  const auto second = memory_.OpenToRead();
  ASSERT_TRUE(first && second);
  char text[2] = {};
  ASSERT_EQ(read(first->get(), text, 2), 2);
  EXPECT_EQ(std::string(text, 2), "ab");
  EXPECT_EQ(lseek(first->get(), 0, SEEK_CUR), 2);
  EXPECT_EQ(lseek(second->get(), 0, SEEK_CUR), 0);
  EXPECT_EQ(lseek(memory_.fd(), 0, SEEK_CUR), 0);
}

TEST_F(SharedMemoryTest, AReaderSeesWhatIsWrittenLaterAndWritesNothing) {
  const auto reader = memory_.OpenToRead();
  ASSERT_TRUE(reader);
  const auto map = [&](int protection) {
    return mmap(nullptr, 4096, protection, MAP_SHARED, reader->get(), 0);
  };
  EXPECT_EQ(map(PROT_READ | PROT_WRITE), MAP_FAILED);
  EXPECT_EQ(pwrite(reader->get(), "x", 1, 0), -1);
  void* seen = map(PROT_READ);
  ASSERT_NE(seen, MAP_FAILED);
  memory_.data()[0] = std::byte{'z'};
  EXPECT_EQ(std::string(static_cast<const char*>(seen), 3), "zbc");
  munmap(seen, 4096);
}

TEST_F(SharedMemoryTest, NoReaderSeesWhichPagesAnotherHasLookedAt) {
  const auto memory = SharedMemory::Create("test", 65536, Sharing::kReadOnly);
  ASSERT_TRUE(memory);
  // The first hole is the end.
  EXPECT_EQ(lseek(memory->fd(), 0, SEEK_HOLE), 65536);
}

TEST_F(SharedMemoryTest, NobodyResizesIt) {
  EXPECT_EQ(ftruncate(memory_.fd(), 0), -1);
  EXPECT_EQ(ftruncate(memory_.fd(), 8192), -1);
  EXPECT_EQ(memory_.size(), 4096u);
}

TEST_F(SharedMemoryTest, WhatOthersMayWriteIsShared) {
  const auto writable = SharedMemory::Create("test", 4096, Sharing::kWritable);
  ASSERT_TRUE(writable);
  const auto map = [](int fd) {
    return mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  };
  EXPECT_EQ(map(memory_.fd()), MAP_FAILED);
  void* theirs = map(writable->fd());
  ASSERT_NE(theirs, MAP_FAILED);
  EXPECT_EQ(writable->data()[0], std::byte{0});  // Filled with zeros.
  static_cast<char*>(theirs)[0] = 'x';
  EXPECT_EQ(writable->data()[0], std::byte{'x'});
  munmap(theirs, 4096);
}

TEST_F(SharedMemoryTest, MovesWithItsPages) {
  const std::byte* data = memory_.data();
  SharedMemory moved(std::move(memory_));
  EXPECT_EQ(moved.data(), data);
  EXPECT_EQ(moved.size(), 4096u);
  EXPECT_EQ(memory_.data(), nullptr);  // NOLINT(bugprone-use-after-move)
  memory_ = std::move(moved);
  EXPECT_EQ(memory_.data(), data);
  EXPECT_EQ(memory_.data()[0], std::byte{'a'});
}

TEST(MemoryFileTest, ItsFirstBytesAreReadWhereverItsWriterIs) {
  const auto file = CreateMemoryFile("words");
  ASSERT_TRUE(file);
  EXPECT_EQ(ReadMemoryFile(*file, 10), "");
  ASSERT_EQ(write(file->get(), "abcdef", 6), 6);
  EXPECT_EQ(ReadMemoryFile(*file, 4), "abcd");
  EXPECT_EQ(ReadMemoryFile(*file, 10), "abcdef");
  EXPECT_EQ(ReadMemoryFile(UniqueFd(), 10), "");
}

TEST(MemoryFileTest, WhatCannotBeMadeIsToldOf) {
  const auto none = SharedMemory::Create("test", 0, Sharing::kWritable);
  ASSERT_FALSE(none);  // No page can be mapped.
  EXPECT_EQ(none.error().code, Errc::kIo);
  EXPECT_EQ(none.error().what, "test: shared memory: Invalid argument");
}

}  // namespace
}  // namespace coppice::eval
