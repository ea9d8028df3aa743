// A function wrapper whose target lies in an arena.
//
// std::function and std::move_only_function take no allocator: a target that does not fit into the wrapper comes from
// the global heap. This wrapper takes the memory for its target from the allocator that it is constructed with, and
// its type does not depend on the target's.
#include <mallard/mallard.hpp>

#include <array>
#include <functional>
#include <iostream>
#include <utility>

namespace {

using arena_type = mallard::counted<mallard::monotonic<>>;

class callable {
    struct target {
        virtual double call(double x) = 0;
        virtual void destroy(arena_type& arena) noexcept = 0;

    protected:
        ~target() = default;
    };

    template <class Function>
    struct target_for final : target {
        explicit target_for(Function f) : function(std::move(f)) {}
        double call(double x) override { return function(x); }
        void destroy(arena_type& arena) noexcept override { mallard::destroy(arena, this); }
        Function function;
    };

public:
    template <class Function>
    callable(arena_type& arena, Function function)
        : arena_(&arena), target_(mallard::make<target_for<Function>>(arena, std::move(function))) {}
    callable(const callable&) = delete;
    ~callable() { target_->destroy(*arena_); }

    double operator()(double x) { return target_->call(x); }

private:
    arena_type* arena_;
    target* target_;
};

} // namespace

int main() {
    arena_type arena;
    const std::array<double, 4> factors{1, 2, 3, 4}; // four words: no small-object buffer holds them
    callable scale(arena, [factors](double x) { return x * factors[3]; });
    callable shift(arena, [factors](double x) { return x + factors[1]; });
    std::cout << shift(scale(10)) << ", " << arena.counts().allocations << " targets in the arena\n";
}
