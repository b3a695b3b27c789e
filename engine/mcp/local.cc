#include "engine/mcp/local.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "engine/mcp/stdio.h"
#include "store/records/io_error.h"

namespace coppice::mcp {
namespace {

namespace fs = std::filesystem;
using agents::Descriptor;

constexpr int kLook_ms = 100;
constexpr std::size_t kMostTalks = 32;
// What is cancelled ends within a second; nothing of ours may go before it.
constexpr double kPatience_s = 3600;

// A socket's address is short; a name within an open folder always fits.
struct Place {
  Descriptor folder;
  sockaddr_un address{};
};

Result<Place> PlaceOf(const fs::path& relative) {
  std::error_code unknown;
  const fs::path path = fs::absolute(relative, unknown);
  Place place{Descriptor(
      open(path.parent_path().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC))};
  const std::string name = "/proc/self/fd/" +
                           std::to_string(place.folder.get()) + "/" +
                           path.filename().string();
  if (!place.folder.open() || name.size() >= sizeof place.address.sun_path) {
    return Fail(place.folder.open() ? Errc::kUsage : IoErrc(errno),
                path.string() + ": no place for a socket");
  }
  place.address.sun_family = AF_UNIX;
  name.copy(place.address.sun_path, name.size());
  return place;
}

template <class Do>
Result<Descriptor> SocketAt(const fs::path& path, const Do& make) {
  TRY(place, PlaceOf(path));
  Descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!made.open() ||
      make(made.get(), reinterpret_cast<const sockaddr*>(&place.address),
           sizeof place.address) != 0) {
    return Fail(IoErrc(errno), path.string() + ": " + std::strerror(errno));
  }
  return made;
}

// Whether more may come.
bool Pass(int from, int to) {
  char bytes[65536];
  const ssize_t got = read(from, bytes, sizeof bytes);
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  for (ssize_t sent = 0; sent < got;) {
    const ssize_t count =
        write(to, bytes + sent, static_cast<std::size_t>(got - sent));
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) sent += count;
  }
  return got > 0;
}

}  // namespace

Result<std::unique_ptr<Local>> Local::Open(const fs::path& place,
                                           const Terms& terms,
                                           const engine::Clock& clock,
                                           std::string client) {
  TRY(listening,
      SocketAt(place, [](int fd, const sockaddr* address, socklen_t size) {
        return bind(fd, address, size) != 0 || listen(fd, 16) != 0 ? -1 : 0;
      }));
  return std::unique_ptr<Local>(
      new Local(place, std::move(listening), terms, clock, std::move(client)));
}

Local::Local(fs::path place, Descriptor socket, const Terms& terms,
             const engine::Clock& clock, std::string client)
    : place_(std::move(place)),
      socket_(std::move(socket)),
      terms_(terms),
      clock_(clock),
      client_(std::move(client)),
      thread_([this] { Serve(); }) {}

Local::~Local() {
  is_over_ = true;
  thread_ = {};
  talks_.Join();
  std::error_code ignored;
  fs::remove(place_, ignored);
}

void Local::Serve() {
  while (!is_over_) {
    // An agent may begin one for each call: those that ended leave their place.
    // Who comes when there are too many waits, and is not looked at for that.
    const nfds_t looked_at = talks_.Count() < kMostTalks ? 1 : 0;
    pollfd ready{socket_.get(), POLLIN, 0};
    if (poll(&ready, looked_at, kLook_ms) <= 0) continue;
    const int client = accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    talks_.Start([this, client] {
      const Descriptor talk(client);
      Session session(terms_, clock_, client_);
      ServePipe(
          session, client, client, [this] { return is_over_.load(); },
          kPatience_s);
    });
  }
}

Result<void> Bridge(const fs::path& place, int in, int out) {
  TRY(server, SocketAt(place, connect));
  for (;;) {
    pollfd ready[] = {{in, POLLIN, 0}, {server.get(), POLLIN, 0}};
    if (poll(ready, 2, -1) < 0 && errno != EINTR) return {};
    if (ready[1].revents != 0 && !Pass(server.get(), out)) return {};
    if (ready[0].revents != 0 && !Pass(in, server.get())) return {};
  }
}

}  // namespace coppice::mcp
