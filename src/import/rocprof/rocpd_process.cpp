// What the rows of a process refer to: texts, threads, agents, kernels, and in newer files tracks and times.
#include "import/rocprof/rocpd_process.h"

#include <fmt/format.h>

#include "import/rocprof/told.h"

namespace opsight::importer::rocprof {

RocpdProcess::RocpdProcess(nsys::Report& report, std::string suffix, int64_t number)
    : report_(report),
      builder_(report.builder()),
      suffix_(std::move(suffix)),
      rank_(report.rank_of(number << 24, true)) {}

Status RocpdProcess::each(std::string_view table, const Columns& columns,
                          const std::function<void(Table&)>& row, bool counted) {
    return report_.read(std::string(table) + suffix_, columns, row, counted).map([](bool) {});
}

Status RocpdProcess::read() {
    OPSIGHT_TRY(read_texts());
    OPSIGHT_TRY(read_machine());
    OPSIGHT_TRY(read_places());
    OPSIGHT_TRY(read_events());
    OPSIGHT_TRY(each_record("rocpd_region", {"name_id"}, [this](Table& row) { take_region(row); }));
    OPSIGHT_TRY(each_record("rocpd_sample", {"timestamp", "timestamp_id", "name_id"},
                            [this](Table& row) { take_sample(row); }));
    roctx_.finish(builder_);
    OPSIGHT_TRY(
        each_record("rocpd_kernel_dispatch",
                    {"kernel_id", "workgroup_size_x", "workgroup_size_y", "workgroup_size_z", "grid_size_x",
                     "grid_size_y", "grid_size_z", "group_segment_size", "private_segment_size"},
                    [this](Table& row) { take_kernel(row); }));
    return each_record("rocpd_memory_copy", {"size", "src_agent_id", "dst_agent_id", "name_id"},
                       [this](Table& row) { take_copy(row); });
}

Status RocpdProcess::read_texts() {
    OPSIGHT_TRY(report_.load_strings("rocpd_string" + suffix_, "string"));
    has_categories_ = report_.has("rocpd_info_category" + suffix_);
    return each("rocpd_info_category", {"id", "name"},
                [this](Table& row) { categories_[row.number(0)] = report_.intern(row.text(1)); });
}

Status RocpdProcess::read_machine() {
    OPSIGHT_TRY(each("rocpd_info_node", {"hostname"}, [this](Table& row) {
        builder_.rank(rank_).host = builder_.view(report_.intern(row.text(0)));
    }));
    OPSIGHT_TRY(
        each("rocpd_info_process", {"id", "pid", "command"}, [this](Table& row) { take_process(row); }));
    OPSIGHT_TRY(each("rocpd_info_thread", {"id", "tid", "name"}, [this](Table& row) {
        tids_[row.number(0)] = row.number(1);
        if (!row.text(2).empty()) thread_names_[row.number(1)] = report_.intern(row.text(2));
    }));
    OPSIGHT_TRY(each("rocpd_info_stream", {"id", "name"}, [this](Table& row) {
        if (!row.text(1).empty()) stream_names_[row.number(0)] = report_.intern(row.text(1));
    }));
    OPSIGHT_TRY(each("rocpd_info_agent", {"id", "type", "type_index", "name", "product_name", "extdata"},
                     [this](Table& row) { take_agent(row); }));
    return each("rocpd_info_kernel_symbol", {"id", "display_name", "kernel_name", "arch_vgpr_count"},
                [this](Table& row) {
                    std::string_view name = row.text(1).empty() ? row.text(2) : row.text(1);
                    if (name.ends_with(".kd")) name.remove_suffix(3);
                    symbols_[row.number(0)] = {report_.intern(name), row.number(3)};
                });
}

void RocpdProcess::take_process(Table& row) {
    pids_[row.number(0)] = row.number(1);
    report_.keep("command", builder_.view(report_.intern(row.text(2))));
}

void RocpdProcess::take_agent(Table& row) {
    const bool gpu = row.text(1) == "GPU";
    const int64_t number = row.number(2, 0);
    agents_[row.number(0)] = {number, gpu};
    if (!gpu) return;
    Device& device = builder_.device_info(builder_.device(rank_, number));
    device.declared = true;
    device.name = builder_.view(report_.intern(row.text(4).empty() ? row.text(3) : row.text(4)));
    device.chip = builder_.view(report_.intern(row.text(3)));
    const std::string_view json = row.text(5);
    simdjson::dom::object told;
    // Of an empty text SQLite gives no address, which simdjson would copy from.
    if (!json.empty() && parser_.parse(json.data(), json.size()).get(told) == simdjson::SUCCESS)
        describe_agent(told, device);
}

Status RocpdProcess::read_places() {
    OPSIGHT_TRY(
        each("rocpd_track", {"id", "pid", "tid", "agent_id", "queue_id", "stream_id"}, [this](Table& row) {
            places_[row.number(0)] = {row.number(1), row.number(2), row.number(3), row.number(4),
                                      row.number(5)};
        }));
    return each("rocpd_timestamp", {"id", "value"},
                [this](Table& row) { stamps_[row.number(0)] = row.number(1); });
}

Status RocpdProcess::read_events() {
    return each("rocpd_event", {"id", "stack_id", "category_id", "extdata"}, [this](Table& row) {
        Event event;
        event.call = row.number(1);
        const int64_t category = row.number(2);
        if (!has_categories_)
            event.category = report_.string(category);
        else if (const StringId* named = find(categories_, category, "category"))
            event.category = *named;
        event.message = message_in(row.text(3));
        events_[row.number(0)] = event;
    });
}

// {"message": "forward"}
StringId RocpdProcess::message_in(std::string_view json) {
    std::string_view message;
    if (json.find("\"message\"") == json.npos ||
        parser_.parse(json.data(), json.size())["message"].get(message) != simdjson::SUCCESS)
        return StringId(0);
    return report_.intern(message);
}

}  // namespace opsight::importer::rocprof
