#include "agents/provider/line_child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace coppice::agents {
namespace {

constexpr int kLookMs = 50;
constexpr int kLastWordsMs = 250;
constexpr int kGraceMs = 1000;  // For what it has started to be killed.

}  // namespace

LineChild::LineChild(const ChildOptions& options, Timer& timer, pid_t pid,
                     Descriptor in, Descriptor out, Descriptor errors)
    : name_(options.arguments.front()),
      limit_(options.output_limit),
      timer_(timer),
      pid_(pid),
      in_(std::move(in)),
      out_(std::move(out)),
      errors_(std::move(errors)) {}

// Its warden first, who knows what has left the group.
LineChild::~LineChild() {
  if (!HasEnded(pid_)) kill(pid_, SIGTERM);
  for (int i = 0; i < kGraceMs && !HasEnded(pid_); ++i) poll(nullptr, 0, 1);
  SignalGroup(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

Result<std::unique_ptr<LineChild>> LineChild::Start(const ChildOptions& given,
                                                    Timer& timer) {
  ChildOptions options = given;
  options.is_warded = true;
  // A socket, since one may send to it without a signal if nobody reads.
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Fail(Errc::kIo,
                options.arguments.front() + ": " + std::strerror(errno));
  }
  Descriptor ours(ends[0]), its(ends[1]);
  auto out = MakePipe(), errors = MakePipe();
  if (!out || !errors) {
    return Fail(Errc::kIo,
                options.arguments.front() + ": " + std::strerror(errno));
  }
  TRY(pid, Spawn(options, its.get(), out->write.get(), errors->write.get()));
  for (const Descriptor* each : {&ours, &out->read, &errors->read}) {
    fcntl(each->get(), F_SETFL, O_NONBLOCK);
  }
  return std::unique_ptr<LineChild>(
      new LineChild(options, timer, pid, std::move(ours), std::move(out->read),
                    std::move(errors->read)));
}

tl::unexpected<Error> LineChild::Ended() const {
  return Fail(Errc::kUnavailable, name_ + ": has ended");
}

// Waits until it may be told or has said something, and hears it.
Result<void> LineChild::Attend(short wanted, double end_s) {
  const double left_s = end_s - timer_.Monotonic();
  if (left_s <= 0) return Fail(Errc::kTimeout, name_ + ": said nothing");
  if (!out_.open()) return Ended();
  pollfd polled[] = {{out_.get(), POLLIN, 0},
                     {errors_.get(), POLLIN, 0},
                     {wanted != 0 ? in_.get() : -1, wanted, 0}};
  const int most_ms = std::clamp(static_cast<int>(left_s * 1e3), 1, kLookMs);
  if (poll(polled, 3, most_ms) <= 0) return {};
  if (polled[0].revents != 0) ReadSome(out_, heard_);
  if (polled[1].revents != 0) {
    ReadSome(errors_, complaint_);
    KeepLastErrors(complaint_);
  }
  return {};
}

Result<void> LineChild::Send(std::string_view text, double end_s) {
  while (!text.empty()) {
    const ssize_t sent =
        send(in_.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      text.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EINTR) {
      TRY_DONE(Attend(POLLOUT, end_s));
    } else {
      return Ended();
    }
  }
  return {};
}

Result<std::string> LineChild::ReadLine(double end_s) {
  std::size_t looked = taken_;
  for (;;) {
    const std::size_t end = heard_.find('\n', looked);
    if (end != heard_.npos) {
      std::string line = heard_.substr(taken_, end - taken_);
      taken_ = end + 1;
      if (taken_ == heard_.size()) {
        heard_.clear();
        taken_ = 0;
      }
      return line;
    }
    looked = heard_.size();
    if (looked - taken_ > limit_) {
      return Fail(Errc::kCorrupt, name_ + ": a line is longer than " +
                                      std::to_string(limit_) + " bytes");
    }
    TRY_DONE(Attend(0, end_s));
  }
}

std::string LineChild::Complaint() {
  // One that is about to end closes what it says first.
  const int most_ms = out_.open() ? 0 : kLastWordsMs;
  while (errors_.open()) {
    pollfd polled = {errors_.get(), POLLIN, 0};
    if (poll(&polled, 1, most_ms) <= 0 || !ReadSome(errors_, complaint_)) break;
    KeepLastErrors(complaint_);
  }
  std::string text = complaint_;
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace coppice::agents
