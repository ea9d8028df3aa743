/// The mode that a translation unit was compiled for, as a part of every linker name of the library.
///
/// MALLARD_CHECKED, NDEBUG, AddressSanitizer, MALLARD_VALGRIND, -fno-exceptions, -fno-rtti, MALLARD_THREADS, MALLARD_MUTEX
/// and the version change inline functions, and the linker keeps one function of each name. So each header opens one of two
/// inline namespaces, whose names say how it was compiled:
///
///     namespace mallard { inline namespace MALLARD_MODE { ... }}      inline code and templates: all of them
///     namespace mallard { inline namespace MALLARD_LIBRARY { ... }}   code of src/, names in interfaces: the sanitizer,
///                                                                     the threads, the mutex, the version
///
/// Checked parts of a program do not link with others, because no name tells the mode of a class with an allocator as
/// a member (impl/checking/by_default.hpp). Parts that differ otherwise work side by side. If one hands an allocator to
/// the other, the program does not link; the linker prints the name that it misses, such as
/// mallard::ndebug_v100::multipool. A library built for release serves all programs of its version but those built with
/// AddressSanitizer or for valgrind, which look for mallard::library_with_address_sanitizer_v100 and
/// mallard::library_with_valgrind_v100.
///
/// Invariants: nothing within MALLARD_LIBRARY depends on NDEBUG, MALLARD_CHECKED, exceptions or RTTI, neither bodies
/// nor members. A specialisation stands in the namespace of its template, or in mallard itself. Names of the
/// library cannot be declared in advance: include the header.
///
/// The requirements on compiler and machine stand here too, because every header begins with this one.
#pragma once

/// The version: 10000 * major + 100 * minor + patch.
// NOLINTNEXTLINE(modernize-macro-to-enum): for the preprocessor
#define MALLARD_VERSION 100

#ifdef _MSVC_LANG // MSVC's __cplusplus is 199711 unless /Zc:__cplusplus is set
#define MALLARD_CPLUSPLUS _MSVC_LANG
#else
#define MALLARD_CPLUSPLUS __cplusplus
#endif
#if MALLARD_CPLUSPLUS < 202002L
#error "mallard needs C++20: compile with -std=c++20 or later"
#include "no file: the compiler stops here, because all other errors follow from this one"
#endif
#if defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ < 4
#error "mallard needs pointers of 32 or 64 bits"
#include "no file: the compiler stops here, because all other errors follow from this one"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define MALLARD_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MALLARD_ASAN 1
#endif
#endif

/// -DMALLARD_VALGRIND=1 marks memory for valgrind's memcheck as AddressSanitizer has it poisoned, if valgrind's headers are
/// installed. Outside of valgrind the marks cost a few instructions each.
#ifndef MALLARD_VALGRIND
#define MALLARD_VALGRIND 0
#endif
#if MALLARD_VALGRIND && !defined(MALLARD_ASAN) && defined(__has_include)
#if __has_include(<valgrind/memcheck.h>)
#define MALLARD_MEMCHECK 1
#endif
#endif

/// 1 if a program can have several threads, as the compiler says; -DMALLARD_THREADS=0 says that it has one.
#ifndef MALLARD_THREADS
#ifdef __STDCPP_THREADS__
#define MALLARD_THREADS 1
#else
#define MALLARD_THREADS 0
#endif
#endif

#ifndef MALLARD_CHECKED
#define MALLARD_CHECKED 0
#endif

/// 1 for a part of a program that keeps its allocators to itself, and may differ from the others in MALLARD_CHECKED and
/// MALLARD_NAMES (impl/checking/by_default.hpp, adapt/named.hpp).
#ifndef MALLARD_ALLOW_MISMATCH
#define MALLARD_ALLOW_MISMATCH 0
#endif

#if MALLARD_CHECKED
#define MALLARD_MODE_BY_CHECKS checked_
#else
#define MALLARD_MODE_BY_CHECKS
#endif
#ifdef NDEBUG
#define MALLARD_MODE_BY_ASSERTIONS ndebug
#else
#define MALLARD_MODE_BY_ASSERTIONS debug
#endif
#ifdef MALLARD_ASAN
#define MALLARD_MODE_BY_SANITIZER _with_address_sanitizer
#elif defined(MALLARD_MEMCHECK)
#define MALLARD_MODE_BY_SANITIZER _with_valgrind
#else
#define MALLARD_MODE_BY_SANITIZER
#endif
#ifdef __cpp_exceptions
#define MALLARD_MODE_BY_EXCEPTIONS
#else
#define MALLARD_MODE_BY_EXCEPTIONS _without_exceptions
#endif
#ifdef __cpp_rtti
#define MALLARD_MODE_BY_RTTI
#else
#define MALLARD_MODE_BY_RTTI _without_rtti
#endif
#if MALLARD_THREADS
#define MALLARD_MODE_BY_THREADS
#else
#define MALLARD_MODE_BY_THREADS _without_threads
#endif
#ifdef MALLARD_MUTEX
#define MALLARD_MODE_BY_MUTEX _with_own_mutex
#else
#define MALLARD_MODE_BY_MUTEX
#endif
#define MALLARD_JOINED(a, b, c, d, e, f, g, h, i) a##b##c##d##e##f##g##h##i
#define MALLARD_EXPANDED_AND_JOINED(a, b, c, d, e, f, g, h, i) MALLARD_JOINED(a, b, c, d, e, f, g, h, i)
#define MALLARD_MODE                                                                                         \
    MALLARD_EXPANDED_AND_JOINED(MALLARD_MODE_BY_CHECKS, MALLARD_MODE_BY_ASSERTIONS,                          \
                                MALLARD_MODE_BY_SANITIZER, MALLARD_MODE_BY_EXCEPTIONS, MALLARD_MODE_BY_RTTI, \
                                MALLARD_MODE_BY_THREADS, MALLARD_MODE_BY_MUTEX, _v, MALLARD_VERSION)
#define MALLARD_LIBRARY                                                                                      \
    MALLARD_EXPANDED_AND_JOINED(library, MALLARD_MODE_BY_SANITIZER, MALLARD_MODE_BY_THREADS,                 \
                                MALLARD_MODE_BY_MUTEX, , , , _v, MALLARD_VERSION)

/// thread_local where a program can have several threads; static storage where it has one.
#if MALLARD_THREADS
#define MALLARD_THREAD_LOCAL thread_local
#else
#define MALLARD_THREAD_LOCAL
#endif

/// In an attribute, [[no_unique_address]]: MSVC ignores that name, and has one of its own.
#if defined(_MSC_VER)
#define MALLARD_NO_UNIQUE_ADDRESS msvc::no_unique_address
#else
#define MALLARD_NO_UNIQUE_ADDRESS no_unique_address
#endif

/// The kind of format strings: g++ takes those of MinGW for Microsoft's, which have no %zu.
#if defined(__MINGW32__) && !defined(__clang__)
#define MALLARD_FORMAT gnu_printf
#else
#define MALLARD_FORMAT printf
#endif

/// What other compilers lack: code that cannot be reached, a cache line that is needed soon, and a value that the optimiser
/// must not replace by another one that is equal.
#if defined(__GNUC__)
#define MALLARD_UNREACHABLE() __builtin_unreachable()
#define MALLARD_PREFETCH(...) __builtin_prefetch(__VA_ARGS__)
#define MALLARD_KEEP(...) asm("" : __VA_ARGS__)
#else
#define MALLARD_UNREACHABLE() __assume(0)
#define MALLARD_PREFETCH(...) static_cast<void>(0)
#define MALLARD_KEEP(...) static_cast<void>(0)
#endif
