// Opens profiles that were damaged at random and asks them some questions: values of their rows (by SQL), and
// bytes of their blocks, with checksums that are right again. Nothing of ours may crash or hang. Where DuckDB
// crashes, that is counted: whoever answers for files does so in a process that another one watches.
//
//   mutate_profiles [--count N] [--seed S] [--only I] [--all] [--plant I]
//
// --plant has our own code crash while it opens profile I, which must be told.
// One process takes many profiles and says how far it is, so that what it dies of is known; another goes on.
// Each profile is asked three reports and, in turn, for its timeline; with --all it is asked for everything.
// --only repeats profile I of a run with all questions, and leaves it as mutated.opsight. Quickest where
// TMPDIR is in memory.
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "db/schema.h"
#include "db/test_changes.h"
#include "query/reports/info.h"
#include "query/reports/reports.h"
#include "query/timeline/timeline.h"
#include "report/render_report.h"
#include "report/write_rows.h"
#include "whose_crash.h"

namespace {

using Random = std::mt19937_64;
namespace fs = std::filesystem;
namespace db = opsight::db;

constexpr size_t kHeader = 4096, kHeaders = 3 * kHeader;
constexpr time_t kSeconds = 60;       // of a processor, for one file
constexpr unsigned kPatience = 1200;  // for one that waits
constexpr int kPerProcess = 500;

// DuckDB's: words times a number, combined by exclusive or.
uint64_t checksum(const char* bytes, size_t size) {
    uint64_t sum = 5381;
    for (size_t at = 0; at + 8 <= size; at += 8) {
        uint64_t word = 0;
        std::memcpy(&word, bytes + at, 8);
        sum ^= word * 0xbf58476d1ce4e5b9ULL;
    }
    return sum;
}

bool checksums_are_known(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    uint64_t stored = 0;
    std::memcpy(&stored, bytes.data(), 8);
    return bytes.size() > kHeaders && stored == checksum(bytes.data() + 8, kHeader - 8);
}

void damage_bytes(std::string& file, Random& random) {
    uint64_t block = 0;
    std::memcpy(&block, file.data() + kHeader + 40, 8);
    if (block < 4096 || block > (1 << 20)) return;
    std::vector<std::pair<size_t, size_t>> parts = {{0, kHeader}, {kHeader, kHeader}, {2 * kHeader, kHeader}};
    for (size_t at = kHeaders; at + block <= file.size(); at += block)
        parts.emplace_back(at, block);
    for (uint64_t changes = 1 + random() % 4; changes > 0; --changes) {
        const auto& [begin, size] = parts[random() % parts.size()];
        const size_t at = begin + 8 + random() % (std::min<size_t>(size, 4096) - 8);
        file[at] =
            random() % 2 ? static_cast<char>(random()) : static_cast<char>(file[at] ^ (1 << random() % 8));
        const uint64_t sum = checksum(file.data() + begin + 8, size - 8);
        std::memcpy(file.data() + begin, &sum, 8);
    }
}

std::string change_of_value(Random& random) {
    const char* values[] = {"NULL",
                            "-1",
                            "0",
                            "1",
                            "127",
                            "-2147483648",
                            "2147483647",
                            "'x'",
                            "''",
                            "repeat('/a', 9999)",
                            "9223372036854775807",
                            "-9223372036854775808",
                            "'nan'",
                            "'inf'",
                            "4611686018427387903"};
    const db::Table& table = db::tables()[random() % db::tables().size()];
    const db::Column& column = table.columns[random() % table.columns.size()];
    return "UPDATE raw." + std::string(table.name) + " SET " + std::string(column.name) + " = TRY_CAST(" +
           values[random() % std::size(values)] + " AS " +
           std::string(opsight::duck::type_name(column.type)) + ")" +
           (random() % 2 ? " WHERE rowid = 0" : "");
}

// DuckDB as those use it who change a file. One for all files: to start it takes longer than to change one.
opsight::duck::Connection& editor() {
    static auto database = opsight::duck::Database::open("", {.threads = 1});
    static auto connection = database->connect();
    return *connection;
}

void change_values(const std::string& path, Random& random) {
    opsight::duck::Connection& duck = editor();
    // Else every file after this one would be a copy without a change.
    if (!duck.execute("ATTACH " + opsight::duck::quote_text(path) + " AS mutated; USE mutated")) ::abort();
    for (uint64_t changes = 1 + random() % 3; changes > 0; --changes)
        (void)duck.execute(change_of_value(random));
    if (!duck.execute("USE memory; DETACH mutated")) ::abort();
}

void make(const std::string& good, const std::string& path, Random& random) {
    fs::copy_file(good, path, fs::copy_options::overwrite_existing);
    fs::remove(path + ".wal");
    if (random() % 2) return change_values(path, random);
    std::ifstream in(path, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), {}};
    damage_bytes(bytes, random);
    std::ofstream(path, std::ios::binary) << bytes;
}

void ask_report(opsight::query::Session& session, std::string_view name) {
    const auto report = opsight::query::make_report(session, name, {});
    if (!report) return;
    (void)opsight::report::render_report_table(*report, 100);
    (void)opsight::report::render_report_json(*report, session.range());
}

void ask_timeline(const std::string& path, const db::OpenProfile& profile) {
    const auto timeline = opsight::query::Timeline::open(path, profile.database, 1);
    if (!timeline) return;
    std::vector<int64_t> tracks;
    for (const opsight::query::TimelineTrack& track : timeline->tracks())
        tracks.push_back(track.id);
    (void)timeline->window(tracks, timeline->begin_ns(), timeline->end_ns(), 200);
}

