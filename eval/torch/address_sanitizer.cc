#include "eval/torch/address_sanitizer.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "eval/cuda/sanitizer_output.h"
#include "eval/torch/shell.h"
#include "eval/torch/worker.h"

namespace coppice::eval::torch {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOwnFile =
    " /candidate/";  // As inline/build.py has it.
constexpr std::size_t kMostFrames = 3;
// Python and torch were not written for it: what they leave, and how they
// allocate, is nobody's mistake.
constexpr char kOptions[] =
    "detect_leaks=0:detect_odr_violation=0:alloc_dealloc_mismatch=0:"
    "new_delete_type_mismatch=0:allocator_may_return_null=1:"
    "malloc_context_size=1:exitcode=";

// A file of the compiler's; empty if it has none.
fs::path FileOf(const std::string& compiler, const std::string& name) {
  std::string path = OutputOf(ShellQuoted(compiler) +
                              " -print-file-name=" + name + " 2>/dev/null");
  while (path.ends_with('\n')) path.pop_back();
  std::error_code error;
  fs::path found = fs::canonical(path, error);
  return error || !path.starts_with('/') ? fs::path() : found;
}

// `text` from behind the first `from` up to the first `to` after it.  None: it
// has no `from`.
std::optional<std::string_view> Between(std::string_view text,
                                        std::string_view from,
                                        std::string_view to) {
  const std::size_t at = text.find(from);
  if (at == text.npos) return std::nullopt;
  text.remove_prefix(at + from.size());
  return text.substr(0, text.find(to));
}

struct Report {
  std::string kind;
  std::string access;
  std::string place;  // In memory.
  std::string frames;
  std::size_t frame_count = 0;
};

void ReadLine(std::string_view line, Report& report) {
  if (const auto kind = Between(line, "ERROR: AddressSanitizer: ", " on ")) {
    report.kind = kind->substr(0, kind->find(" ("));
  } else if (line.starts_with("READ ") || line.starts_with("WRITE ")) {
    report.access = line.substr(0, line.find(" at "));
    std::ranges::transform(report.access, report.access.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
  } else if (const auto place = Between(line, " is located ", " [")) {
    if (report.place.empty()) report.place = *place;
  } else if (line.starts_with("    #") && report.place.empty() &&
             report.frame_count < kMostFrames) {
    const auto function = Between(line, " in ", kOwnFile);
    if (!function || line.find(kOwnFile) == line.npos) return;
    report.frames += "    in " + std::string(*function) + " " +
                     std::string(*Between(line, kOwnFile, "\n")) + "\n";
    ++report.frame_count;
  }
}

}  // namespace

std::optional<WatchTool> FindAddressSanitizer(const std::string& compiler) {
  const fs::path asan = FileOf(compiler, "libasan.so");
  // It takes over what throws exceptions, and must find the real one.
  const fs::path standard = FileOf(compiler, "libstdc++.so.6");
  if (asan.empty() || standard.empty()) return std::nullopt;
  return WatchTool{
      .command = {},
      .environment = {{"LD_PRELOAD", asan.string() + ":" + standard.string()},
                      {"ASAN_OPTIONS",
                       kOptions + std::to_string(cuda::kFoundStatus)}},
      .binds = {}};
}

std::string AddressFindings(std::string_view output) {
  Report report;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    const std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (!report.kind.empty() || line.find("AddressSanitizer") != line.npos) {
      ReadLine(line, report);
    }
  }
  if (report.kind.empty()) return "";
  std::string text = report.kind;
  if (!report.access.empty()) text += ": " + report.access;
  if (!report.place.empty()) text += ", " + report.place;
  return text + "\n" + report.frames;
}

}  // namespace coppice::eval::torch
