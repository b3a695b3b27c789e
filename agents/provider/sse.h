// Server-sent events, as they come off a connection: bytes in any cuts, events
// out.  (WHATWG HTML, "Server-sent events", 9.2.6, without `id` and `retry`.)
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace coppice::agents {

struct SseEvent {
  std::string type;  // Of its `event:` line; empty: it has none.
  std::string data;  // Its `data:` lines, joined by '\n'.
};

class SseParser {
 public:
  using Take = std::function<void(const SseEvent&)>;

  // Hands on each event that `bytes` complete.  An event ends at a blank line;
  // one that the connection cuts off is never handed on, nor is one without
  // data.  False, and for good, once an event is longer than 16 MiB.
  [[nodiscard]] bool Feed(std::string_view bytes, const Take& take);

 private:
  void EndLine(const Take& take);

  static constexpr std::size_t kLongestEvent = std::size_t{16} << 20;

  std::string line_;
  SseEvent event_;
  bool has_data_ = false;
  bool after_cr_ = false;  // A '\n' now belongs to the line that has ended.
  bool first_line_ = true;
  bool overflown_ = false;
};

}  // namespace coppice::agents
