#include "eval/host/process_limits.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "store/records/formatted.h"

namespace coppice::eval {
namespace {

// Some 40 are open at once while one candidate is judged.
constexpr rlim_t kDescriptors = 256;

// Its shadow of 47 bits of addresses, and what lies around it.
constexpr rlim_t kSanitizerBytes = rlim_t{20} << 40;

// The first line; empty if it cannot be read.
std::string LineOf(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// A system-call filter of a container's.
bool IsFiltered() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("Seccomp:")) return !line.ends_with("0");
  }
  return false;
}

std::string GigabytesText(rlim_t bytes) {
  return Formatted("%.3g GB", static_cast<double>(bytes) / 1e9);
}

}  // namespace

Result<void> MakeRoomForDescriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kDescriptors) {
    return {};
  }
  limit.rlim_cur = std::min(limit.rlim_max, kDescriptors);
  if (limit.rlim_cur >= kDescriptors && setrlimit(RLIMIT_NOFILE, &limit) == 0) {
    return {};
  }
  return Fail(Errc::kUnavailable,
              "only " + std::to_string(limit.rlim_cur) +
                  " files may be open at once, and judging takes up to " +
                  std::to_string(kDescriptors) +
                  ": raise the limit, as by ulimit -n 1024");
}

Result<void> CheckAddressSpace() {
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur >= kSanitizerBytes) {
    return {};
  }
  return Fail(Errc::kUnavailable,
              "only " + GigabytesText(limit.rlim_cur) +
                  " of addresses are allowed, and the address sanitizer, which "
                  "sees every kernel that would be the best, reserves 20 TB: "
                  "ulimit -v unlimited; memory itself is limited by a control "
                  "group, as by systemd-run --scope -p MemoryMax=8G");
}

std::string WhyNoUserNamespace() {
  const bool is_root = geteuid() == 0;
  if (LineOf("/proc/sys/user/max_user_namespaces") == "0") {
    return "since user.max_user_namespaces is 0: sudo sysctl "
           "user.max_user_namespaces=10000";
  }
  if (!is_root && LineOf("/proc/sys/kernel/unprivileged_userns_clone") == "0") {
    return "since kernel.unprivileged_userns_clone is 0: sudo sysctl "
           "kernel.unprivileged_userns_clone=1";
  }
  if (!is_root &&
      LineOf("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1") {
    return "since kernel.apparmor_restrict_unprivileged_userns is 1: sudo "
           "sysctl kernel.apparmor_restrict_unprivileged_userns=0";
  }
  if (IsFiltered()) {
    return "since a system-call filter forbids it, as in a container: start "
           "that with --security-opt seccomp=unconfined";
  }
  return "as it gives none inside a chroot, nor before Linux 5.12: run it "
         "outside of that; in a chroot, root needs none";
}

}  // namespace coppice::eval
