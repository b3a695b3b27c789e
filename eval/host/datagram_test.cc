#include "eval/host/datagram.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <string>
#include <utility>

namespace coppice::eval {
namespace {

class DatagramTest : public testing::Test {
 protected:
  void SetUp() override {
    auto ends = CreateSocketPair();
    ASSERT_TRUE(ends) << ends.error().what;
    ours_ = std::move(ends->ours);
    theirs_ = std::move(ends->theirs);
  }

  // With `copies` of a descriptor of /dev/null beside it.
  void Send(const std::string& text, std::size_t copies = 0) {
    const UniqueFd null(open("/dev/null", O_RDONLY));
    const std::vector<int> descriptors(copies, null.get());
    alignas(cmsghdr) char ancillary[CMSG_SPACE(253 * sizeof(int))] = {};
    iovec part{.iov_base = const_cast<char*>(text.data()),
               .iov_len = text.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (copies > 0) {
      message.msg_control = ancillary;
      message.msg_controllen = CMSG_SPACE(copies * sizeof(int));
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(copies * sizeof(int));
      std::memcpy(CMSG_DATA(header), descriptors.data(), copies * sizeof(int));
    }
    ASSERT_EQ(sendmsg(theirs_.get(), &message, 0),
              static_cast<ssize_t>(text.size()));
  }

  Datagram Receive() {
    return ReceiveDatagram(ours_.get(),
                           std::as_writable_bytes(std::span(message_)));
  }

  std::array<char, 4> message_{};
  UniqueFd ours_;
  UniqueFd theirs_;
};

TEST_F(DatagramTest, HasTheBytesAndWhoSentThem) {
  Send("four");
  const Datagram datagram = Receive();
  EXPECT_EQ(datagram.heard, Heard::kMessage);
  EXPECT_EQ(datagram.sender, getpid());
  EXPECT_TRUE(datagram.descriptors.empty());
  EXPECT_EQ(std::string(message_.data(), 4), "four");
}

TEST_F(DatagramTest, WhatIsSentComesWithItsDescriptors) {
  const UniqueFd null(open("/dev/null", O_RDONLY));
  const std::string text = "four";
  const int descriptors[] = {null.get(), null.get()};
  ASSERT_TRUE(
      SendDatagram(theirs_.get(), std::as_bytes(std::span(text)), descriptors));
  const Datagram datagram = Receive();
  EXPECT_EQ(datagram.heard, Heard::kMessage);
  EXPECT_EQ(datagram.descriptors.size(), 2u);
  EXPECT_EQ(std::string(message_.data(), 4), "four");
  ours_.Close();
  EXPECT_FALSE(SendDatagram(theirs_.get(), std::as_bytes(std::span(text)), {}));
}

TEST_F(DatagramTest, NothingIsThereBeforeAndAfter) {
  EXPECT_EQ(Receive().heard, Heard::kNothing);
  theirs_.Close();
  EXPECT_EQ(Receive().heard, Heard::kNothing);
}

TEST_F(DatagramTest, AnotherLengthIsMalformed) {
  Send("abc");
  EXPECT_EQ(Receive().heard, Heard::kMalformed);
  Send("abcde");
  EXPECT_EQ(Receive().heard, Heard::kMalformed);
  Send("four");  // What was too long has left nothing behind.
  EXPECT_EQ(Receive().heard, Heard::kMessage);
}

TEST_F(DatagramTest, OwnsTheDescriptorsThatCameWithIt) {
  Send("four", 3);
  int number = -1;
  {
    const Datagram datagram = Receive();
    EXPECT_EQ(datagram.heard, Heard::kMessage);
    ASSERT_EQ(datagram.descriptors.size(), 3u);
    number = datagram.descriptors[0].get();
    EXPECT_EQ(fcntl(number, F_GETFD), FD_CLOEXEC);
  }
  EXPECT_EQ(fcntl(number, F_GETFD), -1);  // Closed with it.
}

TEST_F(DatagramTest, MoreDescriptorsThanCanBeAreMalformed) {
  Send("four", 253);  // The kernel's most; there is room for 250.
  EXPECT_EQ(Receive().heard, Heard::kMalformed);
}

struct Word {
  std::uint32_t number = 0;
};

TEST_F(DatagramTest, AMessageOfAFixedFormComesAsItWasSent) {
  const UniqueFd null(open("/dev/null", O_RDONLY));
  const std::array<int, 1> descriptors = {null.get()};
  EXPECT_TRUE(eval::Send(theirs_.get(), Word{.number = 7}, descriptors));
  const auto received = eval::Receive<Word>(ours_.get());
  EXPECT_EQ(received.heard, Heard::kMessage);
  EXPECT_EQ(received.message.number, 7u);
  EXPECT_EQ(received.descriptors.size(), 1u);
  Send("six !!");  // A Word has four bytes.
  EXPECT_EQ(eval::Receive<Word>(ours_.get()).heard, Heard::kMalformed);
  ours_ = UniqueFd();
  EXPECT_FALSE(eval::Send(theirs_.get(), Word{}));
}

}  // namespace
}  // namespace coppice::eval
