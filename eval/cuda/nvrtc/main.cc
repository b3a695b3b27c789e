// coppice-nvrtc SOURCE CUBIN FLAG...: compiles device code with NVRTC, which it
// finds at run time.  What the compiler says goes to standard output.
//
// A process of its own, in the sandbox: a compiler that reads what anybody
// wrote has no place in the evaluator's.
// Exit status 0, 1 (the source does not compile), 2 (usage or files), 3 (no
// NVRTC here).

#include <dlfcn.h>
#include <sys/resource.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include "eval/cuda/nvrtc/host_headers.h"

namespace {

struct ProgramTag;
using Program = ProgramTag*;
using Status = int;  // nvrtcResult; 0 is success.

// Members are named after the functions, without "nvrtc".
// NOLINTBEGIN(readability-identifier-naming)
struct Nvrtc {
  Status (*CreateProgram)(Program*, const char*, const char*, int,
                          const char* const*, const char* const*);
  Status (*CompileProgram)(Program, int, const char* const*);
  Status (*GetProgramLogSize)(Program, std::size_t*);
  Status (*GetProgramLog)(Program, char*);
  Status (*GetCubinSize)(Program, std::size_t*);
  Status (*GetCubin)(Program, char*);
};
// NOLINTEND(readability-identifier-naming)

bool Load(Nvrtc& nvrtc) {
  void* library = nullptr;
  for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12"}) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW);
  }
  if (library == nullptr) {
    std::printf("CUDA: libnvrtc.so.13 or .12: not found\n");
    return false;
  }
  const auto find = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, symbol));
    return function != nullptr;
  };
  return find(nvrtc.CreateProgram, "nvrtcCreateProgram") &&
         find(nvrtc.CompileProgram, "nvrtcCompileProgram") &&
         find(nvrtc.GetProgramLogSize, "nvrtcGetProgramLogSize") &&
         find(nvrtc.GetProgramLog, "nvrtcGetProgramLog") &&
         find(nvrtc.GetCubinSize, "nvrtcGetCUBINSize") &&
         find(nvrtc.GetCubin, "nvrtcGetCUBIN");
}

// A source can make a compiler as large and slow as it likes.
void LimitResources() {
  const auto limit = [](__rlimit_resource resource, rlim_t value) {
    const rlimit both{value, value};
    setrlimit(resource, &both);
  };
  limit(RLIMIT_AS, rlim_t{8} << 30);
  limit(RLIMIT_CPU, 120);
  limit(RLIMIT_FSIZE, rlim_t{64} << 20);
  limit(RLIMIT_CORE, 0);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  LimitResources();
  std::ifstream in(argv[1], std::ios::binary);
  const std::string source{std::istreambuf_iterator<char>(in), {}};
  if (!in) return 2;
  Nvrtc nvrtc{};
  if (!Load(nvrtc)) return 3;
  Program program = nullptr;
  std::vector<const char*> texts;
  std::vector<const char*> names;
  for (const auto& header : coppice::eval::cuda::kHostHeaders) {
    texts.push_back(header.text);
    names.push_back(header.name);
  }
  if (nvrtc.CreateProgram(&program, source.c_str(), "kernel.cu",
                          static_cast<int>(names.size()), texts.data(),
                          names.data()) != 0) {
    return 2;
  }
  const Status compiled = nvrtc.CompileProgram(program, argc - 3, argv + 3);
  std::size_t bytes = 0;
  nvrtc.GetProgramLogSize(program, &bytes);
  std::vector<char> log(bytes + 1);
  if (bytes > 0) nvrtc.GetProgramLog(program, log.data());
  std::fputs(log.data(), stdout);
  if (compiled != 0) return 1;
  nvrtc.GetCubinSize(program, &bytes);
  std::vector<char> cubin(bytes);
  if (nvrtc.GetCubin(program, cubin.data()) != 0) return 1;
  std::ofstream out(argv[2], std::ios::binary);
  out.write(cubin.data(), static_cast<std::streamsize>(cubin.size()));
  return out.flush() ? 0 : 2;
}
