#include "report/mapping_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/escape.h"
#include "report/render_mapping.h"
#include "report/svg_chart.h"

namespace opsight::report {
namespace {

using query::energy_words;

constexpr double kNestWidth = 560, kBarsLeft = 600, kBarsWidth = 500, kTop = 64, kLine = 18, kStep = 10;
constexpr size_t kSeries = 6, kLongestName = 26;

std::string shortened(const std::string& name) {
    return name.size() <= kLongestName ? name : name.substr(0, kLongestName - 3) + "...";
}

// A bar of a chart: parts of it, one for each data space, and what stands behind it.
struct Bar {
    std::string name, value;
    struct Part {
        size_t series = 0;
        double share = 0;  // of the longest bar
        std::string hover;
    };
    std::vector<Part> parts;
    double whole = 0;
};

std::vector<Bar> energy_bars(const query::MappingAnswer& answer) {
    const map::Evaluation& evaluation = answer.evaluation;
    const double all = evaluation.energy_pj;
    std::vector<Bar> bars;
    const auto add = [&](const std::string& name, double pj) -> Bar& {
        bars.push_back(
            {name, fmt::format("{} ({:.1f}%)", energy_words(pj), all > 0 ? 100 * pj / all : 0), {}, pj});
        return bars.back();
    };
    for (size_t i = evaluation.levels.size(); i-- > 0;) {
        if (answer.architecture.levels[i].dummy) continue;
        const map::LevelStats& level = evaluation.levels[i];
        Bar& bar = add(answer.architecture.levels[i].name, level.energy_pj());
        for (size_t space = 0; space < level.spaces.size(); ++space)
            if (level.spaces[space].kept)
                bar.parts.push_back({space, level.spaces[space].energy_pj,
                                     fmt::format("{} at {}: {}", answer.problem.spaces[space].name, bar.name,
                                                 energy_words(level.spaces[space].energy_pj))});
        if (level.leak_pj > 0)
            bar.parts.push_back({kSeries - 1, level.leak_pj,
                                 fmt::format("leakage of {}: {}", bar.name, energy_words(level.leak_pj))});
    }
    add(answer.architecture.compute.name, evaluation.compute_pj)
        .parts.push_back({kSeries - 2, evaluation.compute_pj,
                          fmt::format("computing: {}", energy_words(evaluation.compute_pj))});
    return bars;
}

std::vector<Bar> cycle_bars(const query::MappingAnswer& answer) {
    std::vector<Bar> bars;
    const auto add = [&](const std::string& name, int64_t cycles) {
        bars.push_back({name,
                        fmt::format("{} cycles", cycles),
                        {{0, static_cast<double>(cycles), fmt::format("{}: {} cycles", name, cycles)}},
                        static_cast<double>(cycles)});
    };
    for (size_t i = answer.evaluation.levels.size(); i-- > 0;)
        if (!answer.architecture.levels[i].dummy)
            add(answer.architecture.levels[i].name, answer.evaluation.levels[i].cycles);
    add(answer.architecture.compute.name, answer.evaluation.compute_cycles);
    return bars;
}

double longest(const std::vector<Bar>& bars) {
    double most = 0;
    for (const Bar& bar : bars)
        most = std::max(most, bar.whole);
    return most > 0 ? most : 1;
}

// Boxes, the outermost level around all others.
class NestPicture {
  public:
    explicit NestPicture(const query::MappingAnswer& answer) : answer_(answer) {}

    std::string draw() {
        lines_below_.resize(answer_.mapping.levels.size() + 1, 1);
        for (size_t i = 0; i < answer_.mapping.levels.size(); ++i)
            lines_below_[i + 1] = lines_below_[i] + lines_of(i);
        std::string out;
        double y = kTop, x = 14;
        for (size_t i = answer_.mapping.levels.size(); i-- > 0;) {
            if (lines_of(i) == 0) continue;
            const double height = static_cast<double>(lines_below_[i + 1]) * kLine + kStep * boxes_inside(i);
            out += fmt::format(
                "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\" "
                "fill=\"var(--s{})\" fill-opacity=\".10\" stroke=\"var(--s{})\"/>\n",
                x, y, kNestWidth - 2 * (x - 14), height, i % kSeries, i % kSeries);
            if (!answer_.architecture.levels[i].dummy) out += line(x, y, head_of(i), "title");
            const std::vector<map::Loop>& loops = answer_.mapping.levels[i].loops;
            for (size_t j = loops.size(); j-- > 0;)
                if (loops[j].count > 1) out += line(x + 12, y, loop_text(loops[j]), "");
            x += kStep;
            y += kStep * 0.5;
        }
        out += line(x, y, compute_text(), "title");
        height_ = y + kStep;
        return out;
    }

    double bottom() const { return height_ + kStep * static_cast<double>(answer_.mapping.levels.size()); }

  private:
    size_t lines_of(size_t level) const {
        const std::vector<map::Loop>& loops = answer_.mapping.levels[level].loops;
        const auto count = static_cast<size_t>(
            std::count_if(loops.begin(), loops.end(), [](const map::Loop& loop) { return loop.count > 1; }));
        return count + (answer_.architecture.levels[level].dummy ? 0 : 1);
    }
    double boxes_inside(size_t level) const {
        double boxes = 1;
        for (size_t i = 0; i < level; ++i)
            boxes += lines_of(i) > 0 ? 1 : 0;
        return boxes;
    }

    static std::string line(double x, double& y, const std::string& words, std::string_view style) {
        y += kLine;
        return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", style, x + 8, y - 4,
                           html_escaped(words));
    }

