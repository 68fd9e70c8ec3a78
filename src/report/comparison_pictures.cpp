#include "report/comparison_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/escape.h"
#include "report/svg_chart.h"
#include "report/units.h"

namespace opsight::report {
namespace {

constexpr double kWidth = 760, kRow = 26, kHeadHeight = 56, kNames = 230, kValues = 100;

std::string time_text(int64_t ns) {
    return human(query::Unit::kNs, static_cast<double>(ns));
}
std::string change_text(int64_t ns) {
    return (ns > 0 ? "+" : "") + time_text(ns);
}

struct Step {
    std::string name, value;
    int64_t from = 0, to = 0;
    std::string_view style;
};

// From the mean before to the mean after, by the classes that differ.
std::vector<Step> steps_of(const query::Comparison& it) {
    std::vector<Step> steps = {{"Before", time_text(it.base_mean_ns), 0, it.base_mean_ns, "s4"}};
    int64_t now = it.base_mean_ns;
    for (const query::BudgetRow& row : it.budget) {
        if (row.difference_ns == 0) continue;
        steps.push_back({row.name, change_text(row.difference_ns), now, now + row.difference_ns,
                         row.difference_ns > 0 ? "s1" : "s0"});
        now += row.difference_ns;
    }
    steps.push_back({"After", time_text(it.next_mean_ns), 0, it.next_mean_ns, "s4"});
    return steps;
}

// What a trend draws: the median of each run, and before which runs it changes.
struct Series {
    std::vector<std::string> labels;
    std::vector<int64_t> values;
    std::set<size_t> changes;  // the first run after one
};

size_t column_of(const query::ResultTable& table, std::string_view key) {
    return static_cast<size_t>(std::find_if(table.columns.begin(), table.columns.end(),
                                            [key](const query::Column& each) { return each.key == key; }) -
                               table.columns.begin());
}

Series series_of(const query::Report& trend) {
    Series out;
    for (const query::Section& section : trend.sections) {
        const query::ResultTable& table = section.table;
        for (const auto& row : table.rows) {
            if (table.name == "runs") {
                out.labels.push_back(std::get<std::string>(row.at(column_of(table, "label"))));
                out.values.push_back(std::get<int64_t>(row.at(column_of(table, "median_ns"))));
            } else if (std::get<std::string>(row.at(column_of(table, "of"))) == query::kIterationTime) {
                out.changes.insert(
                    static_cast<size_t>(std::get<int64_t>(row.at(column_of(table, "run"))) - 1));
            }
        }
    }
    return out;
}

struct Scale {
    int64_t from = 0, to = 1;
    explicit Scale(const std::vector<int64_t>& values) {
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        const int64_t margin = std::max<int64_t>(1, (*most - *least) / 10);
        from = std::max<int64_t>(0, *least - margin);
        to = *most + margin;
    }
    double part(int64_t value) const {
        return static_cast<double>(value - from) / static_cast<double>(to - from);
    }
};

// Values that share a column become one, and a change lies where its first run does.
Series squeezed(const Series& all, size_t columns) {
    if (all.values.size() <= columns) return all;
    Series out;
    for (size_t i = 0; i < columns; ++i) {
        const size_t from = i * all.values.size() / columns, to = (i + 1) * all.values.size() / columns;
        std::vector<int64_t> part(all.values.begin() + static_cast<std::ptrdiff_t>(from),
                                  all.values.begin() + static_cast<std::ptrdiff_t>(to));
        std::nth_element(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(part.size() / 2),
                         part.end());
        out.values.push_back(part[part.size() / 2]);
        for (size_t run = from; run < to; ++run)
            if (all.changes.contains(run)) out.changes.insert(i);
    }
    return out;
}

}  // namespace

std::string waterfall_svg(const query::Comparison& comparison) {
    const std::vector<Step> steps = steps_of(comparison);
    int64_t most = 1;
    for (const Step& each : steps)
        most = std::max({most, each.from, each.to});
    const double room = kWidth - kNames - kValues - 20;
    const auto at = [&](int64_t ns) {
        return kNames + room * static_cast<double>(ns) / static_cast<double>(most);
    };
    std::string chart;
    double y = kHeadHeight;
    for (const Step& each : steps) {
        const double left = at(std::min(each.from, each.to)), right = at(std::max(each.from, each.to));
        chart += fmt::format(
            "<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text><rect class=\"point {}\" "
            "x=\"{:.1f}\" "
            "y=\"{:.1f}\" width=\"{:.1f}\" height=\"16\"><title>{}: {}</title></rect><text x=\"{:.0f}\" "
            "y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
            kNames - 10, y + 12, html_escaped(each.name), each.style, left, y, std::max(1.0, right - left),
            html_escaped(each.name), html_escaped(each.value), kWidth - 14, y + 12, html_escaped(each.value));
        y += kRow;
    }
    return svg_picture(kWidth, y + 10, "From before to after, by what the time went to",
                       "means of an iteration; the steps add up to the difference", {chart});
}

std::string trend_svg(const query::Report& trend) {
    const Series series = series_of(trend);
    const Scale scale(series.values);
    const double left = 90, top = kHeadHeight, width = kWidth - left - 24, height = 220;
    const auto x = [&](size_t run) {
        const double last = static_cast<double>(std::max<size_t>(1, series.values.size() - 1));
        return left + width * static_cast<double>(run) / last;
    };
    const auto y = [&](int64_t ns) { return top + height * (1 - scale.part(ns)); };
    std::string chart, line, points;
    for (const double part : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        const auto ns = scale.from + static_cast<int64_t>(part * static_cast<double>(scale.to - scale.from));
        chart += fmt::format(
            "<path class=\"grid\" d=\"M{:.0f} {:.1f}H{:.0f}\"/><text class=\"tick\" x=\"{:.0f}\" "
            "y=\"{:.1f}\" "
            "text-anchor=\"end\">{}</text>\n",
            left, y(ns), left + width, left - 8, y(ns) + 4, time_text(ns));
    }
    for (size_t i = 0; i < series.values.size(); ++i) {
        line += fmt::format("{:.1f},{:.1f} ", x(i), y(series.values[i]));
        const bool change = series.changes.contains(i);
        if (change)
            chart += fmt::format(
                "<path class=\"line dashed s1\" d=\"M{0:.1f} {1:.0f}V{2:.0f}\"/>\n<text "
                "x=\"{0:.1f}\" y=\"{3:.0f}\" text-anchor=\"middle\">change at {4}</text>\n",
                x(i), top, top + height, top + height + 30, html_escaped(series.labels[i]));
        points += fmt::format(
            "<circle class=\"point {}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}: {}</title></circle>\n",
            change ? "s1" : "s0", x(i), y(series.values[i]), html_escaped(series.labels[i]),
            time_text(series.values[i]));
    }
    chart += fmt::format("<polyline class=\"line s0\" points=\"{}\"/>\n", line) + points;
    for (const size_t i : {size_t{0}, series.values.size() - 1})
        chart +=
            fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.0f}\" text-anchor=\"{}\">run {}</text>\n",
                        x(i), top + height + 16, i == 0 ? "start" : "end", i + 1);
    return svg_picture(kWidth, top + height + 44, "Iteration time by run",
                       scale.from > 0 ? "medians; the axis does not begin at zero" : "medians", {chart});
}

