#include "import/capture/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <fstream>
#include <memory>

#include "import/capture/process.h"

namespace opsight::capture {
namespace {

struct Process {
    std::string file;
    wire::CaptureReader reader;
    ProcessFacts facts;
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

// The process that each one descends from: itself where its parent was not captured.
std::vector<size_t> find_roots(const std::vector<Process>& processes) {
    std::vector<size_t> roots;
    for (size_t i = 0; i < processes.size(); ++i) {
        size_t at = i;
        // Sorted by time: a parent stands before its children, whatever ids come again.
        for (size_t candidate = i; candidate-- > 0;)
            if (processes[candidate].reader.info().pid == processes[i].reader.info().parent_pid) {
                at = roots[candidate];
                break;
            }
        roots.push_back(at);
    }
    return roots;
}

class RunImport {
  public:
    RunImport(std::vector<Process> processes, ProfileBuilder& builder)
        : processes_(std::move(processes)),
          roots_(find_roots(processes_)),
          builder_(builder),
          devices_(builder) {}

    CaptureFacts run() {
        const wire::ClockSnapshot& first = processes_.front().reader.info().begin;
        describe(processes_.front());
        for (const Process& process : processes_)
            rate_ = std::max(rate_, TickClock(process.facts.clocks, 1).ns_per_tick());
        for (size_t i = 0; i < processes_.size(); ++i)
            import(i, first.realtime_ns - first.monotonic_ns);
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
            if (process.reader.info().pid == main.reader.info().pid)
                properties.insert(process.facts.properties.begin(), process.facts.properties.end());
        for (const auto& [key, value] : properties) {
            if (key == "framework")
                info.frameworks.push_back(value);
            else
                info.properties.push_back({key, value});
        }
        for (const Process& process : processes_)
            info.sources.push_back(process.file);
    }

    RankId rank_of(size_t index) {
        const Process& root = processes_[roots_[index]];
        const int64_t number = std::max<int64_t>(0, number_property(root, "rank"));
        const auto known = ranks_.find(number);
        if (known != ranks_.end()) return known->second;
        Rank rank;
        rank.number = number;
        rank.number_known = true;  // a run that names no rank is the only one
        rank.world_size = number_property(root, "world_size");
        rank.host = property(root, "host");
        rank.source = root.file;
        return ranks_.emplace(number, builder_.begin_rank(std::move(rank))).first->second;
    }

    std::string name_of(size_t index) const {
        const uint32_t pid = processes_[index].reader.info().pid;
        return roots_[index] == index ? "main process" : fmt::format("worker process {}", pid);
    }

    void import(size_t index, int64_t epoch_ns) {
        Process& process = processes_[index];
        const TickClock clock(process.facts.clocks, rate_ > 0 ? rate_ : 1);
        ProcessImport import(process.reader, process.facts, clock, epoch_ns, rank_of(index),
                             tells_device_memory(process.reader.info().pid),
                             name_streams(names_of(process.reader.info().pid), process.facts.cuda), devices_,
                             process.file, builder_);
        import.run(name_of(index));
        facts_.records += import.records();
        for (const wire::CaptureStream& stream : process.reader.streams())
            facts_.bytes += stream.chunks.size() * uint64_t{wire::kChunkBytes};
        report(process, roots_[index] == index);
    }

    // Several libraries may have recorded in the same process.
    bool tells_device_memory(uint32_t pid) const {
        return std::any_of(processes_.begin(), processes_.end(), [pid](const Process& process) {
            return process.reader.info().pid == pid && process.facts.device_memory;
        });
    }

    std::vector<NvtxFacts::Name> names_of(uint32_t pid) const {
        std::vector<NvtxFacts::Name> names;
        for (const Process& process : processes_)
            if (process.reader.info().pid == pid)
                names.insert(names.end(), process.facts.nvtx.names.begin(), process.facts.nvtx.names.end());
        return names;
    }

    void report(const Process& process, bool is_root) {
        const wire::CaptureDamage& damage = process.reader.damage();
        const auto add = [&](Diag diag, uint64_t count, std::string text) {
            if (count > 0)
                builder_.diagnostics().add(diag, {process.file, -1, -1, std::move(text)},
                                           static_cast<int64_t>(count));
        };
        add(Diag::kLostRecords, process.reader.info().lost, "the capture's size limit was reached");
        add(Diag::kTruncatedInput, damage.missing_chunks, fmt::format("{} blocks", damage.missing_chunks));
        add(Diag::kBadEvent, damage.bad_chunks + damage.bad_records, "damaged blocks or records");
        add(Diag::kUnknownCategory, damage.unknown_records, "records of an unknown type");
        add(Diag::kCaptureNotClosed, is_root && !process.reader.info().finished ? 1 : 0, {});
    }

    std::vector<Process> processes_;
    std::vector<size_t> roots_;
    ProfileBuilder& builder_;
    CudaDevices devices_;
    std::map<int64_t, RankId> ranks_;
    CaptureFacts facts_;
    double rate_ = 0;  // ns per tick on this machine
};

}  // namespace

bool is_capture(const std::string& path) {
    std::array<char, sizeof wire::kMagic> head{};
    std::ifstream file(path, std::ios::binary);
    return file.read(head.data(), head.size()) && wire::CaptureReader::matches({head.data(), head.size()});
}

Result<CaptureFacts> import_captures(const std::vector<std::string>& paths, ProfileBuilder& builder) {
    std::vector<Process> processes;
    for (const std::string& path : paths) {
        OPSIGHT_ASSIGN(wire::CaptureReader reader, wire::CaptureReader::open(path));
        ProcessFacts facts = gather_facts(reader);
        processes.push_back({path, std::move(reader), std::move(facts)});
    }
    if (processes.empty()) return fail("no capture to import");
    std::stable_sort(processes.begin(), processes.end(), [](const Process& a, const Process& b) {
        return a.reader.info().begin.monotonic_ns < b.reader.info().begin.monotonic_ns;
    });
    return RunImport(std::move(processes), builder).run();
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
    return RunImport(std::move(processes), builder).run();
}

}  // namespace opsight::capture
