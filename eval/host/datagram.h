// One message of a runner, as it comes out of its socket, and one to it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <vector>

#include "eval/host/unique_fd.h"
#include "store/records/result.h"

namespace coppice::eval {

enum class Heard {
  kNothing,    // None is there, or an empty one; or the other end is closed.
  kMessage,    // As long as was asked for.
  kMalformed,  // Shorter, longer, or with more descriptors than can be.
};

struct Datagram {
  Heard heard = Heard::kNothing;
  // The sender as our name space numbers it; 0 unless the socket has
  // SO_PASSCRED.
  pid_t sender = 0;
  std::vector<UniqueFd> descriptors;  // Whatever else came with it.
};

// Most descriptors that a message can carry (the kernel's SCM_MAX_FD is 253).
inline constexpr std::size_t kMostDescriptors = 250;

// Fills `message` from a SOCK_SEQPACKET socket; does not wait.  The sender may
// be hostile: unless it is a kMessage, nothing in `message` means anything.
Datagram ReceiveDatagram(int socket, std::span<std::byte> message);

// Sends at most kMostDescriptors with it.  False if the other end is gone.
bool SendDatagram(int socket, std::span<const std::byte> message,
                  std::span<const int> descriptors);

// Messages of one fixed form, as a protocol has them: trivially copyable.
template <class Message>
struct Received : Datagram {
  Message message{};  // If it is a kMessage.
};

template <class Message>
Received<Message> Receive(int socket) {
  Received<Message> received;
  static_cast<Datagram&>(received) = ReceiveDatagram(
      socket, std::as_writable_bytes(std::span(&received.message, 1)));
  return received;
}

// False if the other end is gone, which the next Receive tells, too.
template <class Message>
bool Send(int socket, const Message& message,
          std::span<const int> descriptors = {}) {
  return SendDatagram(socket, std::as_bytes(std::span(&message, 1)),
                      descriptors);
}

// The kernel attaches the sender's process id to each message that comes out
// of `ours`.
struct SocketPair {
  UniqueFd ours;
  UniqueFd theirs;
};

Result<SocketPair> CreateSocketPair();

}  // namespace coppice::eval
