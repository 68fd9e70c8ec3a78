#include <fmt/format.h>

#include "analyze/self_counters.h"
#include "db/rules.h"
#include "db/schema.h"
#include "db/writer_tables.h"

namespace opsight::db {
namespace {

std::string_view source_name(analyze::IterationSource source) {
    switch (source) {
        case analyze::IterationSource::kNone:
            return "none";
        case analyze::IterationSource::kKeyOp:
            return "key_op";
        case analyze::IterationSource::kRangeRegex:
            return "range_regex";
        case analyze::IterationSource::kStepMarker:
            return "step_marker";
        case analyze::IterationSource::kOptimizerStep:
            return "optimizer_step";
        case analyze::IterationSource::kInferred:
            return "inferred";
    }
    return "none";
}

std::vector<std::pair<std::string, std::string>> meta_rows(const Profile& profile,
                                                           const analyze::Analysis& analysis) {
    const ProfileInfo& info = profile.info;
    std::vector<std::pair<std::string, std::string>> rows = {
        {"schema_version", std::to_string(kSchemaVersion)},
        {"writer", "opsight " OPSIGHT_VERSION},
        {"rules", std::string(rules())},
        {"producer", info.producer},
        {"origin_ns", std::to_string(info.origin_ns)},
        {"origin_is_unix", info.origin_is_unix ? "true" : "false"},
        {"begin_ns", std::to_string(info.begin_ns)},
        {"end_ns", std::to_string(info.end_ns)},
        {"iteration_source", std::string(source_name(analysis.iterations.source))},
        {"iteration_start",
         analysis.iterations.start < 0 ? "" : fmt::format("{}", analysis.iterations.start)},
        {"iteration_stop", analysis.iterations.stop < 0 ? "" : fmt::format("{}", analysis.iterations.stop)},
        {"iteration_confidence", fmt::format("{}", analysis.iterations.confidence)},
        {"iteration_description", analysis.iterations.description},
    };
    for (const std::string& framework : info.frameworks)
        rows.emplace_back("framework", framework);
    for (const std::string& source : info.sources)
        rows.emplace_back("source", source);
    for (const auto& [key, value] : info.properties)
        rows.emplace_back("property." + key, value);
    for (const auto& [table, count] : info.unread_tables)
        rows.emplace_back("unread_table." + table, std::to_string(count));
    return rows;
}

void split_host_rows(WritePlan& plan) {
    const HostSpans& host = plan.profile.host;
    for (uint32_t row = 0; row < host.size(); ++row) {
        switch (host.kind[row]) {
            case HostKind::kOp:
                plan.ops.push_back(row);
                break;
            case HostKind::kAnnotation:
                plan.annotations.push_back(row);
                break;
            case HostKind::kPythonFrame:
                plan.python_frames.push_back(row);
                break;
            case HostKind::kModule:
                plan.module_calls.push_back(row);
                break;
            case HostKind::kRuntimeApi:
            case HostKind::kDriverApi:
                plan.api_calls.push_back(row);
                break;
            default:
                plan.other_spans.push_back(row);
        }
    }
    const OpDetails& details = plan.profile.op_details;
    for (const uint32_t row : plan.ops) {
        const uint32_t detail = host.detail[row];
        const bool has_path = details.module_path[detail].valid() && details.module_path[detail].value != 0;
        const bool has_stack = details.stack[detail].valid() && details.stack[detail].value != 0;
        if (has_path || has_stack || details.collective[detail].valid()) plan.op_extras.push_back(row);
    }
}

void list_strings(WritePlan& plan) {
    const Profile& profile = plan.profile;
    std::vector<bool> used(profile.strings.size(), false);
    const auto mark = [&](StringId id) {
        if (id.valid()) used[id.index()] = true;
    };
    for (size_t row = 0; row < profile.host.size(); ++row) {
        if (profile.host.kind[row] != HostKind::kOp) mark(profile.host.name[row]);
        if (has_category(profile.host.kind[row]) && profile.host.detail[row] != StringId::kNone)
            mark(StringId(profile.host.detail[row]));
    }
    for (size_t row = 0; row < profile.device.size(); ++row)
        if (profile.device.kind[row] != DeviceKind::kKernel) mark(profile.device.name[row]);
    for (const StringId name : profile.counters.name)
        mark(name);
    for (const StringId stack : profile.samples.stack)
        mark(stack);
    for (const StringId stack : profile.memory.stack)
        if (stack.value != 0) mark(stack);
    for (const StringId text : profile.nvtx.text)
        mark(text);
    for (const CallChain& chain : profile.call_chains)
        mark(chain.stack);
    for (uint32_t id = 0; id < used.size(); ++id)
        if (used[id]) plan.strings.push_back(id);
}

}  // namespace

WritePlan::WritePlan(const Profile& profile_in, const analyze::Analysis& analysis_in,
                     const std::vector<analyze::RankClock>* clocks)
    : profile(profile_in), analysis(analysis_in), meta(meta_rows(profile_in, analysis_in)) {
    ranks =
        analyze::find_rank_facts(profile, analysis, clocks ? *clocks : analyze::uncorrected_clocks(profile));
    self_counters = analyze::self_counters(profile, analysis);
    split_host_rows(*this);
    list_strings(*this);
}

}  // namespace opsight::db
