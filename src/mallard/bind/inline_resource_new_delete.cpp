// Apart from inline_resource.cpp: its object is registered for forks when a program starts.
#include <mallard/bind/inline_resource.hpp>
#include <mallard/bind/pool_tag.hpp>
#include <mallard/bind/resource.hpp>
#include <mallard/impl/threads/fork_hold.hpp>
#include <mallard/upstream/new_delete.hpp>

namespace mallard { inline namespace MALLARD_LIBRARY {

namespace {

constinit bind::shared_slot<resource<new_delete>> global;
constinit threads::fork_hold at_fork = threads::make_fork_hold<global>();
const threads::held_while_loaded held(at_fork);

} // namespace

inline_resource* inline_resource::default_resource() noexcept {
    return new_delete_resource();
}

inline_resource* new_delete_resource() noexcept {
    inline_resource* const resource = global.get();
    return resource != nullptr ? resource : &global.make();
}

}} // namespace mallard::MALLARD_LIBRARY
