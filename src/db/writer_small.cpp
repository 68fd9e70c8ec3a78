// Tables with a row per distinct thing.
#include "db/writer_tables.h"

namespace opsight::db {
namespace {

// put<T> of a member of each element.
template <class T, class Row, class Value>
void put(TableWriter& out, const std::vector<Row>& rows, Value Row::*member) {
    out.put<T>([&](size_t i) { return static_cast<T>(rows[i].*member); });
}
template <class Row, class Tag>
void put_ref(TableWriter& out, const std::vector<Row>& rows, Id<Tag> Row::*member) {
    out.put<int32_t>([&](size_t i) { return (rows[i].*member).value; });
}
template <class Row>
void put_string(TableWriter& out, const std::vector<Row>& rows, std::string Row::*member) {
    out.put_text([&](size_t i) { return std::string_view(rows[i].*member); });
}
template <class Row>
void put_pooled(TableWriter& out, const StringPool& pool, const std::vector<Row>& rows,
                StringId Row::*member) {
    out.put_text([&](size_t i) { return pool.view(rows[i].*member); });
}
void put_number(TableWriter& out) {
    out.put<int32_t>([](size_t i) { return i; });
}

void fill_devices(TableWriter& out, const std::vector<Device>& rows) {
    put_number(out);
    put_ref(out, rows, &Device::rank);
    put<int64_t>(out, rows, &Device::number);
    put_string(out, rows, &Device::name);
    put<int32_t>(out, rows, &Device::compute_major);
    put<int32_t>(out, rows, &Device::compute_minor);
    for (const auto member :
         {&Device::sm_count, &Device::memory_bytes, &Device::max_threads_per_sm,
          &Device::max_threads_per_block, &Device::registers_per_sm, &Device::registers_per_block,
          &Device::shared_memory_per_sm, &Device::shared_memory_per_block,
          &Device::shared_memory_per_block_optin, &Device::warp_size})
        put<int64_t>(out, rows, member);
    put<bool>(out, rows, &Device::declared);
    for (const auto member : {&Device::memory_bandwidth, &Device::clock_hz, &Device::l2_bytes})
        put<int64_t>(out, rows, member);
    for (const auto member : {&Device::uuid, &Device::bus_location, &Device::chip})
        put_string(out, rows, member);
}

void fill_tracks(TableWriter& out, const StringPool& pool, const std::vector<Track>& rows) {
    put_number(out);
    put<int8_t>(out, rows, &Track::kind);
    put_ref(out, rows, &Track::rank);
    put<int64_t>(out, rows, &Track::pid);
    put<int64_t>(out, rows, &Track::tid);
    put_ref(out, rows, &Track::device);
    put<int64_t>(out, rows, &Track::context);
    put<int64_t>(out, rows, &Track::stream);
    for (const auto member : {&Track::name, &Track::process_name, &Track::pid_text, &Track::tid_text})
        put_pooled(out, pool, rows, member);
    put<int32_t>(out, rows, &Track::priority);
}

void fill_launch_configs(TableWriter& out, const std::vector<LaunchConfig>& rows, const Analysis& analysis) {
    put_number(out);
    for (size_t axis = 0; axis < 3; ++axis)
        out.put<int64_t>([&](size_t i) { return rows[i].grid[axis]; });
    for (size_t axis = 0; axis < 3; ++axis)
        out.put<int64_t>([&](size_t i) { return rows[i].block[axis]; });
    for (const auto member : {&LaunchConfig::registers_per_thread, &LaunchConfig::static_shared_bytes,
                              &LaunchConfig::dynamic_shared_bytes})
        put<int64_t>(out, rows, member);
    for (const auto member : {&LaunchConfig::source_occupancy_pct, &LaunchConfig::source_blocks_per_sm,
                              &LaunchConfig::source_warps_per_sm})
        put<double>(out, rows, member);
    out.put<double>([&](size_t i) { return analysis.occupancy_pct[i]; });
    put<int64_t>(out, rows, &LaunchConfig::local_bytes_per_thread);
    put<int64_t>(out, rows, &LaunchConfig::shared_executed_bytes);
    for (size_t axis = 0; axis < 3; ++axis)
        out.put<int64_t>([&](size_t i) { return rows[i].cluster[axis]; });
    put<int64_t>(out, rows, &LaunchConfig::launch_type);
    out.put<double>([&](size_t i) { return analysis.waves[i]; });
}

std::vector<TableFill> run_fills(const WritePlan& plan) {
    const Profile& profile = plan.profile;
    const StringPool& pool = profile.strings;
    return {
        {"meta", plan.meta.size(),
         [&plan](TableWriter& out) {
             out.put_text([&](size_t i) { return std::string_view(plan.meta[i].first); });
             out.put_text([&](size_t i) { return std::string_view(plan.meta[i].second); });
         }},
        {"strings", plan.strings.size(),
         [&plan, &pool](TableWriter& out) {
             out.put<int32_t>([&](size_t i) { return plan.strings[i]; });
             out.put_text([&](size_t i) { return pool.view(StringId(plan.strings[i])); });
         }},
        {"ranks", profile.ranks.size(),
         [&rows = profile.ranks](TableWriter& out) {
             put_number(out);
             put<int64_t>(out, rows, &Rank::number);
             put<bool>(out, rows, &Rank::number_known);
             put<int64_t>(out, rows, &Rank::world_size);
             for (const auto member : {&Rank::source, &Rank::host, &Rank::backend})
                 put_string(out, rows, member);
         }},
        {"devices", profile.devices.size(),
         [&rows = profile.devices](TableWriter& out) { fill_devices(out, rows); }},
        {"tracks", profile.tracks.size(),
         [&rows = profile.tracks, &pool](TableWriter& out) { fill_tracks(out, pool, rows); }},
    };
}

std::vector<TableFill> description_fills(const WritePlan& plan) {
    const Profile& profile = plan.profile;
    const StringPool& pool = profile.strings;
    return {
        {"signatures", profile.signatures.size(),
         [&rows = profile.signatures, &pool](TableWriter& out) {
             put_number(out);
             for (const auto member :
                  {&Signature::shapes, &Signature::dtypes, &Signature::concrete, &Signature::strides})
                 put_pooled(out, pool, rows, member);
         }},
        {"collectives", profile.collectives.size(),
         [&rows = profile.collectives, &pool](TableWriter& out) {
             put_number(out);
             for (const auto member : {&Collective::name, &Collective::dtype, &Collective::group_name,
                                       &Collective::group_description, &Collective::group_ranks})
                 put_pooled(out, pool, rows, member);
             for (const auto member :
                  {&Collective::in_elements, &Collective::out_elements, &Collective::group_size})
                 put<int64_t>(out, rows, member);
         }},
        {"launch_configs", profile.launch_configs.size(),
         [&rows = profile.launch_configs, &plan](TableWriter& out) {
             fill_launch_configs(out, rows, plan.analysis);
         }},
        {"transfers", profile.transfers.size(),
         [&rows = profile.transfers](TableWriter& out) {
             put_number(out);
             put<int8_t>(out, rows, &Transfer::copy);
             put<int8_t>(out, rows, &Transfer::from);
             put<int8_t>(out, rows, &Transfer::to);
             for (const auto member :
                  {&Transfer::from_device, &Transfer::to_device, &Transfer::from_context,
                   &Transfer::to_context, &Transfer::value, &Transfer::migration_cause, &Transfer::copies})
                 put<int64_t>(out, rows, member);
         }},
        {"contexts", profile.contexts.size(),
         [&rows = profile.contexts](TableWriter& out) {
             put_ref(out, rows, &Context::rank);
             for (const auto member : {&Context::number, &Context::device, &Context::parent})
                 put<int64_t>(out, rows, member);
             put<bool>(out, rows, &Context::green);
         }},
        {"nvtx_attributes", profile.nvtx_attributes.size(),
         [&rows = profile.nvtx_attributes, &pool](TableWriter& out) {
             put_number(out);
             put<int8_t>(out, rows, &NvtxAttributes::type);
             put<int64_t>(out, rows, &NvtxAttributes::domain);
             put_pooled(out, pool, rows, &NvtxAttributes::domain_name);
             put<int64_t>(out, rows, &NvtxAttributes::category);
             put_pooled(out, pool, rows, &NvtxAttributes::category_name);
             put<int64_t>(out, rows, &NvtxAttributes::color);
         }},
    };
}

std::vector<TableFill> analysis_fills(const WritePlan& plan) {
    const StringPool& pool = plan.profile.strings;
    const Analysis& analysis = plan.analysis;
    return {
        {"op_identities", analysis.ops.size(),
         [&rows = analysis.ops, &pool](TableWriter& out) {
             put_number(out);
             put_pooled(out, pool, rows, &Op::name);
             put_pooled(out, pool, rows, &Op::type);
             put_ref(out, rows, &Op::layer);
             put<int8_t>(out, rows, &Op::direction);
             put_pooled(out, pool, rows, &Op::shapes);
             put_pooled(out, pool, rows, &Op::dtypes);
             put<bool>(out, rows, &Op::tc_eligible);
         }},
        {"layers", analysis.layers.size(),
         [&rows = analysis.layers, &pool](TableWriter& out) {
             put_number(out);
             put_pooled(out, pool, rows, &Layer::name);
             put_pooled(out, pool, rows, &Layer::path);
             put_ref(out, rows, &Layer::parent);
             put<int16_t>(out, rows, &Layer::depth);
         }},
        {"kernel_names", analysis.kernels.size(),
         [&rows = analysis.kernels, &pool](TableWriter& out) {
             put_number(out);
             put_pooled(out, pool, rows, &Kernel::name);
             put_pooled(out, pool, rows, &Kernel::short_name);
             put<int8_t>(out, rows, &Kernel::kernel_class);
             put<int8_t>(out, rows, &Kernel::uses_tc);
             put<int8_t>(out, rows, &Kernel::evidence);
             put_pooled(out, pool, rows, &Kernel::tc_pattern);
             put_pooled(out, pool, rows, &Kernel::base_name);
             put_pooled(out, pool, rows, &Kernel::mangled_name);
             put_pooled(out, pool, rows, &Kernel::label);
         }},
        {"iterations", analysis.iterations.list.size(),
         [&rows = analysis.iterations.list, &pool](TableWriter& out) {
             put_ref(out, rows, &Iteration::rank);
             put<int32_t>(out, rows, &Iteration::number);
             put<int64_t>(out, rows, &Iteration::begin_ns);
             put<int64_t>(out, rows, &Iteration::end_ns);
             put_pooled(out, pool, rows, &Iteration::name);
             put<bool>(out, rows, &Iteration::warmup);
             put_pooled(out, pool, rows, &Iteration::warmup_reason);
         }},
    };
}

TableFill stream_stats_fill(const WritePlan& plan) {
    const std::vector<StreamStats>& rows = plan.analysis.streams;
    return {
        "stream_stats", rows.size(), [&rows](TableWriter& out) {
            put_ref(out, rows, &StreamStats::stream);
            put<int32_t>(out, rows, &StreamStats::iteration);
            for (const auto member : {&StreamStats::spans, &StreamStats::busy_ns, &StreamStats::host_wait_ns,
                                      &StreamStats::queued_wait_ns, &StreamStats::other_wait_ns,
                                      &StreamStats::queued_ns, &StreamStats::queue_max})
                put<int64_t>(out, rows, member);
            put<double>(out, rows, &StreamStats::occupancy_pct_ns);
            put<int64_t>(out, rows, &StreamStats::occupancy_known_ns);
        }};
}

// Devices and, as -1, the processor, where anything is known of it.
struct ModelRow {
    int32_t device;
    const DevicePeaks* peaks;
};
std::vector<ModelRow> all_models(const Analysis& analysis) {
    std::vector<ModelRow> rows;
    for (const DevicePeaks& peaks : analysis.peaks)
        rows.push_back({static_cast<int32_t>(rows.size()), &peaks});
    if (analysis.host_peaks.source != PeakSource::kNone) rows.push_back({-1, &analysis.host_peaks});
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

TableFill works_fill(const StringPool& pool, const std::vector<CountedWork>& rows) {
    return {
        "works", rows.size(), [&rows, &pool](TableWriter& out) {
            put_number(out);
            put_pooled(out, pool, rows, &CountedWork::name);
            put_ref(out, rows, &CountedWork::device);
            put<int8_t>(out, rows, &CountedWork::kind);
            for (const auto member : {&CountedWork::macs, &CountedWork::flops, &CountedWork::matrix_flops,
                                      &CountedWork::recomputed_flops, &CountedWork::bytes})
                put<double>(out, rows, member);
            put<int8_t>(out, rows, &CountedWork::precision);
            for (const auto member : {&CountedWork::math_ns, &CountedWork::memory_ns, &CountedWork::bound_ns})
                out.put<double>([&](size_t i) { return rows[i].bounded ? rows[i].*member : -1; });
            put<bool>(out, rows, &CountedWork::estimate);
            out.put_text([&](size_t i) { return rows[i].note; });
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
             out.put<int32_t>([&](size_t i) { return models[i].device; });
             out.put<int8_t>([&](size_t i) { return static_cast<int8_t>(models[i].peaks->source); });
             out.put_text([&](size_t i) { return std::string_view(model(i).name); });
             out.put<double>([&](size_t i) { return model(i).bandwidth; });
             out.put<double>([&](size_t i) { return model(i).cache_bytes(); });
             out.put_text([&](size_t i) { return std::string_view(model(i).note); });
             out.put_text([&](size_t i) {
                 return model(i).sources.empty() ? std::string_view() : std::string_view(model(i).sources[0]);
             });
         }},
        {"device_peaks", count, [peaks = std::move(peaks)](TableWriter& out) {
             out.put<int32_t>([&](size_t i) { return peaks[i].device; });
             out.put<bool>([&](size_t i) { return peaks[i].peak->unit == hardware::UnitKind::kMatrix; });
             out.put<int8_t>([&](size_t i) { return static_cast<int8_t>(peaks[i].peak->precision); });
             out.put<double>([&](size_t i) { return peaks[i].peak->most(); });
         }}};
}

TableFill diagnostics_fill(const WritePlan& plan) {
    std::vector<Diag> met;
    for (size_t i = 0; i < static_cast<size_t>(Diag::kCount); ++i)
        if (plan.profile.diagnostics.count(static_cast<Diag>(i)) > 0) met.push_back(static_cast<Diag>(i));
    const size_t count = met.size();
    return {"diagnostics", count, [&plan, met = std::move(met)](TableWriter& out) {
                out.put_text([&](size_t i) { return diag_kind(met[i]).key; });
                out.put_text([&](size_t i) { return severity_name(diag_kind(met[i]).severity); });
                out.put<int64_t>([&](size_t i) { return plan.profile.diagnostics.count(met[i]); });
                out.put_text([&](size_t i) { return diag_kind(met[i]).help; });
            }};
}

TableFill diagnostic_places_fill(const WritePlan& plan) {
    std::vector<std::pair<std::string_view, const DiagOccurrence*>> places;
    for (size_t i = 0; i < static_cast<size_t>(Diag::kCount); ++i)
        for (const DiagOccurrence& place : plan.profile.diagnostics.first(static_cast<Diag>(i)))
            places.emplace_back(diag_kind(static_cast<Diag>(i)).key, &place);
    const size_t count = places.size();
    return {"diagnostic_places", count, [places = std::move(places)](TableWriter& out) {
                out.put_text([&](size_t i) { return places[i].first; });
                out.put_text([&](size_t i) { return std::string_view(places[i].second->file); });
                out.put<int64_t>([&](size_t i) { return places[i].second->offset; });
                out.put<int64_t>([&](size_t i) { return places[i].second->time_ns; });
                out.put_text([&](size_t i) { return std::string_view(places[i].second->text); });
            }};
}

}  // namespace

std::vector<TableFill> small_table_fills(const WritePlan& plan) {
    std::vector<TableFill> fills = run_fills(plan);
    for (auto&& more : {description_fills(plan), analysis_fills(plan)})
        fills.insert(fills.end(), more.begin(), more.end());
    for (TableFill& fill : work_fills(plan))
        fills.push_back(std::move(fill));
    fills.push_back(stream_stats_fill(plan));
    fills.push_back(diagnostics_fill(plan));
    fills.push_back(diagnostic_places_fill(plan));
    return fills;
}

}  // namespace opsight::db