using opsight::fuzz::Whose;

// How far the process is that takes the profiles, and how it ended.
enum class Stage { kMaking, kOpening, kAsking };
struct Progress {
    std::atomic<uint64_t> number;
    std::atomic<Stage> stage;
    std::atomic<uint64_t> refused;
    std::atomic<Whose> whose;
};

// Profiles that ended the process, by where DuckDB was.
struct Crashes {
    uint64_t made = 0, opened = 0, asked = 0, findings = 0;
};

struct Run {
    std::string good, path;
    uint64_t end = 0, planted = 0;
    bool all = false;
    Progress* progress = nullptr;
};

void ask(const Run& run, const db::OpenProfile& profile, opsight::query::Session& session, Random& random) {
    const std::vector<opsight::query::ReportInfo>& reports = opsight::query::report_family().members;
    const size_t first = random() % reports.size();
    for (size_t i = 0; i < (run.all ? reports.size() : 3); ++i)
        ask_report(session, reports[(first + i) % reports.size()].name);
    if (run.all || random() % 2) ask_timeline(run.path, profile);
}

// A busy machine is not a hang: what counts is the processor's time.
void limit_time() {
    const itimerval limit{{0, 0}, {kSeconds, 0}};
    ::setitimer(ITIMER_PROF, &limit, nullptr);
    ::alarm(kPatience);
}

// Takes profiles until the last, or until it has taken many: what DuckDB keeps is given back then.
void take_profiles(const Run& run) {
    Progress& now = *run.progress;
    for (int taken = 0; now.number < run.end && taken < kPerProcess; ++taken, ++now.number) {
        limit_time();
        Random random(now.number);
        now.stage = Stage::kMaking;
        make(run.good, run.path, random);
        now.stage = Stage::kOpening;
        if (now.number == run.planted) ::raise(SIGSEGV);
        const auto profile = db::open_profile(run.path, {.threads = 1});
        auto session =
            profile ? opsight::query::Session::open_on(*profile, run.path, {}) : fail(profile.error());
        if (!session || !opsight::query::profile_info(*session)) {
            ++now.refused;
            continue;
        }
        now.stage = Stage::kAsking;
        ask(run, *profile, *session, random);
    }
}

// How a child that takes profiles ended, as waitpid() says it.
int end_of_child(const Run& run) {
    const pid_t child = ::fork();
    if (child == 0) {
        opsight::fuzz::tell_whose_crash(run.progress->whose);
        take_profiles(run);
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return status;
}

Crashes run_all(const Run& run) {
    Progress& now = *run.progress;
    Crashes crashes;
    while (now.number < run.end) {
        const int status = end_of_child(run);
        if (status == 0) continue;
        const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        const bool hangs = signal == SIGPROF || signal == SIGALRM;
        const Stage stage = now.stage;
        if (!hangs && now.whose == Whose::kDuckDb) {
            ++(stage == Stage::kMaking    ? crashes.made
               : stage == Stage::kOpening ? crashes.opened
                                          : crashes.asked);
        } else {
            std::printf("profile %llu: %s\n", static_cast<unsigned long long>(now.number),
                        signal != 0 ? ::strsignal(signal) : "a sanitizer's report");
            ++crashes.findings;
        }
        ++now.number;
    }
    return crashes;
}

}  // namespace

#ifdef OPSIGHT_SANITIZE
// Signals go to whose_crash.h.
extern "C" const char* __asan_default_options() {
    return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0";
}
#endif

int main(int argc, char** argv) {
    uint64_t count = 100, seed = 1, only = 0, plant = 0;
    bool all = false;
    for (int i = 1; i < argc; ++i) {
        const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 10) : 0; };
        const std::string option = argv[i];
        if (option == "--all")
            all = true;
        else
            (option == "--count"   ? count
             : option == "--seed"  ? seed
             : option == "--plant" ? plant
                                   : only) = number();
    }
    std::string folder = (fs::temp_directory_path() / "opsight-mutate-XXXXXX").string();
    if (!::mkdtemp(folder.data())) return 2;
    Run run{folder + "/good.opsight",
            folder + "/mutated.opsight",
            only ? only + 1 : seed + count,
            plant,
            all || only > 0,
            nullptr};
    db::write_sample(run.good);
    if (!checksums_are_known(run.good)) {
        std::puts("the checksums of DuckDB's files are others than here");
        return 2;
    }
    if (const auto profile = db::open_profile(run.good); !profile) {
        std::printf("the profile without a change is refused: %s\n", profile.error().what.c_str());
        return 2;
    }
    void* shared =
        ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return 2;
    run.progress = new (shared) Progress{only ? only : seed, Stage::kMaking, 0, Whose::kOurs};
    const Crashes crashes = run_all(run);
    if (only) fs::copy_file(run.path, "mutated.opsight", fs::copy_options::overwrite_existing);
    fs::remove_all(folder);
    std::printf(
        "%llu profiles (%llu could not be made), %llu refused, %llu crashed DuckDB while they were opened "
        "and "
        "%llu while they were asked, %llu findings\n",
        static_cast<unsigned long long>(only ? 1 : count), static_cast<unsigned long long>(crashes.made),
        static_cast<unsigned long long>(run.progress->refused),
        static_cast<unsigned long long>(crashes.opened), static_cast<unsigned long long>(crashes.asked),
        static_cast<unsigned long long>(crashes.findings));
    return crashes.findings == 0 ? 0 : 1;
}
