// One half of a program whose static objects end in the linker's order.
#include "process/end_of_process.hpp"

namespace end_of_process {

namespace {

/// Constructed before main(), in unspecified order relative to the objects of the other half.
const user_at_end first_object{1};

} // namespace

void make_objects_of_one() {
    static const user_at_end late_object{2};
    static thread_local const user_at_end of_the_thread{3};
    use_everything(late_object.seed + of_the_thread.seed);
}

} // namespace end_of_process
