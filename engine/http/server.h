// A small HTTP server: one thread for all connections, a few for handlers.
//
// Limits: 16 kB of header, 1 MB of body, 30 s for a request to arrive, 300
// connections.  What is above is refused and its connection closed.  Until a
// connection has brought the token it is a stranger's: its header has 5 s, no
// body of its is read, and once all places are taken the strangers that are
// there longest give up theirs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/http/guard.h"
#include "engine/http/request.h"
#include "store/records/result.h"

namespace coppice::http {

// Called by the pool's threads, several at a time.
using Handler = std::function<Answer(const Request&)>;

struct Place {
  std::uint16_t port = 0;  // 0: any that is free.
  // Addresses; empty: 127.0.0.1, and ::1 where there is such.
  std::vector<std::string> addresses{};
  std::filesystem::path socket{};  // Instead of all that, if not empty.
};

// How patient it is; tests are less so.
struct ServerLimits {
  double request_s = 30.0;
  double stranger_s = 5.0;  // For a header, before the token was seen.
  double heartbeat_s = 15.0;
  std::size_t handlers = 4;  // Threads for them.
  int connections = 300;
  // Answers in pieces that are told at a time; who asks for more gets a 503.
  std::size_t tellers = 4;
};

class Server {
 public:
  // Who asks for GET /events becomes a viewer, and gets what is published.  All
  // else goes to `handler`, once the door let it pass.  `door.port` is set to
  // that of the place.  kBusy: the port is taken.
  static Result<std::unique_ptr<Server>> Start(const Place& place, Door door,
                                               Handler handler,
                                               ServerLimits limits = {});
  // Closes all connections at once, and waits for handlers at work.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::uint16_t port() const;

  // Viewers get it as one event, and who comes later gets the last one.  A slow
  // viewer has at most one on its way and one waiting, of which the newest
  // wins.  By any thread.
  void Publish(std::string_view event, std::string_view data);

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace coppice::http
