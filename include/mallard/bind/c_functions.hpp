/// The functions of `<cstdlib>` over any allocator, for the hooks of C libraries.
///
///     mallard::multipool<> pool;                              hooks with a user pointer, here yyjson's
///     using functions = mallard::c_functions<mallard::multipool<>>;
///     yyjson_alc hooks{functions::malloc, functions::realloc, functions::free, &pool};
///
///     struct nodes : mallard::per_thread<nodes, mallard::multipool<>> {};     hooks without one: a tag
///     using functions = mallard::c_functions<nodes>;
///     cmark_mem hooks{functions::calloc, functions::realloc, functions::free};
///
///     [ bytes | padding ][ block ]      c_functions: C frees a block without its size
///                        [ block ]      sized_c_functions, and allocators whose blocks know their sizes
///
/// Data model: static functions, whose addresses are the hooks. The parameters for sizes have the type that the hook has: int,
/// unsigned, long, std::size_t. An allocator that needs the size of a block to free it finds that in front of the block, in
/// fundamental_alignment bytes, which AddressSanitizer guards. A function that a library wants otherwise is a lambda:
///
///     [](FT_Memory memory, long bytes) { return functions::malloc(memory->user, bytes); }
///
/// Invariants: no function throws; a failure is a null pointer, and leaves the old block as it was. A block is aligned as
/// malloc() aligns it. Functions of different types, or of different allocators, do not take each other's blocks.
/// Thread-safe if the allocator is.
#pragma once

#include <mallard/core/alignment.hpp>
#include <mallard/core/build_mode.hpp>
#include <mallard/core/cancellation.hpp>
#include <mallard/core/concepts.hpp>
#include <mallard/core/expansion.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/core/sanitizer.hpp>
#include <mallard/core/utility.hpp>

#include <concepts>
#include <cstddef>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>

namespace mallard::bind { inline namespace MALLARD_MODE {

template <class Source>
concept c_source = upstream<Source> && std::is_object_v<Source>;
template <class Source>
inline constexpr bool is_c_source = c_source<Source> || pool_tag<Source>;

inline constexpr std::size_t most_c_bytes = std::numeric_limits<std::size_t>::max();

/// Returns: the size that C passes; of a negative one, more bytes than there are.
template <std::integral Size>
[[nodiscard]] constexpr std::size_t to_c_bytes(Size bytes) noexcept {
    return std::in_range<std::size_t>(bytes) ? static_cast<std::size_t>(bytes) : most_c_bytes;
}

/// Returns: the bytes of an array; of one that no size holds, more bytes than there are.
template <std::integral Size>
[[nodiscard]] constexpr std::size_t to_c_bytes(Size count, Size bytes) noexcept {
    const std::size_t object_bytes = to_c_bytes(bytes);
    return object_bytes != 0 && to_c_bytes(count) > most_c_bytes / object_bytes
               ? most_c_bytes
               : to_c_bytes(count) * object_bytes;
}

/// The blocks that C gets of an A. Unless `Sized` is true, C returns a block without its size.
template <upstream A, bool Sized>
class c_blocks {
    static constexpr bool know_their_size = expandable<A>;
    static constexpr std::size_t header_bytes = Sized || know_their_size ? 0 : fundamental_alignment;
    static_assert(fundamental_alignment >= sizeof(std::size_t));

public:
    /// Returns: a block of `bytes` bytes; null if there is no memory, or no size holds them.
    [[nodiscard]] static void* allocate(A& source, std::size_t bytes) noexcept {
        if (bytes > most_c_bytes - fundamental_alignment) {
            return nullptr;
        }
        void* const p = core::ask_without_unwinding(source, bytes + header_bytes, fundamental_alignment);
        if (header_bytes == 0 || p == nullptr) {
            return p;
        }
        write_header(p, bytes);
        return static_cast<std::byte*>(p) + header_bytes;
    }

    /// Returns: the result of allocate(), filled with zeros.
    [[nodiscard]] static void* allocate_zeros(A& source, std::size_t bytes) noexcept {
        void* const p = allocate(source, bytes);
        return p == nullptr ? nullptr : std::memset(p, 0, bytes);
    }

    /// Requires: `bytes` are those of the block if `Sized` is true.
    static void deallocate(A& source, void* p, std::size_t bytes) noexcept {
        if (p == nullptr) {
            return;
        }
        if constexpr (know_their_size && requires { source.deallocate(p); }) {
            source.deallocate(p);
        } else {
            const std::size_t total_bytes = usable_bytes(source, p, bytes) + header_bytes;
            core::unpoison(start(p), header_bytes);
            core::give_back(source, start(p), total_bytes, fundamental_alignment);
        }
    }

    /// Returns: the bytes of the block that may be used.
    [[nodiscard]] static std::size_t usable_bytes([[maybe_unused]] A& source, [[maybe_unused]] void* p,
                                                  [[maybe_unused]] std::size_t bytes) noexcept {
        if constexpr (know_their_size) {
            return source.usable_bytes(p);
        } else if constexpr (header_bytes != 0) {
            return *static_cast<const std::size_t*>(start(p));
        } else {
            return bytes;
        }
    }

