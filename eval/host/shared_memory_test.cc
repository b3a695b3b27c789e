#include "eval/host/shared_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

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

}  // namespace
}  // namespace coppice::eval
