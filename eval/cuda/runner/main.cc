// coppice-cuda-runner: the process in which anything touches a device.
//
// Makes its context and loads the trusted kernels before it is told anything,
// so that this can be done ahead; then gives up every right that it will not
// need; only then takes its part (protocol.h).  It runs inside the sandbox
// (eval/sandbox/sandbox.h) and ends by being killed, or when nobody is left to
// ask.

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "eval/cuda/runner/confine.h"
#include "eval/cuda/runner/kernel_times.h"
#include "eval/cuda/runner/request_handler.h"
#include "eval/cuda/runner/request_loop.h"
#include "eval/cuda/runner/requests.h"
#include "eval/cuda/runner/tool_call.h"

namespace coppice::eval::cuda {
namespace {

// One workload, and what its handler refers to.
struct Opened {
  Opened(const Gpu& gpu, const LaunchTimer& timer, const ReceivedRequest& asked)
      : control(MapControl(asked.descriptors.at(0))),
        code(ReadAll(asked.descriptors.at(1))) {
    const Requests requests{gpu, timer, control, code, asked};
    handler = control.part == Part::kKeeper ? MakeTrustedRunner(requests)
                                            : MakeKernelRunner(requests);
    close(asked.descriptors[0]);
    close(asked.descriptors[1]);
  }

  const Control& control;
  const std::string code;
  std::unique_ptr<RequestHandler> handler;
};

[[noreturn]] void Run() {
  LoadProfiler();
  const Gpu gpu(ReadAll(kHelpersFd));
  const LaunchTimer timer(gpu);
  if (!Confine(Watchers::kNone)) Refuse("%s", "cannot confine itself");
  Receive();  // kHello, for nothing has been opened yet.
  RunnerReply hello{};
  hello.kind = ReplyKind::kHello;
  Send(hello);

  std::vector<std::unique_ptr<Opened>> opened;
  while (true) {
    const ReceivedRequest asked = Receive();
    if (asked.request.kind == RequestKind::kOpen) {
      opened.push_back(std::make_unique<Opened>(gpu, timer, asked));
    } else {
      opened.at(asked.request.workload)->handler->Answer(asked);
    }
  }
}

}  // namespace
}  // namespace coppice::eval::cuda

int main(int argc, char** argv) {
  // Line by line, for what a killed process had buffered is lost.
  std::setvbuf(stdout, nullptr, _IOLBF, 4096);
  using coppice::eval::cuda::Watchers;
  const char* const part = argc == 2 ? argv[1] : "";
  if (std::strcmp(part, coppice::eval::cuda::kRehearse) == 0) {
    coppice::eval::cuda::CallUnderTool(Watchers::kSanitizer);
  }
  if (std::strcmp(part, coppice::eval::cuda::kRehearseProfiled) == 0) {
    coppice::eval::cuda::CallUnderTool(Watchers::kProfiler);
  }
  coppice::eval::cuda::Run();
}
