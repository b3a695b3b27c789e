#include "eval/cuda/runner_process.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "eval/host/affinity.h"
#include "eval/host/datagram.h"
#include "eval/host/pidfd.h"
#include "eval/host/whole_file.h"
#include "eval/sandbox/wait_limits.h"
#include "store/records/formatted.h"

namespace coppice::eval::cuda {
namespace {

constexpr double kStartSeconds = 60.0;

constexpr std::pair<int, const char*> kErrors[] = {
    {1, "invalid value: the driver does not take this launch"},
    {2, "out of device memory"},
    {200, "the code is not for this device"},
    {209, "the code is not for this device"},
    {214, "uncorrectable memory error of the device"},
    {700, "a kernel accessed memory out of bounds"},
    {701, "a launch asks for more registers or memory than there is"},
    {702, "the driver ended a kernel that ran too long"},
    {715, "a kernel met an illegal instruction (or __trap)"},
    {716, "a kernel accessed memory misaligned"},
    {717, "a kernel used an address of the wrong space"},
    {718, "a kernel jumped out of its code"},
    {719, "a kernel failed"},
    {912, "a cluster does not fit the device"}};

const char* Explain(int status) {
  for (const auto& [error, words] : kErrors) {
    if (error == status) return words;
  }
  return "see cuda.h";
}

// Nobody has promised that it ends in a zero.
std::string TextOf(const RunnerReply& reply) {
  return {reply.text.data(), strnlen(reply.text.data(), reply.text.size())};
}

std::string Describe(const RunnerReply& reply) {
  constexpr std::array<const char*, 5> kWhen = {
      "when it started", "when it was loaded", "at a launch", "while it ran",
      "for its memory"};
  const auto stage = static_cast<std::size_t>(reply.stage);
  return std::string(Explain(reply.status)) + " (CUDA error " +
         std::to_string(reply.status) + ", " +
         (stage < kWhen.size() ? kWhen[stage] : "some time") + ")";
}

bool AmongTheSystems(const std::filesystem::path& folder) {
  return folder.string().starts_with("/usr/lib");
}

// Leaves only the libraries that every program needs, and the driver's: another
// one could do a candidate's work.
void LeaveFewLibraries(const std::filesystem::path& driver,
                       SandboxedProgram& program) {
  program.libraries = Libraries::kRuntime;
  if (!AmongTheSystems(driver)) return;
  std::error_code gone;
  for (const auto& file : std::filesystem::directory_iterator(driver, gone)) {
    const std::string name = file.path().filename().string();
    if (name.starts_with("libcuda.so") || name.starts_with("libnvidia-")) {
      program.binds.push_back({file.path(), file.path().string()});
    }
  }
}

}  // namespace

Result<std::filesystem::path> FindDriver() {
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) {
    return Fail(Errc::kUnavailable,
                "CUDA: libcuda.so.1: not found; install NVIDIA's driver");
  }
  link_map* map = nullptr;
  std::filesystem::path file;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) == 0) file = map->l_name;
  dlclose(library);
  return std::filesystem::weakly_canonical(file).parent_path();
}

SandboxedProgram SandboxOf(const RunnerOptions& options) {
  SandboxedProgram program{
      .arguments = {},
      .environment = {{"CUDA_VISIBLE_DEVICES", options.device.uuid},
                      {"CUDA_MODULE_LOADING", "EAGER"},
                      {"CUDA_CACHE_DISABLE", "1"},
                      {"LD_LIBRARY_PATH", options.driver.string()}},
      .binds = {{options.runner, kRunnerInside}},
      .descriptors = {}};
  program.own_proc = true;
  for (const std::string& file : {std::to_string(options.device.minor),
                                  std::string("ctl"), std::string("-uvm")}) {
    program.binds.push_back({options.devices / ("nvidia" + file),
                             "/dev/nvidia" + file, BindMode::kDevice});
  }
  if (!AmongTheSystems(options.driver)) {
    program.binds.push_back({options.driver, options.driver.string()});
  }
  if (!options.libraries.empty()) {
    program.binds.push_back({options.libraries, options.libraries.string()});
    program.environment.back().second += ":" + options.libraries.string();
  }
  if (!options.profiler.empty()) {
    program.binds.push_back({options.profiler, "/libcupti.so"});
    program.environment.push_back({"COPPICE_CUPTI", "/libcupti.so"});
  }
  return program;
}

