#include "report/sweep_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "report/svg_chart.h"
#include "report/units.h"

namespace opsight::report {
namespace {

using query::PointSummary;
using query::SweepSummary;
using Get = std::function<std::optional<double>(const PointSummary&)>;
using Ends = std::function<std::pair<double, double>(const PointSummary&)>;

constexpr size_t kColours = 6, kNamed = 6;
constexpr double kWidth = 1120, kHeight = 330, kFirstRow = 52;

// Axes are logarithmic, with ticks at powers of two: one below the least and one above the most.
struct Extent {
    double least = 0, most = 0;
    void take(double value) {
        if (!(value > 0)) return;
        least = least == 0 ? value : std::min(least, value);
        most = std::max(most, value);
    }
    ChartAxis axis(std::string title, bool prefixes) const {
        const double from = std::exp2(std::floor(std::log2(least) - 0.05)),
                     to = std::exp2(std::ceil(std::log2(most) + 0.05));
        return {.title = std::move(title), .from = from, .to = to, .binary = true, .prefixes = prefixes};
    }
};

std::optional<double> throughput(const PointSummary& point) {
    return point.throughput();
}
std::optional<double> latency_ms(const PointSummary& point) {
    return point.latency_ns / 1e6;
}
// What the device holds, or else the process.
std::optional<double> memory_mib(const PointSummary& point) {
    const auto bytes = point.memory_bytes ? point.memory_bytes : point.rss_bytes;
    if (!bytes) return std::nullopt;
    return *bytes / (1 << 20);
}

std::string hover(const SweepSummary& summary, const PointSummary& point) {
    std::string out = fmt::format("{}: {:.4g} {} a second, {}", point.point->name, point.throughput(),
                                  summary.items_name.empty() ? "iterations" : "items",
                                  human(query::Unit::kNs, point.latency_ns));
    return out + (point.measured == 1 ? ", measured once" : fmt::format(", {} runs", point.measured));
}

std::string style_of(size_t series) {
    return fmt::format("s{}", series % kColours);
}

// The stroke of a point from its fastest to its slowest run.
std::pair<double, double> ends(const PointSummary& point) {
    const auto [least, most] = std::minmax_element(point.latencies_ns.begin(), point.latencies_ns.end());
    return {*least, *most};
}

// What a chart shows of each point: where it lies, the stroke through its runs, and what was predicted.
struct Shown {
    std::string x_title;
    Get x;
    std::string y_title;
    Get y;
    Ends ends;      // none: no strokes
    Get predicted;  // none: nothing
};

struct Picture {
    const query::Sweep& sweep;
    const SweepSummary& summary;
    const query::SweepOptions& options;
    double left = 0, top = 0;

    // All that is drawn lies within the axes.
    std::string draw(const std::string& title, const Shown& shown) const {
        Extent across, up;
        for (const auto& series : summary.series)
            for (const size_t place : series.points) {
                const PointSummary& point = summary.points[place];
                if (!shown.x(point) || !shown.y(point)) continue;
                across.take(*shown.x(point));
                up.take(*shown.y(point));
                if (shown.ends) up.take(shown.ends(point).first), up.take(shown.ends(point).second);
                if (shown.predicted) up.take(shown.predicted(point).value_or(0));
            }
        if (up.most == 0 || across.most == 0) return {};
        SvgChart chart(left, top, kWidth / 2 - 12, kHeight, across.axis(shown.x_title, false),
                       up.axis(shown.y_title, true));
        for (size_t i = 0; i < summary.series.size(); ++i) {
            curve(chart, shown, i);
            if (shown.ends) strokes(chart, shown, i);
            if (shown.predicted) prediction(chart, shown, i);
        }
        return chart.finish(title);
    }

