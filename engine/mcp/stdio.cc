#include "engine/mcp/stdio.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <mutex>
#include <string>

#include "engine/http/threads.h"
#include "engine/mcp/outgoing.h"

namespace coppice::mcp {
namespace {

constexpr int kTick_ms = 250;

// The way out, which may outlive the pipe's front: see Threads::EndWithin.
class Way {
 public:
  explicit Way(int file) : file_(file) {}

  // A client that is gone is seen by the end of its messages.
  void Send(const std::string& line) {
    const std::lock_guard lock(writing_);
    const std::string text = line + "\n";
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count =
          ::write(file_, text.data() + sent, text.size() - sent);
      if (count < 0 && errno != EINTR) return;
      if (count > 0) sent += static_cast<std::size_t>(count);
    }
  }

 private:
  const int file_;
  std::mutex writing_;
};

void Take(Session& session, const std::shared_ptr<Way>& way,
          http::Threads& works, std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find_first_not_of(" \t") == line.npos) return;
  MessageOutcome outcome = session.Take(line);
  if (!outcome.line.empty()) way->Send(outcome.line);
  if (!outcome.work) return;
  works.Start([way, work = std::move(outcome.work)] {
    const std::string answer =
        work([&way](const std::string& text) { way->Send(text); });
    if (!answer.empty()) way->Send(answer);
  });
}

// Whether more may come.
bool ReadSome(int in, std::string& text) {
  char bytes[65536];
  const ssize_t count = ::read(in, bytes, sizeof bytes);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  text.append(bytes, static_cast<std::size_t>(count));
  return count > 0;
}

}  // namespace

Ended ServePipe(Session& session, int in, int out,
                const std::function<bool()>& is_over, double patience_s) {
  const auto way = std::make_shared<Way>(out);
  http::Threads works;  // A request under way has one of its own.
  std::string text;
  for (bool more = true; more && !is_over();) {
    pollfd ready{in, POLLIN, 0};
    const int count = ::poll(&ready, 1, kTick_ms);
    session.Tick();
    if (count <= 0) continue;
    const std::size_t known = text.size();
    more = ReadSome(in, text);
    std::size_t from = 0;
    for (std::size_t end = text.find('\n', known); end != text.npos;
         end = text.find('\n', from)) {
      Take(session, way, works,
           std::string_view(text).substr(from, end - from));
      from = end + 1;
    }
    text.erase(0, from);
    if (text.size() > kMessageBytes) {
      Take(session, way, works, text);  // Which says why, and where it would
      break;                            // go on nobody knows.
    }
  }
  session.CancelAll();
  return works.EndWithin(patience_s) ? Ended::kWhole : Ended::kUnfinished;
}

}  // namespace coppice::mcp
