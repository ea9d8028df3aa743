/// The mode that a translation unit was compiled for, as a part of every linker name of the library.
///
/// MALLARD_CHECKED, NDEBUG, AddressSanitizer and -fno-exceptions change inline functions, and the linker keeps
/// one function of each name. So each header opens one of two inline namespaces, whose names say how it was
/// compiled:
///
///     namespace mallard::inline MALLARD_MODE { ... }       inline code and templates: all four of them
///     namespace mallard::inline MALLARD_LIBRARY { ... }    code of src/ and names in interfaces: the sanitizer only
///
/// Parts of a program that were compiled differently work side by side. If one hands an allocator to the other,
/// the program does not link; the linker prints the name that it misses, such as mallard::ndebug::multipool. A
/// library built for release serves all programs but those built with AddressSanitizer, which look for
/// mallard::library_with_address_sanitizer.
///
/// Invariants: nothing within MALLARD_LIBRARY depends on NDEBUG, MALLARD_CHECKED or exceptions, neither bodies
/// nor members. A specialisation stands in the namespace of its template, or in mallard itself. Names of the
/// library cannot be declared in advance: include the header.
///
/// The requirements on compiler and machine stand here too, because every header begins with this one.
#pragma once

#if __cplusplus < 202002L
#error "mallard needs C++20: compile with -std=c++20 or later"
#include "no file: the compiler stops here, because all other errors follow from this one"
#endif
#if defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ < 8
#error "mallard needs pointers of 64 bits: it is neither made nor tested for smaller ones"
#include "no file: the compiler stops here, because all other errors follow from this one"
#endif

#if defined(__SANITIZE_ADDRESS__)
#define MALLARD_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MALLARD_ASAN 1
#endif
#endif

#ifndef MALLARD_CHECKED
#define MALLARD_CHECKED 0
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
#else
#define MALLARD_MODE_BY_SANITIZER
#endif
#ifdef __cpp_exceptions
#define MALLARD_MODE_BY_EXCEPTIONS
#else
#define MALLARD_MODE_BY_EXCEPTIONS _without_exceptions
#endif
#define MALLARD_JOINED(a, b, c, d) a##b##c##d
#define MALLARD_EXPANDED_AND_JOINED(a, b, c, d) MALLARD_JOINED(a, b, c, d)
#define MALLARD_MODE                                                                                         \
    MALLARD_EXPANDED_AND_JOINED(MALLARD_MODE_BY_CHECKS, MALLARD_MODE_BY_ASSERTIONS,                          \
                                MALLARD_MODE_BY_SANITIZER, MALLARD_MODE_BY_EXCEPTIONS)

#ifdef MALLARD_ASAN
#define MALLARD_LIBRARY library_with_address_sanitizer
#else
#define MALLARD_LIBRARY library
#endif
