#include "query/reports/run_facts.h"

#include <algorithm>

#include "hardware/devices.h"
#include "hardware/op_tables.h"
#include "hardware/tensor_cores.h"
#include "query/reports/activity_times.h"
#include "query/reports/device_use.h"
#include "query/reports/headline.h"
#include "query/reports/range_resources.h"
#include "query/reports/reports.h"
#include "query/reports/source_reports.h"
#include "query/reports/sql.h"
#include "query/session/cells.h"
#include "query/session/sql.h"

namespace opsight::query {
namespace {

using Facts = RunFacts;
namespace sql = reports::sql;

Status read_shares(Session& session, Facts& facts) {
    OPSIGHT_ASSIGN(const ResultTable head, headline(session, {}));
    const std::pair<const char*, std::optional<double> Facts::*> shares[] = {
        {"tensor_core_kernel_pct", &Facts::tensor_core},
        {"unknown_kernel_pct", &Facts::unknown_kernel},
        {"non_tensor_core_kernel_pct", &Facts::plain_kernel},
        {"communication_pct", &Facts::communication},
        {"memory_pct", &Facts::memory},
        {"dataloader_pct", &Facts::dataloader},
        {"io_pct", &Facts::io},
        {"cpu_pct", &Facts::cpu},
        {"host_pct", &Facts::host},
        {"idle_pct", &Facts::idle},
    };
    for (size_t i = 0; i < head.columns.size() && !head.rows.empty(); ++i)
        for (const auto& [key, member] : shares)
            if (head.columns[i].key == key)
                if (const double* share = std::get_if<double>(&head.rows[0][i])) facts.*member = *share;
    return {};
}

Status read_source(Session& session, Facts& facts) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::source_facts));
    const auto& row = rows.rows.at(0);
    facts.torch = flag(row[0]);
    facts.recorded_here = flag(row[1]);
    facts.python_frames = flag(row[2]);
    facts.ranks = integer(row[3]);
    facts.loads_itself = flag(row[4]);
    facts.loads_by_workers = flag(row[5]);
    facts.compiled = flag(row[6]);
    facts.graphs = flag(row[7]);
    facts.torch_threads = integer(row[8]);
    facts.processors = integer(row[9]);
    facts.trains = flag(row[10]);
    facts.device_work = session.contents().device_work;
    facts.work_lost = session.contents().work_lost;
    facts.ops = session.contents().ops;
    OPSIGHT_ASSIGN(facts.memory_events, is_recorded(session, "memory_peak"));
    return {};
}

Status read_details(Session& session, Facts& facts) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::recorded_details));
    const auto& row = rows.rows.at(0);
    RecordedDetails& r = facts.recorded;
    size_t at = 0;
    for (bool* each : {&r.shapes, &r.dtypes, &r.input_values, &r.torch_ops, &r.grids, &r.occupancy, &r.waves,
                       &r.bounds_of_work, &r.collectives, &r.kinds_of_memory, &r.sizes_of_copies,
                       &r.optimizer_steps, &r.zero_grads, &r.compiler_ranges, &r.compiled_regions,
                       &r.foreach_ops, &r.fused_optimizers, &r.fusions})
        *each = flag(row[at++]);
    r.iterations = session.range().whole ? 0 : integer(row[at]);
    r.optimizer = text(row[at + 1]);
    return {};
}

// Advice about number formats must hold on every device that worked. What a device is was found when the
// profile was made; of one that nothing describes nothing is claimed.
Status read_devices(Session& session, Facts& facts) {
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::worked_devices));
    facts.devices_known = facts.matrix_units = facts.tf32 = facts.bf16 = !rows.rows.empty();
    for (const auto& row : rows.rows) {
        const std::string name = text(row[0]);
        const auto major = static_cast<int>(integer(row[1])), minor = static_cast<int>(integer(row[2]));
        const Vendor vendor = vendor_of(name, major, integer(row[3]));
        const bool described = flag(row[4]);
        const std::optional<bool> has_units =
            described ? flag(row[5]) : hardware::has_tensor_cores(name, major, minor);
        // "NVIDIA GPU" may have them or not.
        facts.devices_known &= has_units.has_value() || vendor == Vendor::kOther;
        facts.matrix_units &= has_units.value_or(false);
        facts.tf32 &= flag(row[6]);
        facts.bf16 &= flag(row[7]);
        facts.vendor = &row == &rows.rows.front() || facts.vendor == vendor ? vendor : Vendor::kUnknown;
    }
    return {};
}

// Kernels known not to use Tensor Cores, of ops that could: of those that such an op only calls, as a sum
// beside a product, nothing is claimed. An op that is known to be able to only because it was seen to run
// such kernels (a compiled region) has used them: what else it runs need not be able to.
Status read_eligible(Session& session, Facts& facts) {
    OPSIGHT_ASSIGN(const duck::Rows ops, session.query(sql::eligible_kernel_times));
    for (const auto& row : ops.rows) {
        const bool by_name =
            hardware::is_tensor_core_op(text(row[0])) || hardware::is_tensor_core_node_type(text(row[1]));
        const bool eligible = flag(row[2]), only_seen = eligible && !by_name;
        const int64_t ns = integer(row[3]);
        (only_seen ? facts.region_ns : eligible ? facts.eligible_ns : facts.plain_ns) += ns;
    }
    return {};
}

