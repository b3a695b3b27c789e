// A runner without a device, for tests, which does what it is told in words.
//
// Its script is the text that it gets in place of code: for a workload that of
// its kOpen, for its start the file of the helpers, under a sanitizer that of
// the rehearsal.  A line says what happens on a kind of request, or on one of
// them by number from 1 on, or from that one on; of equal words the later
// line's count.
//
//   go event=5000000     the events tell of 5 us, which are so many ps
//   go#3 fail=700        the third call ends with error 700 of CUDA
//   go#4- after=9000000  from the fourth on a stamp waits 9 us
//   judge wrong=2 got=1  two elements of the output are wrong
//
// It prints each request: kind, workload, set and data.
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "eval/cuda/runner/request_loop.h"
#include "eval/cuda/runner/requests.h"
#include "eval/cuda/runner/tool_call.h"

namespace coppice::eval::cuda {
namespace {

// The words of a line, each with what follows its "=".
class Words {
 public:
  Words(const std::string& script, const std::string& kind, int number) {
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream rest(line);
      std::string when;
      rest >> when;
      const std::size_t mark = std::min(when.find('#'), when.size());
      if (when.substr(0, mark) != kind) continue;
      const int first =
          mark < when.size() ? std::atoi(when.c_str() + mark + 1) : number;
      const bool is_on =
          when.ends_with('-') ? number >= first : number == first;
      if (!is_on) continue;
      for (std::string word; rest >> word;) {
        const std::size_t end = std::min(word.find('='), word.size());
        words_[word.substr(0, end)] =
            end == word.size() ? "" : word.substr(end + 1);
      }
    }
  }

  bool Has(const char* word) const { return words_.contains(word); }
  // Underscores stand for spaces.
  std::string Text(const char* word) const {
    const auto found = words_.find(word);
    std::string text = found == words_.end() ? "" : found->second;
    for (char& c : text) c = c == '_' ? ' ' : c;
    return text;
  }
  std::uint64_t Number(const char* word) const {
    return std::strtoull(Text(word).c_str(), nullptr, 10);
  }
  double Real(const char* word) const {
    return std::strtod(Text(word).c_str(), nullptr);
  }
  std::uint64_t RealBits(const char* word) const {
    return std::bit_cast<std::uint64_t>(Real(word));
  }

 private:
  std::map<std::string, std::string> words_;
};

// In the order of RequestKind.
constexpr const char* kKinds[] = {
    "hello", "open",      "go",   "generate", "upload",    "reveal",    "stage",
    "judge", "calibrate", "wake", "go_all",   "stage_all", "commit_all"};

void SendRaw(const RunnerReply& reply, std::size_t bytes) {
  if (write(kSocketFd, &reply, bytes) < 0) std::_Exit(0);
}

// What ends it, or should end it.
void Misbehave(const Words& words) {
  if (words.Has("die")) std::_Exit(static_cast<int>(words.Number("die")));
  if (words.Has("kill")) raise(static_cast<int>(words.Number("kill")));
  while (words.Has("silent")) pause();
  Must(static_cast<Status>(words.Number("fail")),
       static_cast<FailureStage>(words.Number("stage")));
  if (words.Has("refuse")) Refuse("%s", words.Text("refuse").c_str());
  RunnerReply reply{};
  reply.kind = ReplyKind::kDone;
  if (words.Has("twice")) Send(reply);
  if (words.Has("short")) SendRaw(reply, sizeof reply - 1);
  if (words.Has("forge")) SendRaw(reply, sizeof reply);
  if (words.Has("endless")) {
    reply.kind = ReplyKind::kRefused;
    reply.text.fill('x');
    Send(reply);
  }
}

Sample SampleOf(const Words& words) {
  return {.event_ps = words.Number("event"),
          .after_ps = words.Number("after"),
          .whole_ps = words.Number("whole"),
          .begin = {1000, 1000},
          .end = {1000 + words.Number("ns"), 1000 + words.Number("cycles")}};
}

CallErrors ErrorsOf(const Words& words) {
  CallErrors errors{};
  errors.changed_inputs = words.Number("changed");
  OutputErrors& output = errors.output[words.Number("output")];
  output.wrong = words.Number("wrong");
  output.unwritten = words.Number("unwritten");
  output.first_wrong = words.Number("first");
  output.worst_error_ratio = words.RealBits("ratio");
  output.max_absolute_error = words.RealBits("absolute");
  output.max_relative_error = words.RealBits("relative");
  output.got =
      std::bit_cast<std::uint32_t>(static_cast<float>(words.Real("got")));
  output.expected = words.RealBits("expected");
  output.magnitude = words.RealBits("magnitude");
  output.slack = words.Number("slack");
  output.late = words.Number("late");
  return errors;
}

KernelInventory InventoryOf(const Words& words) {
  KernelInventory inventory{};
  inventory.tracer = Tracer::kEvents;
  inventory.status = static_cast<std::int32_t>(words.Number("cupti"));
  inventory.kernels = words.Has("kernel") ? 1 : 0;
  KernelTime& kernel = inventory.kernel.front();
  words.Text("kernel").copy(kernel.name.data(), kernel.name.size() - 1);
  kernel.calls = words.Number("calls");
  kernel.total_ns = words.Number("total");
  return inventory;
}

// One workload.
class Opened {
 public:
  explicit Opened(const ReceivedRequest& asked)
      : control_(MapControl(asked.descriptors.at(0))),
        script_(ReadAll(asked.descriptors.at(1))) {}

