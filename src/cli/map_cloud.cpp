#include "cli/map_cloud.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/model_sizes.h"
#include "report/render_cloud.h"
#include "report/write_rows.h"

namespace opsight::cli {
namespace {

Result<query::MappingAnswer> answer_for(const query::CloudAnswer& cloud, const map::Constraints& constraints,
                                        uint64_t draw) {
    query::MappingAnswer answer;
    answer.problem = cloud.problem;
    answer.architecture = cloud.architecture;
    OPSIGHT_ASSIGN(answer.mapping,
                   map::mapping_of(cloud.problem, cloud.architecture, constraints, cloud.seed, draw));
    OPSIGHT_ASSIGN(answer.evaluation, map::evaluate(cloud.problem, cloud.architecture, answer.mapping));
    return answer;
}

// The mappings that are told in full, and the bound.
Status tell(query::CloudAnswer& answer, const map::Constraints& constraints) {
    std::vector<uint64_t> draws;
    for (const map::CloudPoint* point : answer.front())
        draws.push_back(point->draw);
    const map::Cloud::Least least = answer.cloud.least_accesses();
    for (const uint64_t draw : {least.least_draw, least.most_draw})
        if (std::find(draws.begin(), draws.end(), draw) == draws.end()) draws.push_back(draw);
    for (const uint64_t draw : draws) {
        OPSIGHT_ASSIGN(query::MappingAnswer mapping, answer_for(answer, constraints, draw));
        answer.told.push_back({draw, std::move(mapping)});
    }
    OPSIGHT_ASSIGN(answer.least, map::least_of_any_mapping(answer.problem, answer.architecture, constraints));
    return {};
}

}  // namespace

void CloudOptions::declare(CLI::App& command) {
    command
        .add_option(
            "--cloud", tries_,
            "Draw so many mappings at random under the files' constraints: their energy and cycles, the "
            "Pareto front, and those with the fewest accesses of the outermost memory")
        ->check(CLI::Range(1, 100'000'000))  // a draw's number has 27 bits
        ->excludes("--mapping")
        ->excludes("--search");
    command
        .add_option(
            "--near", near_,
            "Then draw so many more whose loops at the outermost memory are those of the one with the fewest "
            "accesses of it (default: as many as --cloud; 0: none)")
        ->check(CLI::Range(0, 100'000'000))
        ->needs("--cloud");
    command
        .add_option("--draw", draw_,
                    "The mapping that --cloud drew under this number (column Draw), for this --seed")
        ->excludes("--mapping")
        ->excludes("--search")
        ->excludes("--cloud");
    command
        .add_option("--points", points_,
                    "Mappings that --cloud gives in csv and json at most (default: 20000)")
        ->check(CLI::Range(1, 10'000'000));
}

Result<std::string> CloudOptions::text_of(importer::timeloop::Specification given, const CloudRun& run,
                                          const std::string& name, report::Format format) const {
    query::CloudAnswer answer;
    answer.problem = std::move(given.problem);
    answer.architecture = std::move(given.architecture);
    answer.seed = run.seed;
    map::CloudSettings settings{.tries = tries_,
                                .near_least = near_ < 0 ? tries_ : near_,
                                .seed = run.seed,
                                .threads = run.threads,
                                .stop = run.stop,
                                .progress = {}};
    const bool shown = isatty(STDERR_FILENO) == 1;
    if (shown)
        settings.progress = [](double share) {
            fmt::print(stderr, "\r\033[Kopsight: {:.0f}% of the mappings (Ctrl-C: keep these)", 100 * share);
        };
    Result<map::Cloud> cloud =
        map::draw_cloud(answer.problem, answer.architecture, given.constraints, settings);
    if (shown) fmt::print(stderr, "\r\033[K");
    if (!cloud) return fail(given.located(cloud.error()));
    answer.cloud = *std::move(cloud);
    const map::Cloud::Least least = answer.cloud.least_accesses();
    OPSIGHT_ASSIGN(answer.best, answer_for(answer, given.constraints, answer.cloud.best().draw));
    OPSIGHT_ASSIGN(answer.frugal, answer_for(answer, given.constraints, least.least_draw));
    OPSIGHT_ASSIGN(answer.wasteful, answer_for(answer, given.constraints, least.most_draw));
    OPSIGHT_TRY(tell(answer, given.constraints));
    if (name == "svg") return report::render_cloud_picture(answer);
    if (format == report::Format::kCsv) return report::render_csv(query::cloud_points(answer, points_));
    if (format == report::Format::kJson) return report::render_cloud_json(answer, points_);
    return report::render_cloud_text(answer, report::terminal_width());
}

Result<query::MappingAnswer> CloudOptions::one_draw(importer::timeloop::Specification given,
                                                    const CloudRun& run) const {
    query::CloudAnswer cloud;
    cloud.problem = std::move(given.problem);
    cloud.architecture = std::move(given.architecture);
    cloud.seed = run.seed;
    return answer_for(cloud, given.constraints, *draw_);
}

Result<importer::timeloop::TemplateValues> template_values(const std::vector<std::string>& given) {
    importer::timeloop::TemplateValues values;
    for (const std::string& each : given) {
        const size_t sign = each.find('=');
        if (sign == std::string::npos || sign == 0)
            return fail(
                usage(fmt::format("--set {}: NAME=VALUE was expected", each), "as in --set width=16"));
        values[each.substr(0, sign)] = each.substr(sign + 1);
    }
    return values;
}

}  // namespace opsight::cli
