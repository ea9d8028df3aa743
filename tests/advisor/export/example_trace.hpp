/// A small trace with every kind of stack, whose figures are known.
#pragma once

#include "trace_maker.hpp"

namespace mallard::advisor::tests {

/// 6 blocks of 1,270 bytes; 4 of 1,060 at the peak; 2 of 70 at the end. Its files of code are on no machine.
inline trace_maker example_trace() {
    trace_maker made;
    made.about.executable = "/nowhere/app";
    made.add({0x7f0000000000, 0x7f0000100000, 0x7f0000000000, "\x02", "/nowhere/libgone.so", 0});
    made.add({0x400000, 0x500000, 0, "\x01\xab\xff", "", 0});
    made.add({0x7ffff0000000, 0x7ffff0002000, 0x7ffff0000000, "", "linux-vdso.so.1", 0});
    const stack one{0x401000, 0x7f0000001000, 0x7f0000002000};
    const stack other{0x401000, 0x7f0000003000};
    made.allocate(one, 0x10, 1000);
    made.ticks += 2'000'000;
    made.allocate(one, 0x20, 20);
    made.allocate(other, 0x30, 30);
    made.ticks += 1'000'000;
    made.thread = 1;
    made.allocate({}, 0x40, 10); // by a program that is recorded without stacks
    made.free(other, 0x10);
    made.ticks += 1'000'000;
    made.end = trace::stack_end::unknown_code;
    made.allocate({0x7ffff0000100, 0x401000}, 0x10, 50);
    made.free(other, 0x30);
    made.end = trace::stack_end::outermost;
    made.allocate({0x401000, 0x600000}, 0x50, 160);
    made.free(one, 0x50);
    made.free(one, 0x40);
    made.ticks += 1'000'000;
    return made;
}

} // namespace mallard::advisor::tests
