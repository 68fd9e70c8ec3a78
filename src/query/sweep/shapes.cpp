// Lines through the times of series, and where their throughput bends.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "query/sweep/tables.h"

namespace opsight::query {
namespace {

constexpr double kLineHolds = 0.1;     // how far off the medians a line may be, to be spoken of
constexpr double kNoLineBelow = 0.01;  // p of the F test

// Throughput of each run; of a point with one run, of its iterations: their spread is all that is known.
plan::CurvePoint curve_point(const PointSummary& point, bool once) {
    plan::CurvePoint out{*point.x, {}};
    if (!once) {
        for (const double latency : point.latencies_ns)
            out.samples.push_back(point.throughput_at(latency));
        return out;
    }
    for (const int64_t time : point.runs.front()->times_ns)
        if (time > 0) out.samples.push_back(point.throughput_at(static_cast<double>(time)));
    return out;
}

SeriesShape shape_of(const SweepSummary& summary, size_t series) {
    SeriesShape out;
    out.series = series;
    const std::vector<size_t>& places = summary.series[series].points;
    out.points = places.size();
    out.measured_once = std::all_of(places.begin(), places.end(),
                                    [&](size_t place) { return summary.points[place].measured == 1; });
    std::vector<plan::Sample> samples;
    std::vector<plan::CurvePoint> curve;
    for (const size_t place : places) {
        const PointSummary& point = summary.points[place];
        for (const double latency : point.latencies_ns)
            if (point.work) samples.push_back({*point.work, latency});
        curve.push_back(curve_point(point, out.measured_once));
    }
    out.line = plan::fit_line(samples);
    out.knee = plan::find_knee(curve);
    out.saturation = plan::find_saturation(curve);
    return out;
}

// Sentences about series: what holds for several is said once.
class Notes {
  public:
    void add(const std::string& series, std::string words) {
        const auto known =
            std::find_if(said_.begin(), said_.end(), [&](const auto& each) { return each.words == words; });
        if (known == said_.end())
            said_.push_back({std::move(words), series});
        else
            known->series += ", " + series;
    }
    void put(std::vector<std::string>& notes) const {
        for (const auto& [words, series] : said_)
            notes.push_back(series.empty() ? words : series + ": " + words);
    }

