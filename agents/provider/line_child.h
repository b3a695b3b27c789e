// A command that stays: it is told lines, and asked for lines, until nobody
// holds it any more.  Its environment, folder and process group are as those of
// a command that runs once (child.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "agents/provider/child.h"
#include "agents/provider/process.h"
#include "agents/provider/timer.h"
#include "store/records/result.h"

namespace coppice::agents {

// Not thread-safe.
class LineChild {
 public:
  // It is given no input, and no time-out holds but those below; `timer`
  // outlives it.  The command is killed when the thread that called ends, and
  // all that it has started with it (warden.h).  kNotFound if there is no such
  // program.
  static Result<std::unique_ptr<LineChild>> Start(const ChildOptions& given,
                                                  Timer& timer);

  // Kills it, with all that it has started.
  ~LineChild();
  LineChild(const LineChild&) = delete;
  LineChild& operator=(const LineChild&) = delete;

  // Both by a time of the timer. kTimeout: it did not come to it. kUnavailable:
  // it has ended. kCorrupt: a line is longer than the output limit.  It is of
  // no use after any of these.
  Result<void> Send(std::string_view text, double end_s);
  Result<std::string> ReadLine(double end_s);  // Without its end.

  // The last of what it has said on standard error.
  std::string Complaint();

 private:
  LineChild(const ChildOptions& options, Timer& timer, pid_t pid, Descriptor in,
            Descriptor out, Descriptor errors);
  Result<void> Attend(short wanted, double end_s);
  tl::unexpected<Error> Ended() const;

  const std::string name_;
  const std::size_t limit_;
  Timer& timer_;
  const pid_t pid_;
  Descriptor in_, out_, errors_;
  std::string heard_;  // From `taken_` on not handed out.
  std::size_t taken_ = 0;
  std::string complaint_;
};

}  // namespace coppice::agents
