#include "engine/mcp/stdio.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "engine/mcp/outgoing.h"

namespace coppice::mcp {
namespace {

constexpr int kTick_ms = 250;

// The way out, which may outlive the pipe's front: see Works::EndWithin.
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

// What is under way, each by a thread of its own.
class Works {
 public:
  void Start(const std::shared_ptr<Way>& way, MessageOutcome outcome) {
    std::erase_if(works_, [](Work& work) {
      const bool ended = work.EndsBy(std::chrono::steady_clock::now());
      if (ended) work.thread.join();
      return ended;
    });
    std::promise<void> end;
    std::future<void> ended = end.get_future();
    works_.push_back(
        {std::thread([way, work = std::move(outcome.work),
                      end = std::move(end)]() mutable {
           const std::string line =
               work([&way](const std::string& text) { way->Send(text); });
           if (!line.empty()) way->Send(line);
           work = nullptr;
           end.set_value();
         }),
         std::move(ended)});
  }

  // False if a thread goes on, which is left to itself.  Those that end are
  // joined: a library frees what it keeps of a thread only as that exits.
  bool EndWithin(double patience_s) {
    const auto latest =
        std::chrono::steady_clock::now() +
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(
            std::chrono::duration<double>(patience_s));
    bool all = true;
    for (Work& work : works_) {
      if (work.EndsBy(latest)) {
        work.thread.join();
      } else {
        work.thread.detach();
        all = false;
      }
    }
    works_.clear();
    return all;
  }

 private:
  struct Work {
    std::thread thread;
    std::future<void> ended;

    bool EndsBy(std::chrono::steady_clock::time_point latest) const {
      return ended.wait_until(latest) == std::future_status::ready;
    }
  };
  std::list<Work> works_;
};

void Take(Session& session, const std::shared_ptr<Way>& way, Works& works,
          std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.find_first_not_of(" \t") == line.npos) return;
  MessageOutcome outcome = session.Take(line);
  if (!outcome.line.empty()) way->Send(outcome.line);
  if (outcome.work) works.Start(way, std::move(outcome));
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
  Works works;
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
