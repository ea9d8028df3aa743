#include <mallard/checking/misuse.hpp>
#include <mallard/impl/checking/block_registry.hpp>
#include <mallard/impl/checking/tombstone.hpp>

#include <cstddef>
#include <memory_resource>
#include <new>

namespace mallard::checking { inline namespace MALLARD_LIBRARY {

namespace {

class destroyed_resource final : public std::pmr::memory_resource {
private:
    void* do_allocate(std::size_t, std::size_t) override {
        report_no_allocator(misuse::destroyed_allocator, allocator_call::allocate);
    }
    void do_deallocate(void*, std::size_t, std::size_t) override {
        report_no_allocator(misuse::destroyed_allocator, allocator_call::deallocate);
    }
    [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
        return this == &other;
    }
};

static_assert(sizeof(destroyed_resource) == sizeof(void*));

} // namespace

void make_tombstone(void* place) noexcept {
    auto* const made = ::new (place) destroyed_resource;
    MALLARD_KEEP("+m"(*made)); // it is used by those only who must not
}

}} // namespace mallard::checking::MALLARD_LIBRARY
