#include "report/render_cloud.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/json_parts.h"
#include "report/render.h"
#include "report/render_mapping.h"
#include "report/svg_chart.h"

namespace opsight::report {
namespace {

using query::energy_words;

constexpr std::string_view kNotAll =
    "What was not drawn may cost less, and may have fewer accesses: see --search.";

std::string times(double more, double less) {
    return less > 0 ? fmt::format("{:.3g} times", more / less) : "-";
}

std::string drawn_text(const map::Cloud& cloud) {
    return fmt::format(
        "{} drawn at random of {:.3g}, and {} with the outermost loops of the one with the fewest "
        "accesses: {} different ones fit, {} do not fit, {} were drawn again{}",
        cloud.tried - cloud.tried_near, cloud.space, cloud.tried_near, cloud.points.size(), cloud.unfit,
        cloud.again, cloud.stopped ? "; stopped before its end" : "");
}

std::string least_text(const map::Cloud::Least& least) {
    return fmt::format("{} words in {} mapping{}; their energy is {} to {}, {}", least.accesses,
                       least.mappings, least.mappings == 1 ? "" : "s", energy_words(least.least_pj),
                       energy_words(least.most_pj), times(least.most_pj, least.least_pj));
}

std::string nest_of(const char* title, const query::MappingAnswer& mapping) {
    return fmt::format("\n{}: {}, {} cycles\n{}", title, energy_words(mapping.evaluation.energy_pj),
                       mapping.evaluation.cycles,
                       map::loop_nest(mapping.mapping, mapping.architecture, mapping.problem));
}

void put_mapping(JsonWriter& json, const char* name, uint64_t draw, const query::MappingAnswer& mapping) {
    json.object(name, [&] {
        json.field("draw", static_cast<int64_t>(draw));
        json.field("energy_pj", mapping.evaluation.energy_pj).field("cycles", mapping.evaluation.cycles);
        json.field("utilization", mapping.evaluation.utilization);
        json.field("loop_nest", map::loop_nest(mapping.mapping, mapping.architecture, mapping.problem));
    });
}

// A mapping with all that its page shows of it.
void put_told(JsonWriter& json, const query::ToldDraw& told) {
    const query::MappingAnswer& mapping = told.mapping;
    json.object([&] {
        json.field("draw", static_cast<int64_t>(told.draw));
        json.field("energy_pj", mapping.evaluation.energy_pj).field("cycles", mapping.evaluation.cycles);
        json.field("utilization", mapping.evaluation.utilization);
        put_rows(json.key("levels"), query::mapping_levels(mapping));
        json.field("loop_nest", map::loop_nest(mapping.mapping, mapping.architecture, mapping.problem));
    });
}

std::string energy_text(const map::Cloud& cloud) {
    return fmt::format("{} to {}, {}", energy_words(cloud.best().energy_pj), energy_words(cloud.most_pj()),
                       times(cloud.most_pj(), cloud.best().energy_pj));
}

// What the text says before its tables and after them, a sentence each.
std::vector<std::string> sentences(const query::CloudAnswer& answer) {
    std::vector<std::string> all = {"mappings: " + drawn_text(answer.cloud),
                                    "energy: " + energy_text(answer.cloud),
                                    fmt::format("fewest accesses of {} of those drawn: {}", answer.outer(),
                                                least_text(answer.cloud.least_accesses())),
                                    std::string(kNotAll)};
    if (std::string line = energy_line(answer.architecture); !line.empty()) all.push_back(std::move(line));
    return all;
}

// Points in squares of the picture: a dot for each square, the larger the more of them.
struct Square {
    const map::CloudPoint* first = nullptr;
    int64_t count = 0;
};

class Picture {
  public:
    explicit Picture(const query::CloudAnswer& answer)
        : answer_(answer), least_(answer.cloud.least_accesses()) {}

    std::string chart() {
        range();
        SvgChart chart(8, 52, kWidth, kHeight, x_, y_);
        dots(chart, false, "s0");
        dots(chart, true, "s1");
        front(chart);
        return chart.finish(
            fmt::format("Blue: mappings, the larger the more. Brown: fewest accesses of {} of those drawn. "
                        "Green: Pareto front",
                        answer_.outer()));
    }

    static constexpr double kWidth = 1104, kHeight = 560;

  private:
    void range() {
        double least_x = 1e300, most_x = 0, least_y = 1e300, most_y = 0;
        for (const map::CloudPoint& point : answer_.cloud.points) {
            const auto cycles = static_cast<double>(point.cycles);
            least_x = std::min(least_x, cycles);
            most_x = std::max(most_x, cycles);
            least_y = std::min(least_y, point.energy_pj);
            most_y = std::max(most_y, point.energy_pj);
        }
        least_y = std::max(least_y, 1e-3);
        x_ = {.title = "cycles",
              .from = decade_below(least_x),
              .to = decade_above(most_x * (1 + 1e-9)),
              .prefixes = true};
        y_ = {.title = "energy (pJ)",
              .from = decade_below(least_y),
              .to = decade_above(std::max(most_y, least_y) * (1 + 1e-9)),
              .prefixes = true};
    }

    std::pair<int, int> square_of(const map::CloudPoint& point) const {
        constexpr double kAcross = 240, kUp = 120;
        const auto part = [](double value, const ChartAxis& axis) {
            return std::log(std::max(value, axis.from) / axis.from) / std::log(axis.to / axis.from);
        };
        return {static_cast<int>(part(static_cast<double>(point.cycles), x_) * kAcross),
                static_cast<int>(part(point.energy_pj, y_) * kUp)};
    }

