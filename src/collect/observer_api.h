/* C interface of libopsight_torch.so, called from Python through ctypes. No call throws; after a failed
 * opsight_torch_open() every other call does nothing. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { OPSIGHT_SHAPES = 1, OPSIGHT_MEMORY = 2 };
/* Results of opsight_torch_open besides 0 and errno values. */
enum { OPSIGHT_ABI_MISMATCH = -1, OPSIGHT_ALREADY_OPEN = -2 };

/* When to record. Times count from opsight_torch_open(); an iteration ends with an optimizer step. */
struct opsight_torch_window {
    double delay_s;             /* record nothing before */
    double duration_s;          /* 0: to the end */
    uint64_t skip_iterations;   /* record nothing before this many have ended */
    uint64_t record_iterations; /* 0: to the end */
};

#define OPSIGHT_API __attribute__((visibility("default")))
/* Opens a capture file in `directory` and begins to observe this process and its forked children. */
OPSIGHT_API int opsight_torch_open(const char* directory, uint64_t limit_bytes, uint32_t flags,
                                   const struct opsight_torch_window* window);
/* Before opsight_torch_open: counters of the processor to read around each op, as bits of CpuCounter. */
OPSIGHT_API void opsight_torch_counters(uint32_t wanted);
OPSIGHT_API void opsight_torch_property(const char* key, const char* value);
/* A process group, by the address of its C++ object: from now on ops that have it among their inputs tell
 * `number`. `facts` are as python/opsight/groups.py makes them. */
OPSIGHT_API void opsight_torch_group(const void* group, uint64_t number, const char* facts);
/* A handle for opsight_torch_enter; the text is copied. Null where memory is short. */
OPSIGHT_API const void* opsight_torch_module(const char* name);
OPSIGHT_API void opsight_torch_enter(const void* module);
OPSIGHT_API void opsight_torch_leave(void);
/* Ends the recording and marks the capture as complete. */
OPSIGHT_API void opsight_torch_finish(void);

/* Puts in place of the function `owner.name` what records its calls; `helper` is Python's part:
 * MODULE  a method of modules: every call is recorded; helper(module) gives a handle of opsight_torch_module
 * STEP    a method of optimizers: their steps get the name of the handle that helper(optimizer) gives
 * TELL    calls helper(first argument) after every call that raised nothing
 * 0, or -1 where this Python is not fit for it. */
enum { OPSIGHT_CALL_MODULE = 0, OPSIGHT_CALL_STEP = 1, OPSIGHT_CALL_TELL = 2 };
struct _object; /* of CPython */
OPSIGHT_API int opsight_torch_stand_in(struct _object* owner, const char* name, int kind,
                                       struct _object* helper);
/* The object at this address is gone: its handle stands for nothing now. */
OPSIGHT_API void opsight_torch_forget(const void* object);

#ifdef __cplusplus
}
#endif
