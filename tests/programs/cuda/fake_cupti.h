/* What the test program asks of the fake CUPTI, beside CUPTI's own functions: to do what a GPU would. */
#pragma once

#include <stddef.h>
#include <stdint.h>

extern "C" {
/* Puts a record into the buffer of `stream` (0: the one of API calls), cut to the size that it has in the
 * version that FAKE_CUPTI_CUDA names: "12.0", "12.9", "13.0", or "14.0" (all records longer by 8 bytes). */
void fake_put(const void* record, size_t bytes, uint32_t stream);
/* Calls the tool's callback, if it asked for it. */
void fake_callback(uint32_t domain, uint32_t id, const void* data);
uint64_t fake_now(void);
/* Whether records of this kind, or calls of this function, are wanted now. */
int fake_enabled(uint32_t kind);
/* Whether the tool wants to know when devices come by events. */
int fake_event_times(void);
/* CUPTI loses count of `count` records. */
void fake_drop(size_t count);
/* A record that makes no sense. */
void fake_break(uint32_t stream);
}
