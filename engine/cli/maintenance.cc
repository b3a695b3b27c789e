// coppice backup, compact and fingerprint: operations on the whole file.
#include "store/maintenance.h"

#include <ostream>
#include <system_error>

#include "engine/cli/looking.h"
#include "engine/cli/verbs.h"
#include "store/plain_export.h"

namespace coppice::cli {
namespace {

std::uintmax_t SizeOf(const std::filesystem::path& file) {
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(file, ignored);
  return ignored ? 0 : bytes;
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

// Like sha256sum: the hash alone if it is of one campaign, else with names.
Result<Exit> RunFingerprint(const Invocation& given, Streams& streams) {
  Invocation invocation = given;
  if (!given.arguments.empty()) {
    invocation.config.settings.db = given.arguments.front();
  }
  TRY(database, OpenToLook(invocation));
  TRY(rows, store::Campaigns(database).List());
  if (rows.size() == 1 || invocation.Has("campaign")) {
    TRY(campaign, ChooseCampaign(invocation, database));
    TRY(hash, store::Fingerprint(database, campaign.id));
    streams.out << hash << "\n";
    return Exit::kDone;
  }
  for (const store::CampaignRow& row : rows) {
    TRY(hash, store::Fingerprint(database, row.id));
    streams.out << hash << "  " << row.spec.name << "\n";
  }
  return Exit::kDone;
}

}  // namespace

Verb BackupVerb() {
  return {
      .name = "backup",
      .summary = "copy a database while others read and write it",
      .arguments = "FILE",
      .examples =
          "  coppice backup monday.db\n"
          "  coppice backup --plain for-pandas.db\n",
      .options = {{"plain", Takes::kNothing, "",
                   "a table for each view, with texts instead of blobs"}},
      .settings = {"db"},
      .run = RunBackup,
  };
}

Verb CompactVerb() {
  return {
      .name = "compact",
      .summary = "rewrite a database without its free pages",
      .arguments = "",
      .examples = "  coppice compact --db mine.db\n",
      .options = {},
      .settings = {"db"},
      .run = RunCompact,
  };
}

Verb FingerprintVerb() {
  return {
      .name = "fingerprint",
      .summary = "one hash of a campaign's tree, without times",
      .arguments = "[FILE]",
      .examples =
          "  coppice fingerprint mine.db\n"
          "  coppice fingerprint mine.db --campaign gemv.stark.s1\n",
      .options = {kCampaignOption},
      .settings = {"db"},
      .run = RunFingerprint,
  };
}

}  // namespace coppice::cli
