#include "engine/cli/open_factory.h"

#include <ostream>

#include "engine/campaign/display.h"
#include "engine/campaign/outage_listener.h"
#include "engine/campaign/outages.h"
#include "engine/documents/verb.h"
#include "engine/factory/campaign_factory.h"
#include "engine/process/clock.h"
#include "engine/process/installation.h"
#include "engine/process/interrupts.h"
#include "engine/process/terminal_text.h"
#include "engine/sessions/own_sessions.h"

namespace coppice::cli {

Result<std::filesystem::path> RunnerOf(const Invocation& invocation) {
  const std::filesystem::path& runner = invocation.surroundings.runner;
  if (!runner.empty()) return runner;
  return engine::FindInstallation(engine::ExecutablePath())
      .map([](const engine::Installation& found) { return found.runner; });
}

Result<std::unique_ptr<engine::CampaignFactory>> OpenFactory(
    const Invocation& invocation) {
  static const engine::SystemClock kClock;
  TRY(runner, RunnerOf(invocation));
  return engine::CampaignFactory::Make(invocation.config, runner, kClock,
                                       engine::WatchInterrupts(), nullptr,
                                       sessions::MakeOwnSessions);
}

engine::OutageListener Listen(engine::CampaignFactory& factory,
                              Streams& streams) {
  return {factory.outages(), [&streams](const engine::Outage& outage) {
            streams.err << engine::Printable(engine::OutageText(outage))
                        << std::endl;
          }};
}

engine::OutageListener Listen(engine::CampaignFactory& factory,
                              engine::Display& display) {
  return {factory.outages(), [&display](const engine::Outage& outage) {
            display.OnOutage(outage);
          }};
}

}  // namespace coppice::cli
