#include "collect/nvtx/session.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "collect/environment.h"

namespace opsight::nvtx {
namespace {

using collect::option;

constexpr size_t kArenaBytes = 64 << 20;  // address space; memory only for what is used
constexpr uint32_t kMostDomains = ThreadState::kMostDomains;

// Definitions one after another, as records, and texts that handles point to.
struct Arena {
    char* base = nullptr;
    std::atomic<size_t> used{0};
};
Arena g_definitions, g_texts;
Domain* g_domains = nullptr;
std::atomic<uint32_t> g_domain_count{0};
std::atomic_flag g_lock = ATOMIC_FLAG_INIT;
std::atomic<uint64_t> g_next_id{1};
// Handles of registered texts, by their hash: a text that is registered again is the same one.
constexpr size_t kRegisteredSlots = 1 << 15;
const Registered* g_registered[kRegisteredSlots];
const Registered* g_too_many = nullptr;  // what texts become that find no room
AwaitedRange g_awaited;
char g_awaited_domain[256];
const char* g_filter = "";

// Held for a few stores only, and never on the hot path. A forked child takes it away from whoever held it.
class Lock {
  public:
    Lock() {
        while (g_lock.test_and_set(std::memory_order_acquire))
            sched_yield();
    }
    ~Lock() { g_lock.clear(std::memory_order_release); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
};

char* map(size_t bytes) {
    void* at =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return at == MAP_FAILED ? nullptr : static_cast<char*>(at);
}

// Room in an arena; null where it is full. The caller holds the lock.
char* take(Arena& arena, size_t bytes) {
    const size_t used = arena.used.load(std::memory_order_relaxed);
    if (!arena.base || bytes > kArenaBytes - used) return nullptr;
    arena.used.store(used + ((bytes + 7) & ~size_t{7}), std::memory_order_release);
    return arena.base + used;
}

void append(wire::ThreadStream& stream, const char* record, size_t bytes) {
    if (char* at = stream.reserve(bytes)) {
        std::memcpy(at, record, bytes);
        stream.commit(bytes);
    }
}

// In a new file: all that was defined so far.
void introduce(wire::ThreadStream& stream) {
    const size_t used = g_definitions.used.load(std::memory_order_acquire);
    for (size_t at = 0; at < used;) {
        wire::RecordHeader head;
        std::memcpy(&head, g_definitions.base + at, sizeof head);
        if (head.bytes == 0) return;  // a thread was writing it when the process forked
        append(stream, g_definitions.base + at, head.bytes);
        at += head.bytes;
    }
}

void release_lock_in_child() {
    g_lock.clear(std::memory_order_release);
}

// "NAME=EVERY\n...", "*=EVERY" for all others; as `opsight profile` writes it.
uint32_t rule_for(std::string_view name) {
    std::string_view rest(g_filter);
    uint32_t others = 1;
    while (!rest.empty()) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : line.size());
        const size_t equals = line.rfind('=');
        if (equals == line.npos) continue;
        const auto every = static_cast<uint32_t>(std::strtoul(line.data() + equals + 1, nullptr, 10));
        if (line.substr(0, equals) == name) return every;
        if (line.substr(0, equals) == "*") others = every;
    }
    return others;
}

void set_up_domain(Domain& domain, uint32_t number, std::string_view name) {
    domain.number = number;
    domain.length = static_cast<uint16_t>(std::min(name.size(), sizeof domain.name - 1));
    std::memcpy(domain.name, name.data(), domain.length);
    const std::string_view kept(domain.name, domain.length);
    domain.every = rule_for(number == 0 ? "default" : kept);
    domain.awaited = g_awaited.name.length > 0 && kept == g_awaited_domain;
}

// The name as "RANGE" or "RANGE@DOMAIN".
void read_awaited_range() {
    const char* text = std::getenv("OPSIGHT_CAPTURE_RANGE");
    if (!Recorder::gate() || !text || !*text) return;
    const char* at = std::strrchr(text, '@');
    const size_t length = at && at != text ? static_cast<size_t>(at - text) : std::strlen(text);
    char* copy = take(g_texts, length + 1);
    if (!copy) return;
    std::memcpy(copy, text, length);
    g_awaited.name = hashed(copy);
    g_awaited.once = option("OPSIGHT_CAPTURE_REPEAT", 0) == 0;
    if (at && at != text) std::snprintf(g_awaited_domain, sizeof g_awaited_domain, "%s", at + 1);
}

void copy_filter() {
    const char* filter = std::getenv("OPSIGHT_NVTX_DOMAINS");
    if (!filter || !*filter) return;
    const size_t bytes = std::strlen(filter) + 1;
    if (char* copy = take(g_texts, bytes)) g_filter = static_cast<char*>(std::memcpy(copy, filter, bytes));
}

void say(const char* what, int problem) {
    char line[512];
    const int length = std::snprintf(line, sizeof line, "opsight: not recording NVTX: %s%s%s\n", what,
                                     problem ? ": " : "", problem ? strerror(problem) : "");
    [[maybe_unused]] const ssize_t told = write(2, line, static_cast<size_t>(length));
}

void describe_process() {
    Call call(Recorder::state());
    if (!call) return;
    Recorder::keep(*call, &collect::describe_process);
}

bool open_recorder() {
    const char* folder = std::getenv("OPSIGHT_CAPTURE_DIR");
    if (!folder || !*folder) return false;  // loaded by hand: nowhere to write to
    g_definitions.base = map(kArenaBytes);
    g_texts.base = map(kArenaBytes);
    g_domains = reinterpret_cast<Domain*>(map(sizeof(Domain) * kMostDomains));
    if (!g_definitions.base || !g_texts.base || !g_domains) return false;
    Recorder::follow_gate();
    read_awaited_range();
    copy_filter();
    set_up_domain(*new (g_domains) Domain, 0, "");
    g_domain_count = 1;
    static Registered too_many{hashed("(further registered texts)"), 0};
    g_too_many = &too_many;

    opsight_torch_window window{};
    const collect::TimeWindow times = collect::time_window();
    window.delay_s = times.delay_s;
    window.duration_s = times.duration_s;
    Recorder::set_introduction(&introduce);
    const auto limit = static_cast<uint64_t>(option("OPSIGHT_LIMIT_BYTES", double{1 << 30}));
    if (const int problem = Recorder::open(folder, limit, window)) {
        say(folder, problem);
        return false;
    }
    pthread_atfork(nullptr, nullptr, &release_lock_in_child);
    describe_process();
    return true;
}

}  // namespace

