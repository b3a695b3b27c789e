#include "eval/host/machine.h"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "eval/host/affinity.h"
#include "eval/host/waiting.h"
#include "store/records/io_error.h"

namespace coppice::eval {
namespace {

std::optional<double> NumberIn(const std::filesystem::path& path) {
  std::ifstream file(path);
  double number = 0.0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

// The first line "key : value" of /proc/cpuinfo.
std::string CpuInfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

// The names of the files that are locked, in order.
std::vector<std::string> NamesOf(const std::string& device) {
  if (!device.empty()) return {device};
  std::vector<std::string> names;
  for (const int processor : ProcessorsOf(0)) {
    names.push_back("processor-" + std::to_string(processor));
  }
  return names;
}

Result<UniqueFd> OpenLockFile(const std::string& what) {
  const std::string directory = "/tmp/coppice-" + std::to_string(getuid());
  const auto refuse = [&](const std::string& why, int error = 0) {
    return Fail(IoErrc(error), directory + ": measurement lock: " + why);
  };
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return refuse(std::strerror(errno), errno);
  }
  struct stat status {};
  if (lstat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != getuid()) {
    return refuse("not a directory of yours; remove it");
  }
  UniqueFd file(open((directory + "/" + what + ".lock").c_str(),
                     O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) return refuse(std::strerror(errno), errno);
  return file;
}

// False if somebody else has it.
Result<bool> TryLock(const UniqueFd& file) {
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK || errno == EINTR) return false;
  return Fail(Errc::kIo,
              std::string("measurement lock: ") + std::strerror(errno));
}

}  // namespace

std::string ProcessorName() { return CpuInfo("model name"); }

std::string ProcessorIdentity() {
  return ProcessorName() + " family " + CpuInfo("cpu family") + " model " +
         CpuInfo("model\t") + ": " + CpuInfo("flags");
}

std::string SystemName() {
  utsname name{};
  if (uname(&name) != 0) return "unknown";
  return std::string(name.sysname) + " " + name.release;
}

std::string LibraryVersion() { return gnu_get_libc_version(); }

std::uint64_t MemoryBytes() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::optional<double> ProcessorClockMhz() {
  const auto khz =
      NumberIn("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq");
  if (!khz) return std::nullopt;
  return *khz / 1000.0;
}

std::optional<double> ProcessorTemperatureC() {
  std::optional<double> hottest;
  std::error_code error;
  for (std::filesystem::directory_iterator zone("/sys/class/thermal", error);
       !error && zone != std::filesystem::directory_iterator();
       zone.increment(error)) {
    std::ifstream type(zone->path() / "type");
    std::string name;
    if (!(type >> name) || name != "x86_pkg_temp") continue;
    const auto millidegrees = NumberIn(zone->path() / "temp");
    if (millidegrees)
      hottest = std::max(hottest.value_or(-273.0), *millidegrees / 1000.0);
  }
  return hottest;
}

// Whoever waits for a processor has all of its own that come before it and none
// that come after it, so no two wait for each other.
Result<MeasurementLock> MeasurementLock::Acquire(
    const std::atomic<bool>* cancelled, const std::string& device) {
  std::vector<UniqueFd> files;
  for (const std::string& name : NamesOf(device)) {
    TRY(file, OpenLockFile(name));
    while (true) {
      TRY(is_ours, TryLock(file));
      if (is_ours) break;
      if (Cancelled(cancelled)) {
        return Fail(Errc::kCancelled, "measurement lock: cancelled");
      }
      timespec pause{.tv_sec = 0, .tv_nsec = 10'000'000};
      nanosleep(&pause, nullptr);
    }
    files.push_back(std::move(file));
  }
  return MeasurementLock(std::move(files));
}

Result<bool> MeasurementLock::IsTaken(const std::string& device) {
  for (const std::string& name : NamesOf(device)) {
    TRY(file, OpenLockFile(name));
    TRY(is_ours, TryLock(file));
    if (!is_ours) return true;
  }
  return false;
}

// Kept as the file's time of change.
Result<void> MeasurementLock::NoteUse(const std::string& device) {
  TRY(file, OpenLockFile(device));
  if (futimens(file.get(), nullptr) == 0) return {};
  return Fail(Errc::kIo,
              std::string("measurement lock: ") + std::strerror(errno));
}

Result<double> MeasurementLock::SecondsSinceUse(const std::string& device) {
  TRY(file, OpenLockFile(device));
  struct stat status {};
  timespec now{};
  if (fstat(file.get(), &status) != 0 ||
      clock_gettime(CLOCK_REALTIME, &now) != 0) {
    return Fail(Errc::kIo,
                std::string("measurement lock: ") + std::strerror(errno));
  }
  const timespec& then = status.st_mtim;
  return static_cast<double>(now.tv_sec - then.tv_sec) +
         1e-9 * static_cast<double>(now.tv_nsec - then.tv_nsec);
}

}  // namespace coppice::eval
