#include "db/sql_names.h"

#include <fmt/format.h>

#include <span>
#include <string_view>
#include <vector>

#include "analyze/device_facts.h"
#include "analyze/ranks/matching.h"
#include "analyze/results.h"
#include "db/schema.h"
#include "model/api_calls.h"
#include "model/entities.h"
#include "model/marks/serving_step.h"
#include "model/profile.h"

namespace opsight::db {
namespace {

struct Name {
    std::string_view name;
    int64_t number = 0;
};

template <class E>
Name named(std::string_view name, E number) {
    return {name, static_cast<int64_t>(number)};
}

// `macro(name)`: the number. The branches fold away when a statement is planned.
std::string numbers(std::string_view macro, const std::vector<Name>& names) {
    std::string sql = fmt::format("CREATE OR REPLACE TEMP MACRO {}(name) AS CASE name", macro);
    for (const Name& each : names)
        sql += fmt::format(" WHEN '{}' THEN {}", each.name, each.number);
    return sql + fmt::format(" ELSE error('no {} ' || name)::INTEGER END;\n", macro);
}

std::string names(std::string_view macro, const std::string& expression) {
    return fmt::format("CREATE OR REPLACE TEMP MACRO {}(v) AS {};\n", macro, expression);
}

template <class E>
std::vector<Name> all(std::string_view (*name_of)(E), E last) {
    std::vector<Name> list;
    for (int i = 0; i <= static_cast<int>(last); ++i)
        list.push_back({name_of(static_cast<E>(i)), i});
    return list;
}

std::string kinds() {
    return numbers("device_kind",
                   {named("kernel", DeviceKind::kKernel), named("copy", DeviceKind::kMemcpy),
                    named("set", DeviceKind::kMemset), named("annotation", DeviceKind::kAnnotation),
                    named("sync", DeviceKind::kSync), named("other", DeviceKind::kOther),
                    named("graph", DeviceKind::kGraph)}) +
           numbers("host_kind",
                   {named("op", HostKind::kOp), named("annotation", HostKind::kAnnotation),
                    named("python", HostKind::kPythonFrame), named("module", HostKind::kModule),
                    named("runtime_api", HostKind::kRuntimeApi), named("driver_api", HostKind::kDriverApi),
                    named("overhead", HostKind::kOverhead), named("data_load", HostKind::kDataLoad),
                    named("file_io", HostKind::kFileIo), named("other", HostKind::kOther),
                    named("os_runtime", HostKind::kOsRuntime), named("message", HostKind::kMessagePassing),
                    named("library", HostKind::kLibrary)}) +
           numbers("range_style", {named("push_pop", NvtxType::kPushPop),
                                   named("start_end", NvtxType::kStartEnd), named("mark", NvtxType::kMark)}) +
           numbers("track_kind",
                   {named("thread", TrackKind::kHostThread), named("stream", TrackKind::kDeviceStream),
                    named("annotation", TrackKind::kDeviceAnnotation), named("other", TrackKind::kOther)}) +
           numbers("payload_type",
                   {named("integer", NvtxPayload::Type::kInteger), named("real", NvtxPayload::Type::kReal),
                    named("text", NvtxPayload::Type::kText)});
}

std::vector<Name> resources() {
    std::vector<Name> list;
    for (const std::string_view name : resource_names())
        list.push_back({name, std::ssize(list)});
    return list;
}

std::string verdicts() {
    return numbers("tc_use",
                   {named("no", analyze::TensorCoreUse::kNo), named("yes", analyze::TensorCoreUse::kYes),
                    named("unknown", analyze::TensorCoreUse::kUnknown)}) +
           numbers("direction", {named("fprop", analyze::Direction::kForward),
                                 named("bprop", analyze::Direction::kBackward),
                                 named("optimizer", analyze::Direction::kOptimizer),
                                 named("dataload", analyze::Direction::kDataLoad),
                                 named("other", analyze::Direction::kOther)}) +
           numbers("kernel_class", {named("compute", analyze::KernelClass::kCompute),
                                    named("communication", analyze::KernelClass::kCommunication)}) +
           numbers("resource", resources());
}

// What enumerations of the tables alone stand for.
std::string table_numbers() {
    const std::vector<Name> sources = {{"not known", 0}, {"device table", 1}, {"derived", 2}};
    std::string source_name = "CASE v";
    for (const Name& each : sources)
        source_name += fmt::format(" WHEN {} THEN '{}'", each.number, each.name);
    return numbers("caller_layer", {{"none", kNoCaller}, {"same_layer", kCallerOfSameLayer}}) +
           numbers("model_source", sources) + names("model_source_name", source_name + " END") +
           names("kernel_class_name",
                 "CASE v WHEN kernel_class('compute') THEN 'compute' WHEN kernel_class('communication') THEN "
                 "'communication' END") +
           names("group_kind_name", group_kind_text("v")) + names("match_state_name", match_state_text("v")) +
           names("cause_name", cause_text("v")) +
           numbers("match_state", all(analyze::state_word, analyze::MatchState::kApart));
}

// Where memory is, from a c10::DeviceType of PyTorch: CUDA, HIP, XPU and MPS are GPUs.
std::string memory_places() {
    return names("memory_place",
                 "CASE WHEN v IS NULL THEN NULL WHEN v = 0 THEN 'CPU' WHEN v IN (1, 6, 12, 13) THEN 'GPU' "
                 "ELSE 'other' END");
}

// What a search looks at in a column of directions or of shapes: also how the page words it.
std::string searched() {
    return names(
               "searched_direction",
               "CASE v WHEN 'fprop' THEN 'forward fprop' WHEN 'bprop' THEN 'backward bprop' WHEN 'dataload' "
               "THEN 'data loading dataload' ELSE v END") +
           names("searched_shapes", "concat(v, ' ', replace(v, ', ', '×'))");
}

// Input shapes as they are, or for people without brackets and scalars: "32x3x224x224, 64x3x7x7".
std::string shapes() {
    return "CREATE OR REPLACE TEMP MACRO shown_shapes(shapes, for_people) AS nullif(CASE WHEN for_people "
           "THEN "
           "trim(regexp_replace(regexp_replace(replace(replace(shapes, '], [', ';'), ', ', 'x'), "
           "'[\\[\\]]', '', 'g'), ';+', ', ', 'g'), ', ') ELSE shapes END, '');\n";
}

std::string flags() {
    return numbers("flag", {{"unfinished", kUnfinished},
                            {"instant", kInstant},
                            {"overlapping", kOverlapping},
                            {"backward", kBackward},
                            {"first_of_launch", analyze::Analysis::kFirstOfLaunch},
                            {"holds_no_product", analyze::kHoldsNoProduct},
                            {"in_eligible_op", analyze::Analysis::kInEligibleOp}}) +
           "CREATE OR REPLACE TEMP MACRO has_flag(flags, name) AS (flags & flag(name)) <> 0;\n"
           "CREATE OR REPLACE TEMP MACRO compute_capability(major, minor, warp_size) AS CASE WHEN warp_size "
           "= 64 "
           "THEN 'gfx' || major || minor || 'x' WHEN major > 0 THEN major || '.' || minor END;\n"
           "CREATE OR REPLACE TEMP MACRO is_transfer(kind) AS kind IN (device_kind('copy'), "
           "device_kind('set'));\n"
           "CREATE OR REPLACE TEMP MACRO is_believed(memory_ns, bound_ns) AS coalesce(bound_ns >= 0 OR "
           "memory_ns < 0, true);\n"
           "CREATE OR REPLACE TEMP MACRO range_label(text) AS CASE WHEN starts_with(text, '{''Module'': "
           "''') "
           "THEN coalesce(CASE WHEN contains(text, '''Outputs'': [') THEN 'outputs of ' ELSE '' END || "
           "nullif(regexp_extract(text, "
           "'^\\{''Module'': ''(Torch Compiled Module \\((in|out)put\\):)?([^'']+)''', 3), ''), "
           "text) "
           "ELSE text END;\n"
           "CREATE OR REPLACE TEMP MACRO names_serving_step(text) AS regexp_matches(text, '" +
           std::string(marks::kServingStepTexts) +
           "');\n"
           "CREATE OR REPLACE TEMP MACRO is_pseudo_op(type) AS type IN ('unassociated', 'unattributed', "
           "'annotation');\n"
           "CREATE OR REPLACE TEMP MACRO is_wait_call(name) AS regexp_matches(name, '" +
           std::string(kWaitCalls) +
           "');\n"
           "CREATE OR REPLACE TEMP MACRO is_work(kind) AS kind IN (device_kind('kernel'), "
           "device_kind('copy'), device_kind('set'));\n"
           "CREATE OR REPLACE TEMP MACRO is_busy(kind) AS is_work(kind) OR kind = device_kind('graph');\n";
}

std::string definitions() {
    return kinds() + verdicts() + table_numbers() + flags() + shapes() + memory_places() + searched() +
           numbers("copy_kind", all(&copy_kind_name, CopyKind(static_cast<int>(CopyKind::kCount) - 1))) +
           numbers("memory_kind", all(&memory_kind_name, MemoryKind::kUnknown)) +
           // The rule of percent_digits (base/percent.h), halves away from zero, too.
           names("percent_text",
                 "CASE WHEN v > 0 AND v < 0.05 THEN '<0.1%' WHEN v < 0 AND v > -0.05 THEN '>-0.1%' "
                 "WHEN v < 100 AND v >= 99.95 THEN '>99.9%' "
                 "ELSE format('{:.1f}%', CASE WHEN abs(v::DOUBLE) * 4 % 2 = 1 "
                 "THEN nextafter(v::DOUBLE, sign(v) * 'inf'::DOUBLE) ELSE v::DOUBLE END) END") +
           names("name_stem", "regexp_replace(v, '[0-9]+', '#', 'g')") +
           names("direction_name", direction_text("v")) + names("tc_use_name", tensor_core_use_text("v")) +
           names("tc_evidence_name", evidence_text("v")) + names("copy_kind_name", copy_kind_text("v")) +
           names("memory_kind_name", memory_kind_text("v")) + names("work_kind_name", work_kind_text("v")) +
           names("precision_name", precision_text("v")) + names("match_name", match_text("v")) +
           names("work_limiter_name", work_limiter_text("v"));
}

}  // namespace

Status define_names(duck::Connection& connection) {
    static const std::string sql = definitions();
    return connection.execute(sql);
}

}  // namespace opsight::db
