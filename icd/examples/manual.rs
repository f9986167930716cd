//! Writes the man pages and the shells' completions of the `clift` tool, from the definition of its command line:
//! `manual DIR` fills `DIR/share` as packages have it below `/usr`.

use clap::CommandFactory;
use clap_complete::{Shell, generate_to};
use std::fs::create_dir_all;
use std::io::{Error, Result};
use std::path::PathBuf;

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).ok_or_else(|| Error::other("usage: manual DIR"))?;
    let share = PathBuf::from(folder).join("share");
    let tool = clift::cli::Cli::command().disable_help_subcommand(true);
    let pages = share.join("man/man1");
    create_dir_all(&pages)?;
    clap_mangen::generate_to(tool.clone(), &pages)?;
    for (shell, place, name) in [
        (Shell::Bash, "bash-completion/completions", "clift"),
        (Shell::Zsh, "zsh/vendor-completions", "_clift"),
        (Shell::Fish, "fish/vendor_completions.d", "clift.fish"),
    ] {
        let place = share.join(place);
        create_dir_all(&place)?;
        let written = generate_to(shell, &mut tool.clone(), "clift", &place)?;
        std::fs::rename(written, place.join(name))?;
    }
    Ok(())
}
