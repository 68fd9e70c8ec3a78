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

query::SweepOptions asked_curves(const Call& call) {
    query::SweepOptions options;
    options.x = call.text("x");
    options.items = call.text("items");
    options.work = call.text("work");
    return options;
}

Expected<query::SweepOptions> sweep_options(const Call& call) {
    query::SweepOptions options = asked_curves(call);
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

void put_tables(JsonWriter& json, const query::Report& report) {
    const query::Range whole;  // a sweep has no iterations to choose from
    json.list("tables", [&] {
        for (const query::Section& section : report.sections)
            if (!section.table.rows.empty()) report::put_page(json, section.table, whole);
    });
}

struct Opened {
    query::SweepFolder folder;
    query::Sweep sweep;
};

Expected<Opened> open_sweep(Call& call, const Collections::Question& question) {
    const auto not_shown = [&](const Error& error) {
        return fail(Collections::not_shown(question.about(), error));
    };
    auto folder = query::SweepFolder::open(question.about().address);
    if (!folder) return not_shown(folder.error());
    auto sweep = folder->read(!call.profiles().read_only(), question.asker().get());
    if (!sweep) return not_shown(sweep.error());
    sweep->label = question.about().name;
    return Opened{std::move(*folder), std::move(*sweep)};
}

Expected<Response> sweep(Call& call) {
    if (!call.collections()) return fail(Problem(404, "not_found", "there are no sweeps here"));
    OPSIGHT_ASSIGN(query::SweepOptions options, sweep_options(call));
    OPSIGHT_ASSIGN(const std::unique_ptr<Collections::Question> question, call.collections()->sweep(call));
    OPSIGHT_ASSIGN(const Opened opened, open_sweep(call, *question));
    options.predicted = opened.sweep.prediction;
    const auto summary = query::summarize(opened.sweep, options);
    if (!summary) return fail(Problem(400, "bad_request", summary.error().what, summary.error().remedy));
    query::TableShape shape;
    shape.limit = kMostRowsOfPart;
    const auto report = query::sweep_report(opened.sweep, options, shape);
    if (!report) return fail(Collections::not_shown(question->about(), report.error()));
    return json_object([&](JsonWriter& json) {
        json.field("notes", report->notes);
        json.list("parameters", [&] {
            for (const auto& each : opened.sweep.parameters)
                if (all_numbers_in(each.values)) json.value(each.name);
        });
        json.field("x", summary->x_name).field("work", summary->work_name);
        json.field("items", summary->items_name);
        put_points(json, opened.folder, *summary, call.profiles());
        put_tables(json, *report);
    });
}

Expected<Response> sweep_changes(Call& call) {
    if (!call.collections()) return fail(Problem(404, "not_found", "there are no sweeps here"));
    if (call.text("base").empty())
        return fail(Problem(400, "bad_request", "no sweep to compare with was named", "give base=NUMBER"));
    query::Sweep base;
    {  // one turn after the other
        OPSIGHT_ASSIGN(const std::unique_ptr<Collections::Question> question,
                       call.collections()->sweep(call.text("base"), call.request().cancellation));
        OPSIGHT_ASSIGN(Opened opened, open_sweep(call, *question));
        base = std::move(opened.sweep);
    }
    OPSIGHT_ASSIGN(const std::unique_ptr<Collections::Question> question, call.collections()->sweep(call));
    OPSIGHT_ASSIGN(const Opened next, open_sweep(call, *question));
    const auto report = query::compare_sweeps(base, next.sweep, asked_curves(call));
    if (!report) {
        const Error& error = report.error();
        const std::string whose = error.file.empty() ? "" : error.file + ": ";
        return fail(Problem(400, "bad_request", whose + error.what, error.remedy));
    }
    return json_object([&](JsonWriter& json) {
        json.field("base", base.label).field("notes", report->notes);
        put_tables(json, *report);
    });
}

}  // namespace

std::vector<Route> sweep_routes() {
    return {{"GET",
             "/api/v1/sweeps/{sweep}",
             sweep,
             {"x", "items", "work", "max_latency_ns", "max_memory_bytes"}},
            {"GET", "/api/v1/sweeps/{sweep}/changes", sweep_changes, {"base", "x", "items", "work"}}};
}

}  // namespace opsight::server