  void Answer(const ReceivedRequest& asked) {
    const RunnerRequest& request = asked.request;
    const std::string kind = kKinds[static_cast<std::size_t>(request.kind)];
    const Words words(script_, kind, ++counts_[kind]);
    std::printf("%s %u %u %u%s%s", kind.c_str(), request.workload, request.set,
                request.data, (request.flags & kHold) != 0 ? " held" : "",
                (request.flags & kInventory) != 0 ? " inventory" : "");
    if (words.Has("tell")) {
      std::printf(" cells=%llu,%llu scratch=%llu",
                  static_cast<unsigned long long>(control_.cells[0]),
                  static_cast<unsigned long long>(control_.cells[1]),
                  static_cast<unsigned long long>(control_.scratch_pattern));
    }
    std::printf("\n");
    Misbehave(words);
    RunnerReply reply{};
    reply.kind = words.Has("greet") ? ReplyKind::kHello : ReplyKind::kDone;
    reply.flags = words.Has("held_too_long") ? kHeldTooLong : 0;
    reply.sample = SampleOf(words);
    if (request.kind == RequestKind::kJudge) reply.judgement = ErrorsOf(words);
    if (request.kind == RequestKind::kGo) reply.inventory = InventoryOf(words);
    Send(reply,
         request.kind == RequestKind::kOpen ? Tensors() : std::vector<int>());
  }

 private:
  // What a trusted runner shares: the inputs of each set, its outputs, and the
  // places to which these are committed.
  std::vector<int> Tensors() const {
    std::vector<int> tensors;
    if (control_.part != Part::kKeeper) return tensors;
    const auto share = [&] { tensors.push_back(memfd_create("tensor", 0)); };
    for (std::uint32_t set = 0; set < control_.sets; ++set) {
      for (std::uint32_t i = 0; i < control_.inputs; ++i) {
        if (control_.input[i].scalar == 0) share();
      }
      for (std::uint32_t i = 0; i < 2 * control_.outputs; ++i) share();
    }
    return tensors;
  }

  const Control& control_;
  const std::string script_;
  std::map<std::string, int> counts_;
};

[[noreturn]] void Run() {
  const Words words(ReadAll(kHelpersFd), "hello", 1);
  Receive();
  Misbehave(words);
  RunnerReply hello{};
  hello.kind = ReplyKind::kHello;
  Send(hello);
  std::vector<std::unique_ptr<Opened>> opened;
  while (true) {
    const ReceivedRequest asked = Receive();
    if (asked.request.kind == RequestKind::kOpen) {
      opened.push_back(std::make_unique<Opened>(asked));
      opened.back()->Answer(asked);
    } else {
      opened.at(asked.request.workload)->Answer(asked);
    }
    for (const int descriptor : asked.descriptors) close(descriptor);
  }
}

// In compute-sanitizer's place: says and ends as the script has it.
int Watch(const char* tool) {
  const Words words(ReadAll(kRehearsalCodeFd), tool, 1);
  if (words.Has("say"))
    std::printf("========= %s\n", words.Text("say").c_str());
  while (words.Has("silent")) pause();
  return static_cast<int>(words.Number("status"));
}

}  // namespace
}  // namespace coppice::eval::cuda

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 4096);
  if (argc > 2 && std::string_view(argv[1]) == "--tool") {
    return coppice::eval::cuda::Watch(argv[2]);
  }
  coppice::eval::cuda::Run();
}