Result<std::unique_ptr<RunnerProcess>> RunnerProcess::Start(
    const RunnerOptions& options) {
  std::unique_ptr<RunnerProcess> started(new RunnerProcess(options));
  TRY(ends, CreateSocketPair());
  started->socket_ = std::move(ends.ours);
  TRY(helpers, OpenToRead(options.helpers));
  SandboxedProgram program = SandboxOf(options);
  program.arguments = {kRunnerInside};
  // What is profiled is not timed, and CUPTI has needs of its own.
  if (options.libraries.empty() && options.profiler.empty()) {
    LeaveFewLibraries(options.driver, program);
  }
  program.descriptors = {ends.theirs.get(), helpers.get()};
  TRY(process, Sandboxed::Launch(program));
  started->process_ = std::make_unique<Sandboxed>(std::move(process));
  return started;
}

Result<void> RunnerProcess::Ready() {
  if (ready_) return {};
  // Asked only now, so that one which has died while it stood by cannot have
  // answered before.  One that is gone does not answer.
  static_cast<void>(Send(socket_.get(), RequestFor(RequestKind::kHello), {}));
  const Waited waited =
      WaitReadable(socket_.get(), For(kStartSeconds, options_.cancelled));
  if (waited == Waited::kCancelled) {
    return Fail(Errc::kCancelled, "evaluation: cancelled");
  }
  const auto hello = Receive<RunnerReply>(socket_.get());
  if (hello.heard != Heard::kMessage ||
      hello.message.kind != ReplyKind::kHello) {
    std::string why = process_->WhyItEnded();
    if (hello.heard == Heard::kMessage) {
      why = hello.message.kind == ReplyKind::kFailed ? Describe(hello.message)
                                                     : TextOf(hello.message);
    }
    return Fail(Errc::kUnavailable,
                "coppice-cuda-runner: did not start: " + why);
  }
  pidfd_ = OpenPidfd(hello.sender);
  if (!pidfd_.valid()) {
    return Fail(Errc::kUnavailable,
                std::string("coppice-cuda-runner: ") + std::strerror(errno));
  }
  pid_ = hello.sender;
  ready_ = true;
  return {};
}

void RunnerProcess::Stop() {
  // Fails only when the runner is gone, which the socket will tell.
  static_cast<void>(SendSignal(pidfd_, SIGSTOP));
  stopped_ = true;
}

RunnerAnswer RunnerProcess::Ended(Outcome outcome) {
  process_->Kill();
  RunnerAnswer answer;
  static_cast<Outcome&>(answer) = std::move(outcome);
  return answer;
}

RunnerAnswer RunnerProcess::TooManyThreads() {
  return Ended({Verdict::kCrashed, TooManyThreadsText()});
}

RunnerAnswer RunnerProcess::Died() {
  process_->Wait(For(5.0, nullptr));
  const int status = process_->ExitStatus().value_or(-1);
  return Ended({Verdict::kCrashed, HowItEnded(status)});
}

Result<RunnerAnswer> RunnerProcess::Ask(const RunnerRequest& request,
                                        double timeout_s,
                                        std::span<const int> descriptors) {
  const auto forged = [&] {
    return Ended(
        Rejected(Breach::kForgedAnswer,
                 "it spoke in the runner's name: an answer without a request"));
  };
  if (Receive<RunnerReply>(socket_.get()).heard != Heard::kNothing)
    return forged();
  // Looked at before the request, since a call may be shorter than a glance.
  if (CountThreadsOf(pid_) > kThreadLimit) return TooManyThreads();
  RunnerRequest numbered = request;
  numbered.sequence = ++sequence_;
  const auto start = Clock::now();
  if (!Send(socket_.get(), numbered, descriptors)) return Died();
  // The process continues only now, so that all that it does is on the clock.
  if (std::exchange(stopped_, false)) SendSignal(pidfd_, SIGCONT);
  const Attended attended =
      Attend(socket_.get(), pid_, For(timeout_s, options_.cancelled));
  const double wall_s = Seconds(Clock::now() - start);
  if (attended == Attended::kTooManyThreads) return TooManyThreads();
  if (attended == Attended::kCancelled) {
    process_->Kill();
    return Fail(Errc::kCancelled, "evaluation: cancelled");
  }
  if (attended == Attended::kTimedOut) {
    return Ended({Verdict::kTimedOut,
                  Formatted("did not return within %g s", timeout_s)});
  }
  auto received = Receive<RunnerReply>(socket_.get());
  if (received.heard == Heard::kNothing) return Died();
  if (received.heard == Heard::kMalformed ||
      received.message.sequence != sequence_) {
    return forged();
  }
  RunnerAnswer answer;
  switch (received.message.kind) {
    case ReplyKind::kDone:
      answer.wall_s = wall_s;
      answer.reply = received.message;
      answer.descriptors = std::move(received.descriptors);
      return answer;
    case ReplyKind::kFailed:
      return Ended({Verdict::kCrashed, Describe(received.message)});
    case ReplyKind::kRefused:
      return Ended({Verdict::kCompileFailed, TextOf(received.message)});
    default:
      return forged();
  }
}

}  // namespace coppice::eval::cuda
