#include "eval/cpu/runner/confine.h"

#include <sched.h>

#include <csignal>

#include "eval/host/shared_memory.h"
#include "eval/sandbox/filter.h"
#include "eval/sandbox/limit.h"

namespace coppice::eval {
namespace {

bool InstallLimits(const CpuControl& control) {
  // A write beyond the file limit fails with EFBIG rather than kill, so that a
  // kernel that prints too much merely loses its words.
  std::signal(SIGXFSZ, SIG_IGN);
  const rlim_t memory = control.memory_bytes + control.inputs.file_bytes +
                        control.outputs.file_bytes;
  return (control.memory_bytes == 0 || Limit(RLIMIT_AS, memory)) &&
         Limit(RLIMIT_CORE, 0) && Limit(RLIMIT_FSIZE, kOutputLimitBytes) &&
         Limit(RLIMIT_NOFILE, 32) &&
         (control.cpu_limit_s == 0 || Limit(RLIMIT_CPU, control.cpu_limit_s));
}

// Keeps the first `cpus` of the permitted processors.
bool RestrictProcessors(std::uint32_t cpus) {
  cpu_set_t permitted;
  if (sched_getaffinity(0, sizeof permitted, &permitted) != 0) return false;
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &permitted) && kept++ >= cpus) CPU_CLR(i, &permitted);
  }
  return sched_setaffinity(0, sizeof permitted, &permitted) == 0;
}

}  // namespace

bool Confine(const CpuControl& control) {
  return RestrictProcessors(control.cpus) && InstallLimits(control) &&
         InstallFilter(Devices::kNone);
}

}  // namespace coppice::eval
