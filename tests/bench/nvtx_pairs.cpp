// Nanoseconds of a pair of NVTX calls: nvtx_pairs KIND ROUNDS [THREADS]. KIND: push, start, domain. A round
// is 100 000 pairs, more than fit one block of a capture; each thread prints the median and the best of its
// rounds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include "../programs/nvtx.h"

namespace {

using Clock = std::chrono::steady_clock;
constexpr const char* kNames[] = {"forward", "backward", "optimizer.step", "data_loader"};

constexpr long kRound = 100'000;

void run(std::string_view kind, long count, nvtxDomainHandle_t domain,
         const nvtxEventAttributes_t& attributes) {
    if (kind == "push")
        for (long i = 0; i < count; ++i) {
            nvtxRangePushA(kNames[i & 3]);
            nvtxRangePop();
        }
    else if (kind == "start")
        for (long i = 0; i < count; ++i)
            nvtxRangeEnd(nvtxRangeStartA(kNames[i & 3]));
    else
        for (long i = 0; i < count; ++i) {
            nvtxDomainRangePushEx(domain, &attributes);
            nvtxDomainRangePop(domain);
        }
}

std::vector<double> measure(std::string_view kind, long rounds) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("bench");
    nvtxEventAttributes_t attributes{};
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = nvtxDomainRegisterStringA(domain, "registered");
    std::vector<double> times;
    for (long round = 0; round < rounds; ++round) {
        const auto begin = Clock::now();
        run(kind, kRound, domain, attributes);
        const std::chrono::duration<double, std::nano> time = Clock::now() - begin;
        times.push_back(time.count() / kRound);
    }
    std::sort(times.begin(), times.end());
    return times;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    const std::string_view kind = argv[1];
    const long rounds = std::max(1L, std::atol(argv[2]));
    const int threads = argc > 3 ? std::atoi(argv[3]) : 1;
    measure(kind, 1);
    std::vector<std::vector<double>> results(static_cast<size_t>(threads));
    std::vector<std::thread> running;
    for (std::vector<double>& result : results)
        running.emplace_back([&result, kind, rounds] { result = measure(kind, rounds); });
    for (std::thread& thread : running)
        thread.join();
    for (const std::vector<double>& result : results)
        std::printf("%.2f %.2f\n", result[result.size() / 2], result[0]);
    return 0;
}
