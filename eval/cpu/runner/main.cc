// coppice-runner: the process that a candidate lives in.
//
// Maps its slots, gives up every right it will not need, only then loads the
// candidate's object, and calls it whenever the parent rings.  It runs inside
// the sandbox (eval/sandbox/sandbox.h) and ends by being killed.  Exit statuses
// below kStartFailed are the candidate's own doing.

#include <dlfcn.h>
#include <malloc.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "eval/cpu/runner/confine.h"
#include "eval/cpu/runner/entry.h"
#include "eval/cpu/runner/protocol.h"

namespace coppice::eval {
namespace {

constexpr int kStartFailed = 120;

Notes* notes = nullptr;  // For the signal handler.

[[noreturn]] void GiveUp(const char* what) {
  std::fprintf(stderr, "coppice-runner: ");
  std::perror(what);
  std::_Exit(kStartFailed);
}

// Closes the descriptor.  All runners of a workload share that of its inputs:
// how far it was read, or which pages of its file there are, would be a note
// for the candidate's next process.
void* Map(int fd, std::size_t bytes, int protection) {
  void* memory = mmap(nullptr, bytes, protection, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) GiveUp("mmap");
  close(fd);
  return memory;
}

// Every page of the file that belongs to no tensor is a guard.
void RaiseGuards(std::byte* base, const SlotMemory& memory,
                 std::uint32_t slots) {
  std::uint64_t guard = 0;
  const auto protect = [&](std::uint64_t end) {
    if (end > guard && mprotect(base + guard, end - guard, PROT_NONE) != 0) {
      GiveUp("mprotect");
    }
  };
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    for (std::uint32_t i = 0; i < memory.tensors; ++i) {
      const PageSpan& pages = memory.pages[i];
      const std::uint64_t begin = slot * memory.stride + pages.offset;
      protect(begin);
      guard = begin + pages.bytes;
    }
  }
  protect(memory.file_bytes);
}

// What is freed stays mapped, as in a process that has run for long: malloc()
// learns it by the first large blocks that it gets back.  Until then it pays
// for each page of them anew, and candidates, whose processes are younger than
// the root's, would seem slower than they are.
void KeepFreedMemory() {
  constexpr int kMostThatMayBeKept = 32 << 20;  // More it does not take.
  mallopt(M_MMAP_THRESHOLD, kMostThatMayBeKept);
  mallopt(M_TRIM_THRESHOLD, 2 * kMostThatMayBeKept);
}

// Writes down why we are about to die, then dies of it.
void OnFault(int signal, siginfo_t* info, void*) {
  notes->fault_signal = signal;
  if (signal == SIGSYS) {
    notes->system_call = info->si_syscall;
  } else {
    notes->fault_address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  }
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void InstallHandlers() {
  static std::byte stack[64 * 1024];  // A stack overflow needs another stack.
  const stack_t alternative{
      .ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack};
  sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_sigaction = OnFault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGSYS}) {
    sigaction(signal, &action, nullptr);
  }
}

volatile std::sig_atomic_t is_calling = 0;

void OnSample(int, siginfo_t*, void* context) {
  if (is_calling == 0 || notes->sample_count >= kMaxSamples) return;
  const auto* at = static_cast<const ucontext_t*>(context);
  notes->samples[notes->sample_count++] =
      static_cast<std::uint64_t>(at->uc_mcontext.gregs[REG_RIP]);
}

// The filter allows no timer, so that of the samples is set before it stands.
// It asks for this thread alone, whatever others the candidate starts.
void StartSampling(std::uint32_t sample_us) {
  struct sigaction action {};
  action.sa_sigaction = OnSample;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = SIGPROF;
  event._sigev_un._tid = gettid();
  timer_t timer{};
  const timespec period{.tv_sec = 0, .tv_nsec = 1000L * sample_us};
  const itimerspec times{.it_interval = period, .it_value = period};
  if (sigaction(SIGPROF, &action, nullptr) == 0 &&
      timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
    timer_settime(timer, 0, &times, nullptr);
  }
}

void Send(CpuReplyKind kind, std::uint64_t sequence) {
  const CpuReply reply{.kind = kind, .reserved = 0, .sequence = sequence};
  if (write(kSocketFd, &reply, sizeof reply) != sizeof reply) {
    std::_Exit(kStartFailed);
  }
}

