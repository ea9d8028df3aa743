"""The comparison with allocators of other libraries."""
