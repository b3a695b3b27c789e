#include "eval/cuda/runner/request_loop.h"

#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "eval/host/datagram.h"

namespace coppice::eval::cuda {
namespace {

std::uint64_t sequence = 0;
bool plainly = false;
bool awake = false;

// No message for so long: nobody is in a hurry.
constexpr auto kMostAwake = std::chrono::milliseconds(50);

ssize_t ReceiveSoon(msghdr* message) {
  const auto until = std::chrono::steady_clock::now() + kMostAwake;
  while (std::chrono::steady_clock::now() < until) {
    const ssize_t got =
        recvmsg(kSocketFd, message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got >= 0 || errno != EAGAIN) return got;
  }
  return recvmsg(kSocketFd, message, MSG_CMSG_CLOEXEC);
}

[[noreturn]] void SayLast(const RunnerReply& reply) {
  if (!plainly) {
    Send(reply);
    std::_Exit(0);
  }
  if (reply.kind == ReplyKind::kFailed) {
    std::printf("CUDA error %d\n", reply.status);
  } else {
    std::printf("%s\n", reply.text.data());
  }
  std::exit(1);
}

}  // namespace

ReceivedRequest Receive() {
  ReceivedRequest asked{};
  iovec part{.iov_base = &asked.request, .iov_len = sizeof asked.request};
  alignas(cmsghdr) char ancillary[CMSG_SPACE(kMostDescriptors * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = ancillary;
  message.msg_controllen = sizeof ancillary;
  const ssize_t got = std::exchange(awake, false)
                          ? ReceiveSoon(&message)
                          : recvmsg(kSocketFd, &message, MSG_CMSG_CLOEXEC);
  if (got != sizeof asked.request) std::_Exit(0);
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    asked.descriptors.resize((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    std::memcpy(asked.descriptors.data(), CMSG_DATA(header),
                asked.descriptors.size() * sizeof(int));
  }
  sequence = asked.request.sequence;
  return asked;
}

void Send(RunnerReply reply, std::span<const int> descriptors) {
  reply.sequence = sequence;
  if (descriptors.empty()) {
    if (write(kSocketFd, &reply, sizeof reply) != sizeof reply) std::_Exit(0);
    return;
  }
  iovec part{.iov_base = &reply, .iov_len = sizeof reply};
  alignas(cmsghdr) char ancillary[CMSG_SPACE(kMostDescriptors * sizeof(int))];
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = ancillary;
  message.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(header), descriptors.data(), descriptors.size_bytes());
  if (sendmsg(kSocketFd, &message, MSG_NOSIGNAL) != sizeof reply) {
    std::_Exit(0);
  }
}

void StayAwake() { awake = true; }

void SpeakPlainly() { plainly = true; }

void Must(Status status, FailureStage stage) {
  if (status == 0) return;
  RunnerReply reply{};
  reply.kind = ReplyKind::kFailed;
  reply.status = status;
  reply.stage = stage;
  SayLast(reply);
}

void Refuse(const char* format, const char* what) {
  RunnerReply reply{};
  reply.kind = ReplyKind::kRefused;
  std::snprintf(reply.text.data(), reply.text.size(), format, what);
  SayLast(reply);
}

}  // namespace coppice::eval::cuda
