//! A Markdown document as a man page of section 7. It knows what the documents for users are made of; anything else
//! ends the program, so that no page silently lacks a part.

use pulldown_cmark::{Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

/// Columns that a table may take.
const WIDTH: usize = 74;

/// The page `clift-NAME(7)` of a document. Links to documents among `others` name their pages.
pub fn page(name: &str, markdown: &str, others: &[&str]) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut page = Page { others, out: ".SH DESCRIPTION\n".to_owned(), ..Page::default() };
    for event in Parser::new_ext(markdown, Options::ENABLE_TABLES) {
        page.event(event);
    }
    let start = format!("'\\\" t\n.TH CLIFT\\-{} 7 \"\" \"Clift {version}\" Clift\n", literal(name).to_uppercase());
    // Names are not hyphenated, in narrow columns neither.
    let name = format!(".nr HY 0\n.hy 0\n.ad l\n.SH NAME\nclift\\-{} \\- {}\n", literal(name), page.title);
    format!("{start}{name}{}.SH SEE ALSO\n.BR clift (1)\n", page.out)
}

/// References to the pages of documents, as the last section of another page has them.
pub fn references(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!(".BR clift\\-{} (7)", literal(name))).collect();
    names.join(",\n")
}

/// Text as roff prints it.
fn prose(text: &str) -> String {
    text.replace('\\', "\\e")
}

/// The same for names, commands and code: what a shell reads stays what it is.
fn literal(text: &str) -> String {
    let mut out = prose(text);
    for (from, to) in [('-', "\\-"), ('\'', "\\(aq"), ('`', "\\(ga"), ('~', "\\(ti"), ('^', "\\(ha")] {
        out = out.replace(from, to);
    }
    out
}

/// How many columns text takes.
fn columns(text: &str) -> usize {
    let mut rest = text.chars();
    let mut count = 0;
    while let Some(next) = rest.next() {
        let skip = match next {
            '\\' => match rest.next() {
                Some('f') => 1,
                Some('(') => 2,
                _ => 0,
            },
            _ => 0,
        };
        count += usize::from(skip != 1);
        rest.by_ref().take(skip).for_each(drop);
    }
    count
}

/// Lines that do not begin as requests do.
fn guard(text: &str) -> String {
    let lines = text.split('\n').map(|line| match line.starts_with(['.', '\'']) {
        true => format!("\\&{line}"),
        false => line.to_owned(),
    });
    lines.collect::<Vec<String>>().join("\n")
}

#[derive(Default)]
struct Page<'a> {
    others: &'a [&'a str],
    title: String,
    out: String,
    /// What is between the last request and the end of its block: text with changes of fonts.
    text: String,
    /// Numbers of the next items of the lists around this place; None for bullets.
    lists: Vec<Option<u64>>,
    /// Whether the next paragraph stands beside its item's mark.
    is_first: bool,
    is_code: bool,
    /// Where links around this place lead, as far as the text does not say it.
    links: Vec<String>,
    /// Cells of the table, row by row.
    rows: Vec<Vec<String>>,
}

