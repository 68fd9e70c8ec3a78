#include "import/capture/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "import/capture/process.h"
#include "import/capture/process_groups.h"
#include "import/capture/ranks.h"

namespace opsight::importer::capture {
namespace {

struct Process {
    std::string file;
    wire::CaptureReader reader;
    ProcessFacts facts;
    uint32_t host = 0;  // of those that recorded: a number of its own for each name
};

std::string property(const Process& process, const std::string& key) {
    const auto found = process.facts.properties.find(key);
    return found == process.facts.properties.end() ? std::string() : found->second;
}

int64_t number_property(const Process& process, const std::string& key) {
    const std::string text = property(process, key);
    int64_t value = -1;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// The first capture of each process, by process; and the process of each capture. Several libraries may have
// recorded in one process, each in a capture of its own.
struct Members {
    std::vector<size_t> first;
    std::vector<size_t> of;
};

Members find_members(const std::vector<Process>& captures) {
    Members members;
    std::map<std::tuple<uint32_t, uint32_t, uint32_t>, size_t> known;
    for (size_t i = 0; i < captures.size(); ++i) {
        const wire::CaptureInfo& info = captures[i].reader.info();
        const auto [at, is_new] =
            known.try_emplace({captures[i].host, info.pid, info.parent_pid}, members.first.size());
        if (is_new) members.first.push_back(i);
        members.of.push_back(at->second);
    }
    return members;
}

RankOfProcesses ranks_of(const std::vector<Process>& captures, const Members& members) {
    std::vector<ProcessTraits> traits(members.first.size());
    for (size_t i = 0; i < captures.size(); ++i) {
        ProcessTraits& process = traits[members.of[i]];
        process.pid = captures[i].reader.info().pid;
        process.parent = captures[i].reader.info().parent_pid;
        process.host = captures[i].host;
        process.trains |= captures[i].facts.trains;
        const auto take = [&](int64_t& to, const char* key) {
            if (const int64_t number = number_property(captures[i], key); number >= 0) to = number;
        };
        take(process.told_rank, "rank");
        take(process.told_size, "world_size");
        take(process.group_rank, "group_rank");
        take(process.group_size, "group_size");
        take(process.restart, "restart");
    }
    return find_ranks(traits);
}

// Gives each host a number, and the processes their order in time. Clocks since boot tell times of one host
// only: hosts are put beside each other by the time of day. Gives back, by host, what leads from the one to
// the other.
std::vector<int64_t> order_processes(std::vector<Process>& processes) {
    std::map<std::string, uint32_t> numbers;
    std::vector<std::pair<int64_t, int64_t>>
        first;  // by host: the earliest reading of its clock, and the way on
    for (Process& process : processes) {
        const auto [at, is_new] = numbers.try_emplace(property(process, "host"), first.size());
        process.host = at->second;
        const wire::ClockSnapshot& begin = process.reader.info().begin;
        const std::pair reading{begin.monotonic_ns, begin.realtime_ns - begin.monotonic_ns};
        if (is_new)
            first.push_back(reading);
        else
            first[process.host] = std::min(first[process.host], reading);
    }
    std::vector<int64_t> epochs;
    for (const auto& [_, epoch] : first)
        epochs.push_back(epoch);
    const auto began = [&](const Process& process) {
        return process.reader.info().begin.monotonic_ns + epochs[process.host];
    };
    std::stable_sort(processes.begin(), processes.end(),
                     [&](const Process& a, const Process& b) { return began(a) < began(b); });
    return epochs;
}

class RunImport {
  public:
    RunImport(std::vector<Process> processes, ProfileBuilder& builder, Progress* progress)
        : processes_(std::move(processes)),
          epochs_(order_processes(processes_)),
          members_(find_members(processes_)),
          found_(ranks_of(processes_, members_)),
          builder_(builder),
          devices_(builder),
          progress_(progress) {}

    CaptureFacts run() {
        describe(processes_.front());
        begin_ranks();
        uint64_t total = 0;
        for (const Process& process : processes_)
            total += bytes_of(process);
        if (progress_) progress_->stage("reading", total);
        pool_clocks();
        for (size_t i = 0; i < processes_.size(); ++i)
            import(i, epochs_[processes_[i].host]);
        facts_.files = processes_.size();
        facts_.closed = processes_.front().reader.info().finished;
        return facts_;
    }

  private:
    void describe(const Process& main) {
        ProfileInfo& info = builder_.info();
        info.producer = "Opsight collector";
        info.origin_is_unix = true;
        // Several libraries may have recorded in the same process, each in a capture of its own.
        std::map<std::string, std::string> properties;
        for (const Process& process : processes_)
            if (process.host == main.host && process.reader.info().pid == main.reader.info().pid)
                properties.insert(process.facts.properties.begin(), process.facts.properties.end());
        for (const auto& [key, value] : properties) {
            if (is_of_a_rank(key)) continue;
            if (key == "framework")
                info.frameworks.push_back(value);
            else
                info.properties.push_back({key, value});
        }
        for (const Process& process : processes_)
            info.sources.push_back(process.file);
    }

    // What holds for one rank only, and is told of the ranks themselves.
    bool is_of_a_rank(const std::string& key) const {
        static const std::set<std::string> kKeys = {"rank",       "local_rank", "world_size",
                                                    "group_rank", "group_size", "restart"};
        return key.starts_with("process_group_") || (found_.ranks.size() > 1 && kKeys.contains(key));
    }

    // The backend of the first group, that of the whole job.
    std::string backend_of(size_t member) const {
        for (size_t i = 0; i < processes_.size(); ++i) {
            if (members_.of[i] != member) continue;
            const auto groups = read_groups(processes_[i].facts.properties);
            if (!groups.empty()) return groups.begin()->second.backend;
        }
        return {};
    }

    void begin_ranks() {
        for (const RankMembers& found : found_.ranks) {
            const Process& main = processes_[members_.first[found.main]];
            Rank rank;
            rank.number = std::max<int64_t>(0, found.number);
            rank.number_known = found.number >= 0 || found_.ranks.size() == 1;  // the only one is rank 0
            rank.world_size = found.world_size;
            rank.host = property(main, "host");
            rank.backend = backend_of(found.main);
            rank.source = main.file;
            ranks_.push_back(builder_.begin_rank(std::move(rank)));
        }
    }

    size_t rank_of(size_t index) const { return found_.rank_of[members_.of[index]]; }
    bool is_main(size_t index) const { return found_.ranks[rank_of(index)].main == members_.of[index]; }
    std::string name_of(size_t index) const {
        const uint32_t pid = processes_[index].reader.info().pid;
        return is_main(index) ? "main process" : fmt::format("worker process {}", pid);
    }

    // What one process recorded into several captures is in order by its ticks: one line for all of them
    // keeps it so, where lines of their own would differ by the errors of their readings.
    void pool_clocks() {
        for (size_t i = 0; i < processes_.size(); ++i) {
            std::vector<wire::ClockSnapshot>& all = readings_[clock_of(i)];
            const std::vector<wire::ClockSnapshot>& own = processes_[i].facts.clocks;
            all.insert(all.end(), own.begin(), own.end());
        }
        for (const auto& [clock, readings] : readings_) {
            double& rate = rates_[processes_[members_.first[clock.first]].host];
            rate = std::max(rate, TickClock(readings, 1).ns_per_tick());
        }
    }
    std::pair<size_t, wire::ClockKind> clock_of(size_t index) const {
        return {members_.of[index], processes_[index].reader.info().clock};
    }

    void import(size_t index, int64_t epoch_ns) {
        Process& process = processes_[index];
        const double rate = rates_[process.host];
        const TickClock clock(readings_.at(clock_of(index)), rate > 0 ? rate : 1);
        ProcessImport import(process.reader, process.facts, clock, epoch_ns, ranks_[rank_of(index)],
                             tells_device_memory(index), name_streams(names_of(index), process.facts.cuda),
                             devices_, process.file, builder_);
        const auto tell = [&](uint64_t done) { progress_->set_done(facts_.bytes + done); };
        import.run(name_of(index), progress_ ? std::function<void(uint64_t)>(tell) : nullptr);
        if (is_main(index) && import.kept_from_ns()) note_kept_from(rank_of(index), *import.kept_from_ns());
        facts_.records += import.records();
        facts_.bytes += bytes_of(process);
        report(process, is_main(index));
    }

    void note_kept_from(size_t rank, int64_t ns) {
        std::optional<int64_t>& from = builder_.rank(ranks_[rank]).kept_from_ns;
        from = std::max(ns, from.value_or(ns));
    }

    static uint64_t bytes_of(const Process& process) {
        uint64_t bytes = 0;
        for (const wire::CaptureStream& stream : process.reader.streams())
            bytes += stream.chunks.size() * uint64_t{wire::kChunkBytes};
        return bytes;
    }

    // Several libraries may have recorded in the same process.
    bool tells_device_memory(size_t index) const {
        return std::any_of(processes_.begin(), processes_.end(), [&](const Process& process) {
            return same_process(process, processes_[index]) && process.facts.device_memory;
        });
    }
    static bool same_process(const Process& a, const Process& b) {
        return a.host == b.host && a.reader.info().pid == b.reader.info().pid;
    }

    std::vector<NvtxFacts::Name> names_of(size_t index) const {
        std::vector<NvtxFacts::Name> names;
        for (const Process& process : processes_)
            if (same_process(process, processes_[index]))
                names.insert(names.end(), process.facts.nvtx.names.begin(), process.facts.nvtx.names.end());
        return names;
    }

    void report(const Process& process, bool is_main) {
        const wire::CaptureDamage& damage = process.reader.damage();
        const auto add = [&](Diag diag, uint64_t count, std::string text) {
            if (count > 0)
                builder_.diagnostics().add(diag, {process.file, -1, -1, std::move(text)},
                                           static_cast<int64_t>(count));
        };
        const wire::CaptureInfo& info = process.reader.info();
        add(Diag::kLostRecords, info.lost,
            "no room was left: --buffer-mb, a limit of the program or the disk");
        add(Diag::kLostRecords, info.overwritten, "newer ones took their place, as --keep-last asks for");
        add(Diag::kLostRecords, info.interrupted,
            "made by signal handlers that had interrupted another record");
        add(Diag::kLostRecords, info.left_open,
            "ends of calls that lay deeper than 1024 within others: shown as not ended");
        add(Diag::kLostRecords, info.refused,
            "payloads and samples of no known layout or too large, or names too many");
        add(Diag::kCutText, info.cut_texts, fmt::format("longer than {} bytes", wire::kMaxBlob));
        add(Diag::kTruncatedInput, damage.missing_chunks, fmt::format("{} blocks", damage.missing_chunks));
        add(Diag::kBadEvent, damage.bad_chunks + damage.bad_records, "damaged blocks or records");
        add(Diag::kUnknownCategory, damage.unknown_records, "records of an unknown type");
        add(Diag::kCaptureNotClosed, is_main && !process.reader.info().finished ? 1 : 0, {});
    }

    std::vector<Process> processes_;
    const std::vector<int64_t> epochs_;  // by host: from its clock since boot to ns since 1970
    Members members_;
    RankOfProcesses found_;
    ProfileBuilder& builder_;
    CudaDevices devices_;
    Progress* const progress_;
    std::vector<RankId> ranks_;
    CaptureFacts facts_;
    std::map<std::pair<size_t, wire::ClockKind>, std::vector<wire::ClockSnapshot>> readings_;
    std::map<uint32_t, double> rates_;  // ns per tick, by host
};

}  // namespace

bool was_being_opened(const std::string& path) {
    std::array<char, sizeof wire::kMagic> head{};
    std::ifstream file(path, std::ios::binary);
    return file.read(head.data(), head.size()) &&
           std::all_of(head.begin(), head.end(), [](char byte) { return byte == 0; });
}

bool is_named_so(const std::string& path) {
    return path.ends_with(".opcap");
}

Result<CaptureFacts> import_captures(const std::vector<std::string>& paths, bool lenient,
                                     ProfileBuilder& builder, Progress* progress) {
    std::vector<Process> processes;
    std::optional<Error> first_problem;
    for (const std::string& path : paths) {
        Result<wire::CaptureReader> reader = wire::CaptureReader::open(path);
        if (!reader) {
            if (!lenient) return fail(std::move(reader).error());
            if (was_being_opened(path))
                builder.diagnostics().add(Diag::kCaptureNotBegun, {path, -1, -1, {}});
            else
                builder.diagnostics().add(Diag::kUnreadCapture, {path, -1, -1, reader.error().what});
            if (!first_problem) first_problem = std::move(reader).error();
            continue;
        }
        ProcessFacts facts = gather_facts(*reader);
        processes.push_back({path, std::move(*reader), std::move(facts)});
    }
    if (processes.empty() && first_problem) return fail(std::move(*first_problem));
    if (processes.empty()) return fail("no capture to import");
    return RunImport(std::move(processes), builder, progress).run();
}

Result<CaptureFacts> import_capture(std::string_view bytes, const std::string& name,
                                    ProfileBuilder& builder) {
    const auto copy = [bytes](uint64_t offset, void* to, size_t size) {
        if (offset > bytes.size() || size > bytes.size() - offset) return false;
        std::memcpy(to, bytes.data() + offset, size);
        return true;
    };
    OPSIGHT_ASSIGN(wire::CaptureReader reader, wire::CaptureReader::from(copy, bytes.size(), name));
    ProcessFacts facts = gather_facts(reader);
    std::vector<Process> processes;
    processes.push_back({name, std::move(reader), std::move(facts)});
    return RunImport(std::move(processes), builder, nullptr).run();
}

}  // namespace opsight::importer::capture
