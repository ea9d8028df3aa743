#include "no_cancellation.hpp"
#include "threads.hpp"

#include <mallard/core/mutex.hpp>
#include <mallard/impl/threads/fork_mutex.hpp>

#ifndef NOMINMAX
#define NOMINMAX
#endif
#define WIN32_LEAN_AND_MEAN
#include <windows.h>

#include <atomic>
#include <cstdint>

#if defined(__MINGW32__) && defined(__GLIBCXX__) && !defined(__clang__)
#define MALLARD_EMULATED_TLS 1
#include <bits/gthr.h>
#include <cxxabi.h>
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*) noexcept;
#endif

#ifndef MALLARD_MUTEX
namespace mallard::core { inline namespace MALLARD_LIBRARY {

static_assert(sizeof(SRWLOCK) == sizeof(void*)); // SRWLOCK_INIT is zero

void mutex::lock() noexcept {
    AcquireSRWLockExclusive(reinterpret_cast<SRWLOCK*>(&word_));
}

bool mutex::try_lock() noexcept {
    return TryAcquireSRWLockExclusive(reinterpret_cast<SRWLOCK*>(&word_)) != 0;
}

void mutex::unlock() noexcept {
    ReleaseSRWLockExclusive(reinterpret_cast<SRWLOCK*>(&word_));
}

}} // namespace mallard::core::MALLARD_LIBRARY
#endif

namespace mallard::threads { inline namespace MALLARD_LIBRARY {

std::uintptr_t thread_identity() noexcept {
    return GetCurrentThreadId();
}

}} // namespace mallard::threads::MALLARD_LIBRARY

namespace mallard::platform { inline namespace MALLARD_LIBRARY {

namespace {

constinit std::atomic<void (*)() noexcept> at_end{nullptr};

void run_at_end() noexcept {
    if (void (*const run)() noexcept = at_end.load()) {
        run();
    }
}

} // namespace

#ifdef MALLARD_EMULATED_TLS
// thread_local storage is memory under a key of libgcc, which frees it at the end of a thread, and thread_local destructors run
// under another key. Keys end in the order of their creation. So the destructors' key is created first, then that of the tasks
// here, before the first use of thread_local storage creates the one that frees it.
namespace {

__gthread_key_t end_key;

[[gnu::constructor(101)]] void create_keys() noexcept {
    __cxa_thread_atexit([](void*) {}, nullptr, nullptr);
    __gthread_key_create(&end_key, [](void*) { run_at_end(); });
}

} // namespace

void expect_thread_end() noexcept {
    __gthread_setspecific(end_key, &end_key); // any value but null
}
#else
namespace {

constinit thread_local bool expected = false;

void NTAPI run_if_expected(PVOID, DWORD reason, PVOID) {
    if (reason == DLL_THREAD_DETACH && expected) {
        run_at_end();
    }
}

} // namespace

// The loader calls the functions of this table in the order of their sections' names, and those of thread_local destructors
// are in front of XLE. A key of the system (FLS) would end before the destructors.
#ifdef _MSC_VER
#ifdef _WIN64
#pragma comment(linker, "/INCLUDE:_tls_used")
#pragma comment(linker, "/INCLUDE:mallard_at_thread_end")
#else
#pragma comment(linker, "/INCLUDE:__tls_used")
#pragma comment(linker, "/INCLUDE:_mallard_at_thread_end")
#endif
#pragma const_seg(push, ".CRT$XLE")
extern "C" extern const PIMAGE_TLS_CALLBACK mallard_at_thread_end = run_if_expected;
#pragma const_seg(pop)
#else
extern "C" __attribute__((section(".CRT$XLE"), used)) const PIMAGE_TLS_CALLBACK mallard_at_thread_end =
    run_if_expected;
#endif

void expect_thread_end() noexcept {
    expected = true;
}
#endif

long this_process() noexcept {
    return static_cast<long>(GetCurrentProcessId());
}

long this_thread() noexcept {
    return 1;
}

bool has_ended(long, long) noexcept {
    return false;
}

void yield() noexcept {
    SwitchToThread();
}

void call_at_fork(void (*)() noexcept, void (*)() noexcept, void (*)() noexcept) noexcept {}

void call_at_thread_end(void (*run)() noexcept) noexcept {
    at_end.store(run);
}

void end_calls_at_thread_end() noexcept {
    at_end.store(nullptr);
}

}} // namespace mallard::platform::MALLARD_LIBRARY
