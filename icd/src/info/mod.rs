//! Information queries as tables: a row is a `CL_*` name and a function that writes its value. `InfoWriter` hands out a
//! token for what was written, so a row cannot succeed without having written. Rows stand in this folder's other files.
//! Must not dereference C pointers.

pub mod command_buffer;
pub mod context;
pub mod device;
pub mod event;
pub mod image;
pub mod kernel;
pub mod mem;
pub mod pipe;
pub mod platform;
pub mod program;
pub mod queue;
pub mod semaphore;
pub mod svm;
pub mod usm;

use crate::cl;
use crate::error::{Result, Status, fail};
use clift_runtime::object::{Body, Object};
use smallvec::SmallVec;
use std::ffi::CString;

/// Handles of memory that can be imported, in which images lie row by row.
const MEMORY_HANDLES: [u32; 1] = [cl::CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR as u32];

/// A value that a query can return.
pub trait Value {
    /// Appends the value's bytes as C lays them out.
    fn bytes(&self, out: &mut SmallVec<[u8; 64]>);
}

macro_rules! plain {
    ($($ty:ty),+) => {
        $(impl Value for $ty {
            fn bytes(&self, out: &mut SmallVec<[u8; 64]>) {
                out.extend_from_slice(&self.to_ne_bytes());
            }
        })+
    };
}
plain!(u8, u32, i32, u64, usize, isize);

impl<T: Value> Value for [T] {
    fn bytes(&self, out: &mut SmallVec<[u8; 64]>) {
        self.iter().for_each(|value| value.bytes(out));
    }
}

impl Value for cl::cl_name_version {
    fn bytes(&self, out: &mut SmallVec<[u8; 64]>) {
        self.version.bytes(out);
        out.extend(self.name.iter().map(|&c| c as u8));
    }
}

/// Proof that a row wrote its value.
pub struct Written(());

/// Collects the value of one query.
#[derive(Default)]
pub struct InfoWriter {
    bytes: SmallVec<[u8; 64]>,
}

impl InfoWriter {
    /// Writes a number or a list of numbers.
    pub fn put<T: Value + ?Sized>(&mut self, value: &T) -> Result<Written> {
        value.bytes(&mut self.bytes);
        Ok(Written(()))
    }

    /// Writes a `cl_bool`.
    pub fn flag(&mut self, value: Flag) -> Result<Written> {
        self.put(&(value as cl::cl_bool))
    }

    /// Writes a zero-terminated string.
    pub fn text(&mut self, value: impl AsRef<[u8]>) -> Result<Written> {
        self.bytes.extend_from_slice(value.as_ref());
        self.bytes.push(0);
        Ok(Written(()))
    }

    /// Writes pointers to strings that stay for ever.
    pub fn strings(&mut self, list: &'static [CString]) -> Result<Written> {
        self.put(&list.iter().map(|text| text.as_ptr().expose_provenance()).collect::<Vec<usize>>()[..])
    }

    /// Writes the handle of an object, without adding a reference.
    pub fn object<T: Body>(&mut self, object: &Object<T>) -> Result<Written> {
        self.put(&object.handle_address())
    }

    /// Writes a null handle or pointer.
    pub fn null(&mut self) -> Result<Written> {
        self.put(&0usize)
    }

    /// Writes a list of names with their versions.
    pub fn names(&mut self, list: impl IntoIterator<Item = (impl AsRef<str>, cl::cl_version)>) -> Result<Written> {
        for (name, version) in list {
            name_version(name.as_ref(), version).bytes(&mut self.bytes);
        }
        Ok(Written(()))
    }

    /// Writes nothing: a list without elements.
    pub fn empty(&mut self) -> Result<Written> {
        Ok(Written(()))
    }

    /// What was written.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// A `cl_bool` to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flag {
    /// `CL_FALSE`
    No = 0,
    /// `CL_TRUE`
    Yes = 1,
}

impl From<bool> for Flag {
    fn from(value: bool) -> Self {
        if value { Self::Yes } else { Self::No }
    }
}

/// An element of a `*_WITH_VERSION` list; names longer than the field are cut.
pub fn name_version(name: &str, version: cl::cl_version) -> cl::cl_name_version {
    let mut field = [0; cl::CL_NAME_VERSION_MAX_NAME_SIZE];
    for (to, &from) in field[..cl::CL_NAME_VERSION_MAX_NAME_SIZE - 1].iter_mut().zip(name.as_bytes()) {
        *to = from as std::ffi::c_char;
    }
    cl::cl_name_version { version, name: field }
}

/// One query of an object of type `T`.
pub struct InfoRow<T: ?Sized> {
    /// Value of the `CL_*` name.
    pub id: cl::cl_uint,
    /// The `CL_*` name.
    pub name: &'static str,
    /// Writes the value.
    pub get: fn(&T, &mut InfoWriter) -> Result<Written>,
}

/// `info_rows! { TABLE: Type; CL_NAME => |object, writer| …; … }`
macro_rules! info_rows {
    ($(#[$doc:meta])* $table:ident: $ty:ty; $($id:ident => $get:expr;)+) => {
        $(#[$doc])*
        pub const $table: &[$crate::info::InfoRow<$ty>] = &[
            $($crate::info::InfoRow { id: $crate::cl::$id, name: stringify!($id), get: $get }),+
        ];
    };
}
pub(crate) use info_rows;

/// Answers the query `id` from `rows`.
///
/// Errors: `CL_INVALID_VALUE` if there is no such row; what the row says.
pub fn query<T: ?Sized>(rows: &[InfoRow<T>], object: &T, id: cl::cl_uint) -> Result<InfoWriter> {
    let Some(row) = rows.iter().find(|row| row.id == id) else {
        return fail(Status::InvalidValue, "param_name is not one of the supported values");
    };
    let mut writer = InfoWriter::default();
    (row.get)(object, &mut writer)?;
    Ok(writer)
}

/// The names of a versioned list, separated by blanks.
pub fn joined(list: impl IntoIterator<Item = (&'static str, cl::cl_version)>) -> String {
    list.into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(" ")
}
