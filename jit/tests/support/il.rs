//! Writes SPIR-V modules as words.
#![allow(dead_code, reason = "each test uses a part")]

pub use spirv::Op;

/// A module that is being written.
pub struct Writer {
    /// All words so far.
    pub words: Vec<u32>,
}

/// Numbers of capabilities.
pub mod capability {
    #![allow(missing_docs, reason = "SPIR-V's names")]
    pub const ADDRESSES: u32 = 4;
    pub const LINKAGE: u32 = 5;
    pub const KERNEL: u32 = 6;
    pub const VECTOR16: u32 = 7;
    pub const FLOAT16: u32 = 9;
    pub const FLOAT64: u32 = 10;
    pub const INT64: u32 = 11;
    pub const INT16: u32 = 22;
    pub const INT8: u32 = 39;
}

impl Writer {
    /// A header of version 1.4, capabilities and memory model.
    pub fn new() -> Self {
        use capability::{ADDRESSES, FLOAT16, FLOAT64, INT8, INT16, INT64, KERNEL, LINKAGE, VECTOR16};
        let mut this = Self { words: vec![spirv::MAGIC_NUMBER, 0x0001_0400, 0, 0, 0] };
        for number in [ADDRESSES, LINKAGE, KERNEL, VECTOR16, FLOAT16, FLOAT64, INT64, INT16, INT8] {
            this.inst(Op::Capability, &[number]);
        }
        this.inst(Op::MemoryModel, &[2, 2]);
        this
    }

    /// A fresh id.
    pub fn id(&mut self) -> u32 {
        self.words[3] = self.words[3].max(1) + 1;
        self.words[3] - 1
    }

    /// An instruction.
    pub fn inst(&mut self, op: Op, words: &[u32]) {
        self.words.push((words.len() as u32 + 1) << 16 | op as u32);
        self.words.extend(words);
    }

    /// An instruction with a result and a type.
    pub fn value(&mut self, op: Op, ty: u32, words: &[u32]) -> u32 {
        let id = self.id();
        self.inst(op, &[&[ty, id], words].concat());
        id
    }

    /// An instruction with a result and no type.
    pub fn result(&mut self, op: Op, words: &[u32]) -> u32 {
        let id = self.id();
        self.inst(op, &[&[id], words].concat());
        id
    }

    /// The module in bytes; there is room for ids up to 1000 that nothing defines.
    pub fn bytes(&self) -> Vec<u8> {
        let mut words = self.words.clone();
        words[3] = words[3].max(1000);
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// A string as words.
pub fn string(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// A module with a kernel `k(global int *)`.
#[allow(missing_docs, reason = "ids of what the names say")]
pub struct Kernel {
    pub w: Writer,
    pub void: u32,
    pub int: u32,
    pub bool: u32,
    pub pointer: u32,
    pub ty: u32,
    pub main: u32,
    pub one: u32,
}

/// Such a module.
pub fn kernel() -> Kernel {
    let mut w = Writer::new();
    let main = w.id();
    w.inst(Op::EntryPoint, &[&[6, main][..], &string("k")].concat());
    let [void, bool] = [w.result(Op::TypeVoid, &[]), w.result(Op::TypeBool, &[])];
    let int = w.result(Op::TypeInt, &[32, 0]);
    let pointer = w.result(Op::TypePointer, &[5, int]);
    let ty = w.result(Op::TypeFunction, &[void, pointer]);
    let one = w.value(Op::Constant, int, &[1]);
    Kernel { w, void, int, bool, pointer, ty, main, one }
}

impl Kernel {
    /// Begins the kernel's body: its parameter.
    pub fn begin(&mut self) -> u32 {
        self.w.inst(Op::Function, &[self.void, self.main, 0, self.ty]);
        let param = self.w.value(Op::FunctionParameter, self.pointer, &[]);
        self.w.result(Op::Label, &[]);
        param
    }

    /// Ends the body.
    pub fn end(mut self) -> Vec<u8> {
        self.w.inst(Op::Return, &[]);
        self.w.inst(Op::FunctionEnd, &[]);
        self.w.bytes()
    }

    /// The module with an empty kernel.
    pub fn whole(mut self) -> Vec<u8> {
        self.begin();
        self.end()
    }
}
