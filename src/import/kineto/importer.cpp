#include "import/kineto/importer.h"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>

#include "base/task_group.h"
#include "import/kineto/assembler.h"
#include "import/kineto/interpreter.h"
#include "import/kineto/trace_reader.h"

namespace opsight::importer::kineto {
namespace {

constexpr const char* kWhatToGive =
    "give the .json or .json.gz that torch.profiler's export_chrome_trace wrote";
constexpr const char* kOneDocument = "give each trace as a file of its own";
constexpr uint64_t kEstimateAfter = uint64_t{24} << 20;  // bytes of events that tell how many rows will come

class Pipeline {
  public:
    Pipeline(ByteSource& source, TraceReader& reader, Assembler& assembler, ProfileBuilder& builder,
             const TraceOptions& options)
        : source_(source), reader_(reader), assembler_(assembler), builder_(builder), options_(options) {}

    Status run() {
        TaskGroup tasks;
        for (size_t i = 1; i < options_.threads; ++i)
            tasks.start([this, i] { work(i); });
        work(0);
        tasks.join();
        if (error_) return fail(std::move(*error_));
        return {};
    }

  private:
    using BatchPtr = std::unique_ptr<Batch>;

    void work(size_t worker) {
        try {
            Interpreter& interpreter = new_interpreter();
            Window window;
            while (take_window(window)) {
                BatchPtr batch = take_batch();
                batch->sequence = window.sequence;
                batch->worker = worker;
                interpreter.start(*batch, {window.begin(), window.size}, window.offset);
                interpreter.reader().read(window.begin(), window.size, window.offset, interpreter,
                                          batch->diagnostics);
                interpreter.finish();
                deliver(std::move(batch));
            }
        } catch (const std::bad_alloc&) {
            stop({"out of memory", {}, {}, "close other programs, or import on a larger machine"});
        }
    }

    // The tables of an interpreter must outlive the batches that refer to them.
    Interpreter& new_interpreter() {
        const std::lock_guard lock(merge_mutex_);
        interpreters_.push_back(std::make_unique<Interpreter>());
        return *interpreters_.back();
    }

    bool take_window(Window& window) {
        const std::lock_guard lock(read_mutex_);
        if (at_end_ || stopped_) return false;
        Result<bool> got = reader_.next(window);
        if (!got) stop(std::move(got).error());
        at_end_ = !got || !*got;
        if (options_.progress) options_.progress->set_done(options_.disk_before + source_.position());
        bytes_read_ = reader_.bytes();
        disk_read_ = source_.position();
        return !at_end_;
    }

    BatchPtr take_batch() {
        std::unique_lock lock(merge_mutex_);
        const size_t most = 4 * options_.threads;
        room_.wait(lock, [&] { return pending_.size() < most || stopped_ || !merging_; });
        if (free_.empty()) return std::make_unique<Batch>();
        BatchPtr batch = std::move(free_.back());
        free_.pop_back();
        batch->clear();
        return batch;
    }

    // Adds the batch, and all that waited for it, unless another thread is at it.
    void deliver(BatchPtr batch) {
        std::unique_lock lock(merge_mutex_);
        pending_.emplace(batch->sequence, std::move(batch));
        if (merging_) return;
        merging_ = true;
        while (!pending_.empty() && pending_.begin()->first == next_ && !stopped_) {
            BatchPtr next = std::move(pending_.begin()->second);
            pending_.erase(pending_.begin());
            ++next_;
            lock.unlock();
            reserve_rows();
            assembler_.add(*next);
            lock.lock();
            free_.push_back(std::move(next));
        }
        merging_ = false;
        room_.notify_all();
    }

    // Once enough is read to tell: as much room as the rest of the file will need, and a little more.
    void reserve_rows() {
        const uint64_t done = disk_read_ - first_position_, before = options_.disk_before + first_position_;
        if (reserved_ || options_.disk_bytes <= before || bytes_read_ < kEstimateAfter || done == 0) return;
        reserved_ = true;
        const double factor =
            1.15 * static_cast<double>(options_.disk_bytes - before) / static_cast<double>(done);
        RowCounts rows = builder_.row_counts();
        for (const auto count : {&RowCounts::host, &RowCounts::ops, &RowCounts::api, &RowCounts::device,
                                 &RowCounts::memory, &RowCounts::counters, &RowCounts::flows}) {
            const auto added = static_cast<double>(rows.*count - first_rows_.*count);
            rows.*count = first_rows_.*count + static_cast<size_t>(added * factor);
        }
        builder_.reserve(rows);
    }

