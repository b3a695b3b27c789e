// coppice db doctor | backup | compact | fingerprint | merge: the database as a
// file.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "config/keys.h"
#include "engine/campaign/process_lock.h"
#include "engine/cli/counted.h"
#include "engine/cli/open_to_write.h"
#include "engine/cli/verbs.h"
#include "engine/documents/document.h"
#include "engine/documents/open_history.h"
#include "engine/documents/table.h"
#include "engine/process/clock.h"
#include "eval/sandbox/compile_cache.h"
#include "store/care/maintenance.h"
#include "store/read/plain_export.h"
#include "store/read/series.h"
#include "store/records/formatted.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

std::uintmax_t SizeOf(const std::filesystem::path& file) {
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(file, ignored);
  return ignored ? 0 : bytes;
}

// "~/.cache/coppice: 120 compiled kernels, 31.2 MB of at most 1024 MB"
std::string CacheText(const config::Settings& settings) {
  const eval::CacheUsage usage = eval::MeasureCache(settings.cache_directory);
  return settings.cache_directory.string() +
         Formatted(": %lld compiled, %.1f MB of at most %lld MB",
                   static_cast<long long>(usage.entries),
                   static_cast<double>(usage.bytes) / 1e6,
                   static_cast<long long>(settings.cache_limit_mb));
}

// What was done to the file, a line each.
struct Treatment {
  std::vector<std::string> repaired;
  std::vector<std::string> resealed;
};

Result<Treatment> Treat(const Invocation& invocation) {
  Treatment treatment;
  const bool repairs = invocation.Has("repair");
  const bool reseals = invocation.Has("reseal");
  if (!repairs && !reseals) return treatment;
  const std::filesystem::path& file = invocation.settings().db;
  const double now_s = engine::SystemClock().UnixSeconds();
  TRY(database, store::Database::Open(file, store::Access::kReadWrite));
  const auto repair = [&] {
    return store::Repair(database, now_s, [&](const std::string& owner) {
      return engine::ProcessLock::IsAlive(file, owner);
    });
  };
  if (repairs) {
    TRY_ASSIGN(treatment.repaired, repair());
  }
  if (reseals) {
    TRY_ASSIGN(treatment.resealed, store::Reseal(database, now_s));
  }
  // What did not make seals hold may be counted anew now.
  if (repairs && !treatment.resealed.empty()) {
    TRY(repaired, repair());
    std::ranges::move(repaired, std::back_inserter(treatment.repaired));
  }
  return treatment;
}

// What else can be done about findings.
std::string Advice(const Invocation& invocation) {
  if (invocation.Has("reseal")) return "; restore a backup";
  if (invocation.Has("repair")) {
    return "; restore a backup, or take the rows as they are: `coppice db "
           "doctor --repair --reseal`";
  }
  return "; `coppice db doctor --repair` mends what the rest of the file "
         "tells, or restore a backup";
}

Result<Exit> RunDoctor(const Invocation& invocation, Streams& streams) {
  if (invocation.Has("machine")) {
    if (invocation.Has("repair") || invocation.Has("reseal")) {
      return Fail(Errc::kUsage,
                  "--machine: looks at no database, so nothing is repaired");
    }
    return LookAtMachine(invocation, streams);
  }
  TRY(treatment, Treat(invocation));
  auto opened = OpenToLook(invocation);
  if (!opened && opened.error().code == Errc::kNotFound) {
    return Fail(Errc::kNotFound,
                opened.error().what + "; --machine looks at this machine");
  }
  TRY(database, std::move(opened));
  TRY(findings, store::Diagnose(database));
  const std::string file = invocation.settings().db.string();
  if (invocation.Has("json")) {
    const config::Settings& settings = invocation.settings();
    const eval::CacheUsage usage = eval::MeasureCache(settings.cache_directory);
    const nlohmann::ordered_json document = {
        {"db", file},
        {"sound", findings.empty()},
        {"findings", findings},
        {"repaired", treatment.repaired},
        {"resealed", treatment.resealed},
        {"cache",
         {{"directory", settings.cache_directory.string()},
          {"entries", usage.entries},
          {"bytes", usage.bytes},
          {"limit_mb", settings.cache_limit_mb}}}};
    PrintDocument(document, streams.out);
  } else {
    for (const std::string& line : treatment.repaired)
      streams.out << "repaired: " << OneLine(line) << "\n";
    for (const std::string& line : treatment.resealed)
      streams.out << "sealed anew: " << OneLine(line) << "\n";
    for (const std::string& finding : findings)
      streams.out << OneLine(finding) << "\n";
    if (findings.empty()) streams.out << file << ": sound\n";
    streams.err << CacheText(invocation.settings()) << "\n";
  }
  if (findings.empty()) return Exit::kDone;
  return Fail(
      Errc::kCorrupt,
      file + ": " + Counted(findings.size(), "finding") + Advice(invocation));
}

