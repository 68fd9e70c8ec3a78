// A sweep: its tables as `opsight sweep` shows them, and which profile each point was recorded in.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

#include "query/sweep/sweep_folder.h"
#include "query/sweep/tables.h"
#include "report/render_page.h"
#include "server/collections.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostRowsOfPart = 1000;  // of ops, layers and kernels: the page has them all at once

// A limit, above 0; none where it is not given.
Expected<std::optional<double>> limit_of(const Call& call, std::string_view name) {
    const std::string given = call.text(name);
    if (given.empty()) return std::optional<double>();
    double value = 0;
    const char* end = given.data() + given.size();
    const auto read = std::from_chars(given.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end || !(value > 0) || !std::isfinite(value))
        return fail(Problem(400, "bad_request", fmt::format("'{}' is not a value for {}", given, name),
                            "give a number above 0"));
    return std::optional<double>(value);
}

Expected<query::SweepOptions> sweep_options(const Call& call) {
    query::SweepOptions options;
    options.x = call.text("x");
    options.items = call.text("items");
    options.work = call.text("work");
    OPSIGHT_ASSIGN(options.most_latency_ns, limit_of(call, "max_latency_ns"));
    OPSIGHT_ASSIGN(options.most_memory_bytes, limit_of(call, "max_memory_bytes"));
    return options;
}

// Curves can be over a parameter of numbers alone.
bool all_numbers_in(const std::vector<std::string>& values) {
    return std::all_of(values.begin(), values.end(),
                       [](const std::string& each) { return query::plan::number_of(each).has_value(); });
}

// The names of profiles by where they really lie.
std::map<std::string, std::string> names_by_place(const Profiles& profiles) {
    std::map<std::string, std::string> names;
    std::error_code problem;
    for (size_t i = 0; i < profiles.size(); ++i)
        if (const fs::path real = fs::canonical(profiles.path(i), problem); !problem)
            names.emplace(real.string(), profiles.name(i));
    return names;
}

void put_runs(JsonWriter& json, const query::SweepFolder& folder, const query::PointOfSweep& point,
              const std::map<std::string, std::string>& names) {
    json.list("profiles", [&] {
        for (const query::RunOfSweep& run : point.runs) {
            if (run.bare || !run.recorded) continue;
            std::error_code problem;
            const fs::path real = fs::canonical(folder.source_of(point, run.repeat), problem);
            const auto found = problem ? names.end() : names.find(real.string());
            if (found == names.end()) continue;
            json.object([&] { json.field("run", run.repeat).field("profile", found->second); });
        }
    });
}

// A point for each row of the table of points, in its order.
void put_points(JsonWriter& json, const query::SweepFolder& folder, const query::SweepSummary& summary,
                const Profiles& profiles) {
    const std::map<std::string, std::string> names = names_by_place(profiles);
    json.list("points", [&] {
        for (const query::PointSummary& point : summary.points)
            json.object([&] {
                json.field("name", point.point->name).field("x", point.x).field("work", point.work);
                json.field("series", point.series < summary.series.size() ? summary.series[point.series].name
                                                                          : std::string());
                put_runs(json, folder, *point.point, names);
            });
    });
}

Expected<Response> sweep(Call& call) {
    if (!call.collections()) return fail(Problem(404, "not_found", "there are no sweeps here"));
    OPSIGHT_ASSIGN(const query::SweepOptions options, sweep_options(call));
    OPSIGHT_ASSIGN(const std::unique_ptr<Collections::Question> question, call.collections()->sweep(call));
    const auto not_shown = [&](const Error& error) {
        return fail(Collections::not_shown(question->about(), error));
    };
    const auto folder = query::SweepFolder::open(question->about().address);
    if (!folder) return not_shown(folder.error());
    const auto measured = folder->read(!call.profiles().read_only(), question->asker().get());
    if (!measured) return not_shown(measured.error());
    const auto summary = query::summarize(*measured, options);
    if (!summary) return fail(Problem(400, "bad_request", summary.error().what, summary.error().remedy));
    query::TableShape shape;
    shape.limit = kMostRowsOfPart;
    const auto report = query::sweep_report(*measured, options, shape);
    if (!report) return not_shown(report.error());
    const query::Range whole;  // a sweep has no iterations to choose from
    return json_object([&](JsonWriter& json) {
        json.field("notes", report->notes);
        json.list("parameters", [&] {
            for (const auto& each : measured->parameters)
                if (all_numbers_in(each.values)) json.value(each.name);
        });
        json.field("x", summary->x_name).field("work", summary->work_name);
        json.field("items", summary->items_name);
        put_points(json, *folder, *summary, call.profiles());
        json.list("tables", [&] {
            for (const query::Section& section : report->sections)
                report::put_page(json, section.table, whole);
        });
    });
}

}  // namespace

std::vector<Route> sweep_routes() {
    return {{"GET",
             "/api/v1/sweeps/{sweep}",
             sweep,
             {"x", "items", "work", "max_latency_ns", "max_memory_bytes"}}};
}

}  // namespace opsight::server
