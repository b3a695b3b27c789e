// What happened to a campaign, in order.  Private to this folder.
//
// REQUIRES: the caller is inside Connection::Write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/records/ids.h"

namespace coppice::store {

class Connection;

// `kind` is one of those that schema.sql lists; so is the meaning of `subject`.
void RecordEvent(Connection& connection, CampaignId campaign, double at_s,
                 std::string_view kind,
                 std::optional<std::int64_t> subject = std::nullopt,
                 const std::string& detail = {});

}  // namespace coppice::store