std::string trend_text(const query::Report& trend, int width) {
    constexpr size_t kLines = 8, kAxis = 14;
    const Series series =
        squeezed(series_of(trend), static_cast<size_t>(std::max(10, width - static_cast<int>(kAxis) - 2)));
    const Scale scale(series.values);
    std::vector<std::vector<std::string>> picture(kLines,
                                                  std::vector<std::string>(series.values.size(), " "));
    for (size_t i = 0; i < series.values.size(); ++i) {
        if (series.changes.contains(i))
            for (auto& line : picture)
                line[i] = "│";
        const auto up = static_cast<size_t>(scale.part(series.values[i]) * (kLines - 1) + 0.5);
        picture[kLines - 1 - std::min(up, kLines - 1)][i] = "●";
    }
    std::string out = "Iteration time by run (│: it changed)\n";
    for (size_t line = 0; line < kLines; ++line) {
        const double part = 1 - static_cast<double>(line) / (kLines - 1);
        const auto ns = scale.from + static_cast<int64_t>(part * static_cast<double>(scale.to - scale.from));
        std::string row;
        for (const std::string& each : picture[line])
            row += each;
        row.erase(row.find_last_not_of(' ') + 1);
        const std::string tick = line == 0 || line + 1 == kLines ? time_text(ns) : "";
        out += fmt::format("{:>{}} ┤{}\n", tick, kAxis - 2, row);
    }
    return out;
}

}  // namespace opsight::report
