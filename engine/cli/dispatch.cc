#include "engine/cli/dispatch.h"

#include <algorithm>
#include <ostream>

#include "config/nearest.h"
#include "engine/cli/help.h"
#include "engine/cli/options.h"
#include "engine/cli/table.h"
#include "engine/cli/verbs.h"

namespace coppice::cli {
namespace {

Exit ExitFor(Errc code) {
  switch (code) {
    case Errc::kUsage:
    case Errc::kNotFound:  // What the command line names does not exist.
      return Exit::kUsage;
    case Errc::kCancelled:
      return Exit::kInterrupted;
    default:
      return Exit::kFailure;
  }
}

// "coppice show: x.db: no node 7", whatever lines the text came in.
Exit Report(std::string_view verb, const Error& error, Streams& streams) {
  std::string text = error.what;
  while (text.ends_with('\n')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  streams.err << "coppice" << (verb.empty() ? "" : " ") << verb << ": "
              << Printable(text) << "\n";
  return ExitFor(error.code);
}

Error UnknownVerb(const std::string& word) {
  std::vector<std::string> names;
  for (const Verb& verb : Verbs()) names.emplace_back(verb.name);
  std::string text = "unknown verb '" + word + "'";
  if (const auto nearest = config::Nearest(word, names)) {
    text += "; did you mean '" + *nearest + "'?";
  } else {
    text += "; `coppice --help` lists them";
  }
  return {Errc::kUsage, std::move(text)};
}

Result<Exit> Run(const Verb& verb, const std::vector<std::string>& words,
                 const config::Surroundings& surroundings, Streams& streams) {
  TRY(parsed, ParseWords(verb, words));
  if (parsed.help) {
    streams.out << VerbHelp(verb);
    return Exit::kDone;
  }
  TRY(loaded, config::Load(surroundings, parsed.config_file, parsed.settings));
  const Invocation invocation{std::move(loaded), surroundings,
                              std::move(parsed.arguments),
                              std::move(parsed.options)};
  return verb.run(invocation, streams);
}

Exit RunNamed(const std::vector<std::string>& arguments,
              const config::Surroundings& surroundings, Streams& streams) {
  const std::string& name = arguments.front();
  const Verb* verb = FindVerb(name);
  if (verb == nullptr) return Report("", UnknownVerb(name), streams);
  const auto exit = Run(*verb, {arguments.begin() + 1, arguments.end()},
                        surroundings, streams);
  return exit ? *exit : Report(name, exit.error(), streams);
}

Exit RunAny(const std::vector<std::string>& arguments,
            const config::Surroundings& surroundings, Streams& streams) {
  if (arguments.empty()) {
    streams.out << OverallHelp();
    return Exit::kDone;
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    if (arguments.size() == 1 || first != "help") {
      streams.out << OverallHelp();
      return Exit::kDone;
    }
    return RunNamed({arguments[1], "--help"}, surroundings, streams);
  }
  if (first == "--version") {
    streams.out << "coppice " COPPICE_VERSION "\n";
    return Exit::kDone;
  }
  if (first.starts_with("-")) {
    return Report("",
                  {Errc::kUsage, "'" + first +
                                     "' before a verb; options follow it: "
                                     "coppice VERB " +
                                     first},
                  streams);
  }
  return RunNamed(arguments, surroundings, streams);
}

}  // namespace

Exit Dispatch(const std::vector<std::string>& arguments,
              const config::Surroundings& surroundings, Streams& streams) {
  const Exit exit = RunAny(arguments, surroundings, streams);
  streams.out.flush();
  const bool has_result = exit == Exit::kDone || exit == Exit::kNoImprovement;
  if (!streams.out && has_result) {
    return Report("", {Errc::kIo, "standard output: cannot be written"},
                  streams);
  }
  return exit;
}

}  // namespace coppice::cli
