#include "engine/mcp/stdio.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <string>
#include <thread>

#include "engine/mcp/outgoing.h"

namespace coppice::mcp {
namespace {

constexpr int kTick_ms = 250;

// The way out, and how many threads still use it.  It outlives the pipe's
// front where one of them does not end.
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

  void Enter() {
    const std::lock_guard lock(mutex_);
    ++users_;
  }
  void Leave() {
    const std::lock_guard lock(mutex_);
    --users_;
    left_.notify_all();
  }
  bool AllLeftWithin(double seconds) {
    std::unique_lock lock(mutex_);
    return left_.wait_for(lock, std::chrono::duration<double>(seconds),
                          [this] { return users_ == 0; });
  }

 private:
  const int file_;
  std::mutex writing_;
  std::mutex mutex_;
  std::condition_variable left_;
  int users_ = 0;
};

// A thread of its own, which nobody joins: it may not end.
void Start(const std::shared_ptr<Way>& way, Outcome outcome) {
  way->Enter();
  std::thread([way, work = std::move(outcome.work)]() mutable {
    const std::string line =
        work([&way](const std::string& text) { way->Send(text); });
    if (!line.empty()) way->Send(line);
    work = nullptr;
    way->Leave();
  }).detach();
}

void Take(Session& session, const std::shared_ptr<Way>& way,
          std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find_first_not_of(" \t") == line.npos) return;
  Outcome outcome = session.Take(line);
  if (!outcome.line.empty()) way->Send(outcome.line);
  if (outcome.work) Start(way, std::move(outcome));
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
      Take(session, way, std::string_view(text).substr(from, end - from));
      from = end + 1;
    }
    text.erase(0, from);
    if (text.size() > kMessageBytes) {
      Take(session, way, text);  // Which says why, and where it would go on
      break;                     // nobody knows.
    }
  }
  session.CancelAll();
  return way->AllLeftWithin(patience_s) ? Ended::kWhole : Ended::kUnfinished;
}

}  // namespace coppice::mcp
