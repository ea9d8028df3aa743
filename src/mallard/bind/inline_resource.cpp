#include <mallard/bind/inline_resource.hpp>
#include <mallard/bind/pool_tag.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/core/quiet_request.hpp>
#include <mallard/impl/threads/fork_hold.hpp>
#include <mallard/upstream/new_delete.hpp>

namespace mallard::inline MALLARD_LIBRARY {

namespace {

constinit bind::shared_slot<resource<new_delete>> global;
constinit threads::fork_hold at_fork = threads::make_fork_hold<global>();
const threads::held_while_loaded held(at_fork);

} // namespace

bool inline_resource::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
    return this == &other;
}

void* inline_resource::try_allocate_slowly(std::size_t bytes, std::size_t alignment) noexcept {
    return core::ask_quietly(static_cast<std::pmr::memory_resource&>(*this), bytes, alignment);
}

inline_resource* inline_resource::default_resource() noexcept {
    return new_delete_resource();
}

inline_resource* new_delete_resource() noexcept {
    inline_resource* const resource = global.get();
    return resource != nullptr ? resource : &global.make();
}

} // namespace mallard::inline MALLARD_LIBRARY
