// Tables with a row per span, event or segment.
#include "db/writer_tables.h"

namespace opsight::db {
namespace {

// The columns that all tables of host spans share.
struct HostColumns {
    const Profile& profile;
    const analyze::Analysis& analysis;
    const std::vector<uint32_t>& rows;

    void id(TableWriter& out) const {
        out.put<int32_t>("id", [this](size_t i) { return rows[i]; });
    }
    void place(TableWriter& out) const {
        const HostSpans& host = profile.host;
        out.put<int32_t>("track", [&](size_t i) { return host.track[rows[i]].value; });
        out.put<int64_t>("begin_ns", [&](size_t i) { return host.begin[rows[i]]; });
        out.put<int64_t>("dur_ns", [&](size_t i) { return host.dur[rows[i]]; });
        out.put<int16_t>("depth",
                         [&](size_t i) { return std::min<uint16_t>(analysis.depth[rows[i]], INT16_MAX); });
    }
    void flags(TableWriter& out) const {
        out.put<uint8_t>("flags", [this](size_t i) { return profile.host.flags[rows[i]]; });
    }
    void name(TableWriter& out) const {
        out.put<int32_t>("name", [this](size_t i) { return profile.host.name[rows[i]].value; });
    }
    void iteration(TableWriter& out) const {
        out.put<int32_t>("iteration", [this](size_t i) { return analysis.iteration[rows[i]]; });
    }
};

int32_t caller_layer(const WritePlan& plan, size_t row) {
    const auto layer_of = [&plan](size_t op_row) {
        const analyze::Analysis& analysis = plan.analysis;
        return analysis.ops[analysis.op[plan.profile.host.detail[op_row]].index()].layer;
    };
    const HostSpanId caller = plan.analysis.op_span[row];
    if (!caller.valid()) return db::kNoCaller;
    const LayerId layer = layer_of(caller.index());
    return layer == layer_of(row) ? db::kCallerOfSameLayer : static_cast<int32_t>(layer.value);
}

TableFill ops(const WritePlan& plan) {
    const HostColumns host{plan.profile, plan.analysis, plan.ops};
    return {"ops", plan.ops.size(), [&plan, host](TableWriter& out) {
                const OpDetails& details = plan.profile.op_details;
                const analyze::Analysis& analysis = plan.analysis;
                const auto detail = [&](size_t i) { return plan.profile.host.detail[plan.ops[i]]; };
                host.id(out);
                host.place(out);
                host.flags(out);
                out.put<int32_t>("op", [&](size_t i) { return analysis.op[detail(i)].value; });
                out.put<int32_t>("parent_op", [&](size_t i) { return analysis.op_span[plan.ops[i]].value; });
                out.put<int64_t>("self_ns", [&](size_t i) { return analysis.self_ns[detail(i)]; });
                host.iteration(out);
                out.put<int32_t>("signature", [&](size_t i) { return details.signature[detail(i)].value; });
                out.put<int64_t>("sequence", [&](size_t i) { return details.sequence[detail(i)]; });
                out.put<int32_t>("forward", [&](size_t i) { return analysis.forward[detail(i)].value; });
                out.put<int64_t>("forward_thread",
                                 [&](size_t i) { return details.forward_thread[detail(i)]; });
                out.put<int64_t>("external_id", [&](size_t i) { return details.external_id[detail(i)]; });
                out.put<int32_t>("caller_layer", [&](size_t i) { return caller_layer(plan, plan.ops[i]); });
                const bool own = !analysis.self_work.empty();
                out.put<int32_t>("work", [&](size_t i) { return own ? analysis.self_work[detail(i)] : -2; });
                out.put<double>("share", [&](size_t i) { return own ? analysis.self_share[detail(i)] : 0; });
            }};
}

TableFill op_extras(const WritePlan& plan) {
    return {"op_extras", plan.op_extras.size(), [&plan](TableWriter& out) {
                const Profile& profile = plan.profile;
                const OpDetails& details = profile.op_details;
                const auto detail = [&](size_t i) { return profile.host.detail[plan.op_extras[i]]; };
                out.put<int32_t>("id", [&](size_t i) { return plan.op_extras[i]; });
                out.put_text("module_path",
                             [&](size_t i) { return profile.strings.view(details.module_path[detail(i)]); });
                out.put_text("stack",
                             [&](size_t i) { return profile.strings.view(details.stack[detail(i)]); });
                out.put<int32_t>("collective", [&](size_t i) { return details.collective[detail(i)].value; });
            }};
}

TableFill op_work(const WritePlan& plan) {
    return {"op_work", plan.analysis.op_work.size(), [&plan](TableWriter& out) {
                const std::vector<analyze::OpWork>& work = plan.analysis.op_work;
                out.put<int32_t>("id", [&](size_t i) { return work[i].span.value; });
                out.put<int64_t>("api_ns", [&](size_t i) { return work[i].api_ns; });
                out.put<int64_t>("gpu_ns", [&](size_t i) { return work[i].gpu_ns; });
                out.put<int64_t>("gpu_idle_ns", [&](size_t i) { return work[i].gpu_idle_ns; });
                out.put<int64_t>("kernel_ns", [&](size_t i) { return work[i].kernel_ns; });
                out.put<int64_t>("tc_kernel_ns", [&](size_t i) { return work[i].tc_kernel_ns; });
                out.put<int64_t>("self_kernel_ns", [&](size_t i) { return work[i].self_kernel_ns; });
                out.put<int64_t>("self_gpu_ns", [&](size_t i) { return work[i].self_gpu_ns; });
                out.put<int32_t>("kernels", [&](size_t i) { return work[i].kernels; });
                out.put<int32_t>("tc_kernels", [&](size_t i) { return work[i].tc_kernels; });
                out.put<int32_t>("unknown_tc_kernels", [&](size_t i) { return work[i].unknown_tc_kernels; });
                out.put<int32_t>("memcpys", [&](size_t i) { return work[i].memcpys; });
                out.put<int32_t>("memsets", [&](size_t i) { return work[i].memsets; });
                out.put<int32_t>("self_kernels", [&](size_t i) { return work[i].self_kernels; });
                out.put<int32_t>("device", [&](size_t i) { return work[i].device; });
            }};
}

TableFill api_calls(const WritePlan& plan) {
    const HostColumns host{plan.profile, plan.analysis, plan.api_calls};
    return {"api_calls", plan.api_calls.size(), [&plan, host](TableWriter& out) {
                const Profile& profile = plan.profile;
                host.id(out);
                host.place(out);
                host.flags(out);
                host.name(out);
                out.put<bool>("driver", [&](size_t i) {
                    return profile.host.kind[plan.api_calls[i]] == HostKind::kDriverApi;
                });
                out.put<int64_t>("correlation", [&](size_t i) {
                    const uint32_t detail = profile.host.detail[plan.api_calls[i]];
                    return detail < profile.api_correlation.size() ? profile.api_correlation[detail] : -1;
                });
                out.put<int32_t>("op_span",
                                 [&](size_t i) { return plan.analysis.op_span[plan.api_calls[i]].value; });
                host.iteration(out);
                out.put<int32_t>("result", [&](size_t i) {
                    const uint32_t detail = profile.host.detail[plan.api_calls[i]];
                    return detail < profile.api_result.size() ? profile.api_result[detail] : -1;
                });
            }};
}

TableFill python_frames(const WritePlan& plan) {
    const HostColumns host{plan.profile, plan.analysis, plan.python_frames};
    return {"python_frames", plan.python_frames.size(), [host](TableWriter& out) {
                host.place(out);
                host.name(out);
            }};
}

TableFill module_calls(const WritePlan& plan) {
    const HostColumns host{plan.profile, plan.analysis, plan.module_calls};
    return {"module_calls", plan.module_calls.size(), [&plan, host](TableWriter& out) {
                host.id(out);
                host.place(out);
                host.name(out);
                out.put<int32_t>("layer",
                                 [&](size_t i) { return plan.analysis.layer[plan.module_calls[i]].value; });
                host.iteration(out);
            }};
}

TableFill annotations(const WritePlan& plan) {
    const HostColumns host{plan.profile, plan.analysis, plan.annotations};
    return {"annotations", plan.annotations.size(), [host](TableWriter& out) {
                host.id(out);
                host.place(out);
                host.flags(out);
                host.name(out);
                host.iteration(out);
            }};
}

TableFill other_spans(const WritePlan& plan) {
    const HostColumns host{plan.profile, plan.analysis, plan.other_spans};
    return {"other_spans", plan.other_spans.size(), [&plan, host](TableWriter& out) {
                const HostSpans& spans = plan.profile.host;
                host.id(out);
                host.place(out);
                host.flags(out);
                host.name(out);
                out.put<int8_t>(
                    "kind", [&](size_t i) { return static_cast<int8_t>(spans.kind[plan.other_spans[i]]); });
                out.put<int32_t>("category", [&](size_t i) {
                    const uint32_t row = plan.other_spans[i];
                    return has_category(spans.kind[row]) ? spans.detail[row] : StringId::kNone;
                });
                host.iteration(out);
            }};
}

TableFill nvtx_ranges(const WritePlan& plan) {
    return {"nvtx_ranges", plan.profile.nvtx.size(), [&plan](TableWriter& out) {
                const NvtxRanges& ranges = plan.profile.nvtx;
                const HostSpans& host = plan.profile.host;
                out.put<int32_t>("id", [&](size_t i) { return ranges.row[i]; });
                out.put<int32_t>("track", [&](size_t i) { return ranges.track[i].value; });
                out.put<int32_t>("end_track", [&](size_t i) { return ranges.end_track[i].value; });
                out.put<int64_t>("begin_ns", [&](size_t i) { return host.begin[ranges.row[i]]; });
                out.put<int64_t>("dur_ns", [&](size_t i) { return host.dur[ranges.row[i]]; });
                out.put<uint8_t>("flags", [&](size_t i) { return host.flags[ranges.row[i]]; });
                out.put<int32_t>("text", [&](size_t i) { return ranges.text[i].value; });
                out.put<int32_t>("attributes", [&](size_t i) { return ranges.attributes[i].value; });
            }};
}

TableFill nvtx_payloads(const WritePlan& plan) {
    return {"nvtx_payloads", plan.profile.nvtx_payloads.size(), [&plan](TableWriter& out) {
                const std::vector<NvtxPayload>& rows = plan.profile.nvtx_payloads;
                out.put<int32_t>("id", [&](size_t i) { return rows[i].row; });
                out.put<int8_t>("type", [&](size_t i) { return static_cast<int8_t>(rows[i].type); });
                out.put<int64_t>("integer", [&](size_t i) { return rows[i].integer; });
                out.put<double>("real", [&](size_t i) { return rows[i].real; });
                out.put_text("text", [&](size_t i) { return plan.profile.strings.view(rows[i].text); });
            }};
}

TableFill messages(const WritePlan& plan) {
    return {"messages", plan.profile.messages.size(), [&plan](TableWriter& out) {
                const std::vector<Message>& rows = plan.profile.messages;
                out.put<int32_t>("id", [&](size_t i) { return rows[i].row; });
                out.put<int64_t>("tag", [&](size_t i) { return rows[i].tag; });
                out.put<int64_t>("rank", [&](size_t i) { return rows[i].rank; });
                out.put<int64_t>("peer", [&](size_t i) { return rows[i].peer; });
                out.put<int64_t>("root", [&](size_t i) { return rows[i].root; });
                out.put<int64_t>("bytes", [&](size_t i) { return rows[i].bytes; });
                out.put<int64_t>("sent_bytes", [&](size_t i) { return rows[i].sent_bytes; });
                out.put<int64_t>("received_bytes", [&](size_t i) { return rows[i].received_bytes; });
            }};
}

TableFill call_chains(const WritePlan& plan) {
    return {"call_chains", plan.profile.call_chains.size(), [&plan](TableWriter& out) {
                const std::vector<CallChain>& rows = plan.profile.call_chains;
                out.put<int32_t>("id", [&](size_t i) { return rows[i].row; });
                out.put<int32_t>("stack", [&](size_t i) { return rows[i].stack.value; });
            }};
}

// Columns stand in the order of the slots.
TableFill op_counters(const WritePlan& plan) {
    return {"op_counters", plan.self_counters.size(), [&plan](TableWriter& out) {
                const OpCounters& counted = plan.self_counters;
                out.put<int32_t>("id", [&](size_t i) { return counted.row[i]; });
                for (size_t slot = 0; slot < kCounterSlots; ++slot)
                    out.put<int64_t>(counter_column(slot), [&](size_t i) { return counted.at(slot, i); });
            }};
}

TableFill device_extras(const WritePlan& plan) {
    return {"device_extras", plan.profile.device_extras.size(), [&plan](TableWriter& out) {
                const DeviceExtras& extras = plan.profile.device_extras;
                out.put<int32_t>("id", [&](size_t i) { return extras.row[i]; });
                out.put<int64_t>("graph", [&](size_t i) { return extras.graph[i]; });
                out.put<int64_t>("graph_node", [&](size_t i) { return extras.graph_node[i]; });
                out.put<int64_t>("green_context", [&](size_t i) { return extras.green_context[i]; });
                out.put<int64_t>("address", [&](size_t i) { return extras.address[i]; });
                out.put<int64_t>("event", [&](size_t i) { return extras.event[i]; });
            }};
}

TableFill page_faults(const WritePlan& plan) {
    return {"page_faults", plan.profile.page_faults.size(), [&plan](TableWriter& out) {
                const std::vector<PageFault>& rows = plan.profile.page_faults;
                out.put<int64_t>("time_ns", [&](size_t i) { return rows[i].time; });
                out.put<int64_t>("dur_ns", [&](size_t i) { return rows[i].dur; });
                out.put<int32_t>("track", [&](size_t i) { return rows[i].track.value; });
                out.put<int32_t>("device", [&](size_t i) { return rows[i].device.value; });
                out.put<int64_t>("address", [&](size_t i) { return rows[i].address; });
                out.put<int64_t>("count", [&](size_t i) { return rows[i].count; });
                out.put_text("access", [&](size_t i) { return plan.profile.strings.view(rows[i].access); });
            }};
}

TableFill device_spans(const WritePlan& plan) {
    return {"device_spans", plan.profile.device.size(), [&plan](TableWriter& out) {
                const DeviceSpans& spans = plan.profile.device;
                const analyze::Analysis& analysis = plan.analysis;
                out.put<int32_t>("track", [&](size_t i) { return spans.track[i].value; });
                out.put<int64_t>("begin_ns", [&](size_t i) { return spans.begin[i]; });
                out.put<int64_t>("dur_ns", [&](size_t i) { return spans.dur[i]; });
                out.put<int8_t>("kind", [&](size_t i) { return static_cast<int8_t>(spans.kind[i]); });
                out.put<uint8_t>("flags", [&](size_t i) { return analysis.device_flags[i]; });
                out.put<int32_t>("name", [&](size_t i) {
                    return spans.kind[i] == DeviceKind::kKernel ? analysis.kernel[i].value
                                                                : spans.name[i].value;
                });
                out.put<int32_t>("launch", [&](size_t i) { return analysis.launch[i].value; });
                out.put<int32_t>("op_span", [&](size_t i) { return analysis.launch_op[i].value; });
                out.put<int32_t>("op", [&](size_t i) { return analysis.device_op[i].value; });
                out.put<int64_t>("host_ns", [&](size_t i) { return analysis.host_ns[i]; });
                out.put<int32_t>("iteration", [&](size_t i) { return analysis.device_iteration[i]; });
                out.put<int64_t>("correlation", [&](size_t i) { return spans.correlation[i]; });
                out.put<int64_t>("external_id", [&](size_t i) { return spans.external_id[i]; });
                out.put<int32_t>("config", [&](size_t i) { return spans.config[i].value; });
                out.put<int64_t>("bytes", [&](size_t i) { return spans.bytes[i]; });
                out.put<int32_t>("collective", [&](size_t i) { return spans.collective[i].value; });
                out.put<int32_t>("transfer", [&](size_t i) { return spans.transfer[i].value; });
                out.put<int64_t>("launch_dur_ns", [&](size_t i) {
                    const HostSpanId launch = analysis.launch[i];
                    return launch.valid() ? plan.profile.host.dur[launch.index()] : int64_t{-1};
                });
                out.put<int32_t>("work", [&](size_t i) { return analysis.span_work[i]; });
                out.put<double>("share", [&](size_t i) { return analysis.span_share[i]; });
            }};
}

TableFill memory_events(const WritePlan& plan) {
    return {"memory_events", plan.profile.memory.size(), [&plan](TableWriter& out) {
                const MemoryEvents& events = plan.profile.memory;
                out.put<int64_t>("time_ns", [&](size_t i) { return events.time[i]; });
                out.put<int32_t>("track", [&](size_t i) { return events.track[i].value; });
                out.put<int64_t>("address", [&](size_t i) { return events.address[i]; });
                out.put<int64_t>("bytes", [&](size_t i) { return events.bytes[i]; });
                out.put<int64_t>("total_allocated", [&](size_t i) { return events.total_allocated[i]; });
                out.put<int64_t>("total_reserved", [&](size_t i) { return events.total_reserved[i]; });
                out.put<int32_t>("device_type", [&](size_t i) { return events.device_type[i]; });
                out.put<int32_t>("device", [&](size_t i) { return events.device[i]; });
                out.put<int8_t>("kind", [&](size_t i) { return events.kind[i]; });
                out.put<int32_t>("stack", [&](size_t i) { return events.stack[i].value; });
            }};
}

TableFill counters(const WritePlan& plan) {
    return {"counters", plan.profile.counters.size(), [&plan](TableWriter& out) {
                const CounterSamples& samples = plan.profile.counters;
                out.put<int64_t>("time_ns", [&](size_t i) { return samples.time[i]; });
                out.put<int32_t>("track", [&](size_t i) { return samples.track[i].value; });
                out.put<int32_t>("name", [&](size_t i) { return samples.name[i].value; });
                out.put<double>("value", [&](size_t i) { return samples.value[i]; });
            }};
}

TableFill cpu_samples(const WritePlan& plan) {
    return {"cpu_samples", plan.profile.samples.size(), [&plan](TableWriter& out) {
                const CpuSamples& samples = plan.profile.samples;
                out.put<int64_t>("time_ns", [&](size_t i) { return samples.time[i]; });
                out.put<int32_t>("track", [&](size_t i) { return samples.track[i].value; });
                out.put<int32_t>("cpu", [&](size_t i) { return samples.cpu[i]; });
                out.put<int32_t>("stack", [&](size_t i) { return samples.stack[i].value; });
            }};
}

TableFill resource_segments(const WritePlan& plan) {
    return {"resource_segments", plan.analysis.resources.size(), [&plan](TableWriter& out) {
                const std::vector<analyze::ResourceSegment>& segments = plan.analysis.resources;
                out.put<int32_t>("rank", [&](size_t i) { return segments[i].rank.value; });
                out.put<int64_t>("begin_ns", [&](size_t i) { return segments[i].begin_ns; });
                out.put<int64_t>("end_ns", [&](size_t i) { return segments[i].end_ns; });
                out.put<int8_t>("resource",
                                [&](size_t i) { return static_cast<int8_t>(segments[i].resource); });
            }};
}

TableFill busy_segments(const WritePlan& plan) {
    return {"busy_segments", plan.analysis.busy.size(), [&plan](TableWriter& out) {
                const std::vector<analyze::BusySegment>& segments = plan.analysis.busy;
                out.put<int32_t>("device", [&](size_t i) { return segments[i].device.value; });
                out.put<int64_t>("begin_ns", [&](size_t i) { return segments[i].begin_ns; });
                out.put<int64_t>("end_ns", [&](size_t i) { return segments[i].end_ns; });
                out.put<bool>("kernel_only", [&](size_t i) { return segments[i].kernel_only; });
            }};
}

TableFill comm_segments(const WritePlan& plan) {
    return {"comm_segments", plan.analysis.communication.size(), [&plan](TableWriter& out) {
                const std::vector<analyze::CommSegment>& segments = plan.analysis.communication;
                out.put<int32_t>("device", [&](size_t i) { return segments[i].device.value; });
                out.put<int64_t>("begin_ns", [&](size_t i) { return segments[i].begin_ns; });
                out.put<int64_t>("end_ns", [&](size_t i) { return segments[i].end_ns; });
                out.put<bool>("overlapped", [&](size_t i) { return segments[i].overlapped; });
            }};
}

}  // namespace

std::vector<TableFill> span_table_fills(const WritePlan& plan) {
    return {ops(plan),           op_extras(plan),     op_work(plan),     api_calls(plan),
            python_frames(plan), module_calls(plan),  annotations(plan), other_spans(plan),
            device_spans(plan),  memory_events(plan), counters(plan),    resource_segments(plan),
            busy_segments(plan), comm_segments(plan), nvtx_ranges(plan), nvtx_payloads(plan),
            messages(plan),      call_chains(plan),   op_counters(plan), device_extras(plan),
            page_faults(plan),   cpu_samples(plan)};
}

}  // namespace opsight::db
