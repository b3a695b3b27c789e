#include "eval/compiler.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <vector>

#include "eval/machine.h"
#include "eval/sandbox.h"
#include "eval/unique_fd.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

constexpr char kObject[] = "kernel.so";
constexpr char kCompiler[] = "/usr/bin/g++";
constexpr std::uintmax_t kLeastSpace = 1 << 20;  // For an object.
constexpr std::size_t kDiagnosticsLimit = 16 * 1024;

// What a kernel is compiled with.  No -ffast-math: candidates may ask for
// less precision by name, not by accident.
const std::vector<std::string>& LanguageFlags() {
  static const std::vector<std::string> flags = {
      "-std=c++20",         "-O3",
      "-march=native",      "-fopenmp",
      "-ffp-contract=fast", "-fno-math-errno"};
  return flags;
}

// How it is packed and reported.
const std::vector<std::string>& PackingFlags() {
  static const std::vector<std::string> flags = {
      "-fPIC", "-shared", "-fdiagnostics-color=never", "-fmax-errors=20",
      "-Wl,-z,defs,-z,now,-z,noexecstack"};
  return flags;
}

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

// FNV-1a.  Only names the file: a hit compares the whole key.
std::string HashName(const std::string& key) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : key) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  char name[17];
  std::snprintf(name, sizeof name, "%016llx",
                static_cast<unsigned long long>(hash));
  return name;
}

Result<std::string> RandomName() {
  std::uint64_t word = 0;
  if (getrandom(&word, sizeof word, 0) != sizeof word) {
    return Fail(Errc::kIo, "getrandom: no random numbers");
  }
  return ".building-" + HashName(std::to_string(word));
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<void> WriteFile(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) return Fail(Errc::kIo, path.string() + ": cannot write");
  return {};
}

// To the disk, so that a power cut leaves no whole entry with half a file.
Result<void> Sync(const fs::path& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0 || fsync(file.get()) != 0) {
    return Fail(Errc::kIo, path.string() + ": " + std::strerror(errno));
  }
  return {};
}

// A directory of one compilation, gone with this object.
class Workshop {
 public:
  static Result<Workshop> Open(const fs::path& parent) {
    TRY(name, RandomName());
    Workshop workshop;
    workshop.path_ = parent / name;
    std::error_code error;
    fs::create_directories(workshop.path_ / "out", error);
    if (error) {
      return Fail(Errc::kIo, workshop.path_.string() + ": " + error.message());
    }
    return workshop;
  }
  Workshop(Workshop&& other) noexcept { std::swap(path_, other.path_); }
  ~Workshop() {
    std::error_code ignored;  // Left-overs are only untidy.
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  fs::path Source() const { return path_ / "kernel.cc"; }
  fs::path Directory() const { return path_ / "out"; }

 private:
  Workshop() = default;
  fs::path path_;
};

// Limits by prlimit(1), for bubblewrap sets none: 3 GiB of memory, 64 MiB of
// object, a core's worth of a minute.
std::vector<std::string> Command(const std::string& entry) {
  std::vector<std::string> command = {"/usr/bin/prlimit", "--as=3221225472",
                                      "--fsize=67108864", "--cpu=60",
                                      "--core=0",         kCompiler};
  for (const auto* flags : {&LanguageFlags(), &PackingFlags()}) {
    command.insert(command.end(), flags->begin(), flags->end());
  }
  command.push_back("-Wl,--require-defined=" + entry);
  command.insert(command.end(), {"kernel.cc", "-o", "/out/kernel.so"});
  return command;
}

SandboxedProgram CompilerProgram(std::vector<std::string> arguments,
                                 std::vector<Bind> binds) {
  for (const char* path : {"/usr/bin", "/usr/include"}) {
    binds.push_back({path, path});
  }
  return {.arguments = std::move(arguments),
          .environment = {{"PATH", "/usr/bin"}, {"LC_ALL", "C"}},
          .binds = std::move(binds),
          .descriptors = {},
          .tmp_bytes = 256 << 20};
}

// Equal sources get equal diagnostics: the compiler's temporary names,
// "/tmp/ccXXXXXX.o", become "kernel.o".
std::string Neutral(const std::string& text, const std::string& entry) {
  constexpr std::string_view kPrefix = "/tmp/cc";
  constexpr std::size_t kLength = kPrefix.size() + 6;
  std::string neutral = text;
  for (std::size_t at = 0;
       (at = neutral.find(kPrefix, at)) != std::string::npos; ++at) {
    if (at + kLength < neutral.size() && neutral[at + kLength] == '.') {
      neutral.replace(at, kLength, "kernel");
    }
  }
  if (neutral.find("required symbol `" + entry + "'") != std::string::npos) {
    neutral += "kernel.cc: the entry is missing: define extern \"C\" void " +
               entry + "(...)\n";
  }
  if (neutral.size() > kDiagnosticsLimit) {
    neutral.resize(kDiagnosticsLimit);
    neutral += "\n[cut]\n";
  }
  return neutral;
}

}  // namespace

