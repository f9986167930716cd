//! Writes the man pages and the shells' completions of the `clift` tool, from the definition of its command line, and
//! the documents for users as man pages: `manual DIR` fills `DIR/share` as packages have it below `/usr`.

mod page;

use clap::CommandFactory;
use clap_complete::{Shell, generate_to};
use std::fs::{self, create_dir_all};
use std::io::{Error, Result, Write};
use std::path::{Path, PathBuf};

/// Documents that are for those who change Clift; they are no man pages.
const NOT_FOR_USERS: [&str; 1] = ["add-an-entry-point"];

/// Names and texts of the documents for users, in their order.
fn documents() -> Result<Vec<(String, String)>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|end| end == "md") && !NOT_FOR_USERS.contains(&name.as_str()) {
            found.push((name, fs::read_to_string(path)?));
        }
    }
    found.sort();
    Ok(found)
}

/// The pages of section 7, and the list of them at the end of the tool's own page.
fn write_documents(man: &Path) -> Result<()> {
    let documents = documents()?;
    let names: Vec<&str> = documents.iter().map(|(name, _)| name.as_str()).collect();
    let pages = man.join("man7");
    create_dir_all(&pages)?;
    for (name, text) in &documents {
        fs::write(pages.join(format!("clift-{name}.7")), page::page(name, text, &names))?;
    }
    let mut tool = fs::OpenOptions::new().append(true).open(man.join("man1/clift.1"))?;
    writeln!(tool, ".SH SEE ALSO\n{}", page::references(&names))
}

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).ok_or_else(|| Error::other("usage: manual DIR"))?;
    let share = PathBuf::from(folder).join("share");
    let tool = clift::cli::Cli::command().disable_help_subcommand(true);
    let man = share.join("man");
    let pages = man.join("man1");
    create_dir_all(&pages)?;
    clap_mangen::generate_to(tool.clone(), &pages)?;
    write_documents(&man)?;
    for (shell, place, name) in [
        (Shell::Bash, "bash-completion/completions", "clift"),
        (Shell::Zsh, "zsh/site-functions", "_clift"),
        (Shell::Fish, "fish/vendor_completions.d", "clift.fish"),
    ] {
        let place = share.join(place);
        create_dir_all(&place)?;
        let written = generate_to(shell, &mut tool.clone(), "clift", &place)?;
        std::fs::rename(written, place.join(name))?;
    }
    Ok(())
}