impl Page<'_> {
    fn event(&mut self, event: Event) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.is_code => self.text.push_str(&literal(&text)),
            Event::Text(text) => self.text.push_str(&prose(&text)),
            Event::Code(text) => self.text.push_str(&format!("\\fB{}\\fP", literal(&text))),
            Event::SoftBreak => self.text.push('\n'),
            Event::HardBreak => self.text.push_str("\n.br\n"),
            // Comments, which are for tests.
            Event::Html(_) | Event::InlineHtml(_) => {}
            other => panic!("documents have no {other:?}"),
        }
    }

    fn start(&mut self, tag: Tag) {
        match tag {
            Tag::Paragraph => self.block(),
            Tag::Heading { .. } | Tag::HtmlBlock | Tag::TableCell => {}
            Tag::CodeBlock(_) => {
                self.flush();
                self.is_code = true;
            }
            Tag::List(first) => {
                self.flush();
                if !self.lists.is_empty() {
                    self.out.push_str(".RS 3\n");
                }
                self.lists.push(first);
            }
            Tag::Item => {
                let next = self.lists.last_mut().expect("an item is in a list");
                match next {
                    Some(number) => {
                        self.out.push_str(&format!(".IP {number}. 3\n"));
                        *number += 1;
                    }
                    None => self.out.push_str(".IP \\(bu 3\n"),
                }
                self.is_first = true;
            }
            Tag::Table(_) => self.rows.clear(),
            Tag::TableHead | Tag::TableRow => self.rows.push(Vec::new()),
            Tag::Emphasis => self.text.push_str("\\fI"),
            Tag::Strong => self.text.push_str("\\fB"),
            Tag::Link { link_type, dest_url, .. } => self.links.push(self.destination(link_type, &dest_url)),
            other => panic!("documents have no {other:?}"),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Item => self.flush(),
            TagEnd::Heading(HeadingLevel::H1) => self.title = std::mem::take(&mut self.text),
            TagEnd::Heading(level) => {
                let request = if level == HeadingLevel::H2 { ".SH" } else { ".SS" };
                // A section's title is bold already.
                let title = std::mem::take(&mut self.text).replace("\\fB", "").replace("\\fP", "");
                self.out.push_str(&format!("{request} \"{}\"\n", title.replace('"', "\\(dq")));
            }
            TagEnd::CodeBlock => {
                self.is_code = false;
                let code = guard(std::mem::take(&mut self.text).trim_end());
                self.gap();
                self.out.push_str(&format!(".RS 4\n.EX\n{code}\n.EE\n.RE\n"));
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.out.push_str(if self.lists.is_empty() { "" } else { ".RE\n" });
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.text);
                self.rows.last_mut().expect("a cell is in a row").push(cell);
            }
            TagEnd::TableHead | TagEnd::TableRow | TagEnd::HtmlBlock => {}
            TagEnd::Table => self.table(),
            TagEnd::Emphasis | TagEnd::Strong => self.text.push_str("\\fP"),
            TagEnd::Link => {
                let to = self.links.pop().expect("a link ends that began");
                self.text.push_str(&to);
            }
            other => panic!("documents have no {other:?}"),
        }
    }

    /// Begins a paragraph.
    fn block(&mut self) {
        self.flush();
        match (std::mem::take(&mut self.is_first), self.lists.is_empty()) {
            (true, _) => {}
            (false, true) => self.gap(),
            (false, false) => self.out.push_str(".IP \"\" 3\n"),
        }
    }

    /// An empty line, except below a section's title.
    fn gap(&mut self) {
        let last = self.out.lines().last().unwrap_or_default();
        if !last.starts_with(".S") {
            self.out.push_str(".PP\n");
        }
    }

    /// Ends what text there is.
    fn flush(&mut self) {
        let text = std::mem::take(&mut self.text);
        if !text.is_empty() {
            self.out.push_str(&format!("{}\n", guard(&text)));
        }
    }

    /// What is printed behind a link's text.
    fn destination(&self, kind: LinkType, to: &str) -> String {
        let file = to.split('#').next().unwrap_or_default();
        match file.strip_suffix(".md") {
            Some(name) if self.others.contains(&name) => format!(" (\\fBclift\\-{}\\fP(7))", literal(name)),
            _ if to.starts_with("http") && kind == LinkType::Inline => format!(" <{}>", literal(to)),
            _ => String::new(),
        }
    }

    /// The table, in columns; where a line has no room for them, each row is a paragraph.
    fn table(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let Some(widths) = share(&rows) else { return self.rows_as_paragraphs(&rows) };
        self.gap();
        let layout = |font: &str| {
            let all = widths.iter().map(|width| format!("l{font}w({width}n)"));
            all.collect::<Vec<String>>().join(" ")
        };
        self.out.push_str(&format!(".TS\n{}\n{}.\n", layout("b"), layout("")));
        for row in rows {
            let cells: Vec<String> = row.iter().map(|cell| format!("T{{\n{}\nT}}", guard(cell))).collect();
            self.out.push_str(&format!("{}\n", cells.join("\t")));
        }
        self.out.push_str(".TE\n");
    }

    fn rows_as_paragraphs(&mut self, rows: &[Vec<String>]) {
        let (titles, rows) = rows.split_first().expect("a table has a first row");
        for row in rows {
            self.out.push_str(&format!(".TP\n{}\n", guard(&row[0])));
            let cells = titles.iter().zip(row).skip(1).map(|(title, cell)| match title.is_empty() {
                true => cell.clone(),
                false => format!("{title}: {cell}"),
            });
            self.out.push_str(&format!("{}\n", cells.collect::<Vec<String>>().join("\n.br\n")));
        }
    }
}

/// Widths of columns that fit a line together: narrow ones have what their longest cell takes, the others the same, but
/// each has room for its longest word.
fn share(rows: &[Vec<String>]) -> Option<Vec<usize>> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let longest = |at: usize, size: &dyn Fn(&str) -> usize| {
        rows.iter().filter_map(|row| row.get(at)).map(|cell| size(cell)).max().unwrap_or(0)
    };
    let word = |cell: &str| cell.split_whitespace().map(columns).max().unwrap_or(1);
    let wanted: Vec<(usize, usize)> = (0..count).map(|at| (longest(at, &word), longest(at, &columns))).collect();
    let room = WIDTH.saturating_sub(3 * count);
    let widths = |limit: usize| wanted.iter().map(move |(least, most)| (*least).max(limit.min(*most)).max(1));
    let limit = (1..=room).rev().find(|limit| widths(*limit).sum::<usize>() <= room)?;
    Some(widths(limit).collect())
}
