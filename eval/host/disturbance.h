// What else uses this machine while something is measured, as the system tells.
//
// It is looked for while trusted code is timed, and everything of a candidate's
// is stopped: no candidate can make a round look disturbed, or calm.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace coppice::eval {

class Disturbance {
 public:
  // The text of a file of the system's; empty if there is none.
  using ReadText = std::function<std::string(const std::string& path)>;

  struct Processors {
    int machine;  // Has so many,
    int ours;     // of which what is measured may run on these,
    int wanted;   // and want so many.
  };
  Disturbance(ReadText read, Processors processors);

  // A lap begins.  Times are of any steady clock, in seconds.
  void Begin(double now_s);

  // What disturbed the lap; empty if nothing did:
  //
  // - more than a tenth of it, and a millisecond, somebody of our control group
  //   waited for a processor (cpu.pressure; of the whole machine where the
  //   group has none: /proc/pressure/cpu).  At most one of ours runs, so it is
  //   no fault of ours;
  // - others were running when it began and are now, on more processors than
  //   those that are not wanted (/proc/loadavg: one moment alone may show who
  //   only comes by, or a call of ours that is just ending).  That counts the
  //   whole machine, so it says nothing of who may run on a part of it only;
  // - a hypervisor took more than a twentieth (steal, /proc/stat), or heat has
  //   slowed the processor: looked at every tenth of a second, since both are
  //   counted in steps of a hundredth or more.
  std::string Lap(double now_s);

 private:
  std::string SlowlyCounted(double now_s);
  std::optional<double> WaitedUs() const;
  std::optional<int> OthersRunning() const;

  ReadText read_;
  std::string pressure_;  // The path of our group's; empty if it has none.
  Processors processors_;
  double began_s_ = 0.0;
  std::optional<double> waited_us_;  // Until the lap began.
  std::optional<int> others_;        // When it began.
  double looked_s_ = 0.0;  // Of what is counted slowly, as are the next two.
  std::optional<double> stolen_;     // Ticks of a hundredth of a second.
  std::optional<double> throttled_;  // Times.
};

// The processors of this machine and this process.
Disturbance::Processors ProcessorsHere(int wanted);

// Reads /proc and /sys themselves.
std::string ReadSystemText(const std::string& path);

}  // namespace coppice::eval
