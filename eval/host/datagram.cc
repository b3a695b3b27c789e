#include "eval/host/datagram.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace coppice::eval {

Datagram ReceiveDatagram(int socket, std::span<std::byte> message) {
  Datagram datagram;
  iovec part{.iov_base = message.data(), .iov_len = message.size()};
  alignas(cmsghdr) char ancillary[CMSG_SPACE(sizeof(ucred)) +
                                  CMSG_SPACE(kMostDescriptors * sizeof(int))];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = ancillary;
  header.msg_controllen = sizeof ancillary;
  const ssize_t got = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (got < 0) return datagram;
  for (cmsghdr* item = CMSG_FIRSTHDR(&header); item != nullptr;
       item = CMSG_NXTHDR(&header, item)) {
    if (item->cmsg_type == SCM_CREDENTIALS) {
      ucred credentials;
      std::memcpy(&credentials, CMSG_DATA(item), sizeof credentials);
      datagram.sender = credentials.pid;
    } else if (item->cmsg_type == SCM_RIGHTS) {
      const std::size_t count = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < count; ++i) {
        int fd = -1;
        std::memcpy(&fd, CMSG_DATA(item) + i * sizeof fd, sizeof fd);
        datagram.descriptors.emplace_back(fd);
      }
    }
  }
  if (got == 0) return datagram;
  const bool whole = static_cast<std::size_t>(got) == message.size() &&
                     (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
  datagram.heard = whole ? Heard::kMessage : Heard::kMalformed;
  return datagram;
}

bool SendDatagram(int socket, std::span<const std::byte> message,
                  std::span<const int> descriptors) {
  iovec part{.iov_base = const_cast<std::byte*>(message.data()),
             .iov_len = message.size()};
  alignas(cmsghdr) char ancillary[CMSG_SPACE(kMostDescriptors * sizeof(int))];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) {
    header.msg_control = ancillary;
    header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
    cmsghdr* item = CMSG_FIRSTHDR(&header);
    item->cmsg_level = SOL_SOCKET;
    item->cmsg_type = SCM_RIGHTS;
    item->cmsg_len = CMSG_LEN(descriptors.size_bytes());
    std::memcpy(CMSG_DATA(item), descriptors.data(), descriptors.size_bytes());
  }
  return sendmsg(socket, &header, MSG_NOSIGNAL) ==
         static_cast<ssize_t>(message.size());
}

Result<SocketPair> CreateSocketPair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return Fail(Errc::kIo, std::string("socketpair: ") + std::strerror(errno));
  }
  const int on = 1;
  setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof on);
  return SocketPair{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace coppice::eval
