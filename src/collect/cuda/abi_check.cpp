// Our declarations of CUPTI (abi.h) against NVIDIA's headers, while this is compiled. Nothing of it is
// linked.
#include "collect/cuda/abi.h"
#include "collect/cuda/devices.h"

#include <cuda.h>
#include <cupti.h>
#include <cupti_activity_deprecated.h>

namespace opsight::cuda {
namespace {

#define SAME_SIZE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs))
#define SAME_PLACE(ours, field, theirs, their_field) \
    static_assert(offsetof(ours, field) == offsetof(theirs, their_field))
#define SAME(ours, theirs) static_assert(static_cast<uint64_t>(ours) == static_cast<uint64_t>(theirs))
#define GROWN(theirs, bytes) static_assert(sizeof(theirs) == (bytes))

SAME(kSuccess, CUPTI_SUCCESS);
SAME(kInvalidParameter, CUPTI_ERROR_INVALID_PARAMETER);
SAME(kOutOfMemory, CUPTI_ERROR_OUT_OF_MEMORY);
SAME(kMaxLimitReached, CUPTI_ERROR_MAX_LIMIT_REACHED);
SAME(kNotCompatible, CUPTI_ERROR_NOT_COMPATIBLE);
SAME(kNotInitialized, CUPTI_ERROR_NOT_INITIALIZED);
SAME(kInvalidKind, CUPTI_ERROR_INVALID_KIND);
SAME(kNotSupported, CUPTI_ERROR_NOT_SUPPORTED);
SAME(kVirtualDevice, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED);
SAME(kInsufficientPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
SAME(kMultipleSubscribers, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
SAME(kVirtualPrivileges, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
SAME(kUnknownError, CUPTI_ERROR_UNKNOWN);

SAME(kMemcpy, CUPTI_ACTIVITY_KIND_MEMCPY);
SAME(kMemset, CUPTI_ACTIVITY_KIND_MEMSET);
SAME(kKernel, CUPTI_ACTIVITY_KIND_KERNEL);
SAME(kDriver, CUPTI_ACTIVITY_KIND_DRIVER);
SAME(kRuntime, CUPTI_ACTIVITY_KIND_RUNTIME);
SAME(kDevice, CUPTI_ACTIVITY_KIND_DEVICE);
SAME(kContext, CUPTI_ACTIVITY_KIND_CONTEXT);
SAME(kConcurrentKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME(kOverhead, CUPTI_ACTIVITY_KIND_OVERHEAD);
SAME(kMemcpyPeer, CUPTI_ACTIVITY_KIND_MEMCPY2);
SAME(kUnifiedMemory, CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
SAME(kCudaEvent, CUPTI_ACTIVITY_KIND_CUDA_EVENT);
SAME(kStream, CUPTI_ACTIVITY_KIND_STREAM);
SAME(kSynchronization, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
SAME(kExternalCorrelation, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
SAME(kMemory, CUPTI_ACTIVITY_KIND_MEMORY2);
SAME(kMemoryPool, CUPTI_ACTIVITY_KIND_MEMORY_POOL);
SAME(kGraphTrace, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
SAME(kJit, CUPTI_ACTIVITY_KIND_JIT);
SAME(kDeviceGraphTrace, CUPTI_ACTIVITY_KIND_DEVICE_GRAPH_TRACE);

SAME_SIZE(KernelActivity, CUpti_ActivityKernel10);
GROWN(CUpti_ActivityKernel7, 176);
GROWN(CUpti_ActivityKernel8, 200);
GROWN(CUpti_ActivityKernel9, 208);
SAME_PLACE(KernelActivity, registers, CUpti_ActivityKernel10, registersPerThread);
SAME_PLACE(KernelActivity, start, CUpti_ActivityKernel10, start);
SAME_PLACE(KernelActivity, completed, CUpti_ActivityKernel10, completed);
SAME_PLACE(KernelActivity, device, CUpti_ActivityKernel10, deviceId);
SAME_PLACE(KernelActivity, grid, CUpti_ActivityKernel10, gridX);
SAME_PLACE(KernelActivity, block, CUpti_ActivityKernel10, blockX);
SAME_PLACE(KernelActivity, dynamic_shared, CUpti_ActivityKernel10, dynamicSharedMemory);
SAME_PLACE(KernelActivity, local_total_32, CUpti_ActivityKernel10, localMemoryTotal);
SAME_PLACE(KernelActivity, correlation, CUpti_ActivityKernel10, correlationId);
SAME_PLACE(KernelActivity, name, CUpti_ActivityKernel10, name);
SAME_PLACE(KernelActivity, queued, CUpti_ActivityKernel10, queued);
SAME_PLACE(KernelActivity, launch, CUpti_ActivityKernel10, launchType);
SAME_PLACE(KernelActivity, carveout, CUpti_ActivityKernel10, sharedMemoryCarveoutRequested);
SAME_PLACE(KernelActivity, shared_executed, CUpti_ActivityKernel10, sharedMemoryExecuted);
SAME_PLACE(KernelActivity, graph_node, CUpti_ActivityKernel10, graphNodeId);
SAME_PLACE(KernelActivity, graph, CUpti_ActivityKernel10, graphId);
SAME_PLACE(KernelActivity, channel_type, CUpti_ActivityKernel10, channelType);
SAME_PLACE(KernelActivity, cluster, CUpti_ActivityKernel10, clusterX);
SAME_PLACE(KernelActivity, local_total, CUpti_ActivityKernel10, localMemoryTotal_v2);
SAME_PLACE(KernelActivity, active_clusters, CUpti_ActivityKernel10, maxActiveClusters);
SAME_PLACE(KernelActivity, from_device, CUpti_ActivityKernel10, isDeviceLaunched);
SAME_PLACE(KernelActivity, graph, CUpti_ActivityKernel7, graphId);
SAME_PLACE(KernelActivity, local_total, CUpti_ActivityKernel8, localMemoryTotal_v2);

SAME_SIZE(MemcpyActivity, CUpti_ActivityMemcpy6);
GROWN(CUpti_ActivityMemcpy5, 88);
SAME_PLACE(MemcpyActivity, bytes, CUpti_ActivityMemcpy6, bytes);
SAME_PLACE(MemcpyActivity, correlation, CUpti_ActivityMemcpy6, correlationId);
SAME_PLACE(MemcpyActivity, graph_node, CUpti_ActivityMemcpy6, graphNodeId);
SAME_PLACE(MemcpyActivity, channel_type, CUpti_ActivityMemcpy6, channelType);
SAME_PLACE(MemcpyActivity, from_device, CUpti_ActivityMemcpy6, isDeviceLaunched);
SAME_PLACE(MemcpyActivity, count, CUpti_ActivityMemcpy6, copyCount);
SAME_SIZE(PeerActivity, CUpti_ActivityMemcpyPtoP4);
SAME_PLACE(PeerActivity, from_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId);
SAME_PLACE(PeerActivity, correlation, CUpti_ActivityMemcpyPtoP4, correlationId);
SAME_PLACE(PeerActivity, graph, CUpti_ActivityMemcpyPtoP4, graphId);
SAME_PLACE(PeerActivity, channel_type, CUpti_ActivityMemcpyPtoP4, channelType);
SAME_SIZE(MemsetActivity, CUpti_ActivityMemset4);
GROWN(CUpti_ActivityMemset3, 80);
SAME_PLACE(MemsetActivity, memory_kind, CUpti_ActivityMemset4, memoryKind);
SAME_PLACE(MemsetActivity, graph, CUpti_ActivityMemset4, graphId);
SAME_PLACE(MemsetActivity, from_device, CUpti_ActivityMemset4, isDeviceLaunched);
SAME_SIZE(ApiActivity, CUpti_ActivityAPI);
SAME_PLACE(ApiActivity, thread, CUpti_ActivityAPI, threadId);
SAME_PLACE(ApiActivity, result, CUpti_ActivityAPI, returnValue);

SAME_SIZE(DeviceActivity, CUpti_ActivityDevice5);
GROWN(CUpti_ActivityDevice4, 176);
SAME_PLACE(DeviceActivity, l2, CUpti_ActivityDevice5, l2CacheSize);
SAME_PLACE(DeviceActivity, clock_khz, CUpti_ActivityDevice5, coreClockRate);
SAME_PLACE(DeviceActivity, blocks, CUpti_ActivityDevice5, maxBlocksPerMultiprocessor);
SAME_PLACE(DeviceActivity, shared_per_sm, CUpti_ActivityDevice5, maxSharedMemoryPerMultiprocessor);
SAME_PLACE(DeviceActivity, threads_per_block, CUpti_ActivityDevice5, maxThreadsPerBlock);
SAME_PLACE(DeviceActivity, grid, CUpti_ActivityDevice5, maxGridDimX);
SAME_PLACE(DeviceActivity, major, CUpti_ActivityDevice5, computeCapabilityMajor);
SAME_PLACE(DeviceActivity, ecc, CUpti_ActivityDevice5, eccEnabled);
SAME_PLACE(DeviceActivity, name, CUpti_ActivityDevice5, name);
SAME_PLACE(DeviceActivity, mig, CUpti_ActivityDevice5, isMigEnabled);
SAME_PLACE(DeviceActivity, mig_uuid, CUpti_ActivityDevice5, migUuid);
SAME_SIZE(ContextActivity, CUpti_ActivityContext3);
GROWN(CUpti_ActivityContext, 16);
GROWN(CUpti_ActivityContext2, 24);
SAME_PLACE(ContextActivity, null_stream, CUpti_ActivityContext3, nullStreamId);
SAME_PLACE(ContextActivity, green, CUpti_ActivityContext3, isGreenContext);
SAME_PLACE(ContextActivity, sms, CUpti_ActivityContext3, numMultiprocessors);
SAME_SIZE(StreamActivity, CUpti_ActivityStream);
SAME_PLACE(StreamActivity, flag, CUpti_ActivityStream, flag);
SAME_SIZE(OverheadActivity, CUpti_ActivityOverhead3);
GROWN(CUpti_ActivityOverhead, 40);
GROWN(CUpti_ActivityOverhead2, 48);
SAME_PLACE(OverheadActivity, ids, CUpti_ActivityOverhead3, objectId);
SAME_PLACE(OverheadActivity, start, CUpti_ActivityOverhead3, start);
SAME_PLACE(OverheadActivity, correlation, CUpti_ActivityOverhead3, correlationId);
SAME_SIZE(UnifiedActivity, CUpti_ActivityUnifiedMemoryCounter3);
GROWN(CUpti_ActivityUnifiedMemoryCounter2, 64);
SAME_PLACE(UnifiedActivity, address, CUpti_ActivityUnifiedMemoryCounter3, address);
SAME_PLACE(UnifiedActivity, flags, CUpti_ActivityUnifiedMemoryCounter3, flags);
SAME_SIZE(EventActivity, CUpti_ActivityCudaEvent2);
GROWN(CUpti_ActivityCudaEvent, 24);
SAME_PLACE(EventActivity, event, CUpti_ActivityCudaEvent2, eventId);
SAME_PLACE(EventActivity, device, CUpti_ActivityCudaEvent2, deviceId);
SAME_PLACE(EventActivity, sync, CUpti_ActivityCudaEvent2, cudaEventSyncId);
SAME_SIZE(SyncActivity, CUpti_ActivitySynchronization2);
GROWN(CUpti_ActivitySynchronization, 40);
SAME_PLACE(SyncActivity, event, CUpti_ActivitySynchronization2, cudaEventId);
SAME_PLACE(SyncActivity, result, CUpti_ActivitySynchronization2, returnValue);
SAME_SIZE(ExternalActivity, CUpti_ActivityExternalCorrelation);
SAME_PLACE(ExternalActivity, id, CUpti_ActivityExternalCorrelation, externalId);
SAME_SIZE(MemoryActivity, CUpti_ActivityMemory4);
GROWN(CUpti_ActivityMemory2, 112);
GROWN(CUpti_ActivityMemory3, 120);
SAME_PLACE(MemoryActivity, address, CUpti_ActivityMemory4, address);
SAME_PLACE(MemoryActivity, pc, CUpti_ActivityMemory4, PC);
SAME_PLACE(MemoryActivity, name, CUpti_ActivityMemory4, name);
SAME_PLACE(MemoryActivity, async, CUpti_ActivityMemory4, isAsync);
SAME_PLACE(MemoryActivity, pool_kind, CUpti_ActivityMemory4, memoryPoolConfig);
SAME_PLACE(MemoryActivity, source, CUpti_ActivityMemory4, source);
SAME_SIZE(PoolActivity, CUpti_ActivityMemoryPool3);
GROWN(CUpti_ActivityMemoryPool, 64);
GROWN(CUpti_ActivityMemoryPool2, 72);
SAME_PLACE(PoolActivity, kept, CUpti_ActivityMemoryPool3, minBytesToKeep);
SAME_PLACE(PoolActivity, time, CUpti_ActivityMemoryPool3, timestamp);
SAME_PLACE(PoolActivity, managed, CUpti_ActivityMemoryPool3, isManagedPool);
SAME_SIZE(JitActivity, CUpti_ActivityJit2);
GROWN(CUpti_ActivityJit, 64);
SAME_PLACE(JitActivity, start, CUpti_ActivityJit2, start);
SAME_PLACE(JitActivity, path, CUpti_ActivityJit2, cachePath);
SAME_PLACE(JitActivity, thread, CUpti_ActivityJit2, threadId);
SAME_SIZE(GraphActivity, CUpti_ActivityGraphTrace2);
GROWN(CUpti_ActivityGraphTrace, 48);
SAME_PLACE(GraphActivity, graph, CUpti_ActivityGraphTrace2, graphId);
SAME_PLACE(GraphActivity, end_device, CUpti_ActivityGraphTrace2, endDeviceId);
SAME_SIZE(DeviceGraphActivity, CUpti_ActivityDeviceGraphTrace);
SAME_PLACE(DeviceGraphActivity, launcher, CUpti_ActivityDeviceGraphTrace, launcherGraphId);
SAME_PLACE(DeviceGraphActivity, stream, CUpti_ActivityDeviceGraphTrace, streamId);

SAME(kDriverApi, CUPTI_CB_DOMAIN_DRIVER_API);
SAME(kRuntimeApi, CUPTI_CB_DOMAIN_RUNTIME_API);
SAME(kResource, CUPTI_CB_DOMAIN_RESOURCE);
SAME(kContextCreated, CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
SAME(kStreamCreated, CUPTI_CBID_RESOURCE_STREAM_CREATED);
SAME(kInitFinished, CUPTI_CBID_RESOURCE_CU_INIT_FINISHED);
SAME(kModuleLoaded, CUPTI_CBID_RESOURCE_MODULE_LOADED);
SAME(kGraphCreated, CUPTI_CBID_RESOURCE_GRAPH_CREATED);
SAME(kGraphDestroyed, CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING);
SAME(kGraphCloned, CUPTI_CBID_RESOURCE_GRAPH_CLONED);
SAME(kNodeCreated, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED);
SAME(kNodeDestroyed, CUPTI_CBID_RESOURCE_GRAPHNODE_DESTROY_STARTING);
SAME(kExecCreated, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED);
SAME(kExecDestroyed, CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING);
SAME(kNodeCloned, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
SAME_SIZE(ResourceData, CUpti_ResourceData);
SAME_PLACE(ResourceData, descriptor, CUpti_ResourceData, resourceDescriptor);
SAME_SIZE(ModuleData, CUpti_ModuleResourceData);
SAME_PLACE(ModuleData, cubin, CUpti_ModuleResourceData, pCubin);
SAME_SIZE(GraphData, CUpti_GraphData);
SAME_PLACE(GraphData, node_type, CUpti_GraphData, nodeType);
SAME_PLACE(GraphData, exec, CUpti_GraphData, graphExec);
SAME_PLACE(ApiData, function, CUpti_CallbackData, functionName);
SAME_SIZE(UnifiedConfig, CUpti_ActivityUnifiedMemoryCounterConfig);
SAME_PLACE(UnifiedConfig, device, CUpti_ActivityUnifiedMemoryCounterConfig, deviceId);
SAME(kOneDevice, CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE);
SAME(kSystemThreads, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
SAME(kForced, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);

SAME(kThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
SAME(kBlockX, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
SAME(kGridX, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
SAME(kSharedPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
SAME(kConstant, CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY);
SAME(kWarpSize, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
SAME(kRegistersPerBlock, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
SAME(kClockKhz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
SAME(kSmCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
SAME(kEcc, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
SAME(kPciBus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
SAME(kPciDevice, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
SAME(kMemoryClockKhz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
SAME(kMemoryBus, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
SAME(kL2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
SAME(kThreadsPerSm, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
SAME(kCopyEngines, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
SAME(kPciDomain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
SAME(kMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
SAME(kMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
SAME(kSharedPerSm, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
SAME(kRegistersPerSm, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
SAME(kSharedPerBlockOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
SAME(kBlocksPerSm, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
SAME(kSharedReserved, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);

}  // namespace
}  // namespace opsight::cuda
