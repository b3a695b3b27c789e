// One HTTP POST over libcurl: nothing is retried, redirected or logged here.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/result.h"

namespace coppice::agents {

struct HttpRequest {
  std::string url{};
  std::vector<std::string> headers{};  // "Name: value"
  std::string body{};
  double timeout_s = 600;  // Of the whole exchange.
  double silence_s = 0;    // Without a byte; 0: no limit but the timeout.
  // Not owned, may be null.  Once it is true the exchange is given up within a
  // quarter of a second, whatever it waits for.
  const std::atomic<bool>* cancel = nullptr;
  // Given the body as it comes, if it is a stream of events with a status of
  // success; HttpReply::body is then empty.  False gives the exchange up.
  // Called by the thread that called Post().
  std::function<bool(std::string_view bytes)> on_stream{};
};

struct HttpReply {
  int status = 0;
  std::string body;
  bool streamed = false;   // To on_stream.
  std::string request_id;  // Of the headers request-id, x-request-id, ...
  std::optional<double> retry_after_s;  // See agents/provider/retry_headers.h.
  std::optional<bool> should_retry;     // x-should-retry.
  double elapsed_s = 0.0;
};

// Why there is no reply.
struct HttpFailure {
  Error error;  // kTimeout, kCancelled, kUsage (bad URL), else kUnavailable.
  bool transient = false;  // Worth another try.
  bool sent = false;       // The server may have begun to work, and charge.
  bool silent = false;     // For silence_s, once it was sent.
  int status = 0;          // If the reply had begun.
  std::string request_id{};
  double elapsed_s = 0.0;
};

// Any status is a reply.  Safe to call from several threads at once.  Writes to
// a broken TLS connection may raise SIGPIPE: the program must ignore it.
tl::expected<HttpReply, HttpFailure> Post(const HttpRequest& request);

}  // namespace coppice::agents
