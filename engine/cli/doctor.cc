// coppice doctor: is the database sound?  And how full is the compile cache?
#include <cstdio>
#include <nlohmann/json.hpp>
#include <ostream>

#include "engine/cli/document.h"
#include "engine/cli/looking.h"
#include "engine/cli/verbs.h"
#include "eval/compile_cache.h"
#include "store/maintenance.h"

namespace coppice::cli {
namespace {

// "~/.cache/coppice: 120 compiled kernels, 31.2 MB of at most 1024 MB"
std::string CacheText(const config::Settings& settings) {
  const eval::CacheUsage usage = eval::MeasureCache(settings.cache_directory);
  char text[96];
  std::snprintf(text, sizeof text,
                ": %lld compiled, %.1f MB of at most %lld MB",
                static_cast<long long>(usage.entries),
                static_cast<double>(usage.bytes) / 1e6,
                static_cast<long long>(settings.cache_limit_mb));
  return settings.cache_directory.string() + text;
}

Result<Exit> RunDoctor(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(findings, store::Diagnose(database));
  const std::string file = invocation.settings().db.string();
  if (invocation.Has("json")) {
    const config::Settings& settings = invocation.settings();
    const eval::CacheUsage usage = eval::MeasureCache(settings.cache_directory);
    const nlohmann::ordered_json document = {
        {"db", file},
        {"sound", findings.empty()},
        {"findings", findings},
        {"cache",
         {{"directory", settings.cache_directory.string()},
          {"entries", usage.entries},
          {"bytes", usage.bytes},
          {"limit_mb", settings.cache_limit_mb}}}};
    PrintDocument(document, streams.out);
  } else {
    for (const std::string& finding : findings) streams.out << finding << "\n";
    if (findings.empty()) streams.out << file << ": sound\n";
    streams.err << CacheText(invocation.settings()) << "\n";
  }
  if (findings.empty()) return Exit::kDone;
  return Fail(Errc::kCorrupt,
              file + ": " + std::to_string(findings.size()) +
                  (findings.size() == 1 ? " finding" : " findings") +
                  "; restore a backup, or go on with `coppice backup` of it");
}

}  // namespace

Verb DoctorVerb() {
  return {
      .name = "doctor",
      .summary = "check a database: integrity, hashes, numbering, counters",
      .arguments = "",
      .examples =
          "  coppice doctor\n"
          "  coppice doctor --db mine.db --json\n",
      .options = {kJsonOption},
      .settings = {"db", "cache_directory", "cache_limit_mb"},
      .run = RunDoctor,
  };
}

}  // namespace coppice::cli
