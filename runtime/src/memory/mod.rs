//! Memory objects. `buffer` has creation and state, `external` memory that is shared with others, `image` what images
//! have besides, `format` their texels, `map` the mapped regions, `pipe` queues of packets, `reach` which of a launch's
//! are different memory, `region` all offset and pitch arithmetic, `svm` and `usm` what contexts allocate to share with
//! kernels by address, `host` the memory itself and every raw access to it, `stream` its copies past the caches,
//! `block` how it comes from the system, `recycle` how what is released is kept and given again.

mod block;
pub mod buffer;
pub mod external;
pub mod format;
pub mod host;
pub mod image;
pub mod map;
pub mod pipe;
pub(crate) mod reach;
pub(crate) mod recycle;
pub mod region;
pub mod requirements;
pub mod stream;
pub mod svm;
pub mod svm_type;
pub mod usm;
