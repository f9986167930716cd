//! Memory objects. `buffer` has creation and state, `map` the mapped regions, `region` all offset and pitch arithmetic,
//! `host` the memory itself and every raw access to it.

pub mod buffer;
pub mod host;
pub mod map;
pub mod region;
