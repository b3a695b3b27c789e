#include "eval/sandbox/sandbox.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <system_error>

#include "eval/host/pidfd.h"
#include "eval/host/process_limits.h"
#include "eval/host/shared_memory.h"
#include "eval/host/spawn.h"
#include "eval/sandbox/asked_jailer.h"
#include "eval/sandbox/embedded_jail.h"
#include "eval/sandbox/fork_server.h"
#include "store/records/parse_number.h"

namespace coppice::eval {
namespace {

constexpr char kBubblewrap[] = "/usr/bin/bwrap";

// The folders where this machine has them: Debian's directories, then Red
// Hat's.  The loader looks for each where it was found.
const std::vector<std::string>& RuntimeLibraries() {
  static const std::vector<std::string> libraries = [] {
    std::vector<std::string> found;
    for (const char* name :
         {"ld-linux-x86-64.so.2", "libc.so.6", "libm.so.6", "libmvec.so.1",
          "libpthread.so.0", "libdl.so.2", "librt.so.1", "libgcc_s.so.1",
          "libstdc++.so.6", "libgomp.so.1", "libseccomp.so.2", "libffi.so.8",
          "libffi.so.7"}) {
      for (const char* directory :
           {"/usr/lib/x86_64-linux-gnu/", "/usr/lib64/"}) {
        const std::string path = std::string(directory) + name;
        std::error_code error;
        if (std::filesystem::exists(path, error)) found.push_back(path);
      }
    }
    return found;
  }();
  return libraries;
}

// All of /proc that is not a process and may be written: root may do so without
// any capability.  (Processes have to be: CUDA names its threads there.)
Result<std::vector<std::string>> SettingsInProc() {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  std::error_code gone;
  fs::directory_iterator entries("/proc", gone);
  if (gone) return Fail(Errc::kIo, "/proc: " + gone.message());
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().filename().string();
    if ((name[0] >= '0' && name[0] <= '9') || entry.is_symlink(gone)) continue;
    const fs::perms rights = entry.status(gone).permissions();
    if (entry.is_directory(gone) ||
        (rights & fs::perms::owner_write) != fs::perms::none) {
      paths.push_back(entry.path().string());
    }
  }
  return paths;
}

// Bubblewrap's arguments, which eval/sandbox/jail understands as well.
Result<std::vector<std::string>> Arguments(const SandboxedProgram& program,
                                           int status_fd) {
  std::vector<std::string> arguments = {"sandbox"};
  const auto add = [&](std::initializer_list<std::string> more) {
    arguments.insert(arguments.end(), more);
  };
  add({"--unshare-all", "--die-with-parent", "--cap-drop", "ALL"});
  add({"--json-status-fd", std::to_string(status_fd)});
  add({"--clearenv", "--hostname", "sandbox"});
  if (program.libraries == Libraries::kAll) {
    add({"--ro-bind", "/usr/lib", "/usr/lib"});
    add({"--ro-bind-try", "/usr/lib64", "/usr/lib64"});
  } else {
    for (const std::string& path : RuntimeLibraries()) {
      add({"--ro-bind", path, path});
    }
  }
  add({"--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"});
  add({"--size", std::to_string(program.tmp_bytes), "--tmpfs", "/tmp"});
  add({"--chdir", "/tmp"});
  for (const Bind& bind : program.binds) {
    const char* how = bind.access == BindMode::kReadOnly   ? "--ro-bind"
                      : bind.access == BindMode::kWritable ? "--bind"
                                                           : "--dev-bind";
    add({how, bind.from.string(), bind.to});
  }
  if (program.own_proc) {
    add({"--proc", "/proc"});
    TRY(settings, SettingsInProc());
    for (const std::string& path : settings) {
      add({"--ro-bind-try", path, path});
    }
  }
  for (const auto& [name, value] : program.environment) {
    add({"--setenv", name, value});
  }
  add({"--remount-ro", "/", "--"});
  arguments.insert(arguments.end(), program.arguments.begin(),
                   program.arguments.end());
  return arguments;
}

std::optional<Jailer>& Asked() {
  static std::optional<Jailer> asked;
  return asked;
}

Result<std::string> Executable(Jailer jailer) {
  if (jailer == Jailer::kBubblewrap) return kBubblewrap;
  return EmbeddedJail();
}

}  // namespace

void UseJailer(Jailer jailer) { Asked() = jailer; }

std::optional<Jailer> AskedJailer() { return Asked(); }

Jailer ChosenJailer() {
  static const Jailer chosen = [] {
    if (const auto jailer = AskedJailer()) return *jailer;
    if (access(kBubblewrap, X_OK) != 0) return Jailer::kOwn;
    // A system may give user name spaces to bubblewrap alone.
    const bool is_bubblewrap_needed =
        !ProbeSandbox(Jailer::kOwn) && ProbeSandbox(Jailer::kBubblewrap);
    return is_bubblewrap_needed ? Jailer::kBubblewrap : Jailer::kOwn;
  }();
  return chosen;
}

