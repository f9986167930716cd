//! Tokens of the textual form, each with its place. Never fails: what is no token is a `Bad` one.

/// Kinds of tokens; text is a slice of the input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tok<'a> {
    /// A word: letters, digits, `_`, `.`; starts with a letter or `_`.
    Word(&'a str),
    /// `%name`, without the `%`.
    Value(&'a str),
    /// `@name`, unquoted.
    Symbol(String),
    /// A number as written: optional sign, digits, `.`, exponent, or `0x…`; also `inf` after a sign.
    Number(&'a str),
    /// A string without quotes and escapes.
    Str(String),
    /// Hex bytes: `x"00ff"`.
    Hex(Vec<u8>),
    /// `->`.
    Arrow,
    /// `..`.
    Dots,
    /// A punctuation character.
    Punct(char),
    /// Anything else.
    Bad(String),
    /// The end of the input.
    End,
}

/// A token's place: line and column, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line.
    pub line: u32,
    /// Column, in characters.
    pub col: u32,
}

/// All tokens of the text; the last is `End`.
pub fn lex(text: &str) -> Vec<(Tok<'_>, Place)> {
    let mut lexer = Lexer { text, at: 0, line: 1, line_start: 0 };
    let mut out = Vec::new();
    loop {
        lexer.skip();
        let col = text[lexer.line_start..lexer.at].chars().count() as u32 + 1;
        let place = Place { line: lexer.line, col };
        let tok = lexer.token();
        let end = tok == Tok::End;
        out.push((tok, place));
        if end {
            return out;
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
}

impl<'a> Lexer<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self) {
        while let Some(c) = self.peek() {
            match c {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.line_start = self.at;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b';' => {
                    while self.peek().is_some_and(|c| c != b'\n') {
                        self.at += 1;
                    }
                }
                _ => return,
            }
        }
    }

    fn take(&mut self, mut keep: impl FnMut(u8) -> bool) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(&mut keep) {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    fn token(&mut self) -> Tok<'a> {
        let Some(c) = self.peek() else { return Tok::End };
        let rest = &self.text[self.at..];
        let second = rest.as_bytes().get(1).copied().unwrap_or(0);
        match c {
            b'x' if second == b'"' => {
                self.at += 1;
                match self.string() {
                    Some(s) => hex(&s).map_or_else(|| Tok::Bad(s), Tok::Hex),
                    None => Tok::Bad("x\"".into()),
                }
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Tok::Word(self.take(is_word)),
            b'%' => {
                self.at += 1;
                Tok::Value(self.take(is_word))
            }
            b'@' => {
                self.at += 1;
                if self.peek() == Some(b'"') {
                    return self.string().map_or_else(|| Tok::Bad("@\"".into()), Tok::Symbol);
                }
                Tok::Symbol(self.take(is_word).to_owned())
            }
            b'"' => self.string().map_or_else(|| Tok::Bad("\"".into()), Tok::Str),
            b'-' if second == b'>' => {
                self.at += 2;
                Tok::Arrow
            }
            b'.' if second == b'.' => {
                self.at += 2;
                Tok::Dots
            }
            b'0'..=b'9' => Tok::Number(self.number()),
            b'-' if second.is_ascii_digit() || second == b'i' => Tok::Number(self.number()),
            b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b':' | b',' | b'=' | b'*' | b'+' | b'-' | b'!' => {
                self.at += 1;
                Tok::Punct(char::from(c))
            }
            _ => {
                let bad = rest.chars().next().unwrap_or(' ');
                self.at += bad.len_utf8();
                Tok::Bad(bad.to_string())
            }
        }
    }

    fn number(&mut self) -> &'a str {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let mut last = 0;
        loop {
            match self.peek() {
                // `1..2` is a range.
                Some(b'.') if self.text.as_bytes().get(self.at + 1) == Some(&b'.') => break,
                Some(c) if is_word(c) => last = c,
                Some(b'-' | b'+') if last == b'e' && !self.text[start..].starts_with("0x") => last = 0,
                _ => break,
            }
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// A quoted string, at its opening quote.
    fn string(&mut self) -> Option<String> {
        let mut out = String::new();
        let mut chars = self.text[self.at + 1..].char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += 1 + i + 1;
                    return Some(out);
                }
                '\n' => break,
                '\\' => match chars.next()?.1 {
                    '{' => {
                        let digits: String = chars.by_ref().map(|(_, c)| c).take_while(|&c| c != '}').collect();
                        out.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                    }
                    c => out.push(c),
                },
                c => out.push(c),
            }
        }
        self.at = self.text.len();
        None
    }
}

fn is_word(c: u8) -> bool {
    c.is_ascii_alphanumeric() || c == b'_' || c == b'.'
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) || !digits.is_ascii() {
        return None;
    }
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).ok()).collect()
}