Status read_kernels(Session& session, Facts& facts) {
    OPSIGHT_ASSIGN(const ProductOps products, product_ops(session));
    OPSIGHT_ASSIGN(const duck::Rows kernels,
                   session.query(duck::Statement(sql::kernel_times).set("products", products.ids)));
    const auto& row = kernels.rows.at(0);
    facts.kernels = integer(row[0]);
    facts.kernel_ns = integer(row[1]);
    facts.median_ns = integer(row[2]);
    facts.unknown_ns = integer(row[3]);
    facts.plain_ns = integer(row[4]);
    facts.outside_ns = integer(row[5]);
    facts.unlaunched_ns = integer(row[6]);
    facts.graph_ns = integer(row[7]);
    facts.product_ns = integer(row[8]);
    facts.custom_ns = integer(row[9]);
    facts.custom_op = text(row[10]);
    return {};
}

Status read_lost_work(Session& session, Facts& facts) {
    OPSIGHT_ASSIGN(const LostLaunches lost, lost_launches(session));
    facts.lost_launches = lost.launches;
    facts.lost_pct = lost.pct();
    facts.truncated = lost.truncated;
    return {};
}

Status read_earlier_work(Session& session, Facts& facts) {
    OPSIGHT_TRY(session.prepare(session::sql::first_work_waits));
    OPSIGHT_ASSIGN(const duck::Rows waits, session.query(sql::earlier_work_wait));
    // What lies within it is asked of all segments of the run: not where it is next to nothing.
    constexpr int64_t kPart = 1000;  // of the wall clock
    facts.first_queued_ns = integer(waits.rows.at(0)[0]);
    const int64_t wall_ns = integer(waits.rows[0][1]) / std::max<int64_t>(integer(waits.rows[0][2]), 1);
    if (facts.first_queued_ns < wall_ns / kPart) return {};
    OPSIGHT_TRY(prepare_within(session));
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::earlier_work));
    const auto& row = rows.rows.at(0);
    facts.idle_behind_ns = integer(row[0]);
    facts.host_behind_ns = integer(row[1]);
    facts.cpu_behind_ns = integer(row[2]);
    return {};
}

Status read_queued(Session& session, Facts& facts) {
    OPSIGHT_ASSIGN(const auto resources, range_resources(session));
    facts.idle_queued_ns = resources->queued_ns(analyze::Resource::kIdle);
    facts.host_queued_ns = resources->queued_ns(analyze::Resource::kHost);
    facts.cpu_queued_ns = resources->queued_ns(analyze::Resource::kCpu);
    return {};
}

Status read_pauses(Session& session, Facts& facts) {
    if (session.range().whole) return {};
    OPSIGHT_ASSIGN(const duck::Rows rows, session.query(sql::skipped_steps));
    facts.skipped_steps = integer(rows.rows.at(0)[0]);
    facts.skipped_ns = integer(rows.rows[0][1]);
    facts.all_skipped_ns = integer(rows.rows[0][2]);
    return {};
}

Status read_transfers(Session& session, Facts& facts) {
    OPSIGHT_ASSIGN(const duck::Rows copies, session.query(sql::copy_times));
    const auto& row = copies.rows.at(0);
    facts.copy_ns = integer(row[0]);
    facts.pageable_ns = integer(row[1]);
    facts.most_copies = {text(row[2]), integer(row[3]), integer(row[4], -1), integer(row[5])};
    OPSIGHT_TRY(session.prepare(sql::matched_collectives));
    OPSIGHT_ASSIGN(const duck::Rows collectives, session.query(sql::collective_waits));
    for (const auto& found : collectives.rows)
        facts.collectives =
            CollectiveWaits{integer(found[0]), integer(found[1]), integer(found[2]), integer(found[6]),
                            integer(found[3]), integer(found[4]), integer(found[5])};
    OPSIGHT_ASSIGN(const duck::Rows waits, session.query(sql::wait_calls));
    facts.waits = integer(waits.rows.at(0)[0]);
    facts.waiting_ns = integer(waits.rows.at(0)[1]);
    facts.wall_ns = integer(waits.rows.at(0)[2]);
    return {};
}

Status read_host(Session& session, Facts& facts) {
    OPSIGHT_ASSIGN(facts.long_calls, long_calls(session));
    OPSIGHT_ASSIGN(facts.beside_ops, open_beside_ops(session));
    OPSIGHT_ASSIGN(facts.file_calls, file_calls(session));
    OPSIGHT_ASSIGN(facts.run_queue, run_queue_waits(session));
    OPSIGHT_ASSIGN(const auto resources, range_resources(session));
    OPSIGHT_ASSIGN(const duck::Rows on_cpu, session.query(sql::idle_on_cpu));
    facts.idle_on_cpu_ns = integer(on_cpu.rows.at(0)[0], -1);
    facts.idle_ns = resources->ns(analyze::Resource::kIdle);
    OPSIGHT_ASSIGN(const bool any, is_recorded(session, "cpu_samples"));
    if (!any) return {};
    OPSIGHT_TRY(session.prepare(sql::resource_time));
    OPSIGHT_ASSIGN(const duck::Rows sampled, session.query(sql::idle_samples));
    if (!sampled.rows.empty())
        facts.idle_samples = {integer(sampled.rows[0][0]), integer(sampled.rows[0][1]),
                              text(sampled.rows[0][2])};
    return {};
}

}  // namespace

Result<RunFacts> read_run_facts(Session& session) {
    Facts facts;
    for (const auto read :
         {read_shares, read_source, read_details, read_devices, read_kernels, read_eligible,
          read_earlier_work, read_queued, read_pauses, read_lost_work, read_transfers, read_host})
        OPSIGHT_TRY(read(session, facts));
    return facts;
}

}  // namespace opsight::query
