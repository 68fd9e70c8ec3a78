/* A library that is loaded later, and brings its own copy of NVTX. */
#include "nvtx.h"

__attribute__((visibility("default"))) void plugin_work(void) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("plugins");
    nvtxEventAttributes_t a;
    memset(&a, 0, sizeof a);
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = "in the plugin";
    nvtxDomainRangePushEx(domain, &a);
    nvtxDomainRangePop(domain);
    nvtxRangePushA("plugin, default domain");
    nvtxRangePop();
}