Result<Exit> RunBackup(const Invocation& invocation, Streams& streams) {
  const std::filesystem::path to = invocation.arguments.front();
  TRY(database, OpenToLook(invocation));
  if (invocation.Has("plain")) {
    TRY_DONE(store::ExportPlain(database, to));
  } else {
    TRY_DONE(store::Backup(database, to));
  }
  streams.err << to.string() << ": " << SizeOf(to) << " bytes\n";
  return Exit::kDone;
}

Result<Exit> RunCompact(const Invocation& invocation, Streams& streams) {
  const std::filesystem::path& file = invocation.settings().db;
  TRY(database, store::Database::Open(file, store::Access::kReadWrite));
  const std::uintmax_t before = SizeOf(file);
  TRY_DONE(store::Compact(database));
  streams.err << file.string() << ": " << before << " bytes before, "
              << SizeOf(file) << " after\n";
  return Exit::kDone;
}

// Takes what others played in memory: each campaign there is the same wherever
// it was played.
Result<Exit> RunMerge(const Invocation& invocation, Streams& streams) {
  const std::filesystem::path& file = invocation.settings().db;
  std::vector<store::Database> others;
  for (const std::string& other : invocation.arguments) {
    std::error_code ignored;
    if (std::filesystem::equivalent(other, file, ignored)) {
      return Fail(Errc::kUsage, other + ": is the file to merge into");
    }
    TRY(opened, store::Database::Open(other, store::Access::kReadOnly));
    TRY(rows, store::SeriesScores(opened).List());
    if (rows.empty()) {
      return Fail(Errc::kUsage,
                  other +
                      ": holds no campaigns in memory, and those with "
                      "trees of their own stay in their file");
    }
    others.push_back(std::move(opened));
  }
  TRY(database, OpenToWrite(invocation, store::Access::kCreate));
  for (std::size_t i = 0; i < others.size(); ++i) {
    TRY(merged, store::SeriesScores(database).Merge(others[i]));
    streams.err << invocation.arguments[i] << ": "
                << Counted(merged.scores, "score") << " in memory, "
                << merged.news << " of them new\n";
  }
  return Exit::kDone;
}

// Like sha256sum: the hash alone if it is of one campaign, else with names.
Result<Exit> RunFingerprint(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(rows, store::Campaigns(database).List());
  TRY(in_memory, store::SeriesScores(database).Fingerprint());
  if ((rows.size() == 1 && !in_memory) || invocation.Has("campaign")) {
    TRY(campaign, ChooseCampaign(invocation, streams, database));
    TRY(hash, store::Fingerprint(database, campaign.id));
    streams.out << hash << "\n";
    return Exit::kDone;
  }
  for (const store::CampaignRow& row : rows) {
    TRY(hash, store::Fingerprint(database, row.id));
    streams.out << hash << "  " << OneLine(row.spec.name) << "\n";
  }
  if (in_memory) streams.out << *in_memory << "  (scores in memory)\n";
  return Exit::kDone;
}

}  // namespace

Verb DbVerb() {
  const auto database = config::NamesIn({config::Group::kDatabase});
  return {
      .name = "db",
      .summary = "check, copy or shrink a database",
      .actions =
          {{.name = "db doctor",
            .summary = "check a database: integrity, seals, hashes, "
                       "numbering, counters",
            .examples = "  coppice db doctor\n"
                        "  coppice db doctor --repair\n"
                        "  coppice db doctor --repair --reseal\n"
                        "  coppice db doctor --db mine.db --json\n"
                        "  coppice db doctor --machine\n",
            .options = {{"repair", Takes::kNothing, "",
                         "end calls that nobody will end, and recount what "
                         "can be"},
                        {"reseal", Takes::kNothing, "",
                         "take rows that others have changed as they are"},
                        {"machine", Takes::kNothing, "",
                         "instead: what this machine has for judging kernels, "
                         "and what it lacks"},
                        kJsonOption},
            .settings = config::NamesIn({config::Group::kDatabase,
                                         config::Group::kPython,
                                         config::Group::kCache}),
            .run = RunDoctor},
           {.name = "db backup",
            .summary = "copy a database while others read and write it",
            .arguments = "FILE",
            .examples = "  coppice db backup monday.db\n"
                        "  coppice db backup --plain for-pandas.db\n",
            .options = {{"plain", Takes::kNothing, "",
                         "a table for each view, with texts instead of "
                         "blobs"}},
            .settings = database,
            .run = RunBackup},
           {.name = "db compact",
            .summary = "rewrite a database without its free pages",
            .examples = "  coppice db compact --db mine.db\n",
            .settings = database,
            .run = RunCompact},
           {.name = "db fingerprint",
            .summary = "one hash of a campaign's tree, without times, and one "
                       "of all scores in memory",
            .arguments = "[FILE]",
            .examples =
                "  coppice db fingerprint mine.db\n"
                "  coppice db fingerprint mine.db --campaign gemv.stark.s1\n",
            .options = {kCampaignOption},
            .settings = database,
            .run = RunFingerprint},
           {.name = "db merge",
            .summary = "take what other files hold of `compare --in-memory`",
            .arguments = "FILE...",
            .examples = "  coppice db merge --db lab.db other-machine.db\n",
            .settings = database,
            .run = RunMerge}},
  };
}

}  // namespace coppice::cli
