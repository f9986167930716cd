//! A document as what can be done with it: files to write, commands to run with the output that the text shows, and
//! blocks that are not run, each with its reason.

/// What stands in a document, in its order, with the line that it begins in.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// A file: a block with a name (` ```c first.c `), or a comment `<!-- NAME`, lines, `-->`.
    File { name: String, text: String },
    /// Commands (`console`, or a comment `<!-- $ COMMAND -->`) and what they print.
    Session { commands: Vec<Command>, rules: Rules },
    /// Commands that are not run, and why.
    Unrun { commands: Vec<Command>, reason: String },
}

/// A command and the lines that the document shows below it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Command {
    pub text: String,
    pub output: Vec<String>,
}

/// What a comment in front of a block says of it, several of them separated by semicolons.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// `needs WHAT`: run only where that is.
    pub needs: Vec<String>,
    /// `numbers vary`: numbers, with their units, are not compared.
    pub any_numbers: bool,
    /// `exit code N`: of the block's last command.
    pub code: i32,
}

/// The parts of a document. Errors name the line.
pub fn parts(text: &str) -> Result<Vec<(usize, Part)>, String> {
    let (mut found, mut comment) = (Vec::new(), None::<String>);
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    while let Some((at, line)) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let mut body = String::new();
            loop {
                match lines.next() {
                    Some((_, "```")) => break,
                    Some((_, line)) => body.extend([line, "\n"]),
                    None => return Err(format!("{at}: the block does not end")),
                }
            }
            let part = block(info, body, comment.take()).map_err(|why| format!("{at}: {why}"))?;
            found.push((at, part));
        } else if let Some(rest) = line.strip_prefix("<!-- ") {
            if let Some(inner) = rest.strip_suffix(" -->") {
                match inner.strip_prefix("$ ") {
                    Some(command) => {
                        let command = Command { text: command.to_owned(), output: vec!["…".to_owned()] };
                        found.push((at, Part::Session { commands: vec![command], rules: Rules::default() }));
                    }
                    None => comment = Some(inner.to_owned()),
                }
                continue;
            }
            let body = lines.by_ref().take_while(|(_, line)| *line != "-->");
            let text = body.flat_map(|(_, line)| [line, "\n"]).collect();
            found.push((at, Part::File { name: rest.trim().to_owned(), text }));
        } else if line.trim_start().starts_with("```") {
            return Err(format!("{at}: a block that is indented"));
        } else if let Some(comment) = &comment
            && !line.is_empty()
        {
            return Err(format!("{at}: `{comment}` stands in front of no block"));
        }
    }
    Ok(found)
}

/// A fenced block with its info string and the comment in front of it.
fn block(info: &str, body: String, comment: Option<String>) -> Result<Part, String> {
    let comment = comment.unwrap_or_default();
    if info == "console" {
        let commands = commands(&body)?;
        if let Some(reason) = comment.strip_prefix("not run: ") {
            return Ok(Part::Unrun { commands, reason: reason.to_owned() });
        }
        return Ok(Part::Session { commands, rules: rules(&comment)? });
    }
    if let Some(reason) = comment.strip_prefix("not run: ") {
        return Ok(Part::Unrun { commands: Vec::new(), reason: reason.to_owned() });
    }
    if !comment.is_empty() {
        return Err(format!("`{comment}` is for blocks of commands"));
    }
    match info.split_once(' ') {
        Some((_, name)) if is_name(name) => Ok(Part::File { name: name.to_owned(), text: body }),
        _ => Err(format!("`{info}` is neither `console` nor a language and a file's name")),
    }
}

/// Whether a file of that name stays in the folder.
fn is_name(name: &str) -> bool {
    !name.starts_with('/') && name.split('/').all(|part| !part.is_empty() && part != ".." && !part.contains(' '))
}

/// Commands begin with `$ `, and go on in the next line behind `\`.
fn commands(body: &str) -> Result<Vec<Command>, String> {
    let mut found: Vec<Command> = Vec::new();
    let mut goes_on = false;
    for line in body.lines() {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (_, Some(last)) if goes_on => last.text.extend(["\n", line]),
            (Some(text), _) => found.push(Command { text: text.to_owned(), output: Vec::new() }),
            (None, Some(last)) => last.output.push(line.to_owned()),
            (None, None) => return Err(format!("`{line}` stands in front of the first command")),
        }
        goes_on = line.ends_with('\\') && (goes_on || line.starts_with("$ "));
    }
    if found.is_empty() { Err("no command".into()) } else { Ok(found) }
}

fn rules(comment: &str) -> Result<Rules, String> {
    let mut rules = Rules::default();
    for rule in comment.split("; ").filter(|rule| !rule.is_empty()) {
        match (rule.strip_prefix("needs "), rule.strip_prefix("exit code ").and_then(|code| code.parse().ok())) {
            (Some(what), _) => rules.needs.push(what.to_owned()),
            (_, Some(code)) => rules.code = code,
            _ if rule == "numbers vary" => rules.any_numbers = true,
            _ => return Err(format!("nobody knows the rule `{rule}`")),
        }
    }
    Ok(rules)
}

#[test]
fn documents_are_taken_apart() {
    let text = "# A\n\n<!-- b.cl\nkernel\n-->\n\n```c a.c\nint\n```\n\n<!-- needs x; numbers vary; exit code 1 -->\n\
                ```console\n$ cc \\\n  a.c\n1\n…\n$ b\n```\n<!-- $ hidden -->\n<!-- not run: y -->\n```console\n$ c\n```\n";
    let command = |text: &str, output: &[&str]| Command {
        text: text.to_owned(),
        output: output.iter().map(|&line| line.to_owned()).collect(),
    };
    let rules = Rules { needs: vec!["x".to_owned()], any_numbers: true, code: 1 };
    let want = [
        (3, Part::File { name: "b.cl".to_owned(), text: "kernel\n".to_owned() }),
        (7, Part::File { name: "a.c".to_owned(), text: "int\n".to_owned() }),
        (12, Part::Session { commands: vec![command("cc \\\n  a.c", &["1", "…"]), command("b", &[])], rules }),
        (19, Part::Session { commands: vec![command("hidden", &["…"])], rules: Rules::default() }),
        (21, Part::Unrun { commands: vec![command("c", &[])], reason: "y".to_owned() }),
    ];
    assert_eq!(parts(text).expect("a good document"), want);
}

#[test]
fn blocks_that_nobody_runs_are_errors() {
    for (text, why) in [
        ("```\nx\n```\n", "neither"),
        ("```c\nx\n```\n", "neither"),
        ("```c ../x.c\nx\n```\n", "neither"),
        ("```console\nx\n```\n", "in front of the first command"),
        ("```console\n```\n", "no command"),
        ("```console\n$ x\n", "does not end"),
        ("- a\n  ```console\n  $ x\n  ```\n", "indented"),
        ("<!-- numbers may vary -->\n```console\n$ x\n```\n", "nobody knows"),
        ("<!-- numbers vary -->\ntext\n```console\n$ x\n```\n", "no block"),
        ("<!-- numbers vary -->\n```c\nx\n```\n", "for blocks of commands"),
    ] {
        let error = parts(text).expect_err(text);
        assert!(error.contains(why), "{text}: {error}");
    }
}
