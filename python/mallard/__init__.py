"""mallard: find out which local allocator makes a C++ program faster, and prove it."""
