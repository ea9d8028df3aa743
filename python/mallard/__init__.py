"""mallard finds the local allocator that makes a C++ program faster, and proves it."""
