//! Support for tests that see Clift only through the C API.