bool IsIdentifier(const std::string& text) {
  const auto letter = [](unsigned char c) {
    return std::isalpha(c) != 0 || c == '_';
  };
  return !text.empty() && text.size() <= 255 &&
         letter(static_cast<unsigned char>(text[0])) &&
         std::ranges::all_of(text, [&](unsigned char c) {
           return letter(c) || std::isdigit(c) != 0;
         });
}

std::string Compiler::Flags() { return Join(LanguageFlags()); }

Result<Compiler> Compiler::Find(const fs::path& cache, double timeout_s,
                                const std::atomic<bool>* cancelled) {
  if (!fs::exists(kCompiler)) {
    return Fail(Errc::kUnavailable, std::string(kCompiler) +
                                        ": not found; install the Debian "
                                        "package g++");
  }
  std::error_code error;
  fs::create_directories(cache, error);
  if (error) return Fail(Errc::kIo, cache.string() + ": " + error.message());

  TRY(probe, Sandboxed::Launch(CompilerProgram({kCompiler, "--version"}, {})));
  if (probe.Wait(For(10.0, cancelled)) != Waited::kReady ||
      probe.ExitStatus() != 0) {
    return Fail(Errc::kUnavailable,
                std::string(kCompiler) +
                    ": does not run in the sandbox: " + probe.Output());
  }
  Compiler compiler;
  compiler.cache_ = fs::absolute(cache);
  compiler.timeout_s_ = timeout_s;
  compiler.cancelled_ = cancelled;
  const std::string output = probe.Output();
  compiler.version_ = output.substr(0, output.find('\n'));
  compiler.processor_ = ProcessorIdentity();
  return compiler;
}

Result<Compiled> Compiler::Compile(const std::string& source,
                                   const std::string& entry) const {
  const std::string key = version_ + "\n" + processor_ + "\n" +
                          Join(Command(entry)) + "\n" + source;
  const fs::path entry_directory = cache_ / HashName(key);
  const fs::path object = entry_directory / kObject;
  const auto hit = [&] { return ReadFile(entry_directory / "key") == key; };
  if (hit()) return Compiled{Verdict::kPassed, object, "", true};

  TRY(workshop, Workshop::Open(cache_));
  TRY_DONE(WriteFile(workshop.Source(), source));
  TRY(compiled, Build(workshop.Source(), workshop.Directory(), entry));
  std::error_code error;
  if (compiled.verdict != Verdict::kPassed) {
    // Not by what the compiler said: a source can make it say anything.
    if (fs::space(cache_, error).available < kLeastSpace && !error) {
      return Fail(Errc::kIo, cache_.string() + ": disk full: make room, or " +
                                 "give another --cache-directory");
    }
    return compiled;
  }

  // Object and key appear together.  What is in the way is either another
  // key's, or was put there by another process a moment ago.
  TRY_DONE(WriteFile(workshop.Directory() / "key", key));
  TRY_DONE(Sync(workshop.Directory() / "key"));
  TRY_DONE(Sync(workshop.Directory() / kObject));
  if (fs::exists(entry_directory) && !hit()) {
    fs::remove_all(entry_directory, error);
  }
  fs::rename(workshop.Directory(), entry_directory, error);
  if (error && !hit()) {
    return Fail(Errc::kIo, entry_directory.string() + ": " + error.message());
  }
  compiled.object = object;
  return compiled;
}

// Into kernel.so of `directory`.
Result<Compiled> Compiler::Build(const fs::path& source,
                                 const fs::path& directory,
                                 const std::string& entry) const {
  TRY(process, Sandboxed::Launch(CompilerProgram(
                   Command(entry), {{source, "/tmp/kernel.cc"},
                                    {directory, "/out", Access::kWritable}})));
  const Waited waited = process.Wait(For(timeout_s_, cancelled_));
  if (waited == Waited::kCancelled) {
    return Fail(Errc::kCancelled, "compilation: cancelled");
  }
  Compiled compiled;
  if (waited == Waited::kTimedOut) {
    compiled.verdict = Verdict::kTimedOut;
    char limit[32];
    std::snprintf(limit, sizeof limit, "%g s\n", timeout_s_);
    compiled.diagnostics =
        std::string("kernel.cc: the compiler was stopped after ") + limit;
    return compiled;
  }
  const std::optional<int> status = process.ExitStatus();
  if (!status.has_value()) {
    return Fail(Errc::kUnavailable, "bubblewrap: " + process.Output());
  }
  compiled.diagnostics = Neutral(process.Output(), entry);
  compiled.object = directory / kObject;
  if (*status > 128) {
    compiled.diagnostics +=
        "kernel.cc: the compiler died of " + SignalName(*status - 128) + "\n";
  } else if (*status == 0 &&
             fs::is_regular_file(fs::symlink_status(compiled.object))) {
    compiled.verdict = Verdict::kPassed;
  }
  return compiled;
}

}  // namespace coppice::eval
