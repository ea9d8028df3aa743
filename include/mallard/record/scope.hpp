/// Marks of a program for `mallard record`: scopes, progress, and scopes that move between threads.
///
///     void parse(const text& input) {
///         MALLARD_SCOPE("parse");                     // until the end of the block, however it ends
///         for (const line& l : input) {
///             ...
///             MALLARD_PROGRESS("line");               // another unit of work is done
///         }
///     }
///
///     mallard::record::scope request("request");      // one instance, on any threads
///     { const auto entered = request.enter(); ... }   // the block works for the instance
///
/// Without a recorder a mark is a load, a comparison and a branch that is not taken. The recorder is the library that
/// `mallard record` preloads, or the library mallard::recorder in a static program.
///
/// This header needs C++11 and no other header, neither exceptions nor RTTI. Each library of a program may have
/// its own copy, because the recorder matches names by their text. It keeps 65,535 names, and 255 bytes of each.
///
/// Data model: each library of the program has one pointer to the recorder's functions. It is the address of a weak symbol.
/// Linkers may bind it to null permanently, so a note locates the pointer, and the recorder sets it. A
/// mark has a site, static storage with its name, to which the recorder adds a number. A scope object holds the number of
/// an instance, which is 0 if nothing is recorded.
#pragma once

// The recorder takes the function that a call of it returns to for the scope's, so the code of a mark stands in place, in
// unoptimised builds too.
#if defined(__GNUC__)
#define MALLARD_RECORD_IN_PLACE __attribute__((always_inline, no_instrument_function))
#define MALLARD_RECORD_USE_RESULT __attribute__((warn_unused_result))
#define MALLARD_RECORD_IS_RARE(condition) (__builtin_expect((condition), 0) != 0)
#else
#define MALLARD_RECORD_IN_PLACE __forceinline
#define MALLARD_RECORD_USE_RESULT
#define MALLARD_RECORD_IS_RARE(condition) (condition)
#endif

#define MALLARD_RECORD_JOINED(a, b) a##b
#define MALLARD_RECORD_NAMED(a, b) MALLARD_RECORD_JOINED(a, b)

/// Effects: the remainder of the block is a scope of that name.
/// Requires: `name` is a string literal. The block ends on the thread on which it began: a coroutine that is suspended
/// in it needs a mallard::record::scope.
#define MALLARD_SCOPE(name)                                                                                  \
    static ::mallard::record::site MALLARD_RECORD_NAMED(mallard_site_, __LINE__) = {"" name "", 0};          \
    const ::mallard::record::in_place::marked_block MALLARD_RECORD_NAMED(mallard_block_, __LINE__)(          \
        MALLARD_RECORD_NAMED(mallard_site_, __LINE__))

/// Effects: a unit of work of that name is done.
/// Requires: `name` is a string literal.
#define MALLARD_PROGRESS(name)                                                                               \
    do {                                                                                                     \
        static ::mallard::record::site mallard_site = {"" name "", 0};                                       \
        ::mallard::record::in_place::progress(mallard_site);                                                 \
    } while (false)

// C++11 has no shorter form. The pointer is weak, so that a library has one.
// NOLINTBEGIN(modernize-concat-nested-namespaces, misc-definitions-in-headers)

namespace mallard { namespace record {

/// A place in the code with a mark.
struct site {
    const char* name;
    unsigned number; ///< the recorder's; 0 until it has seen the site
};

/// The number of an instance or of a pool; 0 if it is not recorded.
using number = unsigned long long;

/// The functions of a recorder. Later versions add functions at the end, and not in between.
struct functions {
    void (*scope_begin)(site*);
    void (*scope_end)(site*);
    void (*progress)(site*);
    number (*instance_begin)(const char* name);
    void (*instance_end)(number);
    void (*instance_enter)(number);
    void (*instance_leave)(number);
    // Of a pool that is recorded.
    number (*pool)(const char* name);
    void (*allocated)(const void* block, unsigned long bytes, number pool);
    void (*freed)(const void* block, number pool);
    void (*released)(number pool);
    void (*rolled_back)(unsigned long allocations, number pool);
};

}} // namespace mallard::record

#ifdef __ELF__
extern "C" {
extern const mallard::record::functions mallard_record_functions __attribute__((weak, visibility("default")));
extern const mallard::record::functions* mallard_recorder;
__attribute__((weak, visibility("hidden"), used)) const mallard::record::functions* mallard_recorder =
    &mallard_record_functions;
}
#endif

#if (defined(__x86_64__) || defined(__aarch64__)) && defined(__ELF__)
// In no group of sections, because GNU ld's --gc-sections drops notes in groups.
__asm__(".pushsection .note.mallard, \"a\", @note\n"
        ".balign 4\n"
        ".long 8, 8, 1\n" // bytes of the name, bytes of the contents, kind
        ".asciz \"mallard\"\n"
        ".quad mallard_recorder - .\n"
        ".popsection");
