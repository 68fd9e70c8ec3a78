// Of a device that is not seen nobody knows that it did nothing.
#include "advise/test_findings.h"

namespace opsight::advise {
namespace {

// Without a device's work the host's ops are all the work only where nothing says that a device worked, or
// may have.
TEST(UnseenDevices, WorkIsTheCpusOnlyWhereNoDeviceIsSeen) {
    enum Sign { kNone, kCudnn, kCudaMemory, kDeviceOfTheMachine, kDeviceOfOurRecording };
    for (const Sign sign : {kNone, kCudnn, kCudaMemory, kDeviceOfTheMachine, kDeviceOfOurRecording}) {
        analyze::TestProfile t;
        t.builder.info().frameworks = {"PyTorch"};
        if (sign == kDeviceOfOurRecording) t.builder.info().producer = "Opsight collector";
        if (sign == kDeviceOfTheMachine || sign == kDeviceOfOurRecording)
            t.gpu(0, "NVIDIA A100-SXM4-40GB", 8, 0);
        t.op(sign == kCudnn ? "aten::cudnn_convolution" : "aten::cudnn_is_acceptable", 0, 1000);
        MemoryEvent event;
        event.time = 10;
        event.track = t.thread();
        event.address = event.bytes = 8;
        event.device_type = sign == kCudaMemory ? 1 : 0;
        event.device = sign == kCudaMemory ? 0 : -1;
        t.builder.add_memory(event);
        const std::vector<Finding> all = findings_in(std::move(t));
        const Finding* host = find(all, "host");
        ASSERT_TRUE(host) << sign;
        const bool cpus = sign == kNone || sign == kDeviceOfOurRecording;
        EXPECT_EQ(host->kind, cpus ? "fine" : "unknown") << sign << ": " << host->title;
        EXPECT_EQ(host->title.find("was not recorded") == std::string::npos, cpus)
            << sign << ": " << host->title;
    }
}

}  // namespace
}  // namespace opsight::advise
