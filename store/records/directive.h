// What a person asks of a campaign while it runs.
//
// A directive acts only through its row, which says from which decision on.  It
// waits in the file until whoever reserves that decision takes it up, in the
// same transaction.  So what an attempt goes by is a function of the tree, the
// attempts in flight, the random stream and the directives of decisions up to
// its own, and can be made again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/records/ids.h"
#include "store/records/result.h"
#include "store/records/uuid.h"

namespace coppice {

enum class Role : std::uint8_t;  // store/records/model_call.h

enum class DirectiveKind : std::uint8_t {
  kAdvise,       // Agents are told `text`.
  kForbid,       // A candidate that has it is none; see DirectiveAspect.
  kRequire,      // A candidate that lacks it is none.
  kFreeze,       // Nothing below the node, itself included, is selected.
  kUnfreeze,     // It is again.
  kBoost,        // The next `amount` selections are the node.
  kInsert,       // The kernel `text` becomes a child of the node.
  kPause,        // No attempt begins
  kResume,       // until this.
  kBudget,       // Another limit, see `aspect`: `amount`.
  kPolicy,       // Another one decides: `text` names it.
  kTemperature,  // Of the language models: `amount`.
  kNote,         // A line for people; search never sees it.
  kPin,          // A node that people want to find again; likewise.
  kLift,         // `target` holds no longer.
  kModel,        // Agents ask another one: `text` names it.
  kJudge,        // The node is evaluated again.
  kGate,         // No attempt begins but those that somebody approves
  kApprove,      // by this: `amount`, see `aspect`.
};
inline constexpr int kDirectiveKinds = 19;

// Stored, and typed after `coppice steer`.
std::string_view Name(DirectiveKind kind);
std::optional<DirectiveKind> DirectiveKindNamed(std::string_view name);

enum class DirectiveOutcome : std::uint8_t {
  kPending,    // Not taken up yet.
  kApplied,    // It holds from its effective decision on.
  kRefused,    // It was taken up, and could not hold; see `refusal`.
  kWithdrawn,  // Before it was taken up.
};
std::string_view Name(DirectiveOutcome outcome);
std::optional<DirectiveOutcome> DirectiveOutcomeNamed(std::string_view name);

// Agents are shown all advice, so there is a limit to it.
inline constexpr std::size_t kMostAdviceBytes = 1500;
inline constexpr std::int64_t kMostAdviceLines = 100;

// What the text of a rule (forbid, require) is of.
inline constexpr std::string_view kTechniqueAspect = "technique";  // Its name.
inline constexpr std::string_view kPatternAspect = "pattern";  // Of the source.
inline constexpr std::string_view kHeaderAspect = "header";    // Included.
inline constexpr std::string_view kConstraintAspect = "constraint";
// What a budget is of.  An approval is of so many attempts more, or of all that
// begin while the campaign has used fewer dollars in all.
inline constexpr std::string_view kAttemptsAspect = "attempts";
inline constexpr std::string_view kSecondsAspect = "seconds";
inline constexpr std::string_view kUsdAspect = "usd";
inline constexpr std::string_view kTokensAspect = "tokens";  // In and out.

struct Directive {
  DirectiveId id{};
  Uuid uuid;
  double at_s = 0.0;  // Unix time.
  std::string author;
  DirectiveKind kind = DirectiveKind::kNote;
  std::optional<NodeId> node{};  // And what is below; none: the campaign.
  std::optional<Role> role{};    // Of those that it is for; none: all.
  std::string aspect{};          // Of rules, budgets and approvals; else empty.
  std::optional<double> amount{};
  std::optional<DirectiveId> target{};  // Of a lift.
  std::string text{};
  std::int64_t not_before = 0;  // It waits for this decision.
  DirectiveOutcome outcome = DirectiveOutcome::kPending;
  std::optional<std::int64_t> effective_decision{};
  std::string refusal{};      // Why, of one that was refused.
  std::int64_t attempts = 0;  // That a person chose by it so far.
};

// What became of a directive when it was taken up.
struct TakenUp {
  DirectiveId id{};
  std::string refusal;  // Empty: it holds.
};

// Whether it touches the search.  Who leaves none but notes has steered
// nothing.
bool Steers(DirectiveKind kind);

// kUsage: what a row of its kind lacks, or has too much.
Result<void> CheckDirective(const Directive& directive);

// "freeze node 7", "advise plan: tile for L2", as lists show it, without the
// whole of a long text.
std::string DirectiveText(const Directive& directive);

// "ana: freeze node 7 holds from decision 12 on", of one that was taken up.
std::string SteeredText(const Directive& directive);

// Those that hold at a decision, as they were taken up: applied by then, and
// not lifted by then.
std::vector<const Directive*> InForce(const std::vector<Directive>& directives,
                                      std::int64_t decision);

}  // namespace coppice
