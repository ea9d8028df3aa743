/// Objects that are created and deleted one at a time: by the operator new of a class, by the global one, or from a
/// source, as a class-specific operator new would allocate them.
#pragma once

#include "runner/harness/escape.hpp"

#include <mallard/bind/pool_tag.hpp>
#include <mallard/bind/pooled.hpp>
#include <mallard/local/fixed_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace bench {

/// Three words, one of which identifies the object.
class instance {
public:
    explicit instance(std::int64_t number) noexcept : number_(number) {}

    [[nodiscard]] std::int64_t number() const noexcept { return number_; }

private:
    std::int64_t number_;
    [[maybe_unused]] void* next_ = nullptr;
    [[maybe_unused]] void* other_ = nullptr;
};

/// A pool of one size for a thread, as in the book.
struct instances : mallard::per_thread<instances, mallard::fixed_pool_for<instance>> {};

/// An instance with a class-specific operator new.
class pooled_instance final : public instance, public mallard::pooled<pooled_instance, instances> {
public:
    using instance::instance;
};
static_assert(sizeof(pooled_instance) == sizeof(instance));

/// Creates objects by `new`, with the class's operator if it has one.
template <class Object>
struct new_maker {
    using object = Object;

    static Object* make(std::int64_t number) { return new Object(number); }
    static void unmake(Object* p) noexcept { delete p; }
};

/// Creates objects from a source.
template <class Source>
class source_maker {
public:
    using object = instance;

    explicit source_maker(Source& source) noexcept : source_(&source) {}

    instance* make(std::int64_t number) {
        return ::new (source_->allocate(sizeof(instance), alignof(instance))) instance(number);
    }

    void unmake(instance* p) noexcept {
        std::destroy_at(p);
        source_->deallocate(p, sizeof(instance), alignof(instance));
    }

private:
    Source* source_;
};

/// Effects: creates and deletes `count` objects.
template <class Maker>
[[gnu::noinline]] void make_and_unmake(Maker maker, std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) {
        auto* const object = maker.make(static_cast<std::int64_t>(i));
        escape(object);
        maker.unmake(object);
    }
}

/// Effects: `count` times replaces the object in the next slot of `turns` by a new one.
/// Requires: every slot has an object; the number of turns is a power of two.
template <class Maker>
[[gnu::noinline]] void replace_some(Maker maker, std::span<typename Maker::object*> slots,
                                    std::span<const std::uint8_t> turns, std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) {
        auto*& slot = slots[turns[i & (turns.size() - 1)]];
        maker.unmake(slot);
        slot = maker.make(static_cast<std::int64_t>(i));
        escape(slot);
    }
}

} // namespace bench
