// A RecordedRun as JSON: ops as rows, for there are many.
#include <simdjson.h>

#include "base/json_writer.h"
#include "query/sweep/recorded_run.h"

namespace opsight::query {
namespace {

namespace dom = simdjson::dom;

constexpr int kLayout = 1;

std::optional<double> number(const dom::element& value) {
    double out = 0;
    if (value.get(out) != simdjson::SUCCESS) return std::nullopt;
    return out;
}
std::string word(const dom::element& value) {
    std::string_view out;
    if (value.get(out) != simdjson::SUCCESS) return {};
    return std::string(out);
}
std::optional<double> number(const dom::object& in, const char* key) {
    dom::element value;
    if (in[key].get(value) != simdjson::SUCCESS) return std::nullopt;
    return number(value);
}
std::string word(const dom::object& in, const char* key) {
    dom::element value;
    if (in[key].get(value) != simdjson::SUCCESS) return {};
    return word(value);
}
bool flag(const dom::object& in, const char* key) {
    bool out = false;
    return in[key].get(out) == simdjson::SUCCESS && out;
}

// The cells of each row of a list of lists; false where one has not so many.
template <class Take>
bool each_row(const dom::object& in, const char* key, size_t cells, Take take) {
    dom::array rows;
    if (in[key].get(rows) != simdjson::SUCCESS) return false;
    for (const dom::element each : rows) {
        dom::array row;
        if (each.get(row) != simdjson::SUCCESS || row.size() != cells) return false;
        take(row);
    }
    return true;
}

bool take_rows(const dom::object& in, RecordedRun& run) {
    const bool ops = each_row(in, "ops", 7, [&](const dom::array& row) {
        auto cell = row.begin();
        OpOfRun op;
        op.layer = word(*cell);
        op.name = word(*++cell);
        op.direction = word(*++cell);
        op.cpu_ns = number(*++cell).value_or(0);
        op.gpu_ns = number(*++cell).value_or(0);
        op.calls = number(*++cell).value_or(0);
        op.flops = number(*++cell);
        run.ops.push_back(std::move(op));
    });
    return ops && each_row(in, "kernels", 3, [&](const dom::array& row) {
               auto cell = row.begin();
               KernelOfRun kernel;
               kernel.name = word(*cell);
               kernel.gpu_ns = number(*++cell).value_or(0);
               kernel.calls = number(*++cell).value_or(0);
               run.kernels.push_back(std::move(kernel));
           });
}

}  // namespace

std::string recorded_run_json(const RecordedRun& run, std::string_view made_by) {
    JsonWriter json;
    json.object([&] {
        json.field("layout", kLayout).field("made_by", made_by);
        json.field("times_ns", run.times_ns).field("whole", run.whole);
        json.field("left_out", run.left_out)
            .field("found_by", run.found_by)
            .field("device_work", run.device_work);
        json.field("gpu_utilization_pct", run.gpu_utilization_pct).field("busy_pct", run.busy_pct);
        json.field("memory_bytes", run.memory_bytes).field("memory_place", run.memory_place);
        json.field("flops", run.flops).field("flops_at_least", run.flops_at_least);
        json.field("bound_ns", run.bound_ns)
            .field("bounded_ns", run.bounded_ns)
            .field("machine", run.machine);
        json.list("ops", [&] {
            for (const OpOfRun& each : run.ops)
                json.line().list([&] {
                    json.value(each.layer).value(each.name).value(each.direction);
                    json.value(each.cpu_ns).value(each.gpu_ns).value(each.calls).value(each.flops);
                });
        });
        json.list("kernels", [&] {
            for (const KernelOfRun& each : run.kernels)
                json.line().list([&] { json.value(each.name).value(each.gpu_ns).value(each.calls); });
        });
    });
    return json.take() + "\n";
}

Result<KeptRun> parse_recorded_run(const std::string& text, const std::string& file) {
    dom::parser parser;
    dom::object in;
    if (const auto problem = parser.parse(text).get(in); problem != simdjson::SUCCESS)
        return fail(std::string("is not what a sweep keeps of a run: ") + simdjson::error_message(problem),
                    file);
    // Files from before it was told have the first one.
    if (number(in, "layout").value_or(kLayout) != kLayout)
        return fail("has another layout: a later Opsight kept it", file, {}, "read it with that one");
    KeptRun kept{.made_by = word(in, "made_by"), .run = {}};
    RecordedRun& run = kept.run;
    dom::array times;
    if (in["times_ns"].get(times) != simdjson::SUCCESS || !take_rows(in, run))
        return fail("is not what a sweep keeps of a run: its times or rows are missing", file);
    for (const dom::element each : times) {
        int64_t time = 0;
        if (each.get(time) != simdjson::SUCCESS || time < 0)
            return fail("is not what a sweep keeps of a run: a time is not a whole number", file);
        run.times_ns.push_back(time);
    }
    run.whole = flag(in, "whole");
    run.left_out = static_cast<int64_t>(number(in, "left_out").value_or(0));
    run.found_by = word(in, "found_by");
    run.device_work = flag(in, "device_work");
    run.gpu_utilization_pct = number(in, "gpu_utilization_pct");
    run.busy_pct = number(in, "busy_pct");
    if (const auto bytes = number(in, "memory_bytes")) run.memory_bytes = static_cast<int64_t>(*bytes);
    run.memory_place = word(in, "memory_place");
    run.flops = number(in, "flops");
    run.flops_at_least = flag(in, "flops_at_least");
    run.bound_ns = number(in, "bound_ns");
    run.bounded_ns = number(in, "bounded_ns");
    run.machine = word(in, "machine");
    return kept;
}

}  // namespace opsight::query
