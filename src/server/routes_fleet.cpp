// Stores of runs: reports over the runs that a label or an id chooses, and which runs have their profile
// here.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "fleet/facts/facts.h"
#include "fleet/questions/comparing.h"
#include "fleet/questions/reports.h"
#include "report/render_page.h"
#include "server/collections.h"
#include "server/facts.h"
#include "server/profiles.h"
#include "server/router.h"

namespace opsight::server {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostRowsOfReport = 2000;  // the page has them all at once
constexpr size_t kMostProfiles = 500;        // each is opened

using OpenStore = std::unique_ptr<Collections::OpenStore>;

// A file of a store as it is called within it: whoever looks at the page need not know where that is.
std::string name_within(const fleet::Store& store, const std::string& file) {
    std::error_code problem;
    const fs::path root = fs::canonical(store.name(), problem);
    const fs::path within = problem ? fs::path() : fs::path(file).lexically_relative(root);
    const bool inside = !within.empty() && *within.begin() != "..";
    return inside ? within.string() : fs::path(file).filename().string();
}

// What a store cannot tell is said of it, and of its file; a choice that fits nothing is not found.
Problem told_by(const fleet::Store& store, const Error& error) {
    if (error.code == ErrorCode::kNotFound && error.file == store.name())
        return {404, "not_found", error.what, "choose other labels or runs"};
    Problem problem(error);
    problem.status = kNotUsable;
    if (!error.file.empty() && error.file != store.name())
        problem.message = name_within(store, error.file) + ": " + error.what;
    return problem;
}

Expected<fleet::Chosen> chosen_by(const Result<fleet::Choice>& choice, fleet::Store& store) {
    if (!choice) return fail(Problem(400, "bad_request", choice.error().what, choice.error().remedy));
    Result<fleet::Chosen> chosen = fleet::choose(store, *choice);
    if (!chosen) return fail(told_by(store, chosen.error()));
    return std::move(*chosen);
}

Expected<fleet::Chosen> chosen_of(const Call& call, fleet::Store& store) {
    return chosen_by(fleet::choice_of(call.all("run"), call.all("label")), store);
}

// A side of a comparison; one that is not told is not all runs: it would be compared with parts of itself.
Expected<fleet::Chosen> side_of(const Call& call, std::string_view name, fleet::Store& store) {
    const std::vector<std::string> words = call.all(name);
    if (words.empty())
        return fail(Problem(400, "bad_request", fmt::format("'{}' is not given", name),
                            "give labels (NAME=VALUE) or runs of both sides: base and new"));
    return chosen_by(fleet::choice_of_words(words), store);
}

Expected<OpenStore> store_of(const Call& call) {
    if (!call.collections()) return fail(Problem(404, "not_found", "there are no stores here"));
    return call.collections()->store(call);
}

Response answer_of(const query::Report& report) {
    const query::Range whole;  // a store has no iterations to choose from
    return json_object([&](JsonWriter& json) {
        json.field("notes", report.notes);
        json.list("tables", [&] {
            for (const query::Section& section : report.sections)
                report::put_page(json, section.table, whole);
        });
    });
}

Expected<Response> fleet_report(Call& call) {
    const std::string& name = call.path("report");
    if (!fleet::report_family().has(name)) {
        const Error unknown = fleet::report_family().no_such(name);
        return fail(Problem(404, "not_found", unknown.what, unknown.remedy));
    }
    OPSIGHT_ASSIGN(const OpenStore store, store_of(call));
    OPSIGHT_ASSIGN(const fleet::Chosen chosen, chosen_of(call, **store));
    const auto report =
        fleet::make_report(**store, name, chosen, {call.text("by"), kMostRowsOfReport, false});
    if (!report) return fail(told_by(**store, report.error()));
    return answer_of(*report);
}

Expected<Response> fleet_trend(Call& call) {
    OPSIGHT_ASSIGN(const OpenStore store, store_of(call));
    OPSIGHT_ASSIGN(const fleet::Chosen chosen, chosen_of(call, **store));
    const auto report = fleet::trend_report(**store, chosen);
    if (!report) return fail(told_by(**store, report.error()));
    return answer_of(*report);
}

Expected<Response> fleet_compare(Call& call) {
    OPSIGHT_ASSIGN(const OpenStore store, store_of(call));
    OPSIGHT_ASSIGN(const fleet::Chosen base, side_of(call, "base", **store));
    OPSIGHT_ASSIGN(const fleet::Chosen next, side_of(call, "new", **store));
    const auto report = fleet::compare_report(**store, base, next, kMostRowsOfReport);
    if (!report) return fail(told_by(**store, report.error()));
    return answer_of(*report);
}

Expected<Response> labels_of_runs(Call& call) {
    OPSIGHT_ASSIGN(const OpenStore store, store_of(call));
    OPSIGHT_ASSIGN(const fleet::Chosen chosen, chosen_of(call, **store));
    const size_t shown = std::min<size_t>(chosen.runs.size(), kMostRowsOfReport);
    return json_object([&](JsonWriter& json) {
        json.list("runs", [&] {
            for (size_t i = 0; i < shown; ++i)
                json.object([&] {
                    json.field("run", chosen.runs[i].id);
                    json.list("labels", [&] {
                        for (const auto& own : chosen.runs[i].labels)
                            json.object([&] { json.field("label", own.first).field("value", own.second); });
                    });
                });
        });
    });
}

// Nothing of a profile that cannot be opened.
std::string recording_of(Call& call, size_t number) {
    Profiles& profiles = call.profiles();
    const uint64_t version = profiles.version(number);
    if (std::string known = call.collections()->recording(number, version); !known.empty()) return known;
    const auto session = profiles.lease(number, {}, {}, call.request().cancellation);
    if (!session) return {};
    const auto id = fleet::recording_id(**session);
    if (!id) return {};
    call.collections()->remember_recording(number, version, *id);
    return *id;
}

// By what was recorded, not by names or folders: a store's word for where a file lies is not trusted.
Expected<Response> profiles_of_runs(Call& call) {
    OPSIGHT_ASSIGN(OpenStore store, store_of(call));
    OPSIGHT_ASSIGN(const fleet::Chosen chosen, chosen_of(call, **store));
    store.reset();
    Profiles& profiles = call.profiles();
    const FairSemaphore::Permit turn(profiles.questions());
    return json_object([&](JsonWriter& json) {
        json.list("runs", [&] {
            for (size_t i = 0; i < std::min(profiles.size(), kMostProfiles); ++i) {
                if (call.request().cancellation->cancelled()) return;
                const std::string id = recording_of(call, i);
                if (id.empty() || !chosen.find(id)) continue;
                json.object([&] { json.field("run", id).field("profile", profiles.name(i)); });
            }
        });
    });
}

}  // namespace

std::vector<Route> fleet_routes() {
    const std::vector<std::string> choice = {"label", "run"};
    return {{"GET", "/api/v1/stores/{store}/reports/{report}", fleet_report,
             choice + std::vector<std::string>{"by"}},
            {"GET", "/api/v1/stores/{store}/trend", fleet_trend, choice},
            {"GET", "/api/v1/stores/{store}/compare", fleet_compare, {"base", "new"}},
            {"GET", "/api/v1/stores/{store}/labels", labels_of_runs, choice},
            {"GET", "/api/v1/stores/{store}/profiles", profiles_of_runs, choice}};
}

}  // namespace opsight::server