    /// Returns: the block with `new_bytes` bytes, which may lie elsewhere; null, with no effect, if there is no memory; null
    /// after a deallocation, if `new_bytes` is 0. If `p` is null, the result of allocate().
    [[nodiscard]] static void* reallocate(A& source, void* p, std::size_t old_bytes,
                                          std::size_t new_bytes) noexcept {
        if (new_bytes == 0 && (Sized || p != nullptr)) {
            deallocate(source, p, old_bytes);
            return nullptr;
        }
        if (p == nullptr) {
            return allocate(source, new_bytes);
        }
        if (new_bytes > most_c_bytes - fundamental_alignment) {
            return nullptr;
        }
        old_bytes = usable_bytes(source, p, old_bytes);
        if (resize_in_place(source, p, old_bytes, new_bytes)) {
            return p;
        }
        void* const fresh = allocate(source, new_bytes);
        if (fresh != nullptr) {
            std::memcpy(fresh, p, core::min(old_bytes, new_bytes));
            deallocate(source, p, old_bytes);
        }
        return fresh;
    }

private:
    [[nodiscard]] static void* start(void* p) noexcept { return static_cast<std::byte*>(p) - header_bytes; }

    /// The size is not poisoned, so that the sanitizer reports a block that is deallocated twice where it is read.
    static void write_header(void* start, std::size_t bytes) noexcept {
        ::new (start) std::size_t(bytes);
        core::poison(static_cast<std::byte*>(start) + sizeof(bytes), header_bytes - sizeof(bytes));
    }

    /// Returns: true if the block serves as one of `new_bytes` bytes.
    [[nodiscard]] static bool resize_in_place(A& source, void* p, std::size_t old_bytes,
                                              std::size_t new_bytes) noexcept {
        if constexpr (know_their_size) {
            if (new_bytes <= old_bytes) {
                source.shrink(p, new_bytes);
                return true;
            }
            return source
                       .try_expand(p, {.least_bytes = new_bytes,
                                       .preferred_bytes = new_bytes,
                                       .allowed = expansion::forward})
                       .p != nullptr;
        } else {
            if constexpr (requires { source.resize_last(p, old_bytes, new_bytes); }) {
                if (source.resize_last(start(p), old_bytes + header_bytes, new_bytes + header_bytes)) {
                    if constexpr (header_bytes != 0) {
                        write_header(start(p), new_bytes);
                    }
                    return true;
                }
            }
            // A block that C returns without its size keeps the old one, and at most half of it is not needed.
            return new_bytes == old_bytes ||
                   (header_bytes != 0 && new_bytes < old_bytes && new_bytes >= old_bytes / 2);
        }
    }
};

}} // namespace mallard::bind::MALLARD_MODE

namespace mallard { inline namespace MALLARD_MODE {

/// For hooks that return a block without its size. `Source` is a pool tag (bind/pool_tag.hpp), or the type of the allocator
/// whose address is `context`, the user pointer of the hooks.
/// Requires: `context` is the address of a `Source`, not of a class that derives from it.
template <class Source>
class c_functions {
    static_assert(bind::is_c_source<Source>,
                  "mallard: c_functions takes the type of an allocator, or a tag that names a pool");
};

/// For hooks that pass the size of a block that they return: realloc() is a lua_Alloc, and the three functions are GMP's.
/// Blocks have no header.
/// Requires: `context` as above; the size is that of the last request for the block.
template <class Source>
class sized_c_functions {
    static_assert(bind::is_c_source<Source>,
                  "mallard: sized_c_functions takes the type of an allocator, or a tag that names a pool");
};

template <bind::c_source Source>
class c_functions<Source> {
    using blocks = bind::c_blocks<Source, false>;

public:
    /// Returns: a block of `bytes` bytes, also of 0; null if there is no memory.
    template <std::integral Size>
    [[nodiscard]] static void* malloc(void* context, Size bytes) noexcept {
        return blocks::allocate(*static_cast<Source*>(context), bind::to_c_bytes(bytes));
    }

    /// Returns: the same for an array; null also if no size holds it. As the zalloc of zlib, it leaves the block as it is.
    template <std::integral Size>
    [[nodiscard]] static void* malloc(void* context, Size count, Size bytes) noexcept {
        return blocks::allocate(*static_cast<Source*>(context), bind::to_c_bytes(count, bytes));
    }

    /// Returns: the same, filled with zeros.
    template <std::integral Size>
    [[nodiscard]] static void* calloc(void* context, Size count, Size bytes) noexcept {
        return blocks::allocate_zeros(*static_cast<Source*>(context), bind::to_c_bytes(count, bytes));
    }

    /// Returns: the block with `bytes` bytes, which may lie elsewhere; null, with no effect, if there is no memory. Of 0
    /// bytes null, after free(), as glibc does; of a null pointer the result of malloc().
    template <std::integral Size>
    [[nodiscard]] static void* realloc(void* context, void* p, Size bytes) noexcept {
        return blocks::reallocate(*static_cast<Source*>(context), p, 0, bind::to_c_bytes(bytes));
    }

