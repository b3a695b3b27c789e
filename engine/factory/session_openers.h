// Who makes the openers of sessions is passed in: engine/sessions does, on
// which this room does not stand.
#pragma once

#include <filesystem>
#include <memory>

namespace coppice::agents {
class ModelTable;
}
namespace coppice::config {
struct Loaded;
struct ModelChoice;
struct Settings;
}  // namespace coppice::config

namespace coppice::engine {

class Clock;
class SessionOpener;

class SessionOpeners {
 public:
  virtual ~SessionOpeners() = default;
  // An opener for the agents of a model whose provider has sessions.  It is
  // valid as long as this.
  virtual const SessionOpener* OpenerFor(const config::Settings& settings,
                                         const config::ModelChoice& choice,
                                         const agents::ModelTable& table) = 0;
};

// `loaded` and `clock` outlive what it makes.
using MakeSessionOpeners = std::unique_ptr<SessionOpeners> (*)(
    const config::Loaded& loaded, const std::filesystem::path& runner,
    const Clock& clock);

}  // namespace coppice::engine
