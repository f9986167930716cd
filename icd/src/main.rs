//! The `clift` command-line tool.

fn main() {}
