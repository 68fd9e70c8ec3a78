// One program that lives and dies in the way that its first argument names. Every way leaves ranges that the
// test counts, prints "ran", and has an exit code of its own.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "nvtx.h"

namespace {

void ranges(const char* name, int count) {
    for (int i = 0; i < count; ++i) {
        nvtxRangePushA(name);
        nvtxRangePop();
    }
}

// NVTX itself cannot be loaded by two at a time: a fork or a signal in the middle of its first call hangs in
// NVTX, whatever the tool.
void load_nvtx() {
    nvtxNameCategoryA(1, "first call");
}

void ran() {
    std::puts("ran");
    std::fflush(stdout);
}

int threads() {
    load_nvtx();
    std::vector<std::thread> all;
    for (int i = 0; i < 8; ++i)
        all.emplace_back([] { ranges("thread", 20'000); });
    for (std::thread& thread : all)
        thread.join();
    return 0;
}

// Threads go on while main returns and the process tears itself down.
int outlive() {
    load_nvtx();
    static std::atomic<int> started{0};
    for (int i = 0; i < 4; ++i)
        std::thread([] {
            ranges("first", 100);
            ++started;
            for (;;)
                ranges("outliving", 100);
        }).detach();
    while (started < 4)
        usleep(1000);
    return 0;
}

int forked() {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("made before fork");
    nvtxRangePushA("open at fork");
    ranges("parent", 100);
    const pid_t child = fork();
    if (child == 0) {
        nvtxEventAttributes_t a{};
        a.version = NVTX_VERSION;
        a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        a.messageType = NVTX_MESSAGE_TYPE_ASCII;
        a.message.ascii = "in the child's domain";
        nvtxDomainRangePushEx(domain, &a);
        nvtxDomainRangePop(domain);
        ranges("child", 50);
        nvtxRangePop();
        std::exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ranges("parent", 100);
    nvtxRangePop();
    return 0;
}

// Forks while other threads are in the middle of calls, again and again.
int fork_storm() {
    static std::atomic<bool> over{false};
    load_nvtx();
    std::vector<std::thread> all;
    for (int i = 0; i < 3; ++i)
        all.emplace_back([] {
            while (!over) {
                ranges("busy", 50);
                nvtxDomainCreateA("a domain");
                nvtxDomainRegisterStringA(nullptr, "a text");
                usleep(50);
            }
        });
    for (int i = 0; i < 30; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            ranges("storm child", 10);
            nvtxDomainCreateA("a domain of the child");
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status != 0) return 1;
    }
    over = true;
    for (std::thread& thread : all)
        thread.join();
    return 0;
}

void on_signal(int) {
    ranges("in the handler", 1);
}

int signals() {
    load_nvtx();
    struct sigaction action {};
    action.sa_handler = &on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, nullptr);
    const itimerval often = {{0, 200}, {0, 200}};
    setitimer(ITIMER_REAL, &often, nullptr);
    nvtxRangePushA("around");
    ranges("interrupted", 2'000'000);
    nvtxRangePop();
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    return 0;
}

int plugin(const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return 1;
    void (*work)() = nullptr;
    *reinterpret_cast<void**>(&work) = dlsym(library, "plugin_work");
    ranges("main program", 1);
    work();
    dlclose(library);
    return 0;
}

int capture(int times) {
    ranges("before", 10);
    for (int i = 0; i < times; ++i) {
        nvtxRangePushA("wanted");
        ranges("inside", 10);
        nvtxRangePop();
        ranges("between", 10);
    }
    return 0;
}

int many(long count) {
    for (long i = 0; i < count; ++i)
        ranges("one of many", 1);
    return 0;
}

// What children that are killed have recorded, in memory that outlives them.
struct Killed {
    long pid, ended;
};

// Starts `count` children, one after the other, and kills each after a random time of up to `spread` us: from
// before its first call on. `file` tells of each how many ranges it had ended.
int killed(const char* self, const char* file, int count, unsigned long spread) {
    const int told = open(file, O_RDWR | O_CREAT | O_TRUNC, 0600);
    const size_t bytes = sizeof(Killed) * static_cast<size_t>(count);
    if (told < 0 || ftruncate(told, static_cast<off_t>(bytes)) != 0) return 1;
    void* page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, told, 0);
    if (page == MAP_FAILED) return 1;
    auto* children = static_cast<Killed*>(page);
    std::mt19937 random(static_cast<unsigned>(getpid()));
    for (int i = 0; i < count; ++i) {
        const pid_t child = fork();
        const std::string place = std::to_string(i);
        if (child == 0) {
            execl(self, self, "until_killed", file, place.c_str(), nullptr);
            _exit(1);
        }
        children[i].pid = child;
        usleep(static_cast<useconds_t>(random() % spread));
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    return 0;
}

int until_killed(const char* file, size_t place) {
    const int told = open(file, O_RDWR);
    void* page = mmap(nullptr, sizeof(Killed) * (place + 1), PROT_READ | PROT_WRITE, MAP_SHARED, told, 0);
    if (page == MAP_FAILED) return 1;
    auto* own = static_cast<Killed*>(page) + place;
    for (long i = 1;; ++i) {
        ranges("until killed", 1);
        __atomic_store_n(&own->ended, i, __ATOMIC_RELEASE);
        sched_yield();  // as slow as a program that does something
    }
}

// More ranges within each other than are remembered, and a payload that no record holds.
int beyond() {
    for (int i = 0; i < 1100; ++i)
        nvtxRangePushA("deep");
    for (int i = 0; i < 1100; ++i)
        nvtxRangePop();
    static char large[40'000];
    const nvtxPayloadData_t payload = {NVTX_PAYLOAD_ENTRY_TYPE_INT8, sizeof large, large};
    nvtxEventAttributes_t a{};
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = "with a payload";
    a.payloadType = NVTX_PAYLOAD_TYPE_EXT;
    a.reserved0 = 1;
    a.payload.ullValue = reinterpret_cast<uintptr_t>(&payload);
    nvtxDomainMarkEx(nvtxDomainCreateA("beyond"), &a);
    return 0;
}

// Texts of more bytes than are kept, of each kind of text.
int long_texts() {
    const std::string text(5000, 'a'), registered(5000, 'r');
    const std::wstring wide(5000, L'w');
    nvtxDomainHandle_t domain = nvtxDomainCreateA("long");
    nvtxEventAttributes_t a{};
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = nvtxDomainRegisterStringA(domain, registered.c_str());
    for (int i = 0; i < 3; ++i) {
        ranges(text.c_str(), 1);
        nvtxMarkW(wide.c_str());
        nvtxDomainMarkEx(domain, &a);
    }
    ranges(std::string(4096, 'f').c_str(), 1);
    return 0;
}

int sampled() {
    nvtxDomainHandle_t noisy = nvtxDomainCreateA("noisy"), quiet = nvtxDomainCreateA("quiet");
    nvtxEventAttributes_t a{};
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    for (int i = 0; i < 100; ++i) {
        for (nvtxDomainHandle_t domain : {noisy, quiet}) {
            a.message.ascii = "outer";
            nvtxDomainRangePushEx(domain, &a);
            a.message.ascii = "inner";
            nvtxDomainRangePushEx(domain, &a);
            nvtxDomainRangePop(domain);
            nvtxDomainRangePop(domain);
        }
        ranges("plain", 1);
    }
    return 0;
}

int die(const std::string& how) {
    nvtxRangePushA("open at the end");
    ranges("before the end", 1000);
    ran();
    if (how == "kill") kill(getpid(), SIGKILL);
    if (how == "_exit") _exit(3);
    if (how == "abort") std::abort();
    if (how == "exec") execl("/bin/sh", "sh", "-c", "exit 4", nullptr);
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string how = argc > 1 ? argv[1] : "";
    int code = 1;
    if (how == "threads") code = threads();
    if (how == "outlive") code = outlive();
    if (how == "fork") code = forked();
    if (how == "fork_storm") code = fork_storm();
    if (how == "signals") code = signals();
    if (how == "plugin") code = plugin(argv[2]);
    if (how == "capture") code = capture(std::atoi(argv[2]));
    if (how == "many") code = many(std::atol(argv[2]));
    if (how == "beyond") code = beyond();
    if (how == "long_texts") code = long_texts();
    if (how == "killed")
        code = killed(argv[0], argv[2], std::atoi(argv[3]), std::strtoul(argv[4], nullptr, 10));
    if (how == "until_killed") code = until_killed(argv[2], std::strtoul(argv[3], nullptr, 10));
    if (how == "killed" || how == "until_killed") return code == 0 ? 9 : code;
    if (how == "sampled") code = sampled();
    if (argc > 3) usleep(static_cast<useconds_t>(std::atoi(argv[3])) * 1000);
    if (how == "kill" || how == "_exit" || how == "abort" || how == "exec") return die(how);
    if (code == 0) ran();
    return code == 0 ? 9 : code;
}
