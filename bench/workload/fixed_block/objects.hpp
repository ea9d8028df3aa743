/// Objects that come and go one at a time: by the operator new of a class, by the global one, or from a source,
/// as a class-specific operator new would allocate them.
#pragma once

#include "bench/harness/escape.hpp"

#include <mallard/bind/pooled.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>

namespace bench {

/// Three words, one of which tells the objects apart.
class instance {
public:
    explicit instance(std::int64_t number) noexcept : number_(number) {}

    [[nodiscard]] std::int64_t number() const noexcept { return number_; }

private:
    std::int64_t number_;
    [[maybe_unused]] void* next_ = nullptr;
    [[maybe_unused]] void* other_ = nullptr;
};

/// An instance with a class-specific operator new.
class pooled_instance final : public instance, public mallard::pooled<pooled_instance> {
public:
    using instance::instance;
};
static_assert(sizeof(pooled_instance) == sizeof(instance));

/// Makes objects by `new`, with the operator that the class has.
template <class Object>
struct made_by_new {
    using object = Object;

    static Object* make(std::int64_t number) { return new Object(number); }
    static void unmake(Object* p) noexcept { delete p; }
};

/// Makes objects from a source.
template <class Source>
class made_from {
public:
    using object = instance;

    explicit made_from(Source& source) noexcept : source_(&source) {}

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

/// Effects: makes and deletes `count` objects.
template <class Maker>
[[gnu::noinline]] void make_and_unmake(Maker maker, std::size_t count) {
    for (std::size_t i = 0; i != count; ++i) {
        auto* const made = maker.make(static_cast<std::int64_t>(i));
        escape(made);
        maker.unmake(made);
    }
}

/// Effects: `count` times deletes the object of the next slot in `turns`, and makes a new one for it.
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
