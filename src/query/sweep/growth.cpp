// How the times of ops grow with what is varied: the exponent of a power, with its interval.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "query/sweep/tables.h"

namespace opsight::query {
namespace {

constexpr double kNearWhole = 0.15;  // of an exponent, to be called by it
constexpr double kWidest = 1.0;      // of an interval, for a word
constexpr const char* kTooWide = "cannot be told";
constexpr double kFasterThan = 1.25;  // exponents that are surely above it are named
constexpr double kShareNamed = 1.0;   // % of the time at the greatest value

using Kind = PartOfSweep::Kind;

// Where each point stands with regard to one parameter: its number, and which others differ in nothing else.
struct Places {
    size_t parameter = 0;
    std::vector<double> x;
    std::vector<size_t> group;
};

std::optional<Places> places_of(const Sweep& sweep, const SweepSummary& summary, size_t parameter) {
    Places out{parameter, {}, {}};
    std::map<std::string, size_t> groups;
    for (const PointSummary& point : summary.points) {
        const std::optional<double> x = plan::number_of(point.point->values[parameter]);
        if (!x || *x <= 0) return std::nullopt;
        std::string others;
        for (size_t i = 0; i < sweep.parameters.size(); ++i)
            if (i != parameter) others += point.point->values[i] + '\0';
        out.x.push_back(*x);
        out.group.push_back(groups.try_emplace(others, groups.size()).first->second);
    }
    return out;
}

// Sums of all parts of each kind, at each point.
std::array<std::vector<double>, 4> sums_of(const SweepSummary& summary,
                                           const std::vector<PartOfSweep>& parts) {
    std::array<std::vector<double>, 4> sums;
    sums.fill(std::vector<double>(summary.points.size(), 0));
    for (const PartOfSweep& part : parts) {
        if (part.kind == Kind::kLayer) continue;  // they hold each other
        for (size_t i = 0; i < part.medians.size(); ++i)
            sums[static_cast<size_t>(part.kind)][i] += std::max(0.0, part.medians[i]);
    }
    sums[static_cast<size_t>(Kind::kLayer)] = sums[static_cast<size_t>(Kind::kOp)];
    return sums;
}

std::optional<Growth> growth_of(const PartOfSweep& part, const Places& places, const std::string& parameter,
                                const std::vector<double>& sums) {
    std::vector<plan::Sample> times, flops;
    size_t first = part.medians.size(), last = first;
    for (size_t i = 0; i < part.medians.size(); ++i) {
        for (const double ns : part.ns[i])
            times.push_back({places.x[i], ns, places.group[i]});
        if (part.flops[i]) flops.push_back({places.x[i], *part.flops[i], places.group[i]});
        if (part.medians[i] <= 0) continue;
        if (first == part.medians.size() || places.x[i] < places.x[first]) first = i;
        if (last == part.medians.size() || places.x[i] >= places.x[last]) last = i;
    }
    const std::optional<plan::PowerFit> fit = plan::fit_power(times);
    if (!fit || first == part.medians.size()) return std::nullopt;
    Growth out{&part, parameter, *fit, plan::fit_power(flops), part.medians[first], part.medians[last], 0};
    if (sums[last] > 0) out.share_pct = 100 * part.medians[last] / sums[last];
    return out;
}

}  // namespace

std::string growth_word(const plan::Estimated& exponent) {
    if (!exponent.low) return "no interval";
    if (*exponent.high - *exponent.low > kWidest) return kTooWide;
    const double whole = std::round(exponent.value);
    if (std::abs(exponent.value - whole) <= kNearWhole && whole >= 0 && whole <= 3)
        return std::array{"constant", "linear", "quadratic", "cubic"}[static_cast<size_t>(whole)];
    if (exponent.value < 0) return *exponent.high < 0 ? "falls" : "not told from constant";
    if (exponent.value < 1) return "between constant and linear";
    if (exponent.value < 2) return "between linear and quadratic";
    return exponent.value < 3 ? "between quadratic and cubic" : "faster than cubic";
}

std::vector<Growth> growths_of(const Sweep& sweep, const SweepSummary& summary,
                               const std::vector<PartOfSweep>& parts) {
    const auto sums = sums_of(summary, parts);
    std::vector<Growth> out;
    for (size_t p = 0; p < sweep.parameters.size(); ++p) {
        if (sweep.parameters[p].values.size() < 2) continue;
        const std::optional<Places> places = places_of(sweep, summary, p);
        if (!places) continue;
        for (const PartOfSweep& part : parts)
            if (auto growth =
                    growth_of(part, *places, sweep.parameters[p].name, sums[static_cast<size_t>(part.kind)]))
                out.push_back(*std::move(growth));
    }
    return out;
}

ResultTable growth_table(const std::vector<Growth>& growths, const TableShape& shape) {
    ResultTable table;
    table.name = "growth";
    table.title = "How Times Grow: Time ~ Value ^ Exponent";
    table.columns = {{"parameter", "Parameter", Unit::kNone, 1},
                     {"kind", "Kind", Unit::kNone, 1},
                     {"name", "Name"},
                     {"exponent", "Exponent", Unit::kNone, 0, Role::kNumber},
                     {"exponent_low", "from", Unit::kNone, 0, Role::kNumber},
                     {"exponent_high", "to", Unit::kNone, 0, Role::kNumber},
                     {"grows", "Grows"},
                     {"flops_exponent", "Exponent of FLOPs", Unit::kNone, 1, Role::kNumber},
                     {"first_ns", "At the Least (ns)", Unit::kNs, 2},
                     {"last_ns", "At the Greatest (ns)", Unit::kNs, 1},
                     {"share_pct", "Share There (%)", Unit::kPercent},
                     {"samples", "Samples", Unit::kCount, 3},
                     {"layer", "Layer", Unit::kNone, 9},
                     {"op", "Op or Kernel", Unit::kNone, 9},
                     {"direction", "Direction", Unit::kNone, 9, Role::kDirection}};
    std::map<std::pair<std::string, Kind>, int64_t> shown;
    for (const Growth& each : growths) {
        const PartOfSweep& part = *each.part;
        if (shape.limit > 0 && ++shown[{each.parameter, part.kind}] > shape.limit) continue;
        const auto text = [](const std::string& value) { return value.empty() ? Cell{} : Cell{value}; };
        const plan::Estimated& exponent = each.time.exponent;
        table.rows.push_back({each.parameter, std::string(name_of(part.kind)), part.label(), exponent.value,
                              cell_of(exponent.low), cell_of(exponent.high), growth_word(exponent),
                              each.flops ? Cell{each.flops->exponent.value} : Cell{}, each.first_ns,
                              each.last_ns, each.share_pct, static_cast<int64_t>(each.time.samples),
                              text(part.layer), text(part.name), text(part.direction)});
    }
    table.rows_in_all = std::ssize(growths);
    return table;
}

std::vector<std::string> growth_notes(const std::vector<Growth>& growths) {
    constexpr size_t kNamed = 5;
    std::map<std::string, std::vector<const Growth*>> faster;
    for (const Growth& each : growths)
        if (each.part->kind == Kind::kOp && each.time.exponent.above(kFasterThan) &&
            each.share_pct >= kShareNamed)
            faster[each.parameter].push_back(&each);
    std::vector<std::string> notes;
    for (auto& [parameter, list] : faster) {
        std::stable_sort(list.begin(), list.end(),
                         [](const Growth* a, const Growth* b) { return a->share_pct > b->share_pct; });
        std::vector<std::string> named;
        for (size_t i = 0; i < std::min(kNamed, list.size()); ++i) {
            const plan::Estimated& exponent = list[i]->time.exponent;
            const std::string word = growth_word(exponent);
            named.push_back(
                fmt::format("{} with exponent {:.2f} ({:.2f} to {:.2f}{}; {:.1f} % of the time of ops at "
                            "the greatest value)",
                            list[i]->part->label(), exponent.value, *exponent.low, *exponent.high,
                            word == kTooWide ? "" : ", " + word, list[i]->share_pct));
        }
        notes.push_back(
            fmt::format("grow faster than {}: {}{}", parameter, fmt::join(named, "; "),
                        list.size() > kNamed ? fmt::format("; and {} more", list.size() - kNamed) : ""));
    }
    return notes;
}

}  // namespace opsight::query
