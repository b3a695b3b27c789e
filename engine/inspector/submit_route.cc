// POST /api/submit: a kernel that a person wrote is kept as a claim of a
// campaign, and judged by whoever runs that, now or later.
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "agents/prompt/describe.h"
#include "engine/inspector/inspector.h"
#include "engine/inspector/post_body.h"
#include "engine/inspector/routes.h"
#include "engine/process/terminal_text.h"
#include "store/records/node.h"
#include "store/write/claims.h"
#include "store/write/nodes.h"

namespace coppice::inspector {
namespace {

constexpr std::string_view kForm =
    "not a kernel: send {\"db\": 0, \"c\": \"NAME\", \"name\": \"mine.cc\", "
    "\"source\": \"...\", \"author\": \"...\"}";
constexpr std::size_t kMostOfLine = 80;       // Characters.
constexpr std::size_t kMostSource = 500'000;  // Bytes.

// What stands for the kernel in a line of tables.
Result<void> CheckLine(std::string_view what, const std::string& text) {
  if (text != engine::OneLine(text)) {
    return Fail(Errc::kUsage, std::string(what) + ": has control characters");
  }
  if (engine::DisplayWidth(text) > kMostOfLine) {
    return Fail(Errc::kUsage, std::string(what) + ": is longer than " +
                                  std::to_string(kMostOfLine) + " characters");
  }
  return {};
}

bool IsPython(Language language) {
  return language == Language::kPython || language == Language::kTriton ||
         language == Language::kTilelang;
}

// Whether a file of that name may be of the language; most names say nothing.
bool MayBe(const std::string& name, Language language) {
  constexpr std::array<std::string_view, 4> kCpp = {".cc", ".cpp", ".cxx",
                                                    ".c"};
  constexpr std::array<std::string_view, 2> kCuda = {".cu", ".cuh"};
  const std::string end = std::filesystem::path(name).extension().string();
  if (end == ".py") return IsPython(language);
  if (std::ranges::find(kCpp, end) != kCpp.end()) {
    return language == Language::kCpp;
  }
  if (std::ranges::find(kCuda, end) != kCuda.end()) {
    return language == Language::kCuda;
  }
  return true;
}

Result<void> CheckSource(const std::string& name, const std::string& source) {
  const bool is_empty = std::ranges::all_of(
      source, [](unsigned char c) { return std::isspace(c) != 0; });
  if (is_empty) return Fail(Errc::kUsage, name + ": holds no kernel");
  if (source.size() > kMostSource) {
    return Fail(Errc::kUsage, name +
                                  ": has more than 500 kB; `coppice submit` "
                                  "takes any size");
  }
  if (name.ends_with(".json")) {
    return Fail(Errc::kUsage,
                name + ": a solution's document is taken by `coppice submit`");
  }
  return {};
}

// The claim without what only the campaign tells.
Result<store::Claim> ClaimIn(const Json& document, const std::string& user) {
  TRY(name, TextIn(document, "name"));
  TRY(source, TextIn(document, "source"));
  TRY(author, TextIn(document, "author"));
  store::Claim claim;
  claim.origin = std::filesystem::path(name).filename().string();
  if (claim.origin.empty()) return Fail(Errc::kUsage, std::string(kForm));
  claim.author = author.empty() ? user : author;
  TRY_DONE(CheckLine("name", claim.origin));
  TRY_DONE(CheckLine("author", claim.author));
  TRY_DONE(CheckSource(claim.origin, source));
  claim.candidate.source = std::move(source);
  return claim;
}

// It is written as the campaign's root is.
Result<void> WriteLikeRoot(store::Database& database,
                           const store::CampaignRow& campaign,
                           store::Claim& claim) {
  if (campaign.nodes == 0) {
    return Fail(Errc::kUsage, campaign.spec.name +
                                  ": its root was not measured yet; submit "
                                  "again once it was");
  }
  TRY(root, store::Nodes(database).Load(campaign.id, kRootNode));
  const Language language = root.candidate->language;
  claim.candidate.language = language;
  claim.candidate.entry_symbol = root.candidate->entry_symbol;
  if (MayBe(claim.origin, language)) return {};
  return Fail(Errc::kUsage, claim.origin + ": kernels of " +
                                campaign.spec.name + " are written in " +
                                std::string(agents::LanguageName(language)));
}

std::string NoteOf(const store::ClaimLine& line, bool is_new) {
  if (is_new) {
    return "whoever runs the campaign judges it, at the latest the next "
           "`coppice resume`; this server judges nothing";
  }
  std::string note = "it was submitted before as " + line.origin;
  if (!line.author.empty()) note += " by " + line.author;
  return note + (line.node ? " and is judged" : " and is not judged yet");
}

}  // namespace

Result<http::Answer> AnswerSubmit(const QueryParameters& asked) {
  TRY(document, ParsePosted(asked.request().body, kForm));
  TRY(claim, ClaimIn(document, asked.inspector().terms().user));
  const Addressee to = AddresseeOf(document);
  TRY(database, OpenToWrite(asked, to.file));
  TRY(campaign, store::Campaigns(database).Find(to.campaign));
  TRY_DONE(WriteLikeRoot(database, campaign, claim));
  const engine::Clock& clock = asked.inspector().clock();
  TRY(intake,
      store::SubmitClaims(
          database, campaign.id, {claim}, store::Judging::kByAttempt,
          [&clock] { return engine::FreshUuid(clock); }, clock.UnixSeconds()));
  TRY(line, store::ReadClaim(database, campaign.id, intake.ids.front()));
  const bool is_new = intake.claims > 0;
  return JsonAnswer({{"claim", line.id},
                     {"decision", OrNull(line.decision)},
                     {"node", OrNull(line.node)},
                     {"note", NoteOf(line, is_new)}},
                    is_new ? 201 : 200);
}

}  // namespace coppice::inspector
