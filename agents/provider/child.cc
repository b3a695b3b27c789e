#include "agents/provider/child.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "agents/provider/process.h"

namespace coppice::agents {
namespace {

constexpr int kGlanceMs = 50;
constexpr double kGrace = 0.25;  // Seconds from SIGTERM to SIGKILL.

// A running command and what it has said.
class Child {
 public:
  Child(const ChildOptions& options, Timer& timer, pid_t pid, Descriptor out,
        Descriptor errors)
      : options_(options),
        timer_(timer),
        pid_(pid),
        running_(pid),
        out_(std::move(out)),
        errors_(std::move(errors)) {}

  Result<ChildOutput> Run() {
    const double end_s = timer_.Monotonic() + options_.timeout_s;
    std::optional<Error> stopped;
    // Whoever it started may hold its output open: it ends when it does.
    while (!stopped && !HasEnded(pid_)) {
      Listen(kGlanceMs);
      stopped = WhyStop(end_s);
    }
    const auto status = EndGroup(pid_, running_, kGrace, timer_);
    if (!stopped) Drain();
    if (stopped) return tl::unexpected<Error>(std::move(*stopped));
    if (!status) {
      return Fail(Errc::kIo, options_.arguments.front() +
                                 ": how it ended is not known, since this "
                                 "process ignores SIGCHLD");
    }
    output_.exit_code = ExitCodeOf(*status);
    return std::move(output_);
  }

 private:
  std::optional<Error> WhyStop(double end_s) const {
    const std::string& name = options_.arguments.front();
    if (options_.cancel != nullptr && options_.cancel->load()) {
      return Error{Errc::kCancelled, name + ": cancelled"};
    }
    if (timer_.Monotonic() >= end_s) {
      return Error{Errc::kTimeout,
                   name + ": not done in " +
                       std::to_string(static_cast<long>(options_.timeout_s)) +
                       " s"};
    }
    if (output_.out.size() > options_.output_limit) {
      return Error{Errc::kCorrupt, name + ": more output than " +
                                       std::to_string(options_.output_limit) +
                                       " bytes"};
    }
    return std::nullopt;
  }

  // Waits for something to read, at most so long, and reads it.
  void Listen(int timeout_ms) {
    pollfd polled[] = {{out_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}};
    if (poll(polled, 2, timeout_ms) <= 0) return;
    if (polled[0].revents != 0) {
      ReadSome(out_, output_.out);
      if (options_.on_output) options_.on_output(output_.out.size());
    }
    if (polled[1].revents != 0) {
      ReadSome(errors_, output_.errors);
      KeepLastErrors(output_.errors);
    }
  }

  // What is in the pipes still, once nobody writes to them.
  void Drain() {
    const std::size_t limit = options_.output_limit;
    for (const Descriptor* fd : {&out_, &errors_}) {
      while (fd->open() && output_.out.size() <= limit) {
        pollfd polled = {fd->get(), POLLIN, 0};
        if (poll(&polled, 1, 0) <= 0) break;
        Listen(0);
      }
    }
  }

  const ChildOptions& options_;
  Timer& timer_;
  const pid_t pid_;
  Running running_;
  Descriptor out_, errors_;
  ChildOutput output_;
};

}  // namespace

Result<std::vector<std::string>> SplitCommand(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < text.size();
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      words.back() += escapes ? text[++i] : c;
    }
  }
  if (quote != 0) return Fail(Errc::kUsage, "a quote does not end");
  if (words.empty() || words.front().empty()) {
    return Fail(Errc::kUsage, "expected a command");
  }
  return words;
}

Result<ChildOutput> RunChild(const ChildOptions& options, Timer& timer) {
  Descriptor in = FileHolding(options.input);
  auto out = MakePipe(), errors = MakePipe();
  if (!in.open() || !out || !errors) {
    return Fail(Errc::kIo, options.arguments.front() + ": " +
                               std::string(std::strerror(errno)));
  }
  TRY(pid, Spawn(options, in.get(), out->write.get(), errors->write.get()));
  in.Close();
  out->write.Close();
  errors->write.Close();
  for (const Descriptor* ours : {&out->read, &errors->read}) {
    fcntl(ours->get(), F_SETFL, O_NONBLOCK);
  }
  Child child(options, timer, pid, std::move(out->read),
              std::move(errors->read));
  return child.Run();
}

}  // namespace coppice::agents
