#include "engine/cli/export_trajectories.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "engine/cli/counted.h"
#include "engine/cli/trajectory_json.h"
#include "engine/documents/document.h"
#include "engine/documents/open_history.h"
#include "engine/documents/verb.h"
#include "store/database.h"
#include "store/read/trajectories.h"
#include "store/write/campaigns.h"

namespace coppice::cli {
namespace {

// Writes the calls of `campaigns`, a line each.
Result<std::int64_t> WriteTrajectories(
    store::Database& database, const std::vector<store::CampaignRow>& campaigns,
    std::ostream& out) {
  std::int64_t calls = 0;
  for (const store::CampaignRow& campaign : campaigns) {
    const auto write = [&](const store::Trajectory& call) {
      out << LineOf(TrajectoryJson(campaign.spec, call)) << "\n";
      ++calls;
      return bool(out);
    };
    TRY_DONE(store::ScanTrajectories(database, campaign.id, write));
  }
  return calls;
}

// The file appears under its name only when it is whole.
Result<std::int64_t> WriteTrajectoryFile(
    store::Database& database, const std::vector<store::CampaignRow>& campaigns,
    const std::string& path) {
  const std::string partial = path + ".partial";
  std::error_code absent;
  std::filesystem::remove(partial, absent);  // It may be a link to elsewhere.
  std::ofstream file(partial, std::ios::binary | std::ios::trunc);
  auto calls = WriteTrajectories(database, campaigns, file);
  file.close();
  std::error_code error;
  if (calls && file) {
    std::filesystem::rename(partial, path, error);
    if (!error) return calls;
  }
  std::error_code ignored;
  std::filesystem::remove(partial, ignored);
  if (!calls) return calls;
  return Fail(Errc::kIo, path + ": cannot be written");
}

}  // namespace

Result<Exit> ExportTrajectories(const Invocation& invocation,
                                Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(campaigns, CampaignsToExport(invocation, streams, database));
  const std::string file = invocation.settings().db.string();
  if (const auto path = invocation.Text("output"); path && *path != "-") {
    TRY(calls, WriteTrajectoryFile(database, campaigns, *path));
    streams.err << *path << ": " << Counted(calls, "call") << " of " << file
                << "\n";
  } else {
    TRY_DONE(WriteTrajectories(database, campaigns, streams.out));
  }
  return Exit::kDone;
}

}  // namespace coppice::cli
