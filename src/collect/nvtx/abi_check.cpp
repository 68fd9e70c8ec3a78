// Compares abi.h with the headers of a CUDA toolkit. Compiled where those are found; holds no code.
#include "collect/nvtx/abi.h"

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtMem.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>
#include <nvtx3/nvToolsExtSync.h>

#if __has_include(<cuda.h>) && __has_include(<driver_types.h>)
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#endif

#include "wire/nvtx.h"
#include "wire/nvtx_schema.h"

namespace opsight::nvtx {
namespace {

#define SAME_SIZE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs))
#define SAME_PLACE(ours, field, theirs, their_field)                        \
    static_assert(offsetof(ours, field) == offsetof(theirs, their_field) && \
                  sizeof(ours::field) == sizeof(theirs::their_field))
#define SAME(ours, theirs) static_assert(static_cast<int64_t>(ours) == static_cast<int64_t>(theirs))

SAME_SIZE(CallbackTable, NvtxExportTableCallbacks);
SAME_PLACE(CallbackTable, module, NvtxExportTableCallbacks, GetModuleFunctionTable);
SAME_SIZE(VersionTable, NvtxExportTableVersionInfo);
SAME_PLACE(VersionTable, set_tool_version, NvtxExportTableVersionInfo, SetInjectionNvtxVersion);
SAME(kCallbackTable, NVTX_ETID_CALLBACKS);
SAME(kVersionTable, NVTX_ETID_VERSIONINFO);
SAME(kNvtxVersion, NVTX_VERSION);
SAME(kCore, NVTX_CB_MODULE_CORE);
SAME(kCuda, NVTX_CB_MODULE_CUDA);
SAME(kOpenCl, NVTX_CB_MODULE_OPENCL);
SAME(kCudaRt, NVTX_CB_MODULE_CUDART);
SAME(kCore2, NVTX_CB_MODULE_CORE2);
SAME(kSync, NVTX_CB_MODULE_SYNC);

SAME(kMarkEx, NVTX_CBID_CORE_MarkEx);
SAME(kMarkW, NVTX_CBID_CORE_MarkW);
SAME(kRangeStartEx, NVTX_CBID_CORE_RangeStartEx);
SAME(kRangeEnd, NVTX_CBID_CORE_RangeEnd);
SAME(kRangePushEx, NVTX_CBID_CORE_RangePushEx);
SAME(kRangePushA, NVTX_CBID_CORE_RangePushA);
SAME(kRangePop, NVTX_CBID_CORE_RangePop);
SAME(kNameCategoryA, NVTX_CBID_CORE_NameCategoryA);
SAME(kNameOsThreadW, NVTX_CBID_CORE_NameOsThreadW);
SAME(kDomainMarkEx, NVTX_CBID_CORE2_DomainMarkEx);
SAME(kDomainRangePushEx, NVTX_CBID_CORE2_DomainRangePushEx);
SAME(kDomainResourceCreate, NVTX_CBID_CORE2_DomainResourceCreate);
SAME(kDomainNameCategoryA, NVTX_CBID_CORE2_DomainNameCategoryA);
SAME(kDomainRegisterStringA, NVTX_CBID_CORE2_DomainRegisterStringA);
SAME(kDomainCreateA, NVTX_CBID_CORE2_DomainCreateA);
SAME(kInitialize, NVTX_CBID_CORE2_Initialize);
SAME(kNameCuDeviceA, NVTX_CBID_CUDA_NameCuDeviceA);
SAME(kNameCuContextA, NVTX_CBID_CUDA_NameCuContextA);
SAME(kNameCuStreamA, NVTX_CBID_CUDA_NameCuStreamA);
SAME(kNameCuEventA, NVTX_CBID_CUDA_NameCuEventA);
SAME(kNameCudaDeviceA, NVTX_CBID_CUDART_NameCudaDeviceA);
SAME(kNameCudaStreamA, NVTX_CBID_CUDART_NameCudaStreamA);
SAME(kNameCudaEventA, NVTX_CBID_CUDART_NameCudaEventA);
SAME(kOpenClCalls, NVTX_CBID_OPENCL_NameClEventW);
SAME(kSyncCreate, NVTX_CBID_SYNC_DomainSyncUserCreate);
SAME(kSyncReleasing, NVTX_CBID_SYNC_DomainSyncUserReleasing);

SAME(kArgb, NVTX_COLOR_ARGB);
SAME(kAscii, NVTX_MESSAGE_TYPE_ASCII);
SAME(kUnicode, NVTX_MESSAGE_TYPE_UNICODE);
SAME(kRegistered, NVTX_MESSAGE_TYPE_REGISTERED);
SAME(kSchemaPayload, NVTX_PAYLOAD_TYPE_EXT);
SAME(kNoTracking, NVTX_NO_PUSH_POP_TRACKING);
SAME(wire::NvtxNumber::kUint64, NVTX_PAYLOAD_TYPE_UNSIGNED_INT64);
SAME(wire::NvtxNumber::kInt64, NVTX_PAYLOAD_TYPE_INT64);
SAME(wire::NvtxNumber::kDouble, NVTX_PAYLOAD_TYPE_DOUBLE);
SAME(wire::NvtxNumber::kUint32, NVTX_PAYLOAD_TYPE_UNSIGNED_INT32);
SAME(wire::NvtxNumber::kInt32, NVTX_PAYLOAD_TYPE_INT32);
SAME(wire::NvtxNumber::kFloat, NVTX_PAYLOAD_TYPE_FLOAT);

SAME_SIZE(Attributes, nvtxEventAttributes_t);
SAME_PLACE(Attributes, category, nvtxEventAttributes_t, category);
SAME_PLACE(Attributes, color_type, nvtxEventAttributes_t, colorType);
SAME_PLACE(Attributes, color, nvtxEventAttributes_t, color);
SAME_PLACE(Attributes, payload_type, nvtxEventAttributes_t, payloadType);
SAME_PLACE(Attributes, payload_count, nvtxEventAttributes_t, reserved0);
SAME_PLACE(Attributes, payload, nvtxEventAttributes_t, payload);
SAME_PLACE(Attributes, message_type, nvtxEventAttributes_t, messageType);
SAME_PLACE(Attributes, message, nvtxEventAttributes_t, message);
SAME_SIZE(ResourceAttributes, nvtxResourceAttributes_t);
SAME_PLACE(ResourceAttributes, type, nvtxResourceAttributes_t, identifierType);
SAME_PLACE(ResourceAttributes, identifier, nvtxResourceAttributes_t, identifier);
SAME_PLACE(ResourceAttributes, message, nvtxResourceAttributes_t, message);
SAME(kNativeThread, NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE);
#if __has_include(<cuda.h>) && __has_include(<driver_types.h>)
SAME(kCudaClass << 16 | kCudaDeviceIndex, NVTX_RESOURCE_TYPE_CUDA_DEVICE);
SAME(kCudaClass << 16 | (kCudaDeviceIndex + 3), NVTX_RESOURCE_TYPE_CUDA_EVENT);
SAME(kCudaRtClass << 16 | kCudaRtDeviceIndex, NVTX_RESOURCE_TYPE_CUDART_DEVICE);
SAME(kCudaRtClass << 16 | kCudaRtStreamIndex, NVTX_RESOURCE_TYPE_CUDART_STREAM);
SAME(kCudaRtClass << 16 | (kCudaRtStreamIndex + 1), NVTX_RESOURCE_TYPE_CUDART_EVENT);
#endif
SAME_SIZE(SyncAttributes, nvtxSyncUserAttributes_t);
SAME_PLACE(SyncAttributes, message, nvtxSyncUserAttributes_t, message);

SAME_SIZE(ExtensionSegment, nvtxExtModuleSegment_t);
SAME_PLACE(ExtensionSegment, slot, nvtxExtModuleSegment_t, functionSlots);
SAME_SIZE(ExtensionInfo, nvtxExtModuleInfo_t);
SAME_PLACE(ExtensionInfo, module, nvtxExtModuleInfo_t, moduleId);
SAME_PLACE(ExtensionInfo, compatible, nvtxExtModuleInfo_t, compatId);
SAME_PLACE(ExtensionInfo, segments, nvtxExtModuleInfo_t, segments);
SAME(kMemory, NVTX_EXT_MODULEID_MEM);
SAME(kPayload, NVTX_EXT_PAYLOAD_MODULEID);
SAME(kCounters, NVTX_EXT_COUNTERS_MODULEID);
SAME(kCompatible, NVTX_EXT_PAYLOAD_COMPATID >> 8);
SAME(kCompatible, NVTX_EXT_COUNTERS_COMPATID >> 8);
SAME(kCompatible, NVTX_EXT_COMPATID_MEM >> 8);

SAME(wire::schema::kPointer, NVTX_PAYLOAD_ENTRY_FLAG_POINTER);
SAME(wire::schema::kOffsetFromBase, NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE);
SAME(wire::schema::kOffsetFromHere, NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE);
SAME(wire::schema::kLengthIndex, NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX);
SAME(wire::schema::kLengthPayload, NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_PAYLOAD_INDEX);
SAME(wire::schema::kDeepCopy, NVTX_PAYLOAD_ENTRY_FLAG_DEEP_COPY);
SAME(wire::schema::kUnionSelector, NVTX_PAYLOAD_ENTRY_TYPE_UNION_SELECTOR);
SAME(wire::schema::kUnionWithSelector, NVTX_PAYLOAD_SCHEMA_TYPE_UNION_WITH_INTERNAL_SELECTOR);
SAME(wire::schema::kReferenced, NVTX_TYPE_PAYLOAD_SCHEMA_REFERENCED);
SAME(kSchemaRegister, NVTX3EXT_CBID_nvtxPayloadSchemaRegister);
SAME(kEnumRegister, NVTX3EXT_CBID_nvtxPayloadEnumRegister);
SAME(kRangeEndPayload, NVTX3EXT_CBID_nvtxRangeEndPayload);
SAME(kDomainIsEnabled, NVTX3EXT_CBID_nvtxDomainIsEnabled);
SAME(kTimestampGet, NVTX3EXT_CBID_nvtxTimestampGet);
SAME(kTimeDomainRegister, NVTX3EXT_CBID_nvtxTimeDomainRegister);
SAME(kScopeRegister, NVTX3EXT_CBID_nvtxScopeRegister);
SAME(kEventSubmit, NVTX3EXT_CBID_nvtxEventSubmit);
SAME(kEventBatchSubmit, NVTX3EXT_CBID_nvtxEventBatchSubmit);
SAME_SIZE(PayloadData, nvtxPayloadData_t);
SAME_PLACE(PayloadData, size, nvtxPayloadData_t, size);
SAME_PLACE(PayloadData, payload, nvtxPayloadData_t, payload);
SAME_SIZE(SemanticsHeader, nvtxSemanticsHeader_t);
SAME_SIZE(TimeSemantics, nvtxSemanticsTime_t);
SAME(kTimeSemantics, NVTX_SEMANTIC_ID_TIME_V1);
SAME_SIZE(SchemaEntry, nvtxPayloadSchemaEntry_t);
SAME_PLACE(SchemaEntry, type, nvtxPayloadSchemaEntry_t, type);
SAME_PLACE(SchemaEntry, name, nvtxPayloadSchemaEntry_t, name);
SAME_PLACE(SchemaEntry, detail, nvtxPayloadSchemaEntry_t, arrayOrUnionDetail);
SAME_PLACE(SchemaEntry, offset, nvtxPayloadSchemaEntry_t, offset);
SAME_SIZE(SchemaAttributes, nvtxPayloadSchemaAttr_t);
SAME_PLACE(SchemaAttributes, entries, nvtxPayloadSchemaAttr_t, entries);
SAME_PLACE(SchemaAttributes, static_size, nvtxPayloadSchemaAttr_t, payloadStaticSize);
SAME_PLACE(SchemaAttributes, pack, nvtxPayloadSchemaAttr_t, packAlign);
SAME_PLACE(SchemaAttributes, id, nvtxPayloadSchemaAttr_t, schemaId);
SAME(kSchemaName, NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME);
SAME(kSchemaCount, NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES);
SAME(kSchemaSize, NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE);
SAME(kSchemaPack, NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ALIGNMENT);
SAME(kSchemaId, NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_SCHEMA_ID);
SAME_SIZE(EnumEntry, nvtxPayloadEnum_t);
SAME_SIZE(EnumAttributes, nvtxPayloadEnumAttr_t);
SAME_PLACE(EnumAttributes, id, nvtxPayloadEnumAttr_t, schemaId);
SAME(kEnumCount, NVTX_PAYLOAD_ENUM_ATTR_FIELD_NUM_ENTRIES);
SAME(kEnumId, NVTX_PAYLOAD_ENUM_ATTR_FIELD_SCHEMA_ID);
SAME_SIZE(ScopeAttributes, nvtxScopeAttr_t);
SAME_SIZE(TimeDomainAttributes, nvtxTimeDomainAttr_t);
SAME_SIZE(EventBatch, nvtxEventBatch_t);
SAME_PLACE(EventBatch, events, nvtxEventBatch_t, events);
SAME(kFirstDynamicId, NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START);
SAME(kToolClock, NVTX_TIMESTAMP_TYPE_TOOL_PROVIDED);
SAME(kFirstStaticId, NVTX_TIME_DOMAIN_ID_STATIC_START);
SAME(kRawClock, NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC_RAW);
SAME(kBootClock, NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_BOOTTIME);
SAME_SIZE(SyncPoint, nvtxSyncPoint_t);
SAME_PLACE(SyncPoint, second, nvtxSyncPoint_t, dst);
SAME(kTimerSource, NVTX3EXT_CBID_nvtxTimerSource);
SAME(kTimerSourceWithData, NVTX3EXT_CBID_nvtxTimerSourceWithData);
SAME(kTimeSyncPoint, NVTX3EXT_CBID_nvtxTimeSyncPoint);
SAME(kTimeSyncPointTable, NVTX3EXT_CBID_nvtxTimeSyncPointTable);
SAME(kTimestampConversionFactor, NVTX3EXT_CBID_nvtxTimestampConversionFactor);
SAME_PLACE(TimeDomainAttributes, clock, nvtxTimeDomainAttr_t, timestampTypeId);
SAME_PLACE(TimeDomainAttributes, id, nvtxTimeDomainAttr_t, timeDomainId);
SAME_PLACE(TimeDomainAttributes, resolution, nvtxTimeDomainAttr_t, timerResolution);
SAME_PLACE(EventBatch, scope, nvtxEventBatch_t, scope);

SAME(kCounterRegister, NVTX3EXT_CBID_nvtxCounterRegister);
SAME(kCounterInt64, NVTX3EXT_CBID_nvtxCounterSampleInt64);
SAME(kCounterSample, NVTX3EXT_CBID_nvtxCounterSample);
SAME(kCounterBatch, NVTX3EXT_CBID_nvtxCounterBatchSubmit);
SAME_SIZE(CounterAttributes, nvtxCounterAttr_t);
SAME_PLACE(CounterAttributes, semantics, nvtxCounterAttr_t, semantics);
SAME_PLACE(CounterAttributes, id, nvtxCounterAttr_t, counterId);
SAME_SIZE(CounterBatch, nvtxCounterBatch_t);
SAME_PLACE(CounterBatch, timestamps, nvtxCounterBatch_t, timestamps);
SAME(kCounterSemantics, NVTX_SEMANTIC_ID_COUNTERS_V1);
SAME_SIZE(CounterSemantics, nvtxSemanticsCounter_t);
SAME_PLACE(CounterSemantics, unit, nvtxSemanticsCounter_t, unit);
SAME_PLACE(CounterSemantics, denominator, nvtxSemanticsCounter_t, unitScaleDenominator);
SAME(static_cast<uint64_t>(wire::NvtxSampleType::kUnchanged) - 2, NVTX_COUNTER_SAMPLE_UNCHANGED);

SAME(kHeapRegister, NVTX3EXT_CBID_nvtxMemHeapRegister);
SAME(kRegionsRegister, NVTX3EXT_CBID_nvtxMemRegionsRegister);
SAME(kRegionsName, NVTX3EXT_CBID_nvtxMemRegionsName);
SAME(kVirtualAddress, NVTX_MEM_TYPE_VIRTUAL_ADDRESS);
SAME_SIZE(VirtualRange, nvtxMemVirtualRangeDesc_t);
SAME_PLACE(VirtualRange, address, nvtxMemVirtualRangeDesc_t, ptr);
SAME_SIZE(HeapDescription, nvtxMemHeapDesc_t);
SAME_PLACE(HeapDescription, range, nvtxMemHeapDesc_t, typeSpecificDesc);
SAME_PLACE(HeapDescription, message, nvtxMemHeapDesc_t, message);
SAME_SIZE(RegionsRegister, nvtxMemRegionsRegisterBatch_t);
SAME_PLACE(RegionsRegister, handles, nvtxMemRegionsRegisterBatch_t, regionHandleElementsOut);
SAME_SIZE(RegionsResize, nvtxMemRegionsResizeBatch_t);
SAME_SIZE(RegionsUnregister, nvtxMemRegionsUnregisterBatch_t);
SAME_SIZE(RegionName, nvtxMemRegionNameDesc_t);
SAME_PLACE(RegionName, name, nvtxMemRegionNameDesc_t, name);
SAME_SIZE(RegionsName, nvtxMemRegionsNameBatch_t);
SAME(kPermissionsAssign, NVTX3EXT_CBID_nvtxMemPermissionsAssign);
SAME(kPermissionsCreate, NVTX3EXT_CBID_nvtxMemPermissionsCreate);
SAME(kPermissionsUnbind, NVTX3EXT_CBID_nvtxMemPermissionsUnbind);
SAME_SIZE(PermissionsRegion, nvtxMemPermissionsAssignRegionDesc_t);
SAME_PLACE(PermissionsRegion, region, nvtxMemPermissionsAssignRegionDesc_t, region);
SAME_SIZE(PermissionsAssign, nvtxMemPermissionsAssignBatch_t);
SAME_PLACE(PermissionsAssign, permissions, nvtxMemPermissionsAssignBatch_t, permissions);
SAME_PLACE(PermissionsAssign, elements, nvtxMemPermissionsAssignBatch_t, regionElements);

namespace in = wire::schema;
SAME(in::kPointer, NVTX_PAYLOAD_ENTRY_FLAG_POINTER);
SAME(in::kOffsetFromBase, NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_BASE);
SAME(in::kOffsetFromHere, NVTX_PAYLOAD_ENTRY_FLAG_OFFSET_FROM_HERE);
SAME(in::kFixedArray, NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_FIXED_SIZE);
SAME(in::kZeroTerminated, NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_ZERO_TERMINATED);
SAME(in::kLengthIndex, NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_INDEX);
SAME(in::kLengthPayload, NVTX_PAYLOAD_ENTRY_FLAG_ARRAY_LENGTH_PAYLOAD_INDEX);
SAME(in::kHide, NVTX_PAYLOAD_ENTRY_FLAG_HIDE);
SAME(in::kEventMessage, NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE);
SAME(in::kTimestamp, NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP);
SAME(in::kRangeBegin, NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN);
SAME(in::kRangeEnd, NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END);
SAME(in::kText, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING);
SAME(in::kText32, NVTX_PAYLOAD_ENTRY_TYPE_CSTRING_UTF32);
SAME(in::kRegisteredText, NVTX_PAYLOAD_ENTRY_TYPE_NVTX_REGISTERED_STRING_HANDLE);
SAME(in::kUnionSelector, NVTX_PAYLOAD_ENTRY_TYPE_UNION_SELECTOR);
SAME(in::kByte, NVTX_PAYLOAD_ENTRY_TYPE_BYTE);
SAME(in::kCategory, NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY);
SAME(in::kColor, NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB);
SAME(in::kScopeId, NVTX_PAYLOAD_ENTRY_TYPE_SCOPE_ID);
SAME(in::kThread32, NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT32);
SAME(in::kThread64, NVTX_PAYLOAD_ENTRY_TYPE_TID_UINT64);
SAME(in::kRaw, NVTX_TYPE_PAYLOAD_SCHEMA_RAW);
SAME(in::kReferenced, NVTX_TYPE_PAYLOAD_SCHEMA_REFERENCED);
SAME(in::kFirstSchemaId, NVTX_PAYLOAD_SCHEMA_ID_STATIC_START);
SAME(in::kUnionWithSelector, NVTX_PAYLOAD_SCHEMA_TYPE_UNION_WITH_INTERNAL_SELECTOR);

}  // namespace
}  // namespace opsight::nvtx
