// One half of a program whose static objects end in the linker's order.
#include "process/end_of_process.hpp"

namespace end_of_process {

namespace {

/// Made before main(), perhaps before the other half's objects, perhaps after them.
const user_at_end first_here{1};

} // namespace

void make_objects_of_one() {
    static const user_at_end made_late{2};
    static thread_local const user_at_end of_the_thread{3};
    use_everything(made_late.seed + of_the_thread.seed);
}

} // namespace end_of_process