    /// Returns: the same. For hooks that pass the old size here, but not to free(): it is not used.
    template <std::integral Size>
    [[nodiscard]] static void* realloc(void* context, void* p, Size, Size bytes) noexcept {
        return realloc(context, p, bytes);
    }

    /// Effects: deallocates the block, unless it is null.
    static void free(void* context, void* p) noexcept {
        blocks::deallocate(*static_cast<Source*>(context), p, 0);
    }
};

template <pool_tag Tag>
class c_functions<Tag> {
    using blocks = bind::c_blocks<tag_pool_t<Tag>, false>;

public:
    /// Returns: a block of `bytes` bytes, also of 0; null if there is no memory.
    template <std::integral Size>
    [[nodiscard]] static void* malloc(Size bytes) noexcept {
        return blocks::allocate(Tag::pool(), bind::to_c_bytes(bytes));
    }

    /// Returns: a block of `count` objects, filled with zeros; null if there is no memory, or no size holds it.
    template <std::integral Size>
    [[nodiscard]] static void* calloc(Size count, Size bytes) noexcept {
        return blocks::allocate_zeros(Tag::pool(), bind::to_c_bytes(count, bytes));
    }

    /// Returns: the block with `bytes` bytes, which may lie elsewhere; null, with no effect, if there is no memory. Of 0
    /// bytes null, after free(), as glibc does; of a null pointer the result of malloc().
    template <std::integral Size>
    [[nodiscard]] static void* realloc(void* p, Size bytes) noexcept {
        return blocks::reallocate(Tag::pool(), p, 0, bind::to_c_bytes(bytes));
    }

    /// Effects: deallocates the block, unless it is null.
    static void free(void* p) noexcept { blocks::deallocate(Tag::pool(), p, 0); }

    /// Returns: a copy of the text, in a block; null if there is no memory.
    [[nodiscard]] static char* strdup(const char* text) noexcept {
        const std::size_t bytes = std::strlen(text) + 1;
        void* const p = malloc(bytes);
        return static_cast<char*>(p == nullptr ? nullptr : std::memcpy(p, text, bytes));
    }

    /// Returns: the bytes of the block that may be used, at least those of its request. 0 for null.
    template <std::integral Size>
    [[nodiscard]] static Size usable_bytes(void* p) noexcept {
        return p == nullptr ? Size{} : static_cast<Size>(blocks::usable_bytes(Tag::pool(), p, 0));
    }

    /// Returns: all hooks of SQLite: sqlite_methods<sqlite3_mem_methods>(). It has sizes rounded up to multiples of 8.
    template <class Methods>
    [[nodiscard]] static constexpr Methods sqlite_methods() noexcept {
        return {malloc,
                free,
                realloc,
                usable_bytes,
                [](int bytes) { return (bytes + 7) / 8 * 8; },
                [](void*) { return 0; }, // SQLITE_OK
                [](void*) {},
                nullptr};
    }
};

template <bind::c_source Source>
class sized_c_functions<Source> {
    using blocks = bind::c_blocks<Source, true>;

public:
    /// Returns: a block of `bytes` bytes, also of 0; null if there is no memory.
    template <std::integral Size>
    [[nodiscard]] static void* malloc(void* context, Size bytes) noexcept {
        return blocks::allocate(*static_cast<Source*>(context), bind::to_c_bytes(bytes));
    }

    /// Returns: the block with `bytes` bytes, which may lie elsewhere; null, with no effect, if there is no memory, also for
    /// fewer bytes. Of 0 bytes null, after free(); of a null pointer otherwise the result of malloc(), whatever `old_bytes` is.
    template <std::integral Size>
    [[nodiscard]] static void* realloc(void* context, void* p, Size old_bytes, Size bytes) noexcept {
        return blocks::reallocate(*static_cast<Source*>(context), p, bind::to_c_bytes(old_bytes),
                                  bind::to_c_bytes(bytes));
    }

    /// Effects: deallocates the block, unless it is null.
    template <std::integral Size>
    static void free(void* context, void* p, Size bytes) noexcept {
        blocks::deallocate(*static_cast<Source*>(context), p, bind::to_c_bytes(bytes));
    }
};

template <pool_tag Tag>
class sized_c_functions<Tag> {
    using blocks = bind::c_blocks<tag_pool_t<Tag>, true>;

public:
    /// As above, without a context.
    template <std::integral Size>
    [[nodiscard]] static void* malloc(Size bytes) noexcept {
        return blocks::allocate(Tag::pool(), bind::to_c_bytes(bytes));
    }

    template <std::integral Size>
    [[nodiscard]] static void* realloc(void* p, Size old_bytes, Size bytes) noexcept {
        return blocks::reallocate(Tag::pool(), p, bind::to_c_bytes(old_bytes), bind::to_c_bytes(bytes));
    }

    template <std::integral Size>
    static void free(void* p, Size bytes) noexcept {
        blocks::deallocate(Tag::pool(), p, bind::to_c_bytes(bytes));
    }
};

}} // namespace mallard::MALLARD_MODE
