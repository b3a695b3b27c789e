// coppice doctor: is the database sound?
#include <nlohmann/json.hpp>
#include <ostream>

#include "engine/cli/looking.h"
#include "engine/cli/verbs.h"
#include "store/maintenance.h"

namespace coppice::cli {
namespace {

Result<Exit> RunDoctor(const Invocation& invocation, Streams& streams) {
  TRY(database, OpenToLook(invocation));
  TRY(findings, store::Diagnose(database));
  const std::string file = invocation.settings().db.string();
  if (invocation.Has("json")) {
    const nlohmann::ordered_json document = {
        {"db", file}, {"sound", findings.empty()}, {"findings", findings}};
    streams.out << document.dump(2, ' ', false,
                                 nlohmann::json::error_handler_t::replace)
                << "\n";
  } else {
    for (const std::string& finding : findings) streams.out << finding << "\n";
    if (findings.empty()) streams.out << file << ": sound\n";
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
      .settings = {"db"},
      .run = RunDoctor,
  };
}

}  // namespace coppice::cli
