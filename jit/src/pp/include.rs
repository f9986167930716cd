//! `#include`: the headers given to the compiler, the including file's folder, `-I` folders, the working directory.

use super::Preprocessor;
use crate::lex::raw::{RawKind, RawToken};
use crate::lex::token::Punct;
use crate::source::{Header, HeaderKind, Span, decode};
use std::borrow::Cow;
use std::fs;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// Files that include each other: beyond this depth it is an error.
const MAX_DEPTH: usize = 200;
/// Files included in all: beyond this it is an error.
const MAX_INCLUDES: u32 = 20_000;
/// Bytes of one file on disk.
const MAX_BYTES: u64 = 1 << 30;

/// How a header's name is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `"name"`
    Quoted,
    /// `<name>`
    Angled,
}

/// A header that was found.
struct Found {
    key: String,
    /// A file's folder.
    dir: Option<PathBuf>,
    bytes: Vec<u8>,
    /// It was not given to the compiler.
    is_read: bool,
}

impl Preprocessor<'_> {
    /// The rest of an `#include` line; starts to read the file.
    pub(super) fn include(&mut self, directive: Span) {
        let Some(file) = self.files.last_mut() else { return };
        let (form, name, span) = match file.cursor.header_name(self.session) {
            Some((token, name)) if token.data == 0 => (Form::Quoted, name, token.span),
            Some((token, name)) => (Form::Angled, name, token.span),
            None => {
                let tokens = self.line_tokens();
                let tokens = self.expand_list(&tokens);
                match self.expanded_name(&tokens) {
                    Some((form, name)) => {
                        let span = tokens.first().map_or(directive, |t| t.span);
                        (form, name, span.to(tokens.last().map_or(span, |t| t.span)))
                    }
                    None => {
                        let span = tokens.first().map_or(directive, |t| t.span);
                        self.session.diags.error(span, "expected \"FILENAME\" or <FILENAME>");
                        return;
                    }
                }
            }
        };
        self.skip_line();
        if name.is_empty() {
            self.session.diags.error(span, "empty file name in #include");
            return;
        }
        self.n_includes += 1;
        if self.files.len() >= MAX_DEPTH {
            return self.fatal(span, "#include is nested too deeply");
        }
        if self.n_includes > MAX_INCLUDES {
            return self.fatal(span, "too many #include directives");
        }
        match self.find(form, &name) {
            Err(message) => self.fatal(span, message),
            Ok(found) if self.once.contains(&found.key) => {}
            Ok(found) => {
                let is_new = !self.session.included.iter().any(|h| h.name == found.key);
                if found.is_read && is_new {
                    let (name, text) = (found.key.clone(), decode(&found.bytes).into_owned());
                    self.session.included.push(Header { name, text, kind: HeaderKind::File });
                }
                self.open(found.key, found.dir, &found.bytes, span);
            }
        }
    }

    /// A header's name that macros have made.
    fn expanded_name(&self, tokens: &[RawToken]) -> Option<(Form, String)> {
        let names = &self.session.interner;
        match tokens {
            [first] if first.kind == RawKind::Str => {
                let text = first.text(names);
                Some((Form::Quoted, text[1..text.len() - 1].to_owned()))
            }
            [open, inner @ .., close] if open.is_punct(Punct::Lt) && close.is_punct(Punct::Gt) => {
                let mut name = String::new();
                for (i, token) in inner.iter().enumerate() {
                    if i > 0 && token.flags.is_spaced() {
                        name.push(' ');
                    }
                    name.push_str(token.text(names));
                }
                Some((Form::Angled, name))
            }
            _ => None,
        }
    }

    fn find(&self, form: Form, name: &str) -> Result<Found, String> {
        // A header that includes another one may mean a name beside its own.
        let includer = self.files.last();
        let beside = includer.filter(|f| f.dir.is_none()).and_then(|f| f.key.rsplit_once('/'));
        let sibling = beside.map(|(dir, _)| format!("{dir}/{name}"));
        for wanted in std::iter::once(name).chain(sibling.as_deref()) {
            let wanted = normal(wanted);
            let mut named = self.headers.iter().filter(|h| h.kind == HeaderKind::Named);
            if let Some(header) = named.find(|h| normal(&h.name) == wanted) {
                let (key, bytes) = (header.name.clone(), header.text.clone().into_bytes());
                return Ok(Found { key, dir: None, bytes, is_read: false });
            }
        }
        let mut dirs: Vec<&Path> = Vec::new();
        if form == Form::Quoted {
            dirs.extend(includer.and_then(|f| f.dir.as_deref()));
        }
        dirs.extend(self.session.options.include_dirs.iter().map(Path::new));
        dirs.push(Path::new(""));
        let folder = |path: &Path| Some(path.parent().map(Path::to_owned).unwrap_or_default());
        // A program binary brings the files that its source was compiled with.
        for dir in &dirs {
            let path = dir.join(name);
            let key = path.display().to_string();
            if let Some(header) = self.headers.iter().find(|h| h.kind == HeaderKind::File && h.name == key) {
                let bytes = header.text.clone().into_bytes();
                return Ok(Found { key, dir: folder(&path), bytes, is_read: false });
            }
        }
        for dir in dirs {
            let path = dir.join(name);
            if !fs::metadata(&path).is_ok_and(|m| m.is_file()) {
                continue;
            }
            let read = |path: &Path| {
                let mut bytes = Vec::new();
                // What is no file after all, or one that waits, such as `/proc/kmsg`, holds nobody up.
                let file = fs::File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path)?;
                file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map(|_| bytes)
            };
            let bytes = read(&path).map_err(|error| format!("cannot read '{}': {error}", path.display()))?;
            if bytes.len() as u64 > MAX_BYTES {
                return Err(format!("'{}' is too large", path.display()));
            }
            return Ok(Found { key: path.display().to_string(), dir: folder(&path), bytes, is_read: true });
        }
        Err(format!("'{name}' file not found"))
    }
}

/// A header's name without `.` and `..` where they have no effect.
fn normal(name: &str) -> Cow<'_, str> {
    if !name.split('/').any(|part| matches!(part, "." | "..")) {
        return name.into();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in name.split('/') {
        match (part, parts.last()) {
            (".", _) => {}
            ("..", Some(&last)) if last != ".." && !last.is_empty() => _ = parts.pop(),
            _ => parts.push(part),
        }
    }
    parts.join("/").into()
}
