#include "engine/cli/report_curve.h"

#include <algorithm>
#include <cmath>

#include "engine/cli/counted.h"
#include "engine/documents/measured_text.h"
#include "store/records/formatted.h"
#include "store/records/speedup_text.h"

namespace coppice::cli {
namespace {

std::string CoordinateText(double value, const char* format = "%.1f") {
  return Formatted(format, value);
}

// The drawing of a curve: where values are on it.
class Plot {
 public:
  Plot(std::int64_t attempts, double top) : attempts_(attempts), top_(top) {}

  static constexpr double kWidth = 760.0;
  static constexpr double kHeight = 260.0;
  static constexpr double kLeft = 60.0;
  static constexpr double kRight = 12.0;
  static constexpr double kTop = 12.0;
  static constexpr double kFoot = 52.0;  // For failures and the axis.
  static constexpr double kFloor = kHeight - kFoot;

  double X(double attempt) const {
    const double most =
        static_cast<double>(std::max<std::int64_t>(attempts_, 1));
    return kLeft + (kWidth - kLeft - kRight) * attempt / most;
  }
  // By logarithms from half of the root's speed to the top; what is slower than
  // that is at the bottom.
  double Y(double speedup) const {
    const double low = std::log(0.5);
    const double share = (std::log(std::max(speedup, 0.5)) - low) /
                         (std::log(std::max(top_, 1.05)) - low);
    return kFloor - (kFloor - kTop) * std::clamp(share, 0.0, 1.0);
  }

 private:
  std::int64_t attempts_;
  double top_;
};

std::string ScaleOf(const Plot& plot, double top, std::int64_t attempts) {
  std::string svg;
  std::vector<double> marks = {0.5, 1.0};
  // Powers of 2, of 4 or of 16, so that no more than six stand there.
  double step = 2.0;
  while (std::log(top) / std::log(step) > 6.0) step *= step;
  for (double mark = step; mark < top * 0.98; mark *= step) {
    marks.push_back(mark);
  }
  for (const double mark : marks) {
    const std::string y = CoordinateText(plot.Y(mark));
    svg += "<path class=axis d=\"M" + CoordinateText(Plot::kLeft) + " " + y +
           "H" + CoordinateText(Plot::kWidth - Plot::kRight) +
           "\"/><text x=" + CoordinateText(Plot::kLeft - 6) +
           " y=" + CoordinateText(plot.Y(mark) + 4) + " text-anchor=end>" +
           CoordinateText(mark, "%.3g") + "x</text>";
  }
  svg += "<text x=" + CoordinateText(Plot::kLeft) +
         " y=" + CoordinateText(Plot::kHeight - 6) +
         ">0</text><text x=" + CoordinateText(Plot::kWidth - Plot::kRight) +
         " y=" + CoordinateText(Plot::kHeight - 6) + " text-anchor=end>" +
         Counted(attempts, "attempt") + "</text>";
  return svg;
}

// The steps, held until the last attempt.
std::string StepsOf(const Plot& plot,
                    const std::vector<store::Improvement>& steps,
                    std::int64_t attempts) {
  if (steps.empty()) return "";
  std::string path;
  for (const store::Improvement& step : steps) {
    const std::string x =
        CoordinateText(plot.X(static_cast<double>(Index(step.node))));
    path += path.empty() ? "M" + x + " " : "H" + x + "V";
    path += CoordinateText(plot.Y(step.speedup));
  }
  path += "H" + CoordinateText(plot.X(static_cast<double>(attempts)));
  return "<path class=curve d=\"" + path + "\"/>";
}

std::string PointsOf(const Plot& plot, const std::vector<CurveNode>& points) {
  constexpr std::size_t kColumns = 700;
  const std::size_t columns = points.size() > kMostDots
                                  ? kColumns
                                  : std::max<std::size_t>(points.size(), 1);
  std::vector<double> fastest(columns, 0.0);
  std::vector<bool> fails(columns, false);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t column = i * columns / points.size();
    const CurveNode& point = points[i];
    if (point.speedup) {
      fastest[column] = std::max(fastest[column], *point.speedup);
    } else if (point.verdict != Verdict::kInconclusive) {
      fails[column] = true;
    }
  }
  std::string dots;
  std::string misses;
  const double last =
      static_cast<double>(points.empty() ? 0 : points.size() - 1);
  for (std::size_t i = 0; i < columns; ++i) {
    const double attempt = columns == 1 ? 0.0
                                        : last * static_cast<double>(i) /
                                              static_cast<double>(columns - 1);
    const std::string x = CoordinateText(plot.X(attempt));
    if (fastest[i] > 0.0) {
      dots += "<circle class=dot cx=" + x +
              " cy=" + CoordinateText(plot.Y(fastest[i])) + " r=3 />";
    }
    if (fails[i])
      misses += "M" + x + " " + CoordinateText(Plot::kFloor + 8) + "v12";
  }
  if (misses.empty()) return dots;
  return dots + "<path class=miss d=\"" + misses + "\"/>";
}

}  // namespace

std::string CurveDrawing(const std::vector<store::Improvement>& steps,
                         const std::vector<CurveNode>& points) {
  const auto attempts =
      std::max<std::int64_t>(0, static_cast<std::int64_t>(points.size()) - 1);
  const double top = steps.empty() ? 1.0 : steps.back().speedup;
  const Plot plot(attempts, top);
  std::string svg =
      "<svg role=img aria-labelledby=\"curve-title curve-about\" "
      "viewBox=\"0 0 760 260\" width=760 height=260><title "
      "id=curve-title>Best so far</title><desc id=curve-about>";
  svg += steps.size() > 1 ? "From 1x in " + Counted(steps.size() - 1, "step") +
                                " to " + TimesText(top) + " over the root in "
                          : "Nothing was faster than the root in ";
  svg += Counted(attempts, "attempt") + ".";
  svg += "</desc>" + ScaleOf(plot, top, attempts) + PointsOf(plot, points) +
         StepsOf(plot, steps, attempts);
  return svg + "</svg>";
}

}  // namespace coppice::cli