bool start_session() {
    // Copies of NVTX may call at the same time, each under a lock of its own.
    static std::atomic<int> state{0};  // 1: being opened, 2: open, 3: cannot be
    int fresh = 0;
    if (state.compare_exchange_strong(fresh, 1)) state = open_recorder() ? 2 : 3;
    while (state.load(std::memory_order_acquire) == 1)
        sched_yield();
    return state.load() == 2;
}

const Domain& domain_of(const void* handle) {
    return handle ? *static_cast<const Domain*>(handle) : g_domains[0];
}

const Domain* make_domain(const char* name) {
    const std::string_view text = name ? name : "";
    uint32_t number = 0;
    {
        const Lock lock;
        const uint32_t count = g_domain_count.load(std::memory_order_relaxed);
        for (uint32_t i = 1; i < count; ++i)
            if (std::string_view(g_domains[i].name, g_domains[i].length) ==
                text.substr(0, sizeof g_domains[i].name - 1))
                return &g_domains[i];
        number = count < kMostDomains ? count : kMostDomains - 1;
        if (count < kMostDomains) {
            set_up_domain(*new (&g_domains[number]) Domain, number,
                          number + 1 < kMostDomains ? text : std::string_view("(further domains)"));
            g_domain_count.store(count + 1, std::memory_order_release);
        }
    }
    const Domain& domain = g_domains[number];
    define(wire::NvtxFact::kDomain, number, number, {domain.name, domain.length});
    return &domain;
}

void destroy_domain(const void* handle) {
    if (handle)
        define(wire::NvtxFact::kDomainDestroyed, domain_of(handle).number, domain_of(handle).number, {});
}

const Registered* register_text(const Domain& domain, const char* text) {
    if (!text) return nullptr;
    const size_t whole = std::strlen(text), length = std::min(whole, wire::kMaxBlob);
    const uint64_t key = collect::hash_bytes(text, length, domain.number + 1);
    const Registered* handle = nullptr;
    {
        const Lock lock;
        size_t slot = key % kRegisteredSlots;
        for (int i = 0; i < 8 && g_registered[slot]; ++i, slot = (slot + 1) % kRegisteredSlots)
            if (g_registered[slot]->key == key) return g_registered[slot];
        char* at = take(g_texts, sizeof(Registered) + length + 1);
        if (!at) return g_too_many;
        char* copy = at + sizeof(Registered);
        std::memcpy(copy, text, length);
        handle = new (at) Registered{hashed(copy), key};
        if (!g_registered[slot]) g_registered[slot] = handle;
    }
    define(wire::NvtxFact::kText, domain.number, reinterpret_cast<uintptr_t>(handle), handle->text.view());
    if (ThreadState* state = whole > length ? Recorder::state() : nullptr)
        state->stream.writer().count_cut_text();
    return handle;
}

const AwaitedRange& awaited_range() {
    return g_awaited;
}

uint64_t next_dynamic_id() {
    return (uint64_t{1} << 32) + g_next_id.fetch_add(1, std::memory_order_relaxed);
}

void define(wire::NvtxFact fact, uint32_t domain, uint64_t id, std::string_view blob, uint64_t detail,
            uint32_t extra) {
    blob = blob.substr(0, wire::kMaxPayload);
    wire::NvtxDefineRecord record{};
    const size_t bytes = sizeof record + ((blob.size() + 7) & ~size_t{7});
    record.header = {static_cast<uint16_t>(wire::RecordType::kNvtxDefine), static_cast<uint16_t>(bytes)};
    record.fact = fact;
    record.length = static_cast<uint16_t>(blob.size());
    record.id = id;
    record.detail = detail;
    record.domain = domain;
    record.extra = extra;
    char* at = nullptr;
    {
        const Lock lock;
        at = take(g_definitions, bytes);
        if (at) {
            if (!blob.empty()) std::memcpy(at + sizeof record, blob.data(), blob.size());
            std::memcpy(at, &record, sizeof record);
        }
    }
    // Also outside of the window: names are needed for what comes later.
    Call call(Recorder::state());
    if (!call) return;
    if (at)
        Recorder::keep(*call, [&](wire::ThreadStream& stream) { append(stream, at, bytes); });
    else
        call->stream.writer().count_refused();
}

}  // namespace opsight::nvtx
