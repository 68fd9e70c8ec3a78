#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "mcp/tool.h"

namespace opsight::mcp {
namespace {

constexpr size_t kLongestText = 100'000;  // of an argument, bytes

Error wrong(const Parameter& parameter, const std::string& expected) {
    return Error{.what = fmt::format("the argument '{}' must be {}", parameter.name, expected),
                 .exit_code = 2};
}

std::string expected_of(const Parameter& parameter) {
    if (parameter.kind == Parameter::Kind::kYesNo) return "true or false";
    if (parameter.kind == Parameter::Kind::kWhole)
        return parameter.most == INT64_MAX
                   ? fmt::format("a whole number of at least {}", parameter.least)
                   : fmt::format("a whole number from {} to {}", parameter.least, parameter.most);
    return parameter.choices.empty() ? fmt::format("a text of at most {} bytes", kLongestText)
                                     : "one of " + fmt::format("{}", fmt::join(parameter.choices, ", "));
}

bool fits(const Parameter& parameter, const nlohmann::json& value) {
    if (parameter.kind == Parameter::Kind::kYesNo) return value.is_boolean();
    if (parameter.kind == Parameter::Kind::kWhole) {
        if (!value.is_number_integer()) return false;
        if (value.is_number_unsigned() && value.get<uint64_t>() > uint64_t{INT64_MAX}) return false;
        const auto number = value.get<int64_t>();
        return number >= parameter.least && number <= parameter.most;
    }
    if (!value.is_string()) return false;
    const auto& text = value.get_ref<const std::string&>();
    return text.size() <= kLongestText &&
           (parameter.choices.empty() ||
            std::find(parameter.choices.begin(), parameter.choices.end(), text) != parameter.choices.end());
}

void put_parameter(JsonWriter& json, const Parameter& parameter) {
    constexpr const char* kTypes[] = {"string", "integer", "boolean"};
    json.object(parameter.name, [&] {
        json.field("type", kTypes[static_cast<size_t>(parameter.kind)]);
        json.field("description", parameter.description);
        if (!parameter.choices.empty()) json.field("enum", parameter.choices);
        if (parameter.kind == Parameter::Kind::kWhole) {
            json.field("minimum", parameter.least);
            if (parameter.most != INT64_MAX) json.field("maximum", parameter.most);
        }
    });
}

std::vector<std::string> names_of(const std::vector<Given>& files) {
    std::vector<std::string> names;
    for (const Given& each : files)
        names.push_back(each.name);
    return names;
}

}  // namespace

Result<Arguments> Arguments::read(const nlohmann::json& given, const std::vector<Parameter>& parameters) {
    Arguments read;
    std::string known;
    for (const Parameter& parameter : parameters) {
        known += (known.empty() ? "" : ", ") + parameter.name;
        const auto found = given.find(parameter.name);
        if (found == given.end() || found->is_null()) {
            if (parameter.needed) return fail(wrong(parameter, "given: " + expected_of(parameter)));
            continue;
        }
        if (!fits(parameter, *found)) return fail(wrong(parameter, expected_of(parameter)));
        read.values_[parameter.name] = *found;
    }
    for (auto each = given.begin(); each != given.end(); ++each)
        if (std::none_of(parameters.begin(), parameters.end(),
                         [&](const Parameter& parameter) { return parameter.name == each.key(); }))
            return fail(Error{.what = fmt::format("there is no argument '{}'", each.key().substr(0, 100)),
                              .remedy = known.empty() ? "there are none" : "the arguments are " + known,
                              .exit_code = 2});
    return read;
}

std::string Arguments::text(std::string_view name, std::string_view otherwise) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::string(otherwise) : found->second.get<std::string>();
}

std::optional<int64_t> Arguments::number(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(found->second.get<int64_t>());
}

bool Arguments::flag(std::string_view name) const {
    const auto found = values_.find(name);
    return found != values_.end() && found->second.get<bool>();
}

const Given& Desk::named(const std::vector<Given>& files, const std::string& name) {
    const auto found =
        std::find_if(files.begin(), files.end(), [&](const Given& each) { return each.name == name; });
    return found == files.end() ? files.front() : *found;
}

Result<query::Session> Desk::open(const Given& run, const query::RangeOptions& range) const {
    if (token_->cancelled()) return fail("the question was withdrawn");
    return query::Session::open(run.path, range);
}

Result<const query::Timeline*> Desk::timeline(const Given& run) {
    std::error_code ignored;
    const auto written = std::filesystem::last_write_time(run.path, ignored);
    const std::string version =
        fmt::format("{}\n{}\n{}", run.path, std::filesystem::file_size(run.path, ignored),
                    written.time_since_epoch().count());
    if (!timeline_ || timeline_of_ != version) {
        timeline_.reset();
        OPSIGHT_ASSIGN(const db::OpenProfile profile, db::open_profile(run.path));
        struct Stop {
            std::atomic<bool> wanted = false;
            void interrupt() { wanted = true; }
        } stop;
        const Interruptible guard(*this, stop);
        constexpr unsigned kThreads = 2;
        OPSIGHT_ASSIGN(timeline_, query::Timeline::open(run.path, profile.database, kThreads, &stop.wanted));
        timeline_of_ = version;
    }
    return &*timeline_;
}

std::vector<Tool> make_tools(const Files& files) {
    std::vector<Tool> tools;
    for (auto* make : {report_tools, compare_tools, timeline_tools, sql_tools, estimate_tools})
        for (Tool& each : make(files))
            tools.push_back(std::move(each));
    return tools;
}

void put_tool(JsonWriter& json, const Tool& tool) {
    json.field("name", tool.name).field("title", tool.title).field("description", tool.description);
    json.object("inputSchema", [&] {
        json.field("type", "object");
        json.object("properties", [&] {
            for (const Parameter& each : tool.parameters)
                put_parameter(json, each);
        });
        json.list("required", [&] {
            for (const Parameter& each : tool.parameters)
                if (each.needed) json.value(each.name);
        });
        json.field("additionalProperties", false);
    });
    json.object("annotations", [&] { json.field("readOnlyHint", true).field("openWorldHint", false); });
}

Parameter run_parameter(const Files& files, std::string name, bool needed) {
    std::string description = needed ? "Which run" : "Which run (default: " + files.runs.front().name + ")";
    return {std::move(name), std::move(description), Parameter::Kind::kText, needed, names_of(files.runs)};
}

Parameter limit_parameter(int64_t otherwise, int64_t most) {
    return {"limit",
            fmt::format("Most rows of each table (default: {})", otherwise),
            Parameter::Kind::kWhole,
            false,
            {},
            1,
            most};
}

void add_range(std::vector<Parameter>& parameters) {
    parameters.push_back({"iter_start", "First iteration that counts (default: those after the warm-up)",
                          Parameter::Kind::kWhole});
    parameters.push_back({"iter_stop", "Last iteration that counts", Parameter::Kind::kWhole});
}

query::RangeOptions range_of(const Arguments& arguments) {
    query::RangeOptions range;
    range.start = arguments.number("iter_start");
    range.stop = arguments.number("iter_stop");
    return range;
}

}  // namespace opsight::mcp
