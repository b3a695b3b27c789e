// Has the agents of campaigns work in sessions of this program.
#pragma once

#include <filesystem>
#include <memory>

#include "engine/factory/session_openers.h"

namespace coppice::config {
struct Loaded;
}
namespace coppice::engine {
class Clock;
}

namespace coppice::sessions {

// An engine::MakeSessionOpeners.
std::unique_ptr<engine::SessionOpeners> MakeOwnSessions(
    const config::Loaded& loaded, const std::filesystem::path& runner,
    const engine::Clock& clock);

}  // namespace coppice::sessions