  private:
    struct Said {
        std::string words, series;
    };
    std::vector<Said> said_;
};

bool line_holds(const plan::LineFit& line) {
    return line.places > 2 && line.worst_off <= kLineHolds && line.p_of_line.value_or(1) >= kNoLineBelow;
}

std::string line_words(const SweepSummary& summary, const SeriesShape& shape) {
    const plan::LineFit& line = *shape.line;
    const std::string unit = summary.work_name;
    if (line.places < 3)
        return fmt::format("two values of {} always lie on a line: no baseline is told from them", unit);
    if (!line_holds(line))
        return fmt::format(
            "time is not a straight line over {}: the best one is off by {:.0f} % at {:g}, so no "
            "baseline is told from it",
            unit, 100 * line.worst_off, line.worst_at);
    const std::string slope = fmt::format("{}{} for each {} of {}", time_words(line.slope.value),
                                          interval_words(line.slope), "unit", unit);
    if (!line.baseline.low)
        return fmt::format("time = {} + {}; no interval: too few runs to tell how sure that is",
                           time_words(line.baseline.value), slope);
    if (!line.slope.above(0))
        return fmt::format("no growth of the time with {} stands against noise: {}{} for each unit", unit,
                           time_words(line.slope.value), interval_words(line.slope));
    if (!line.baseline.above(0))
        return fmt::format("time = {}{} + {}: no baseline that stands against noise",
                           time_words(line.baseline.value), interval_words(line.baseline), slope);
    const std::vector<size_t>& places = summary.series[shape.series].points;
    const PointSummary &first = summary.points[places.front()], &last = summary.points[places.back()];
    return fmt::format(
        "{}{} of {} do not depend on {}, beside {}: {:.0f} % of the time at {}={:g}, {:.0f} % "
        "at {}={:g}",
        time_words(line.baseline.value), interval_words(line.baseline),
        summary.iterations ? "an iteration" : "a recording", unit, slope,
        100 * line.baseline.value / first.latency_ns, summary.x_name, *first.x,
        100 * line.baseline.value / last.latency_ns, summary.x_name, *last.x);
}

std::string place_words(std::string_view what, const std::string& x, const plan::Place& place) {
    if (!place.x) return fmt::format("no {} is claimed: {}", what, place.why_not);
    std::string out = fmt::format("{} at {}={:g} (so in {:.0f} % of {} curves drawn anew from the samples",
                                  what, x, *place.x, 100 * place.share, plan::kResamples);
    if (place.from < place.to) out += fmt::format(", 95 % of them from {:g} to {:g}", place.from, place.to);
    return out + ")";
}

}  // namespace

Cell cell_of(const std::optional<double>& value) {
    return value ? Cell{*value} : Cell{};
}

std::string time_words(double ns) {
    const double size = std::abs(ns);
    if (size >= 1e9) return fmt::format("{:.3g} s", ns / 1e9);
    if (size >= 1e6) return fmt::format("{:.3g} ms", ns / 1e6);
    if (size >= 1e3) return fmt::format("{:.3g} µs", ns / 1e3);
    return fmt::format("{:.3g} ns", ns);
}

std::string interval_words(const plan::Estimated& value) {
    if (!value.low) return {};
    return fmt::format(" ({} to {})", time_words(*value.low), time_words(*value.high));
}

std::vector<SeriesShape> shapes_of(const SweepSummary& summary) {
    std::vector<SeriesShape> out;
    for (size_t i = 0; i < summary.series.size(); ++i)
        if (!summary.series[i].points.empty()) out.push_back(shape_of(summary, i));
    return out;
}

ResultTable fit_table(const SweepSummary& summary, const std::vector<SeriesShape>& shapes) {
    ResultTable table;
    table.name = "fit";
    table.title = fmt::format("Time = Baseline + Slope x Work (work: {})", summary.work_name);
    table.columns = {{"series", "Series", Unit::kNone, 1},
                     {"runs", "Runs", Unit::kCount, 2},
                     {"baseline_ns", "Baseline (ns)", Unit::kNs},
                     {"baseline_low_ns", "Baseline from (ns)", Unit::kNs},
                     {"baseline_high_ns", "Baseline to (ns)", Unit::kNs},
                     {"slope_ns", "Slope (ns)", Unit::kNs},
                     {"slope_low_ns", "Slope from (ns)", Unit::kNs, 1},
                     {"slope_high_ns", "Slope to (ns)", Unit::kNs, 1},
                     {"half_work", "Work at Half Speed", Unit::kNone, 2, Role::kNumber},
                     {"worst_off_pct", "Line off by (%)", Unit::kPercent, 1},
                     {"worst_at", "At", Unit::kNone, 2, Role::kNumber},
                     {"p_of_line", "p of a Line", Unit::kNone, 3, Role::kNumber},
                     {"holds", "Line Holds", Unit::kNone, 0, Role::kYesNo}};
    for (const SeriesShape& shape : shapes) {
        if (!shape.line) continue;
        const plan::LineFit& line = *shape.line;
        const bool half = line_holds(line) && line.baseline.above(0) && line.slope.above(0);
        table.rows.push_back({summary.series[shape.series].name, static_cast<int64_t>(line.samples),
                              line.baseline.value, cell_of(line.baseline.low), cell_of(line.baseline.high),
                              line.slope.value, cell_of(line.slope.low), cell_of(line.slope.high),
                              half ? Cell{line.baseline.value / line.slope.value} : Cell{},
                              100 * line.worst_off, line.worst_at, cell_of(line.p_of_line),
                              line_holds(line)});
    }
    return table;
}

ResultTable curve_table(const SweepSummary& summary, const std::vector<SeriesShape>& shapes) {
    ResultTable table;
    table.name = "curve";
    table.title = fmt::format("Throughput over {}", summary.x_name);
    table.columns = {{"series", "Series", Unit::kNone, 1},
                     {"points", "Points", Unit::kCount, 2},
                     {"most_per_s", "Most per Second", Unit::kNone, 0, Role::kNumber},
                     {"most_at", "At", Unit::kNone, 0, Role::kNumber},
                     {"least_latency_ns", "Least Latency (ns)", Unit::kNs},
                     {"little_items", "Little's In Flight", Unit::kNone, 0, Role::kNumber},
                     {"knee", "Knee", Unit::kNone, 0, Role::kNumber},
                     {"knee_from", "Knee from", Unit::kNone, 2, Role::kNumber},
                     {"knee_to", "Knee to", Unit::kNone, 2, Role::kNumber},
                     {"saturation", "Saturated from", Unit::kNone, 0, Role::kNumber},
                     {"why_no_knee", "Why No Knee", Unit::kNone, 3},
                     {"why_not_saturated", "Why Not Saturated", Unit::kNone, 3}};
    for (const SeriesShape& shape : shapes) {
        double most = 0, at = 0, least = 0;
        for (const size_t place : summary.series[shape.series].points) {
            const PointSummary& point = summary.points[place];
            if (point.throughput() > most) std::tie(most, at) = std::pair(point.throughput(), *point.x);
            if (least == 0 || point.latency_ns < least) least = point.latency_ns;
        }
        const plan::Place& knee = shape.knee;
        table.rows.push_back({summary.series[shape.series].name, static_cast<int64_t>(shape.points), most, at,
                              least, summary.items_name.empty() ? Cell{} : Cell{most * least / 1e9},
                              cell_of(knee.x), knee.x ? Cell{knee.from} : Cell{},
                              knee.x ? Cell{knee.to} : Cell{}, cell_of(shape.saturation.x),
                              knee.x ? Cell{} : Cell{knee.why_not},
                              shape.saturation.x ? Cell{} : Cell{shape.saturation.why_not}});
    }
    return table;
}

std::vector<std::string> shape_notes(const SweepSummary& summary, const std::vector<SeriesShape>& shapes) {
    constexpr size_t kSaid = 6;
    Notes lines, places;
    size_t said = 0;
    for (const SeriesShape& shape : shapes) {
        if (shape.points < 2) continue;
        if (++said > kSaid) continue;
        const std::string& series = summary.series[shape.series].name;
        if (shape.line) lines.add(series, line_words(summary, shape));
        places.add(series, place_words("knee", summary.x_name, shape.knee) + "; " +
                               place_words("saturation point", summary.x_name, shape.saturation) +
                               (shape.measured_once
                                    ? "; points were measured once, so the samples are the iterations of one "
                                      "run, and how much runs differ is not known"
                                    : ""));
    }
    std::vector<std::string> notes;
    lines.put(notes);
    places.put(notes);
    if (said > kSaid)
        notes.push_back(fmt::format("{} more series: their fits and curves are in the tables", said - kSaid));
    return notes;
}

}  // namespace opsight::query
