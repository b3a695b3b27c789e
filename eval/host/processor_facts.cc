#include "eval/host/processor_facts.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <utility>

#include "store/records/parse_number.h"

namespace coppice::eval {
namespace {

namespace fs = std::filesystem;

// The first word, or nothing.
std::string WordIn(const fs::path& file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

std::set<std::string> InstructionSets(const fs::path& cpuinfo) {
  std::ifstream file(cpuinfo);
  std::string line;
  while (std::getline(file, line)) {
    const std::size_t colon = line.find(':');
    if (!line.starts_with("flags") || colon == std::string::npos) continue;
    std::istringstream words(line.substr(colon + 1));
    std::set<std::string> flags;
    for (std::string word; words >> word;) flags.insert(word);
    return flags;
  }
  return {};
}

std::string Vectors(const std::set<std::string>& flags) {
  constexpr std::pair<const char*, const char*> kSets[] = {
      {"avx512f", "AVX-512 (16 floats a vector)"},
      {"avx2", "AVX2 (8 floats a vector)"},
      {"avx", "AVX (8 floats a vector)"},
      {"sse2", "SSE2 (4 floats a vector)"}};
  for (const auto& [flag, words] : kSets) {
    if (flags.contains(flag)) return words;
  }
  return "";
}

// How many "0-1,4" are.
int CountList(const std::string& list) {
  std::istringstream parts(list);
  int count = 0;
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t dash = std::min(part.find('-'), part.size());
    const auto first = ParseNumber<int>(std::string_view(part).substr(0, dash));
    const auto last =
        dash == part.size()
            ? first
            : ParseNumber<int>(std::string_view(part).substr(dash + 1));
    if (first && last && *last >= *first) count += *last - *first + 1;
  }
  return count;
}

// "1 MiB" of "1024K".
std::string SizeText(const std::string& size) {
  const auto kib =
      size.ends_with('K')
          ? ParseNumber<int>(std::string_view(size).substr(0, size.size() - 1))
          : std::nullopt;
  if (!kib) return size;
  if (*kib % 1024 == 0) return std::to_string(*kib / 1024) + " MiB";
  return std::to_string(*kib) + " KiB";
}

// The first processor's caches: "L1 data 48 KiB, L2 1 MiB".
std::string Caches(const fs::path& cpus) {
  std::string text;
  for (int i = 0;; ++i) {
    const fs::path cache = cpus / "cpu0/cache" / ("index" + std::to_string(i));
    const std::string level = WordIn(cache / "level");
    if (level.empty()) return text;
    const std::string type = WordIn(cache / "type");
    if (type == "Instruction") continue;
    text += (text.empty() ? "L" : ", L") + level +
            (type == "Data" ? " data " : " ") +
            SizeText(WordIn(cache / "size"));
    const int sharing = CountList(WordIn(cache / "shared_cpu_list"));
    if (sharing > 1) text += " for " + std::to_string(sharing) + " of them";
  }
}

}  // namespace

std::string ProcessorFacts(int processors, const fs::path& cpuinfo,
                           const fs::path& cpus) {
  std::string text = std::to_string(processors) +
                     (processors == 1 ? " processor" : " processors");
  const std::set<std::string> flags = InstructionSets(cpuinfo);
  if (const std::string vectors = Vectors(flags); !vectors.empty()) {
    text += ", " + vectors;
  }
  // What products of few bits are made of, and what they are rounded by.
  constexpr std::pair<const char*, const char*> kOthers[] = {
      {"fma", "FMA"},
      {"avx512_vnni", "AVX-512 VNNI"},
      {"avx_vnni", "AVX-VNNI"},
      {"avx512_bf16", "AVX-512 BF16"},
      {"avx512_fp16", "AVX-512 FP16"},
      {"amx_int8", "AMX int8"},
      {"amx_bf16", "AMX bfloat16"}};
  for (const auto& [flag, words] : kOthers) {
    if (flags.contains(flag)) text += std::string(", ") + words;
  }
  if (const std::string caches = Caches(cpus); !caches.empty()) {
    text += ", caches: " + caches;
  }
  return text;
}

}  // namespace coppice::eval