Result<Sandboxed> Sandboxed::Launch(const SandboxedProgram& program) {
  Sandboxed started;
  TRY(output, CreateMemoryFile("output"));
  UniqueFd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  int ends[2];
  if (!nothing.valid() || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
    return Fail(Errc::kIo, std::string("sandbox: ") + std::strerror(errno));
  }
  started.status_ = UniqueFd(ends[0]);
  const UniqueFd status_writer(ends[1]);

  std::vector<int> descriptors = {nothing.get(), output.get(), output.get()};
  descriptors.insert(descriptors.end(), program.descriptors.begin(),
                     program.descriptors.end());
  const int status_fd = static_cast<int>(descriptors.size());
  descriptors.push_back(status_writer.get());
  TRY(arguments, Arguments(program, status_fd));
  started.output_ = std::move(output);
  if (program.server != nullptr) {
    TRY_ASSIGN(started.pidfd_,
               program.server->Fork(arguments, program.environment, descriptors,
                                    program.cancelled));
    return started;
  }
  TRY(executable, Executable(program.jailer));
  auto pid = Spawn(executable, std::move(arguments), {}, descriptors);
  if (!pid) {
    const char* advice =
        access(executable.c_str(), F_OK) == 0 ? "" : "; install bubblewrap";
    return Fail(pid.error().code, "sandbox: " + pid.error().what + advice);
  }
  started.pid_ = *pid;
  started.pidfd_ = OpenPidfd(*pid);
  if (!started.pidfd_.valid()) {
    const int why = errno;
    started.Kill();
    return Fail(Errc::kUnavailable,
                "sandbox: pidfd_open: " + std::string(std::strerror(why)) +
                    (why == ENOSYS ? "; Linux 5.3 or later is needed" : ""));
  }
  return started;
}

Sandboxed::Sandboxed(Sandboxed&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      status_(std::move(other.status_)),
      output_(std::move(other.output_)) {}

Sandboxed::~Sandboxed() { Kill(); }

Waited Sandboxed::Wait(const Deadline& patience) const {
  return WaitReadable(pidfd_.get(), patience);
}

void Sandboxed::Kill() {
  if (pid_ < 0) {
    if (!pidfd_.valid()) return;
    SendSignal(pidfd_, SIGKILL);
    WaitReadable(pidfd_.get(), {Clock::time_point::max()});
    return;
  }
  // With its group: until the jailer has set it up, its child does not die with
  // it.  That is also why the session is new by Spawn(), not by --new-session,
  // which would take the child out of the group before it is set up.
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
}

std::optional<int> Sandboxed::ExitStatus() {
  char report[1024];
  const ssize_t got = read(status_.get(), report, sizeof report);
  std::string_view text(report, got > 0 ? static_cast<std::size_t>(got) : 0);
  constexpr std::string_view kKey = "\"exit-code\": ";
  const std::size_t at = text.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + kKey.size());
  return TakeNumber<int>(text).value_or(0);
}

std::string Sandboxed::Output() const {
  return ReadMemoryFile(output_, kOutputLimitBytes);
}

std::string Sandboxed::WhyItEnded() const {
  std::string text = Output();
  while (text.ends_with('\n')) text.pop_back();
  if (!text.empty()) return text;
  siginfo_t info{};
  const int asked = pid_ < 0 ? -1
                             : waitid(P_PID, static_cast<id_t>(pid_), &info,
                                      WEXITED | WNOHANG | WNOWAIT);
  if (asked != 0) return "it was ended, and had said nothing";
  if (info.si_pid == 0) return "it has not ended, and says nothing";
  const int status = info.si_status;
  const bool is_killed = info.si_code != CLD_EXITED || status > 128;
  if (!is_killed) {
    return "it ended with status " + std::to_string(status) +
           ", and said nothing";
  }
  const int signal = info.si_code == CLD_EXITED ? status - 128 : status;
  return "it was killed by " + SignalName(signal) +
         (signal == SIGKILL ? ", as for want of memory" : "") +
         ", and had said nothing";
}

Result<void> ProbeSandbox(Jailer jailer) {
  TRY_DONE(MakeRoomForDescriptors());
  TRY(probe, Sandboxed::Launch({.arguments = {"/usr/bin/true"},
                                .environment = {},
                                .binds = {{"/usr/bin", "/usr/bin"}},
                                .descriptors = {},
                                .jailer = jailer}));
  if (probe.Wait(For(10.0, nullptr)) == Waited::kReady &&
      probe.ExitStatus() == 0) {
    return {};
  }
  const std::string why = probe.WhyItEnded();
  if (why.find("name space") != std::string::npos ||
      why.find("namespace") != std::string::npos) {
    return Fail(Errc::kUnavailable,
                "sandbox: the kernel gives no user name space, " +
                    WhyNoUserNamespace());
  }
  return Fail(Errc::kUnavailable, "sandbox: cannot be set up: " + why);
}

std::string HowItEnded(int status) {
  if (status > 128) return "killed by " + SignalName(status - 128);
  return "it ended the process with exit status " + std::to_string(status) +
         " before its call returned";
}

std::string SignalName(int signal) {
  const char* name = sigabbrev_np(signal);
  if (name == nullptr) return "signal " + std::to_string(signal);
  return std::string("SIG") + name;
}

}  // namespace coppice::eval
