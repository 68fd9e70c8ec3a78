// Tables with a row per distinct thing.
#include "db/writer_tables.h"

namespace opsight::db {
namespace {

// put<T> of a member of each element.
template <class T, class Row, class Value>
void put(TableWriter& out, std::string_view column, const std::vector<Row>& rows, Value Row::*member) {
    out.put<T>(column, [&](size_t i) { return static_cast<T>(rows[i].*member); });
}
template <class Row, class Tag>
void put_ref(TableWriter& out, std::string_view column, const std::vector<Row>& rows, Id<Tag> Row::*member) {
    out.put<int32_t>(column, [&](size_t i) { return (rows[i].*member).value; });
}
template <class Row>
void put_string(TableWriter& out, std::string_view column, const std::vector<Row>& rows,
                std::string Row::*member) {
    out.put_text(column, [&](size_t i) { return std::string_view(rows[i].*member); });
}
template <class Row>
void put_pooled(TableWriter& out, std::string_view column, const StringPool& pool,
                const std::vector<Row>& rows, StringId Row::*member) {
    out.put_text(column, [&](size_t i) { return pool.view(rows[i].*member); });
}
void put_number(TableWriter& out, std::string_view column) {
    out.put<int32_t>(column, [](size_t i) { return i; });
}

void fill_devices(TableWriter& out, const std::vector<Device>& rows) {
    put_number(out, "id");
    put_ref(out, "rank", rows, &Device::rank);
    put<int64_t>(out, "number", rows, &Device::number);
    put_string(out, "name", rows, &Device::name);
    put<int32_t>(out, "compute_major", rows, &Device::compute_major);
    put<int32_t>(out, "compute_minor", rows, &Device::compute_minor);
    put<int64_t>(out, "sm_count", rows, &Device::sm_count);
    put<int64_t>(out, "memory_bytes", rows, &Device::memory_bytes);
    put<int64_t>(out, "max_threads_per_sm", rows, &Device::max_threads_per_sm);
    put<int64_t>(out, "max_threads_per_block", rows, &Device::max_threads_per_block);
    put<int64_t>(out, "registers_per_sm", rows, &Device::registers_per_sm);
    put<int64_t>(out, "registers_per_block", rows, &Device::registers_per_block);
    put<int64_t>(out, "shared_memory_per_sm", rows, &Device::shared_memory_per_sm);
    put<int64_t>(out, "shared_memory_per_block", rows, &Device::shared_memory_per_block);
    put<int64_t>(out, "shared_memory_per_block_optin", rows, &Device::shared_memory_per_block_optin);
    put<int64_t>(out, "warp_size", rows, &Device::warp_size);
    put<bool>(out, "declared", rows, &Device::declared);
    put<int64_t>(out, "memory_bandwidth", rows, &Device::memory_bandwidth);
    put<int64_t>(out, "clock_hz", rows, &Device::clock_hz);
    put<int64_t>(out, "l2_bytes", rows, &Device::l2_bytes);
    put_string(out, "uuid", rows, &Device::uuid);
    put_string(out, "bus_location", rows, &Device::bus_location);
    put_string(out, "chip", rows, &Device::chip);
}

void fill_tracks(TableWriter& out, const StringPool& pool, const std::vector<Track>& rows) {
    put_number(out, "id");
    put<int8_t>(out, "kind", rows, &Track::kind);
    put_ref(out, "rank", rows, &Track::rank);
    put<int64_t>(out, "pid", rows, &Track::pid);
    put<int64_t>(out, "tid", rows, &Track::tid);
    put_ref(out, "device", rows, &Track::device);
    put<int64_t>(out, "context", rows, &Track::context);
    put<int64_t>(out, "stream", rows, &Track::stream);
    put_pooled(out, "name", pool, rows, &Track::name);
    put_pooled(out, "process_name", pool, rows, &Track::process_name);
    put_pooled(out, "pid_text", pool, rows, &Track::pid_text);
    put_pooled(out, "tid_text", pool, rows, &Track::tid_text);
    put<int32_t>(out, "priority", rows, &Track::priority);
}

void fill_launch_configs(TableWriter& out, const std::vector<LaunchConfig>& rows,
                         const analyze::Analysis& analysis) {
    put_number(out, "id");
    out.put<int64_t>("grid_x", [&](size_t i) { return rows[i].grid[0]; });
    out.put<int64_t>("grid_y", [&](size_t i) { return rows[i].grid[1]; });
    out.put<int64_t>("grid_z", [&](size_t i) { return rows[i].grid[2]; });
    out.put<int64_t>("block_x", [&](size_t i) { return rows[i].block[0]; });
    out.put<int64_t>("block_y", [&](size_t i) { return rows[i].block[1]; });
    out.put<int64_t>("block_z", [&](size_t i) { return rows[i].block[2]; });
    put<int64_t>(out, "registers_per_thread", rows, &LaunchConfig::registers_per_thread);
    put<int64_t>(out, "static_shared_bytes", rows, &LaunchConfig::static_shared_bytes);
    put<int64_t>(out, "dynamic_shared_bytes", rows, &LaunchConfig::dynamic_shared_bytes);
    put<double>(out, "source_occupancy_pct", rows, &LaunchConfig::source_occupancy_pct);
    put<double>(out, "source_blocks_per_sm", rows, &LaunchConfig::source_blocks_per_sm);
    put<double>(out, "source_warps_per_sm", rows, &LaunchConfig::source_warps_per_sm);
    out.put<double>("occupancy_pct", [&](size_t i) { return analysis.occupancy_pct[i]; });
    put<int64_t>(out, "local_bytes_per_thread", rows, &LaunchConfig::local_bytes_per_thread);
    put<int64_t>(out, "shared_executed_bytes", rows, &LaunchConfig::shared_executed_bytes);
    out.put<int64_t>("cluster_x", [&](size_t i) { return rows[i].cluster[0]; });
    out.put<int64_t>("cluster_y", [&](size_t i) { return rows[i].cluster[1]; });
    out.put<int64_t>("cluster_z", [&](size_t i) { return rows[i].cluster[2]; });
    put<int64_t>(out, "launch_type", rows, &LaunchConfig::launch_type);
    out.put<double>("waves", [&](size_t i) { return analysis.waves[i]; });
}

std::vector<TableFill> run_fills(const WritePlan& plan) {
    const Profile& profile = plan.profile;
    const StringPool& pool = profile.strings;
    return {
        {"meta", plan.meta.size(),
         [&plan](TableWriter& out) {
             out.put_text("key", [&](size_t i) { return std::string_view(plan.meta[i].first); });
             out.put_text("value", [&](size_t i) { return std::string_view(plan.meta[i].second); });
         }},
        {"strings", plan.strings.size(),
         [&plan, &pool](TableWriter& out) {
             out.put<int32_t>("id", [&](size_t i) { return plan.strings[i]; });
             out.put_text("text", [&](size_t i) { return pool.view(StringId(plan.strings[i])); });
         }},
        {"ranks", profile.ranks.size(),
         [&rows = profile.ranks](TableWriter& out) {
             put_number(out, "id");
             put<int64_t>(out, "number", rows, &Rank::number);
             put<bool>(out, "number_known", rows, &Rank::number_known);
             put<int64_t>(out, "world_size", rows, &Rank::world_size);
             put_string(out, "source", rows, &Rank::source);
             put_string(out, "host", rows, &Rank::host);
             put_string(out, "backend", rows, &Rank::backend);
         }},
        {"devices", profile.devices.size(),
         [&rows = profile.devices](TableWriter& out) { fill_devices(out, rows); }},
        {"tracks", profile.tracks.size(),
         [&rows = profile.tracks, &pool](TableWriter& out) { fill_tracks(out, pool, rows); }},
    };
}

TableFill nvtx_attributes_fill(const Profile& profile) {
    return {"nvtx_attributes", profile.nvtx_attributes.size(),
            [&rows = profile.nvtx_attributes, &pool = profile.strings](TableWriter& out) {
                put_number(out, "id");
                put<int8_t>(out, "type", rows, &NvtxAttributes::type);
                put<int64_t>(out, "domain", rows, &NvtxAttributes::domain);
                put_pooled(out, "domain_name", pool, rows, &NvtxAttributes::domain_name);
                put<int64_t>(out, "category", rows, &NvtxAttributes::category);
                put_pooled(out, "category_name", pool, rows, &NvtxAttributes::category_name);
                put<int64_t>(out, "color", rows, &NvtxAttributes::color);
            }};
}

std::vector<TableFill> description_fills(const WritePlan& plan) {
    const Profile& profile = plan.profile;
    const StringPool& pool = profile.strings;
    return {
        {"signatures", profile.signatures.size(),
         [&rows = profile.signatures, &pool](TableWriter& out) {
             put_number(out, "id");
             put_pooled(out, "shapes", pool, rows, &Signature::shapes);
             put_pooled(out, "dtypes", pool, rows, &Signature::dtypes);
             put_pooled(out, "concrete", pool, rows, &Signature::concrete);
             put_pooled(out, "strides", pool, rows, &Signature::strides);
         }},
        {"collectives", profile.collectives.size(),
         [&rows = profile.collectives, &pool](TableWriter& out) {
             put_number(out, "id");
             put_pooled(out, "name", pool, rows, &Collective::name);
             put_pooled(out, "dtype", pool, rows, &Collective::dtype);
             put_pooled(out, "group_name", pool, rows, &Collective::group_name);
             put_pooled(out, "group_description", pool, rows, &Collective::group_description);
             put_pooled(out, "group_ranks", pool, rows, &Collective::group_ranks);
             put<int64_t>(out, "in_elements", rows, &Collective::in_elements);
             put<int64_t>(out, "out_elements", rows, &Collective::out_elements);
             put<int64_t>(out, "group_size", rows, &Collective::group_size);
         }},
        {"launch_configs", profile.launch_configs.size(),
         [&rows = profile.launch_configs, &plan](TableWriter& out) {
             fill_launch_configs(out, rows, plan.analysis);
         }},
        {"transfers", profile.transfers.size(),
         [&rows = profile.transfers](TableWriter& out) {
             put_number(out, "id");
             put<int8_t>(out, "copy_kind", rows, &Transfer::copy);
             put<int8_t>(out, "from_kind", rows, &Transfer::from);
             put<int8_t>(out, "to_kind", rows, &Transfer::to);
             put<int64_t>(out, "from_device", rows, &Transfer::from_device);
             put<int64_t>(out, "to_device", rows, &Transfer::to_device);
             put<int64_t>(out, "from_context", rows, &Transfer::from_context);
             put<int64_t>(out, "to_context", rows, &Transfer::to_context);
             put<int64_t>(out, "value", rows, &Transfer::value);
             put<int64_t>(out, "migration_cause", rows, &Transfer::migration_cause);
             put<int64_t>(out, "copies", rows, &Transfer::copies);
         }},
        {"contexts", profile.contexts.size(),
         [&rows = profile.contexts](TableWriter& out) {
             put_ref(out, "rank", rows, &Context::rank);
             put<int64_t>(out, "context", rows, &Context::number);
             put<int64_t>(out, "device", rows, &Context::device);
             put<int64_t>(out, "parent", rows, &Context::parent);
             put<bool>(out, "green", rows, &Context::green);
         }},
        nvtx_attributes_fill(profile),
    };
}

std::vector<TableFill> analysis_fills(const WritePlan& plan) {
    const StringPool& pool = plan.profile.strings;
    const analyze::Analysis& analysis = plan.analysis;
    return {
        {"op_identities", analysis.ops.size(),
         [&rows = analysis.ops, &pool](TableWriter& out) {
             put_number(out, "id");
             put_pooled(out, "name", pool, rows, &analyze::Op::name);
             put_pooled(out, "type", pool, rows, &analyze::Op::type);
             put_ref(out, "layer", rows, &analyze::Op::layer);
             put<int8_t>(out, "direction", rows, &analyze::Op::direction);
             put_pooled(out, "shapes", pool, rows, &analyze::Op::shapes);
             put_pooled(out, "dtypes", pool, rows, &analyze::Op::dtypes);
             put<bool>(out, "tc_eligible", rows, &analyze::Op::tc_eligible);
         }},
        {"layers", analysis.layers.size(),
         [&rows = analysis.layers, &pool](TableWriter& out) {
             put_number(out, "id");
             put_pooled(out, "name", pool, rows, &analyze::Layer::name);
             put_pooled(out, "path", pool, rows, &analyze::Layer::path);
             put_ref(out, "parent", rows, &analyze::Layer::parent);
             put<int16_t>(out, "depth", rows, &analyze::Layer::depth);
         }},
        {"kernel_names", analysis.kernels.size(),
         [&rows = analysis.kernels, &pool](TableWriter& out) {
             put_number(out, "id");
             put_pooled(out, "name", pool, rows, &analyze::Kernel::name);
             put_pooled(out, "short_name", pool, rows, &analyze::Kernel::short_name);
             put<int8_t>(out, "class", rows, &analyze::Kernel::kernel_class);
             put<int8_t>(out, "uses_tc", rows, &analyze::Kernel::uses_tc);
             put<int8_t>(out, "tc_evidence", rows, &analyze::Kernel::evidence);
             put_pooled(out, "tc_pattern", pool, rows, &analyze::Kernel::tc_pattern);
             put_pooled(out, "base_name", pool, rows, &analyze::Kernel::base_name);
             put_pooled(out, "mangled_name", pool, rows, &analyze::Kernel::mangled_name);
             put_pooled(out, "label", pool, rows, &analyze::Kernel::label);
         }},
        {"iterations", analysis.iterations.list.size(),
         [&rows = analysis.iterations.list, &pool](TableWriter& out) {
             put_ref(out, "rank", rows, &analyze::Iteration::rank);
             put<int32_t>(out, "number", rows, &analyze::Iteration::number);
             put<int64_t>(out, "begin_ns", rows, &analyze::Iteration::begin_ns);
             put<int64_t>(out, "end_ns", rows, &analyze::Iteration::end_ns);
             put_pooled(out, "name", pool, rows, &analyze::Iteration::name);
             put<bool>(out, "warmup", rows, &analyze::Iteration::warmup);
             put_pooled(out, "warmup_reason", pool, rows, &analyze::Iteration::warmup_reason);
         }},
    };
}

TableFill stream_stats_fill(const WritePlan& plan) {
    const std::vector<analyze::StreamStats>& rows = plan.analysis.streams;
    return {"stream_stats", rows.size(), [&rows](TableWriter& out) {
                put_ref(out, "stream", rows, &analyze::StreamStats::stream);
                put<int32_t>(out, "iteration", rows, &analyze::StreamStats::iteration);
                put<int64_t>(out, "spans", rows, &analyze::StreamStats::spans);
                put<int64_t>(out, "busy_ns", rows, &analyze::StreamStats::busy_ns);
                put<int64_t>(out, "host_wait_ns", rows, &analyze::StreamStats::host_wait_ns);
                put<int64_t>(out, "queued_wait_ns", rows, &analyze::StreamStats::queued_wait_ns);
                put<int64_t>(out, "other_wait_ns", rows, &analyze::StreamStats::other_wait_ns);
                put<int64_t>(out, "queued_ns", rows, &analyze::StreamStats::queued_ns);
                put<int64_t>(out, "queue_max", rows, &analyze::StreamStats::queue_max);
                put<double>(out, "occupancy_pct_ns", rows, &analyze::StreamStats::occupancy_pct_ns);
                put<int64_t>(out, "occupancy_known_ns", rows, &analyze::StreamStats::occupancy_known_ns);
            }};
}

// Devices and, as -1, the processor, where anything is known of it.
struct ModelRow {
    int32_t device;
    const analyze::DevicePeaks* peaks;
};
std::vector<ModelRow> all_models(const analyze::Analysis& analysis) {
    std::vector<ModelRow> rows;
    for (const analyze::DevicePeaks& peaks : analysis.peaks)
        rows.push_back({static_cast<int32_t>(rows.size()), &peaks});
    if (analysis.host_peaks.source != analyze::PeakSource::kNone) rows.push_back({-1, &analysis.host_peaks});
    return rows;
}

// Peaks of all of them in one list.
struct PeakRow {
    int32_t device;
    const hardware::Peak* peak;
};
std::vector<PeakRow> all_peaks(const std::vector<ModelRow>& models) {
    std::vector<PeakRow> rows;
    for (const ModelRow& model : models)
        for (const hardware::Peak& peak : model.peaks->model.peaks)
            rows.push_back({model.device, &peak});
    return rows;
}

double memory_ns(const analyze::CountedWork& work) {
    return work.bounded || !work.believed ? work.memory_ns : -1;
}

TableFill works_fill(const StringPool& pool, const std::vector<analyze::CountedWork>& rows) {
    return {"works", rows.size(), [&rows, &pool](TableWriter& out) {
                put_number(out, "id");
                put_pooled(out, "name", pool, rows, &analyze::CountedWork::name);
                put_ref(out, "device", rows, &analyze::CountedWork::device);
                put<int8_t>(out, "kind", rows, &analyze::CountedWork::kind);
                put<double>(out, "macs", rows, &analyze::CountedWork::macs);
                put<double>(out, "flops", rows, &analyze::CountedWork::flops);
                put<double>(out, "matrix_flops", rows, &analyze::CountedWork::matrix_flops);
                put<double>(out, "recomputed_flops", rows, &analyze::CountedWork::recomputed_flops);
                put<double>(out, "bytes_min", rows, &analyze::CountedWork::bytes);
                put<int8_t>(out, "precision", rows, &analyze::CountedWork::precision);
                out.put<double>("math_ns", [&](size_t i) { return rows[i].bounded ? rows[i].math_ns : -1; });
                out.put<double>("memory_ns", [&](size_t i) { return memory_ns(rows[i]); });
                out.put<double>("bound_ns",
                                [&](size_t i) { return rows[i].bounded ? rows[i].bound_ns : -1; });
                put<bool>(out, "estimate", rows, &analyze::CountedWork::estimate);
                out.put_text("note", [&](size_t i) { return rows[i].note; });
            }};
}

std::vector<TableFill> work_fills(const WritePlan& plan) {
    std::vector<ModelRow> models = all_models(plan.analysis);
    std::vector<PeakRow> peaks = all_peaks(models);
    const size_t known = models.size(), count = peaks.size();
    return {
        works_fill(plan.profile.strings, plan.analysis.works),
        {"device_models", known,
         [models = std::move(models)](TableWriter& out) {
             const auto model = [&](size_t i) -> const hardware::Device& { return models[i].peaks->model; };
             out.put<int32_t>("device", [&](size_t i) { return models[i].device; });
             out.put<int8_t>("source",
                             [&](size_t i) { return static_cast<int8_t>(models[i].peaks->source); });
             out.put_text("model", [&](size_t i) { return std::string_view(model(i).name); });
             out.put<double>("bandwidth", [&](size_t i) { return model(i).bandwidth; });
             out.put<double>("l2_bytes", [&](size_t i) { return model(i).cache_bytes(); });
             out.put_text("note", [&](size_t i) { return std::string_view(model(i).note); });
             out.put_text("sources", [&](size_t i) {
                 return model(i).sources.empty() ? std::string_view() : std::string_view(model(i).sources[0]);
             });
         }},
        {"device_peaks", count, [peaks = std::move(peaks)](TableWriter& out) {
             out.put<int32_t>("device", [&](size_t i) { return peaks[i].device; });
             out.put<bool>("matrix",
                           [&](size_t i) { return peaks[i].peak->unit == hardware::UnitKind::kMatrix; });
             out.put<int8_t>("precision",
                             [&](size_t i) { return static_cast<int8_t>(peaks[i].peak->precision); });
             out.put<double>("flops_per_s", [&](size_t i) { return peaks[i].peak->most(); });
         }}};
}

TableFill diagnostics_fill(const WritePlan& plan) {
    std::vector<Diag> met;
    for (size_t i = 0; i < static_cast<size_t>(Diag::kCount); ++i)
        if (plan.profile.diagnostics.count(static_cast<Diag>(i)) > 0) met.push_back(static_cast<Diag>(i));
    const size_t count = met.size();
    return {"diagnostics", count, [&plan, met = std::move(met)](TableWriter& out) {
                out.put_text("key", [&](size_t i) { return diag_kind(met[i]).key; });
                out.put_text("severity", [&](size_t i) { return severity_name(diag_kind(met[i]).severity); });
                out.put<int64_t>("count", [&](size_t i) { return plan.profile.diagnostics.count(met[i]); });
                out.put_text("help", [&](size_t i) { return diag_kind(met[i]).help; });
            }};
}

TableFill diagnostic_places_fill(const WritePlan& plan) {
    std::vector<std::pair<std::string_view, const DiagOccurrence*>> places;
    for (size_t i = 0; i < static_cast<size_t>(Diag::kCount); ++i)
        for (const DiagOccurrence& place : plan.profile.diagnostics.first(static_cast<Diag>(i)))
            places.emplace_back(diag_kind(static_cast<Diag>(i)).key, &place);
    const size_t count = places.size();
    return {"diagnostic_places", count, [places = std::move(places)](TableWriter& out) {
                out.put_text("key", [&](size_t i) { return places[i].first; });
                out.put_text("file", [&](size_t i) { return std::string_view(places[i].second->file); });
                out.put<int64_t>("byte_offset", [&](size_t i) { return places[i].second->offset; });
                out.put<int64_t>("time_ns", [&](size_t i) { return places[i].second->time_ns; });
                out.put_text("text", [&](size_t i) { return std::string_view(places[i].second->text); });
            }};
}

}  // namespace

std::vector<TableFill> small_table_fills(const WritePlan& plan) {
    std::vector<TableFill> fills = run_fills(plan);
    for (auto&& more : {description_fills(plan), analysis_fills(plan)})
        fills.insert(fills.end(), more.begin(), more.end());
    for (TableFill& fill : rank_table_fills(plan))
        fills.push_back(std::move(fill));
    for (TableFill& fill : work_fills(plan))
        fills.push_back(std::move(fill));
    fills.push_back(stream_stats_fill(plan));
    fills.push_back(diagnostics_fill(plan));
    fills.push_back(diagnostic_places_fill(plan));
    return fills;
}

}  // namespace opsight::db
