#include "eval/host/disturbance.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "eval/host/thread_pool.h"

namespace coppice::eval {
namespace {

constexpr double kMostWaited = 0.1;  // Of a lap.
// Who waited for less had no turn of anybody else's before it: a processor that
// slept takes that to wake up, most of all in a virtual machine.
constexpr double kWakingUp_s = 0.001;
constexpr double kMostStolen = 0.05;  // Of all processors' time.
constexpr double kLookedAtEvery = 0.1;
constexpr double kTicksPerSecond = 100.0;  // The kernel's USER_HZ.

// "some avg10=0.12 avg60=0.21 avg300=0.86 total=170689629"
std::optional<double> TotalUs(const std::string& pressure) {
  const std::size_t at = pressure.find("total=");
  if (!pressure.starts_with("some") || at == std::string::npos) return {};
  std::istringstream text(pressure.substr(at + 6));
  double total = 0.0;
  if (!(text >> total)) return {};
  return total;
}

// "0.26 0.16 0.28 2/99 11079": two run, the reader among them.
std::optional<int> OthersIn(const std::string& load) {
  std::istringstream text(load);
  double average = 0.0;
  int running = 0;
  if (!(text >> average >> average >> average >> running)) return {};
  return running - 1;
}

// "cpu  62612 0 16010 330478 1120 0 188 139 0 0": the eighth number.
std::optional<double> StolenTicks(const std::string& stat) {
  std::istringstream text(stat);
  std::string name;
  double number = 0.0;
  if (!(text >> name) || name != "cpu") return {};
  for (int i = 0; i < 8; ++i) {
    if (!(text >> number)) return {};
  }
  return number;
}

// "0::/user.slice/session": of version 2.  Where version 1 is in use, other
// lines come first, and no group tells of its pressure.
std::string PressureOf(const std::string& group) {
  if (!group.starts_with("0::/")) return "";
  const std::string path = group.substr(3);
  return "/sys/fs/cgroup" + (path == "/" ? "" : path) + "/cpu.pressure";
}

std::optional<double> Number(const std::string& text) {
  std::istringstream stream(text);
  double number = 0.0;
  if (!(stream >> number)) return {};
  return number;
}

}  // namespace

Disturbance::Disturbance(ReadText read, Processors processors)
    : read_(std::move(read)),
      pressure_(PressureOf(read_("/proc/self/cgroup"))),
      processors_(processors) {}

std::optional<double> Disturbance::WaitedUs() const {
  if (!pressure_.empty()) {
    if (const auto ours = TotalUs(read_(pressure_))) return ours;
  }
  return TotalUs(read_("/proc/pressure/cpu"));
}

std::optional<int> Disturbance::OthersRunning() const {
  if (processors_.ours < processors_.machine) return {};
  return OthersIn(read_("/proc/loadavg"));
}

void Disturbance::Begin(double now_s) {
  began_s_ = now_s;
  waited_us_ = WaitedUs();
  others_ = OthersRunning();
}

std::string Disturbance::Lap(double now_s) {
  const auto waited_us = WaitedUs();
  const auto others = OthersRunning();
  std::string slowly = SlowlyCounted(now_s);
  const double bearable_s =
      std::max(kMostWaited * (now_s - began_s_), kWakingUp_s);
  if (waited_us && waited_us_ && *waited_us - *waited_us_ > 1e6 * bearable_s) {
    return "others want its processors";
  }
  const int spare = std::max(processors_.ours - processors_.wanted, 0);
  if (others && others_ && std::min(*others, *others_) > spare) {
    return "others run on its processors";
  }
  return slowly;
}

std::string Disturbance::SlowlyCounted(double now_s) {
  const double elapsed_s = now_s - looked_s_;
  if (stolen_ && elapsed_s < kLookedAtEvery) return "";
  const auto stolen = StolenTicks(read_("/proc/stat"));
  const auto throttled =
      Number(read_("/sys/devices/system/cpu/cpu0/thermal_throttle/"
                   "package_throttle_count"));
  std::string found;
  if (stolen && stolen_ &&
      *stolen - *stolen_ >
          kMostStolen * elapsed_s * kTicksPerSecond * processors_.machine) {
    found = "its host takes its processors away";
  } else if (throttled && throttled_ && *throttled > *throttled_) {
    found = "it is hot, and slows itself down";
  }
  looked_s_ = now_s;
  stolen_ = stolen;
  throttled_ = throttled;
  return found;
}

Disturbance::Processors ProcessorsHere(int wanted) {
  return {.machine = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)),
          .ours = static_cast<int>(OtherProcessors()) + 1,
          .wanted = wanted};
}

std::string ReadSystemText(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);  // What is looked for is in the first.
  return line;
}

}  // namespace coppice::eval
