// One HTTP POST over libcurl: nothing is retried, redirected or logged here.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "store/records/result.h"

namespace coppice::agents {

struct HttpRequest {
  std::string url{};
  std::vector<std::string> headers{};  // "Name: value"
  std::string body{};
  double timeout_s = 600;  // Of the whole exchange.
  // Not owned, may be null.  Once it is true the exchange is given up within a
  // second.
  const std::atomic<bool>* cancel = nullptr;
};

struct HttpReply {
  int status = 0;
  std::string body;
  std::optional<double> retry_after_s;  // Retry-After or retry-after-ms.
  std::optional<bool> should_retry;     // x-should-retry.
  double elapsed_s = 0.0;
};

// Why there is no reply.
struct HttpFailure {
  Error error;  // kTimeout, kCancelled, kUsage (bad URL), else kUnavailable.
  bool transient = false;  // Worth another try.
  double elapsed_s = 0.0;
};

// Any status is a reply.  Safe to call from several threads at once.  Writes to
// a broken TLS connection may raise SIGPIPE: the program must ignore it.
tl::expected<HttpReply, HttpFailure> Post(const HttpRequest& request);

}  // namespace coppice::agents
