//! Math functions in 113 bits, from the host's library: compiles `quad.c` and loads it.

use std::ffi::CString;
use std::path::Path;
use std::process::Command;

type Errors =
    unsafe extern "C" fn(*const i8, i32, i64, *const f64, *const f64, *const f64, *mut f64, *mut f64, *mut f64) -> i32;

/// The loaded library, which stays.
pub struct Quad(Errors);

/// What is known of a result.
#[derive(Clone, Copy)]
pub struct Checked {
    /// What the result is off in units of the last place of the function's value.
    pub error: f64,
    /// The number nearest to that value.
    pub nearest: f64,
    /// How much the value is above that number, in the same units.
    pub above: f64,
}

impl Quad {
    /// Needs a C compiler and a library with functions of `_Float128`, which glibc has.
    pub fn load() -> Self {
        let folder = tempfile::tempdir().expect("a folder for temporary files");
        let (source, library) =
            (Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/quad.c"), folder.path().join("quad.so"));
        let mut cc = Command::new("cc");
        cc.args(["-O2", "-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-lm");
        let built = cc.status().expect("`cc` runs");
        assert!(built.success(), "quad.c does not compile");
        let path = CString::new(library.into_os_string().into_encoded_bytes()).expect("a path without zeros");
        // SAFETY: a library that does nothing when it is loaded; the symbol is a function of this type.
        unsafe {
            let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
            assert!(!handle.is_null(), "the library loads");
            let errors = libc::dlsym(handle, c"quad_errors".as_ptr());
            assert!(!errors.is_null(), "the library has the function");
            Self(std::mem::transmute::<*mut libc::c_void, Errors>(errors))
        }
    }

    /// Holds results of a function, of `digits` binary digits, against its values for columns of arguments.
    pub fn check(&self, name: &str, digits: i32, [x, y]: [&[f64]; 2], got: &[f64]) -> Vec<Checked> {
        let n = got.len();
        assert!(x.len() == n && y.len() == n, "columns are equally long");
        let [mut error, mut nearest, mut above] = [(); 3].map(|()| vec![0.0; n]);
        let function = CString::new(name).expect("a name without zeros");
        // SAFETY: all arrays have `n` elements.
        let unknown = unsafe {
            (self.0)(
                function.as_ptr().cast(),
                digits,
                n as i64,
                x.as_ptr(),
                y.as_ptr(),
                got.as_ptr(),
                error.as_mut_ptr(),
                nearest.as_mut_ptr(),
                above.as_mut_ptr(),
            )
        };
        assert!(unknown == 0, "quad.c does not know {name}");
        let columns = error.into_iter().zip(nearest).zip(above);
        columns.map(|((error, nearest), above)| Checked { error, nearest, above }).collect()
    }
}