    std::vector<double> places(const Shown& shown, size_t series, const Get& y) const {
        std::vector<double> line;
        for (const size_t place : summary.series[series].points)
            if (const PointSummary& point = summary.points[place]; shown.x(point) && y(point))
                line.insert(line.end(), {*shown.x(point), *y(point)});
        return line;
    }
    void curve(SvgChart& chart, const Shown& shown, size_t i) const {
        for (const size_t place : summary.series[i].points)
            if (const PointSummary& point = summary.points[place]; shown.x(point) && shown.y(point))
                chart.point(*shown.x(point), *shown.y(point), 4, style_of(i), hover(summary, point));
        const std::vector<double> line = places(shown, i, shown.y);
        if (line.empty()) return;
        const std::string& name = summary.series[i].name;
        chart.line(line, style_of(i), name.empty() ? sweep.label : name, i >= kColours);
        if (i < kNamed && !name.empty()) chart.text_behind(line[line.size() - 2], line.back(), name);
    }
    void strokes(SvgChart& chart, const Shown& shown, size_t i) const {
        for (const size_t place : summary.series[i].points) {
            const PointSummary& point = summary.points[place];
            if (point.measured < 2 || !shown.x(point)) continue;
            const auto [from, to] = shown.ends(point);
            chart.line({*shown.x(point), from, *shown.x(point), to}, style_of(i),
                       "from the fastest to the slowest run");
        }
    }
    void prediction(SvgChart& chart, const Shown& shown, size_t i) const {
        const std::vector<double> line = places(shown, i, shown.predicted);
        if (line.empty()) return;
        chart.line(line, "s4", "predicted: " + options.predicted->by, true);
        if (i == 0) chart.text_behind(line[line.size() - 2], line.back(), "predicted least");
    }
};

}  // namespace

std::string sweep_svg(const query::Sweep& sweep, const SweepSummary& summary,
                      const query::SweepOptions& options) {
    if (summary.x_name.empty() || std::none_of(summary.series.begin(), summary.series.end(),
                                               [](const auto& s) { return !s.points.empty(); }))
        return {};
    const std::string items = summary.items_name.empty() ? "iterations/s" : summary.items_name + " items/s";
    const std::string& name = summary.x_name;
    const auto x = [](const PointSummary& point) { return point.x; };
    const auto of_latency = [](const PointSummary& point) {
        const auto [least, most] = ends(point);
        return std::pair(least / 1e6, most / 1e6);
    };
    const auto of_throughput = [](const PointSummary& point) {
        const auto [least, most] = ends(point);
        return std::pair(point.throughput_at(most), point.throughput_at(least));
    };
    const auto predicted = [&](const PointSummary& point) -> std::optional<double> {
        if (!options.predicted) return std::nullopt;
        const auto told = options.predicted->ns.find(point.point->name);
        if (told == options.predicted->ns.end()) return std::nullopt;
        return told->second / 1e6;
    };
    const auto at = [&](double left, double row) {
        return Picture{sweep, summary, options, left, kFirstRow + row * (kHeight + 8)};
    };
    constexpr double kLeft = 8, kRight = kWidth / 2 + 4;
    const std::vector<std::string> charts = {
        at(kLeft, 0).draw("Throughput", {name, x, items, throughput, of_throughput, {}}),
        at(kRight, 0).draw("Latency of an iteration",
                           {name, x, "latency (ms)", latency_ms, of_latency, predicted}),
        at(kLeft, 1).draw("Throughput against latency",
                          {"latency (ms)", latency_ms, items, throughput, {}, {}}),
        at(kRight, 1).draw("Memory", {name, x, "memory (MiB)", memory_mib, {}, {}})};
    const bool once = std::all_of(summary.points.begin(), summary.points.end(),
                                  [](const PointSummary& point) { return point.measured < 2; });
    return svg_picture(
        kWidth, kFirstRow + 2 * kHeight + 16, "Sweep of " + sweep.label,
        once ? "both axes are logarithmic; every point was measured once, so no spread is known"
             : "medians of runs, strokes from the fastest to the slowest; both axes are logarithmic",
        charts);
}

std::string sweep_text(const SweepSummary& summary, int width) {
    constexpr size_t kMost = 48;
    size_t names = 0, shown = 0;
    double most = 0;
    for (const PointSummary& point : summary.points) {
        if (!point.ok()) continue;
        names = std::max(names, point.point->name.size());
        most = std::max(most, point.throughput());
    }
    if (most <= 0) return {};
    names = std::min<size_t>(names, 40);
    const auto room = static_cast<double>(std::max(10, width - static_cast<int>(names) - 34));
    std::string out = fmt::format("{} a second, from 0 (least to most of the runs)\n",
                                  summary.items_name.empty() ? "Iterations" : "Items");
    for (const PointSummary& point : summary.points) {
        if (!point.ok()) continue;
        if (++shown > kMost)
            return out + fmt::format("... and more: the table has all {}\n", summary.points.size());
        const auto full = static_cast<size_t>(std::lround(room * point.throughput() / most));
        std::string bar;
        for (size_t i = 0; i < full; ++i)
            bar += "█";
        const auto [least, slowest] = ends(point);
        const std::string spread =
            point.measured > 1
                ? fmt::format(" ({:.4g} to {:.4g})", point.throughput_at(slowest), point.throughput_at(least))
                : " (once)";
        out += fmt::format("{:<{}} {} {:.4g}{}\n", point.point->name.substr(0, names), names, bar,
                           point.throughput(), spread);
    }
    return out;
}

}  // namespace opsight::report
