//! `CLIFT_CHECK=barriers` on the kernels of `kernels-test/checked`, alone and with all other kinds.

#[path = "common/checked.rs"]
mod checked;

use checked::check;

#[test]
fn work_items_that_part_are_reported_where_they_do_and_nothing_else() {
    check("barriers.cl", "barriers", 10);
}
