// coppice export report [CAMPAIGN]: a page that tells of a campaign, for who
// has no coppice.
#include <unistd.h>

#include <array>
#include <ostream>
#include <string>
#include <utility>

#include "engine/cli/campaign_options.h"
#include "engine/cli/output.h"
#include "engine/cli/report_page.h"
#include "engine/cli/verbs.h"
#include "engine/documents/open_history.h"
#include "engine/documents/table.h"

namespace coppice::cli {
namespace {

std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

engine::Redaction RedactionOf(const Invocation& invocation) {
  const std::string user = invocation.Variable("USER");
  const std::string host = invocation.Variable("HOSTNAME");
  return engine::Redaction(
      {host.empty() ? HostName() : host,
       user.empty() ? invocation.Variable("LOGNAME") : user,
       invocation.Variable("HOME")});
}

}  // namespace

Result<Exit> ExportReport(const Invocation& invocation, Streams& streams) {
  const auto path = invocation.Text("output");
  if (!path && streams.out_is_terminal) {
    return Fail(Errc::kUsage, "say where with --output FILE");
  }
  TRY(database, OpenToLook(invocation));
  TRY(campaign, NamedOrChosen(invocation, streams, database));
  const std::string name = campaign.spec.name;
  TRY(facts,
      ReadReportFacts(database, invocation.settings().db, std::move(campaign)));
  const std::string page = PageOf(facts, RedactionOf(invocation));
  if (!path || *path == "-") {
    streams.out << page;
    return Exit::kDone;
  }
  TRY_DONE(WriteFile(*path, page));
  streams.err << *path << ": a report of " << OneLine(name) << ", "
              << (page.size() + 999) / 1000 << " kB\n";
  return Exit::kDone;
}

}  // namespace coppice::cli
