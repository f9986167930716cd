//! Source texts that a module brings along: with `OpSource`, or with the `DebugSource` of either set of debug
//! instructions. A file that a module only names is not read: a module is not to choose files (see
//! icd/docs/threat-model.md). Must not know what places are in these texts.

use super::words::{Id, Inst, Words};
use rustc_hash::FxHashMap;
use spirv::Op;

/// What compilers put in place of a text: its checksum.
const CHECKSUM: &str = "//__CSK_";

/// Lines of texts by the ids of their files' names.
pub(super) struct Texts {
    files: FxHashMap<Id, Vec<String>>,
    /// Whose text is continued; 0: nobody's.
    open: Id,
    /// Words that may still be read. Each is read once, unless one string is the text of many files.
    left: usize,
}

/// The string that begins at an operand of an instruction.
pub(super) type Text<'w> = (Inst<'w>, usize);

impl Texts {
    /// Of a module, with nothing yet.
    pub(super) fn of(words: &Words) -> Self {
        Self { files: FxHashMap::default(), open: 0, left: words.all().len() }
    }

    /// Notes what `OpSource` and `OpSourceContinued` have.
    pub(super) fn note(&mut self, inst: &Inst) {
        match (inst.op(), inst.words) {
            // Language, version, file, text.
            (Some(Op::Source), &[_, _, file, _, ..]) => self.begin(file, Some((*inst, 3))),
            (Some(Op::Source), _) => self.open = 0,
            (Some(Op::SourceContinued), _) => self.go_on(Some((*inst, 0))),
            _ => {}
        }
    }

    /// A file's text begins, if there is one, and the file has none yet.
    pub(super) fn begin(&mut self, file: Id, text: Option<Text>) {
        let text = text.filter(|_| !self.files.contains_key(&file)).and_then(|text| self.read(text));
        self.open = 0;
        if let Some(text) = text.filter(|text| !text.starts_with(CHECKSUM)) {
            self.open = file;
            self.add(&text);
        }
    }

    /// More of the text that began last.
    pub(super) fn go_on(&mut self, text: Option<Text>) {
        let text = text.filter(|_| self.open != 0).and_then(|text| self.read(text));
        text.iter().for_each(|text| self.add(text));
    }

    fn read(&mut self, (inst, at): Text) -> Option<String> {
        self.left = self.left.checked_sub(inst.words.len())?;
        inst.text(at).ok()
    }

    fn add(&mut self, text: &str) {
        let lines = self.files.entry(self.open).or_insert_with(|| vec![String::new()]);
        let mut parts = text.split('\n');
        if let (Some(last), Some(first)) = (lines.last_mut(), parts.next()) {
            last.push_str(first);
        }
        lines.extend(parts.map(str::to_owned));
    }

    /// A line of a file by its number, without its end.
    pub(super) fn line(&self, file: Id, number: u32) -> Option<String> {
        let line = self.files.get(&file)?.get(number.checked_sub(1)? as usize)?;
        Some(line.trim_end_matches('\r').to_owned())
    }
}
