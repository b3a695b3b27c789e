// coppice-cuda-runner: the process in which anything touches a device.
//
// Makes its context and loads the trusted kernels before it is told anything,
// so that this can be done ahead; then gives up every right that it will not
// need; only then takes its part (protocol.h).  It runs inside the sandbox
// (eval/sandbox.h) and ends by being killed, or when nobody is left to ask.

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "eval/cuda/runner/player.h"
#include "eval/cuda/runner/talk.h"
#include "eval/runner/filter.h"

namespace coppice::eval::cuda {
namespace {

std::string ReadAll(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) Refuse("%s", "cannot read the code");
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = pread(descriptor, text.data() + done,
                              text.size() - done, static_cast<off_t>(done));
    if (got <= 0) Refuse("%s", "cannot read the code");
    done += static_cast<std::size_t>(got);
  }
  return text;
}

// No limit of address space: the driver reserves more than there is.
bool Confine() {
  constexpr rlim_t kData = rlim_t{8} << 30;
  constexpr rlim_t kPrinted = 64 << 10;
  const auto limit = [](__rlimit_resource resource, rlim_t value) {
    const rlimit both{value, value};
    return setrlimit(resource, &both) == 0;
  };
  std::signal(SIGXFSZ, SIG_IGN);  // A write beyond it fails instead.
  return limit(RLIMIT_DATA, kData) && limit(RLIMIT_FSIZE, kPrinted) &&
         limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, 1024) &&
         InstallFilter(Devices::kCuda);
}

const Control& MapControl(const Asked& asked) {
  if (asked.descriptors.size() < 2) Refuse("%s", "was given no code");
  const void* memory = mmap(nullptr, sizeof(Control), PROT_READ, MAP_SHARED,
                            asked.descriptors[0], 0);
  if (memory == MAP_FAILED) Refuse("%s", "cannot map its orders");
  const auto& control = *static_cast<const Control*>(memory);
  if (control.version != kProtocolVersion) {
    Refuse("%s", "is of another build than the evaluator");
  }
  return control;
}

// One workload, and what its player refers to.
struct Opened {
  Opened(const Gpu& gpu, const Timer& timer, const Asked& asked)
      : control(MapControl(asked)), code(ReadAll(asked.descriptors[1])) {
    const Orders orders{gpu, timer, control, code, asked};
    player = control.part == Part::kKeeper ? MakeKeeper(orders)
                                           : MakeContestant(orders);
    close(asked.descriptors[0]);
    close(asked.descriptors[1]);
  }

  const Control& control;
  const std::string code;
  std::unique_ptr<Player> player;
};

[[noreturn]] void Run() {
  const Gpu gpu(ReadAll(kHelpersFd));
  const Timer timer(gpu);
  if (!Confine()) Refuse("%s", "cannot confine itself");
  Reply hello{};
  hello.kind = ReplyKind::kHello;
  Send(hello);

  std::vector<std::unique_ptr<Opened>> opened;
  while (true) {
    const Asked asked = Receive();
    if (asked.request.kind == RequestKind::kOpen) {
      opened.push_back(std::make_unique<Opened>(gpu, timer, asked));
    } else {
      opened.at(asked.request.workload)->player->Answer(asked);
    }
  }
}

}  // namespace
}  // namespace coppice::eval::cuda

int main() {
  // Line by line, for what a killed process had buffered is lost.
  std::setvbuf(stdout, nullptr, _IOLBF, 4096);
  coppice::eval::cuda::Run();
}