    void dots(SvgChart& chart, bool fewest, std::string_view style) const {
        std::map<std::pair<int, int>, Square> squares;
        for (const map::CloudPoint& point : answer_.cloud.points) {
            if ((point.outer_accesses == least_.accesses) != fewest) continue;
            Square& square = squares[square_of(point)];
            if (square.count++ == 0) square.first = &point;
        }
        for (const auto& [place, square] : squares)
            chart.point(
                static_cast<double>(square.first->cycles), square.first->energy_pj,
                std::min(1.0 + 0.5 * std::log10(static_cast<double>(square.count)), 4.0) + (fewest ? 1 : 0),
                style,
                fmt::format("{} mapping{}; draw {}: {}, {} cycles, {} words at {}", square.count,
                            square.count == 1 ? "" : "s", square.first->draw,
                            energy_words(square.first->energy_pj), square.first->cycles,
                            square.first->outer_accesses, answer_.outer()));
    }

    void front(SvgChart& chart) const {
        const std::vector<const map::CloudPoint*> front = answer_.front();
        std::vector<double> steps;
        for (size_t i = 0; i < front.size(); ++i) {
            const auto cycles = static_cast<double>(front[i]->cycles);
            if (i > 0) steps.insert(steps.end(), {cycles, front[i - 1]->energy_pj});
            steps.insert(steps.end(), {cycles, front[i]->energy_pj});
        }
        if (front.size() > 1) chart.line(steps, "s2", "Pareto front");
        for (const map::CloudPoint* point : front)
            chart.point(static_cast<double>(point->cycles), point->energy_pj, 4, "s2",
                        fmt::format("Pareto front, draw {}: {}, {} cycles", point->draw,
                                    energy_words(point->energy_pj), point->cycles));
    }

    const query::CloudAnswer& answer_;
    map::Cloud::Least least_;
    ChartAxis x_, y_;
};

}  // namespace

std::string render_cloud_text(const query::CloudAnswer& answer, int width) {
    const map::Cloud& cloud = answer.cloud;
    const map::Cloud::Least least = cloud.least_accesses();
    std::string text = wrapped(fmt::format("Mappings     {}", drawn_text(cloud)), width);
    text += fmt::format("Energy       {}\n", energy_text(cloud));
    text += wrapped(
        fmt::format("Fewest accesses of {} of those drawn: {}", answer.outer(), least_text(least)), width);
    text += "\n" + render_table(query::cloud_best(answer), width);
    text += "\n" + render_table(query::cloud_front(answer), width);
    text += nest_of("Least energy of all", answer.best);
    text +=
        nest_of(fmt::format("Least energy of those with the fewest accesses of {}", answer.outer()).c_str(),
                answer.frugal);
    if (least.mappings > 1)
        text += nest_of(
            fmt::format("Most energy of those with the fewest accesses of {}", answer.outer()).c_str(),
            answer.wasteful);
    text += "\n" + std::string(kNotAll) + "\n";
    const std::string note = energy_note(answer.architecture);
    return note.empty() ? text : text + note;
}

std::string render_cloud_json(const query::CloudAnswer& answer, size_t most) {
    const map::Cloud& cloud = answer.cloud;
    const map::Cloud::Least least = cloud.least_accesses();
    JsonWriter json(2);
    json.object([&] {
        json.field(query::kCloudMark, query::kCloudFormat);
        json.field("problem", answer.problem.name);
        json.field("tried", cloud.tried)
            .field("tried_near", cloud.tried_near)
            .field("again", cloud.again)
            .field("unfit", cloud.unfit);
        json.field("mappings", static_cast<int64_t>(cloud.points.size()));
        json.field("space", cloud.space).field("stopped", cloud.stopped);
        json.field("seed", static_cast<int64_t>(answer.seed));
        json.field("least_energy_pj", cloud.best().energy_pj).field("most_energy_pj", cloud.most_pj());
        json.object("fewest_outer_accesses", [&] {
            json.field("level", answer.outer()).field("accesses", least.accesses);
            json.field("of", "the mappings that were drawn");
            json.field("mappings", least.mappings);
            json.field("least_energy_pj", least.least_pj).field("most_energy_pj", least.most_pj);
        });
        put_mapping(json, "least_energy", cloud.best().draw, answer.best);
        put_mapping(json, "fewest_accesses_least_energy", least.least_draw, answer.frugal);
        put_mapping(json, "fewest_accesses_most_energy", least.most_draw, answer.wasteful);
        json.field("note", kNotAll);
        put_energy_sources(json, answer.architecture);
        json.field("notes", sentences(answer));
        put_rows(json.key("best"), query::cloud_best(answer));
        put_rows(json.key("front"), query::cloud_front(answer));
        put_rows(json.key("points"), query::cloud_points(answer, most));
        json.list("told", [&] {
            for (const query::ToldDraw& told : answer.told)
                put_told(json, told);
        });
    });
    return json.take() + "\n";
}

std::string render_cloud_picture(const query::CloudAnswer& answer) {
    const map::Cloud::Least least = answer.cloud.least_accesses();
    const std::string title =
        fmt::format("{} mappings of {}", answer.cloud.points.size(), answer.problem.name);
    const std::string note = fmt::format(
        "energy from {} to {}, {}; fewest accesses of {} of those drawn: {} "
        "mappings, their energy differs {}; what was not drawn may be better",
        energy_words(answer.cloud.best().energy_pj), energy_words(answer.cloud.most_pj()),
        times(answer.cloud.most_pj(), answer.cloud.best().energy_pj), answer.outer(), least.mappings,
        times(least.most_pj, least.least_pj));
    return svg_picture(Picture::kWidth + 16, Picture::kHeight + 60 + kFootnote, title, note,
                       {Picture(answer).chart(), svg_footnote(Picture::kHeight + 56, Picture::kWidth,
                                                              energy_line(answer.architecture))});
}

}  // namespace opsight::report
