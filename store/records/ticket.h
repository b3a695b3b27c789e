// An attempt as an outside agent holds it: from when it asked until it told
// what it made of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/records/attempt.h"
#include "store/records/ids.h"
#include "store/records/model_call.h"
#include "store/records/uuid.h"

namespace coppice {

// In the place of a price's version: the agent says itself what it spent.
inline constexpr std::string_view kClaimedPrice = "claimed";

// What an agent is ready to be: several, one after the other.
class Roles {
 public:
  constexpr Roles() = default;
  constexpr explicit Roles(std::int64_t bits) : bits_(bits) {}
  static constexpr Roles All() { return Roles(7); }

  constexpr bool Has(Role role) const { return (bits_ & Bit(role)) != 0; }
  constexpr Roles With(Role role) const { return Roles(bits_ | Bit(role)); }
  constexpr std::int64_t bits() const { return bits_; }
  constexpr bool operator==(const Roles&) const = default;

 private:
  static constexpr std::int64_t Bit(Role role) {
    return std::int64_t{1} << static_cast<int>(role);
  }
  std::int64_t bits_ = 0;
};
std::string NameOf(Roles roles);  // "plan+code"
std::optional<Roles> RolesNamed(
    std::string_view text);  // Of that, or by commas.

enum class TicketState : std::uint8_t {
  kOpen,
  kTold,
  kGivenUp,
  kLost,  // Somebody else has taken the attempt over.
};
inline constexpr std::array<std::string_view, 4> kTicketStateNames = {
    "open", "told", "given_up", "lost"};
std::string_view Name(TicketState state);

struct Ticket {
  TicketId id{};
  Uuid uuid;
  CampaignId campaign{};
  AttemptId attempt{};
  std::int64_t epoch = 0;  // Of the attempt, that it is held in.
  std::string agent;
  std::optional<std::string> request{};  // As the agent calls what it asked.
  std::int64_t place = 0;                // Among those of one request.
  Roles roles;
  double asked_at_s = 0.0;
  double deadline_s = 0.0;  // Unix time.
  std::optional<double> max_cost_usd{};
  TicketState state = TicketState::kOpen;
  std::string plan_sha256{};  // 32 bytes; empty: no plan was told.
  std::string told_sha256{};  // Likewise of the end.
  std::optional<TicketId>
      late_for{};  // Whose candidate it brings, as an extra.

  Holding AsHeld() const { return {attempt, epoch}; }
  std::string LeaseOwner() const {
    return std::string(kTicketOwner) + ToString(uuid);
  }
};

}  // namespace coppice
