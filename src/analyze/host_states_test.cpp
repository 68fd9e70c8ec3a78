#include "analyze/host_states.h"

#include <gtest/gtest.h>

namespace opsight::analyze {
namespace {

TEST(HostStates, PythonFrames) {
    for (const char* name :
         {"<built-in method acquire of _thread.lock object at 0x7f10>", "<built-in function sleep>",
          "<built-in method poll of select.poll object at 0x1>"})
        EXPECT_EQ(state_of_python_frame(name), HostState::kWaits) << name;
    for (const char* name : {"train.py(12): step", "<built-in method linear of type object at 0x7f>",
                             "threading.py(270): wait", "<built-in method acquire_all of x object at 0x1>"})
        EXPECT_EQ(state_of_python_frame(name), HostState::kRuns) << name;
}

TEST(HostStates, SystemCalls) {
    for (const char* name : {"read", "pread64", "__read_chk", "fwrite", "fsync", "getc", "fputc"})
        EXPECT_EQ(state_of_system_call(name), HostState::kFileIo) << name;
    for (const char* name : {"poll", "sem_wait", "pthread_cond_timedwait", "epoll_wait", "waitpid"})
        EXPECT_EQ(state_of_system_call(name), HostState::kWaits) << name;
    for (const char* name : {"mmap", "ioctl", "open64", "readlink"})
        EXPECT_EQ(state_of_system_call(name), HostState::kRuns) << name;
}

TEST(HostStates, WhatCommunicatesAndWhatWaits) {
    for (const char* call :
         {"MPI_Allreduce", "MPI_Wait", "MPI_Bcast", "ucp_tag_send_nb", "ALLREDUCE", "BROADCAST", "ADASUM"})
        EXPECT_EQ(state_of_message_passing(call), HostState::kCommunicates) << call;
    for (const char* call : {"MPI_Init", "MPI_Comm_rank", "MPI_Type_commit"})
        EXPECT_EQ(state_of_message_passing(call), HostState::kRuns) << call;
    EXPECT_EQ(state_of_range("gloo:all_reduce"), HostState::kCommunicates);
    EXPECT_EQ(state_of_range("NEGOTIATE_ALLREDUCE"), HostState::kWaits);
    EXPECT_EQ(state_of_range("forward"), HostState::kRuns);
    // As older versions of Nsight Systems write calls.
    EXPECT_EQ(state_of_range("MPI_Send"), HostState::kCommunicates);
    EXPECT_EQ(state_of_range("MPI_Init"), HostState::kRuns);
}

}  // namespace
}  // namespace opsight::analyze
