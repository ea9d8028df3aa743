// Stacked recorded allocators.
#include "recorder/marks/toys/toy.hpp"

#include <mallard/mallard.hpp>

namespace toy {

void pools() {
    MALLARD_SCOPE("pools");
    using arena_type = mallard::recorded<mallard::monotonic<mallard::new_delete>>;
    mallard::new_delete system;
    arena_type arena("arena", system);
    mallard::recorded<mallard::multipool<arena_type>> nodes("nodes", arena);
    void* const first = nodes.allocate(24, 8);
    static_cast<void>(nodes.allocate(40, 8));
    nodes.deallocate(first, 24, 8);
    nodes.release();
    const auto checkpoint = arena.mark();
    static_cast<void>(arena.allocate(500, 8));
    arena.rollback(checkpoint);
    mallard::recorded<mallard::monotonic<>> unnamed;
    static_cast<void>(unnamed.allocate(77, 8));
}

} // namespace toy