    std::string head_of(size_t level) const {
        std::string kept;
        for (size_t space = 0; space < answer_.problem.spaces.size(); ++space)
            if (answer_.mapping.levels[level].keeps(space))
                kept += fmt::format("{}{} {}", kept.empty() ? "" : ", ", answer_.problem.spaces[space].name,
                                    answer_.evaluation.levels[level].spaces[space].tile);
        const map::Level& given = answer_.architecture.levels[level];
        const std::string room =
            given.capacity ? fmt::format(", of {} words", *given.capacity) : std::string();
        return fmt::format("{} ({}{})", shortened(given.name), kept.empty() ? "keeps nothing" : kept, room);
    }

    std::string loop_text(const map::Loop& loop) const {
        const std::string& name = answer_.problem.dimensions[loop.dimension].name;
        if (loop.across == map::Across::kTime) return fmt::format("for {} in 0..{}", name, loop.count - 1);
        return fmt::format("across {}: {} in 0..{}", loop.across == map::Across::kX ? "X" : "Y", name,
                           loop.count - 1);
    }

    std::string compute_text() const {
        return fmt::format("{}: {} of {} units, {:.1f}% used", shortened(answer_.architecture.compute.name),
                           answer_.evaluation.compute_instances,
                           answer_.architecture.compute.mesh.instances(),
                           100 * answer_.evaluation.utilization);
    }

    const query::MappingAnswer& answer_;
    std::vector<size_t> lines_below_;
    double height_ = 0;
};

// A chart of bars from `y` on, which it moves below itself.
std::string bars_chart(const std::string& title, const std::vector<Bar>& bars, double& y) {
    constexpr double kName = 150, kValue = 140, kBar = 20;
    std::string out = fmt::format("<text class=\"title\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", kBarsLeft,
                                  y + 12, html_escaped(title));
    y += 24;
    const double scale = (kBarsWidth - kName - kValue) / longest(bars);
    for (const Bar& bar : bars) {
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", kBarsLeft, y + 14,
                           html_escaped(shortened(bar.name)));
        double x = kBarsLeft + kName;
        for (const Bar::Part& part : bar.parts) {
            const double width = part.share * scale;
            out += fmt::format(
                "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                "fill=\"var(--s{})\"><title>{}</title></rect>\n",
                x, y + 2, width, kBar - 4, part.series % kSeries, html_escaped(part.hover));
            x += width;
        }
        out += fmt::format("<text class=\"note\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 6, y + 14,
                           html_escaped(bar.value));
        y += kBar;
    }
    y += 18;
    return out;
}

std::string legend(const query::MappingAnswer& answer, bool leaks, double& y) {
    std::string out;
    double x = kBarsLeft;
    const auto add = [&](size_t series, const std::string& name) {
        out += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"10\" height=\"10\" fill=\"var(--s{})\"/>"
            "<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
            x, y, series, x + 14, y + 9, html_escaped(shortened(name)));
        x += 34 + 6.2 * static_cast<double>(std::min(name.size(), kLongestName));
    };
    for (size_t space = 0; space < answer.problem.spaces.size() && space < kSeries - 2; ++space)
        add(space, answer.problem.spaces[space].name);
    add(kSeries - 2, "computing");
    if (leaks) add(kSeries - 1, "leakage");
    y += 26;
    return out;
}

}  // namespace

std::string render_mapping_picture(const query::MappingAnswer& answer) {
    NestPicture nest(answer);
    const std::string boxes = nest.draw();
    const auto& levels = answer.evaluation.levels;
    const bool leaks =
        std::any_of(levels.begin(), levels.end(), [](const auto& level) { return level.leak_pj > 0; });
    double y = kTop;
    std::string bars = bars_chart("Energy by level and data space", energy_bars(answer), y);
    bars += legend(answer, leaks, y);
    bars += bars_chart("Cycles that each level needs", cycle_bars(answer), y);
    const map::Evaluation& evaluation = answer.evaluation;
    const std::string note = fmt::format(
        "{} cycles, {:.1f}% of the units used, {}, {:.4g} J*cycles; tiles in words", evaluation.cycles,
        100 * evaluation.utilization, energy_words(evaluation.energy_pj), evaluation.edp());
    return svg_picture(
        1120, std::max(nest.bottom(), y) + 14 + kFootnote,
        fmt::format("{} on {} x {}", answer.problem.name, answer.architecture.compute.mesh.instances(),
                    answer.architecture.compute.name),
        note,
        {boxes, bars, svg_footnote(std::max(nest.bottom(), y) + 4, 1120, energy_line(answer.architecture))});
}

std::string render_mapping_bars(const query::MappingAnswer& answer) {
    constexpr double kLongest = 40;
    std::string out;
    for (const bool cycles : {false, true}) {
        const std::vector<Bar> bars = cycles ? cycle_bars(answer) : energy_bars(answer);
        size_t names = 0;
        for (const Bar& bar : bars)
            names = std::max(names, shortened(bar.name).size());
        out += cycles ? "Cycles by level\n" : "Energy by level\n";
        const double most = longest(bars);
        for (const Bar& bar : bars) {
            // Whatever there is has a mark.
            const auto length = static_cast<size_t>(bar.whole / most * kLongest + 0.5);
            const std::string marks(bar.whole > 0 ? std::max<size_t>(length, 1) : 0, '#');
            out += fmt::format("  {:<{}}  {:<40}  {}\n", shortened(bar.name), names, marks, bar.value);
        }
    }
    return out;
}

}  // namespace opsight::report