// Touches every page once, so that no page fault lands in a timed call, and
// writes what it reads where it may, for a processor takes long over the first
// write to a page, too.
template <class Byte>
void MakeResident(Byte* base, const SlotMemory& memory, std::uint32_t slot) {
  for (std::uint32_t i = 0; i < memory.tensors; ++i) {
    const PageSpan& pages = memory.pages[i];
    volatile Byte* at = base + slot * memory.stride + pages.offset;
    for (std::uint64_t byte = 0; byte < pages.bytes; byte += kPageBytes) {
      const std::byte read = at[byte];
      if constexpr (!std::is_const_v<Byte>) at[byte] = read;
    }
  }
}

class Runner {
 public:
  explicit Runner(const CpuControl& control)
      : control_(control),
        inputs_(static_cast<std::byte*>(
            Map(kInputFd, control_.inputs.file_bytes, PROT_READ))),
        outputs_(static_cast<std::byte*>(Map(
            kOutputFd, control_.outputs.file_bytes, PROT_READ | PROT_WRITE))),
        entry_(control_, inputs_, outputs_) {
    RaiseGuards(inputs_, control_.inputs, control_.slots);
    RaiseGuards(outputs_, control_.outputs, control_.slots);
    notes->inputs_base = reinterpret_cast<std::uintptr_t>(inputs_);
    notes->outputs_base = reinterpret_cast<std::uintptr_t>(outputs_);
    if (!entry_.Prepare()) GiveUp("libffi");
    InstallHandlers();
    // Where a system refuses it there are no samples.
    if (control_.sample_us > 0) StartSampling(control_.sample_us);
    if (!Confine(control_)) GiveUp("confinement");
  }

  // The parent takes hold of this process first: a constructor may end it.
  void Load() {
    Send(CpuReplyKind::kHello, Next().sequence);
    const CpuRequest request = Next();
    void* object = dlopen(kObjectPath, RTLD_NOW | RTLD_LOCAL);
    void* symbol =
        object == nullptr ? nullptr : dlsym(object, control_.entry.data());
    if (symbol == nullptr) {
      std::snprintf(notes->message.data(), notes->message.size(), "%s",
                    dlerror());
      Send(CpuReplyKind::kLoadFailed, request.sequence);
      std::_Exit(0);
    }
    function_ = reinterpret_cast<void (*)()>(symbol);
    Dl_info found{};
    if (control_.sample_us > 0 && dladdr(symbol, &found) != 0) {
      notes->object_base = reinterpret_cast<std::uintptr_t>(found.dli_fbase);
    }
    Send(CpuReplyKind::kLoaded, request.sequence);
  }

  [[noreturn]] void Serve() {
    while (true) {
      const CpuRequest request = Next();
      if (request.kind == CpuRequestKind::kArm) {
        Arm(request.first + request.count);
        Send(CpuReplyKind::kArmed, request.sequence);
        continue;
      }
      is_calling = 1;
      for (std::uint32_t i = 0; i < request.count; ++i) {
        entry_.Call(function_, request.first + i);
      }
      is_calling = 0;
      Send(CpuReplyKind::kDone, request.sequence);
    }
  }

 private:
  static CpuRequest Next() {
    CpuRequest request{};
    if (read(kSocketFd, &request, sizeof request) != sizeof request) {
      std::_Exit(0);  // Nobody is left to ask.
    }
    return request;
  }

  void Arm(std::uint32_t end) {
    for (; resident_ < end; ++resident_) {
      MakeResident<const std::byte>(inputs_, control_.inputs, resident_);
      MakeResident(outputs_, control_.outputs, resident_);
    }
  }

  const CpuControl& control_;
  std::byte* inputs_;
  std::byte* outputs_;
  Entry entry_;
  void (*function_)() = nullptr;
  std::uint32_t resident_ = 0;  // Slots whose pages are mapped.
};

}  // namespace
}  // namespace coppice::eval

int main() {
  using namespace coppice::eval;
  KeepFreedMemory();
  // Line by line, for what a killed process had buffered is lost.
  std::setvbuf(stdout, nullptr, _IOLBF, 4096);
  notes =
      static_cast<Notes*>(Map(kNotesFd, sizeof(Notes), PROT_READ | PROT_WRITE));
  const auto* control = static_cast<const CpuControl*>(
      Map(kControlFd, sizeof(CpuControl), PROT_READ));
  if (control->version != kProtocolVersion) {
    errno = EPROTO;
    GiveUp("is of another build than the evaluator");
  }
  static Runner runner(*control);
  runner.Load();
  runner.Serve();
}
