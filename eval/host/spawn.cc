#include "eval/host/spawn.h"

#include <signal.h>
#include <spawn.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "eval/host/argv.h"

namespace coppice::eval {
namespace {

// What a terminal or a supervisor sends to all of our process group.
sigset_t SignalsToStop() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) {
    sigaddset(&signals, signal);
  }
  return signals;
}

}  // namespace

Result<pid_t> Spawn(
    const std::string& executable, std::vector<std::string> arguments,
    const std::vector<std::pair<std::string, std::string>>& environment,
    const std::vector<int>& descriptors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // First out of the way of the targets, then into place.
  const int high = 1 + std::ranges::max(descriptors);
  int next = 0;
  int refused = 0;  // A number beyond the limit of open files.
  for (const int fd : descriptors) {
    refused |= posix_spawn_file_actions_adddup2(&actions, fd, high + next++);
  }
  for (int i = 0; i < next; ++i) {
    posix_spawn_file_actions_adddup2(&actions, high + i, i);
  }
  posix_spawn_file_actions_addclosefrom_np(&actions, next);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const sigset_t blocked = SignalsToStop();
  sigset_t all;
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
                                            POSIX_SPAWN_SETSIGDEF |
                                            POSIX_SPAWN_SETSID);
  std::vector<std::string> variables;
  for (const auto& [name, value] : environment) {
    variables.push_back(name + "=" + value);
  }
  pid_t pid = -1;
  const int error =
      refused != 0
          ? EMFILE
          : posix_spawn(&pid, executable.c_str(), &actions, &attributes,
                        ArgvOf(arguments).data(), ArgvOf(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return Fail(Errc::kUnavailable, executable + ": " + std::strerror(error));
  }
  return pid;
}

}  // namespace coppice::eval