    void stop(Error error) {
        const std::lock_guard lock(merge_mutex_);
        if (!error_) error_ = std::move(error);
        stopped_ = true;
        room_.notify_all();
    }

    ByteSource& source_;
    TraceReader& reader_;
    Assembler& assembler_;
    ProfileBuilder& builder_;
    const TraceOptions& options_;

    const RowCounts first_rows_ = builder_.row_counts();
    const uint64_t first_position_ = source_.position();

    std::mutex read_mutex_;
    bool at_end_ = false;
    std::atomic<uint64_t> bytes_read_{0}, disk_read_{0};

    std::mutex merge_mutex_;
    std::condition_variable room_;
    std::vector<std::unique_ptr<Interpreter>> interpreters_;
    std::map<uint64_t, BatchPtr> pending_;
    std::vector<BatchPtr> free_;
    uint64_t next_ = 0;
    bool merging_ = false, reserved_ = false;

    std::optional<Error> error_;
    std::atomic<bool> stopped_{false};
};

void add_rank_facts(const Header& header, RankId rank_id, bool tells_ranks, ProfileBuilder& builder) {
    Rank& rank = builder.rank(rank_id);
    if (header.rank && !tells_ranks) {
        rank.number = *header.rank;
        rank.number_known = true;
    }
    rank.world_size = header.world_size.value_or(-1);
    rank.backend = header.backend;
    for (Device device : header.devices) {
        device.rank = rank_id;
        builder.device_info(builder.device(rank_id, device.number)) = device;
    }
}

void add_header(const Header& header, const std::string& name, const Assembler& assembler,
                ProfileBuilder& builder) {
    const std::vector<RankId> ranks = assembler.ranks();
    builder.rank(ranks.front()).host = header.host;  // others of a merged trace may have run elsewhere
    for (const RankId rank : ranks)
        add_rank_facts(header, rank, assembler.tells_ranks(), builder);
    ProfileInfo& info = builder.info();
    for (const auto& property : header.properties)
        if (std::find(info.properties.begin(), info.properties.end(), property) == info.properties.end())
            info.properties.push_back(property);
    info.sources.push_back(name);
    const bool kineto = header.has_schema_version || assembler.knows_kineto();
    if (info.producer.empty() || kineto) info.producer = kineto ? "PyTorch Kineto" : "Chrome trace events";
    if (kineto && info.frameworks.empty()) info.frameworks.push_back("PyTorch");
}

}  // namespace

Result<TraceFacts> import_trace(ByteSource& source, const std::string& name, const TraceOptions& options,
                                ProfileBuilder& builder) {
    Rank rank;
    rank.source = name;
    rank.number = std::max<int64_t>(0, options.rank_hint);
    const RankId rank_id = builder.begin_rank(rank);
    const auto losses = [&] {
        return builder.diagnostics().count(Diag::kBadEvent) +
               builder.diagnostics().count(Diag::kTruncatedInput);
    };
    const int64_t losses_before = losses();

    TraceReader reader(source);
    Assembler assembler(builder, rank_id, name, std::max<size_t>(1, options.threads), !options.is_made);
    auto named = [&](Error error) {
        if (error.file.empty()) error.file = name;
        return fail(std::move(error));
    };
    if (Status status = Pipeline(source, reader, assembler, builder, options).run(); !status)
        return named(std::move(status).error());

    const Header header = read_header(reader.header(), reader.diagnostics());
    const std::string damage = source.damage();
    if (!damage.empty() && reader.diagnostics().count(Diag::kTruncatedInput) == 0)
        reader.diagnostics().add(Diag::kTruncatedInput,
                                 {{}, static_cast<int64_t>(reader.bytes()), -1, damage});
    assembler.finish(header, reader.diagnostics());
    if (!reader.found_events() && reader.diagnostics().count(Diag::kMoreDocuments) > 0)
        return named(
            {"holds several documents, and no list 'traceEvents' in the first", {}, {}, kOneDocument});
    if (!reader.found_events()) return named({"holds no list 'traceEvents'", {}, {}, kWhatToGive});
    if (assembler.events() == assembler.no_events() && (assembler.events() > 0 || losses() > losses_before))
        return named({"holds a list, but no trace events in it", {}, {}, kWhatToGive});
    if (assembler.events() > 0 && !assembler.knows_anything())
        builder.diagnostics().add(Diag::kNothingKnown,
                                  {name, -1, -1, std::to_string(assembler.events()) + " events"});
    add_header(header, name, assembler, builder);
    return TraceFacts{reader.bytes(), assembler.events()};
}

}  // namespace opsight::importer::kineto