#endif

namespace mallard { namespace record { namespace in_place {

/// Returns: the recorder's functions; null if there is no recorder.
MALLARD_RECORD_IN_PLACE inline const functions* loaded_recorder() noexcept {
#ifdef __ELF__
    return __atomic_load_n(&mallard_recorder, __ATOMIC_RELAXED);
#else
    return nullptr; // the recorder is a library of ELF: elsewhere a mark is no code
#endif
}

MALLARD_RECORD_IN_PLACE inline bool is_present(const functions* recorder) noexcept {
    return MALLARD_RECORD_IS_RARE(recorder != nullptr);
}

MALLARD_RECORD_IN_PLACE inline void progress(site& at) noexcept {
    if (is_present(loaded_recorder())) {
        loaded_recorder()->progress(&at);
    }
}

/// The scope of MALLARD_SCOPE.
class marked_block {
public:
    MALLARD_RECORD_IN_PLACE explicit marked_block(site& at) noexcept : site_(at) {
        if (is_present(loaded_recorder())) {
            loaded_recorder()->scope_begin(&site_);
        }
    }
    marked_block(const marked_block&) = delete;
    marked_block& operator=(const marked_block&) = delete;
    MALLARD_RECORD_IN_PLACE ~marked_block() {
        if (is_present(loaded_recorder())) {
            loaded_recorder()->scope_end(&site_);
        }
    }

private:
    site& site_;
};

}}} // namespace mallard::record::in_place

namespace mallard { namespace record {

/// During its lifetime the thread works for an instance.
/// Requires: it ends on the thread on which it began. A coroutine is not suspended during its lifetime.
class entered {
public:
    MALLARD_RECORD_IN_PLACE explicit entered(number instance) noexcept : instance_(instance) {
        if (MALLARD_RECORD_IS_RARE(instance_ != 0)) {
            in_place::loaded_recorder()->instance_enter(instance_);
        }
    }
    MALLARD_RECORD_IN_PLACE entered(entered&& other) noexcept : instance_(other.instance_) {
        other.instance_ = 0;
    }
    entered(const entered&) = delete;
    entered& operator=(const entered&) = delete;
    entered& operator=(entered&&) = delete;
    MALLARD_RECORD_IN_PLACE ~entered() {
        if (MALLARD_RECORD_IS_RARE(instance_ != 0)) {
            in_place::loaded_recorder()->instance_leave(instance_);
        }
    }

private:
    number instance_;
};

/// An instance of a scope that no thread owns: a request, a task, a coroutine. It is ended once, by its destructor or
/// before. A block belongs to the instance in which its thread was when it allocated the block.
///
/// Thread-safe: enter(), also on several threads at once. No thread may be in an instance that ends or is moved.
class scope {
public:
    /// Effects: begins nothing.
    MALLARD_RECORD_IN_PLACE scope() noexcept : number_(0) {}

    /// Effects: begins an instance. The recorder copies the name, which need not be a literal.
    MALLARD_RECORD_IN_PLACE explicit scope(const char* name) noexcept : number_(0) {
        if (in_place::is_present(in_place::loaded_recorder())) {
            number_ = in_place::loaded_recorder()->instance_begin(name);
        }
    }

    /// Effects: moves the instance out of `other`.
    MALLARD_RECORD_IN_PLACE scope(scope&& other) noexcept : number_(other.number_) { other.number_ = 0; }
    MALLARD_RECORD_IN_PLACE scope& operator=(scope&& other) noexcept {
        const number taken = other.number_;
        other.number_ = 0;
        end();
        number_ = taken;
        return *this;
    }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;
    MALLARD_RECORD_IN_PLACE ~scope() { end(); }

    /// Effects: the calling thread works for the instance until the result is destroyed. Results nest, of one instance
    /// and of different ones: the innermost counts.
    MALLARD_RECORD_USE_RESULT MALLARD_RECORD_IN_PLACE entered enter() const noexcept {
        return entered(number_);
    }

    /// Effects: ends the instance, if it has not ended.
    MALLARD_RECORD_IN_PLACE void end() noexcept {
        if (MALLARD_RECORD_IS_RARE(number_ != 0)) {
            in_place::loaded_recorder()->instance_end(number_);
            number_ = 0;
        }
    }

    /// Returns: true if the instance is recorded and has not ended.
    MALLARD_RECORD_USE_RESULT MALLARD_RECORD_IN_PLACE bool is_recorded() const noexcept {
        return number_ != 0;
    }

private:
    number number_;
};

}} // namespace mallard::record

// NOLINTEND(modernize-concat-nested-namespaces, misc-definitions-in-headers)
