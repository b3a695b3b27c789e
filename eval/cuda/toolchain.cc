#include "eval/cuda/toolchain.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "eval/host/whole_file.h"
#include "eval/sandbox/sandbox.h"
#include "store/records/formatted.h"

namespace coppice::eval::cuda {
namespace {

namespace fs = std::filesystem;

constexpr char kCubin[] = "kernel.cubin";
constexpr char kLibrary[] = "kernel.so";
constexpr char kNvrtcInside[] = "/coppice-nvrtc";
constexpr std::size_t kMostSaid = 16 << 10;

// No fast math: what it saves, a candidate can write where it is accurate
// enough.
const std::vector<std::string>& DeviceFlags() {
  static const std::vector<std::string> kFlags = {"--std=c++17"};
  return kFlags;
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

// "CUDA 13.0.88", as the run time's file is named.
std::string ToolkitVersion(const fs::path& toolkit) {
  constexpr std::string_view kPrefix = "libcudart.so.";
  for (const char* name : {"libcudart.so", "libcudart.so.13"}) {
    std::error_code error;
    const std::string file =
        fs::canonical(toolkit / "lib64" / name, error).filename().string();
    if (!error && file.starts_with(kPrefix)) {
      return "CUDA " + file.substr(kPrefix.size());
    }
  }
  return "CUDA " + toolkit.filename().string();
}

}  // namespace

fs::path FindToolkit() {
  std::vector<fs::path> places;
  for (const char* name : {"CUDA_PATH", "CUDA_HOME"}) {
    if (const char* value = std::getenv(name)) places.emplace_back(value);
  }
  places.emplace_back("/usr/local/cuda");
  for (const fs::path& place : places) {
    std::error_code error;
    if (!fs::is_directory(place / "lib64", error)) continue;
    fs::path found = fs::canonical(place, error);
    if (!error) return found;
  }
  return {};
}

Result<Toolchain> Toolchain::Find(ToolchainOptions options) {
  Toolchain toolchain(std::move(options));
  toolchain.toolkit_ = FindToolkit();
  if (toolchain.toolkit_.empty()) {
    return Fail(Errc::kUnavailable,
                "CUDA: no toolkit in CUDA_PATH, CUDA_HOME or /usr/local/cuda");
  }
  if (!fs::is_regular_file(toolchain.options_.nvrtc)) {
    return Fail(Errc::kUnavailable, toolchain.options_.nvrtc.string() +
                                        ": coppice-nvrtc: not found");
  }
  toolchain.options_.nvrtc = fs::absolute(toolchain.options_.nvrtc);
  TRY_ASSIGN(toolchain.cache_,
             CompileCache::Open(toolchain.options_.cache_directory,
                                toolchain.options_.cache_bytes));
  toolchain.version_ = ToolkitVersion(toolchain.toolkit_);
  return toolchain;
}

// From 9.0 on with the instructions that only this architecture has.
std::string Toolchain::Architecture() const {
  return std::to_string(options_.compute_major) +
         std::to_string(options_.compute_minor) +
         (options_.compute_major >= 9 ? "a" : "");
}

fs::path Toolchain::LibraryFolder() const {
  return fs::canonical(toolkit_ / "lib64");
}

std::string Toolchain::Flags() const {
  return "-arch=sm_" + Architecture() + " " + Joined(DeviceFlags());
}

Result<Compiled> Toolchain::Cubin(const std::string& source) const {
  std::vector<std::string> command = {
      kNvrtcInside, "/tmp/kernel.cu", std::string("/out/") + kCubin,
      "-arch=sm_" + Architecture(),
      // Lambdas are device code, as nvcc has them.
      "--device-as-default-execution-space", "-I/cuda/include",
      "-I/cuda/include/cccl"};
  command.insert(command.end(), DeviceFlags().begin(), DeviceFlags().end());
  return Make(source, kCubin, command, {{options_.nvrtc, kNvrtcInside}});
}

Result<Compiled> Toolchain::SharedObject(
    const std::string& source,
    const std::vector<std::string>& libraries) const {
  // NVCC gives all its parts no more than this, by inheritance.
  std::vector<std::string> command = {
      "/usr/bin/prlimit",
      "--as=8589934592",
      "--fsize=67108864",
      "--cpu=120",
      "--core=0",
      "/cuda/bin/nvcc",
      "-gencode=arch=compute_" + Architecture() + ",code=sm_" + Architecture(),
      "-O3",
      "-shared",
      "-Xcompiler=-fPIC",
      "-cudart=static"};
  command.insert(command.end(), DeviceFlags().begin(), DeviceFlags().end());
  command.insert(command.end(),
                 {"-o", std::string("/out/") + kLibrary, "kernel.cu"});
  // The libraries themselves, before the stubs that nvcc would look at first.
  if (!libraries.empty()) command.push_back("-L/cuda/lib64");
  for (const std::string& library : libraries) {
    command.push_back("-l" + library);
  }
  // It starts its parts through /bin/sh.
  std::vector<Bind> binds = {{"/usr/bin", "/usr/bin"},
                             {"/usr/bin", "/bin"},
                             {"/usr/include", "/usr/include"}};
  // Where some distributions keep what their compilers are made of.
  if (fs::is_directory("/usr/libexec")) {
    binds.push_back({"/usr/libexec", "/usr/libexec"});
  }
  return Make(source, kLibrary, command, std::move(binds));
}

Result<Compiled> Toolchain::Make(const std::string& source, const char* product,
                                 const std::vector<std::string>& command,
                                 std::vector<Bind> binds) const {
  const std::string key = version_ + "\n" + Joined(command) + "\n" + source;
  if (const auto hit = cache_->Find(key)) {
    return Compiled{Verdict::kPassed, *hit / product, "", true};
  }
  TRY(build, BuildDirectory::Make(cache_->directory()));
  TRY_DONE(WriteWhole(build.Source(), source));
  binds.insert(binds.end(), {{toolkit_, "/cuda"},
                             {build.Source(), "/tmp/kernel.cu"},
                             {build.Product(), "/out", BindMode::kWritable}});
  const SandboxedProgram program{
      .arguments = command,
      .environment = {{"PATH", "/cuda/bin:/usr/bin"},
                      {"LC_ALL", "C"},
                      {"LD_LIBRARY_PATH", "/cuda/lib64"}},
      .binds = std::move(binds),
      .descriptors = {},
      .tmp_bytes = 512 << 20};
  TRY(process, Sandboxed::Launch(program));
  const Waited waited =
      process.Wait(For(options_.timeout_s, options_.cancelled));
  if (waited == Waited::kCancelled) {
    return Fail(Errc::kCancelled, "compilation: cancelled");
  }
  Compiled compiled;
  if (waited == Waited::kTimedOut) {
    compiled.verdict = Verdict::kTimedOut;
    const std::string limit = Formatted("%g s\n", options_.timeout_s);
    compiled.diagnostics =
        std::string("kernel.cu: the compiler was stopped after ") + limit;
    return compiled;
  }
  const std::optional<int> status = process.ExitStatus();
  if (!status.has_value()) {
    return Fail(Errc::kUnavailable, "sandbox: " + process.WhyItEnded());
  }
  compiled.diagnostics = process.Output().substr(0, kMostSaid);
  // coppice-nvrtc says by this status that there is no library to load.
  if (*status == 3 && command.front() == kNvrtcInside) {
    return Fail(Errc::kUnavailable, compiled.diagnostics);
  }
  if (*status > 128) {
    compiled.diagnostics +=
        "kernel.cu: the compiler died of " + SignalName(*status - 128) + "\n";
  }
  if (*status != 0 ||
      !fs::is_regular_file(fs::symlink_status(build.Product() / product))) {
    TRY_DONE(cache_->CheckRoom(compiled.diagnostics));
    return compiled;
  }
  TRY(kept, cache_->Keep(build, key, product));
  compiled.verdict = Verdict::kPassed;
  compiled.object = kept / product;
  return compiled;
}

}  // namespace coppice::eval::cuda
