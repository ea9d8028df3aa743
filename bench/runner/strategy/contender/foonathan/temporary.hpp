/// foonathan::memory::temporary_allocator: memory from the thread's temporary stack until its scope ends.
///
/// Configuration: the library's own stack of the thread, of the size that foonathan_stack.hpp gives the other.
#pragma once

#include "runner/strategy/contender/foonathan/stack.hpp"

#include <foonathan/memory/temporary_allocator.hpp>
#include <optional>

namespace bench {

class foonathan_temporary_source {
public:
    foonathan_temporary_source() { renew(); }

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment) {
        return scope_->allocate(bytes, alignment);
    }

    void deallocate(void*, std::size_t, std::size_t) noexcept {}

    void release() noexcept {
        scope_.reset(); // the one that is active has to be the last one made
        renew();
    }

private:
    void renew() { scope_.emplace(foonathan::memory::get_temporary_stack(foonathan_stack_bytes)); }

    std::optional<foonathan::memory::temporary_allocator> scope_;
};

template <>
struct source_traits<mechanism_kind::foonathan_temporary> : plain_source<foonathan_temporary_source> {};

} // namespace bench
