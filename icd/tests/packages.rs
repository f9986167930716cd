//! What packages have for programs that link the driver in place of a loader: the `pkg-config` file, CMake's
//! configuration, and the tool's man pages and completions. `.ci/run` makes and installs whole packages.

use object::elf::FileHeader64;
use object::endian::Endianness;
use object::read::elf::{Dyn, FileHeader};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

#[allow(dead_code, reason = "each test uses a part")]
#[path = "common/host.rs"]
mod host;

fn package() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("package")
}

fn headers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels-test/hosts/include")
}

/// A prefix with the library and the files that say how to link it, as packages have them.
fn prefix() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let lib = folder.path().join("lib");
    let put = |from: &str, to: &str| {
        let text = fs::read_to_string(package().join(from)).expect("it is in the repository");
        let to = lib.join(to);
        fs::create_dir_all(to.parent().expect("a folder")).expect("it can be made");
        fs::write(to, text.replace("@VERSION@", env!("CARGO_PKG_VERSION"))).expect("it can be written");
    };
    put("clift.pc", "pkgconfig/clift.pc");
    put("cmake/CliftConfig.cmake", "cmake/Clift/CliftConfig.cmake");
    put("cmake/CliftConfigVersion.cmake", "cmake/Clift/CliftConfigVersion.cmake");
    fs::copy(host::library(), lib.join("libclift.so")).expect("cargo built it");
    folder
}

/// Says why a test does nothing; where documents must run, so must these.
fn skip(why: &str) {
    assert!(std::env::var_os("CLIFT_REQUIRE_DOCS").is_none(), "{why}");
    eprintln!("skipped: {why}");
}

/// What a command prints; None with a message if it is not installed.
fn output(command: &mut Command) -> Option<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = match command.env_remove("LD_LIBRARY_PATH").output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            skip(&format!("{name} is not installed"));
            return None;
        }
        output => output.expect("it starts"),
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{name}: {text}{}", String::from_utf8_lossy(&output.stderr));
    Some(text)
}

/// Runs a program that needs the library itself, and no loader.
fn runs_without_a_loader(program: &Path, lib: &Path) {
    let data = fs::read(program).expect("it was made");
    let header = FileHeader64::<Endianness>::parse(&*data).expect("an ELF header");
    let endian = header.endian().expect("an endianness");
    let sections = header.sections(endian, &*data).expect("sections");
    let (entries, strings) = sections.dynamic(endian, &*data).expect("a dynamic section").expect("one");
    let strings = sections.strings(endian, &*data, strings).expect("its strings");
    let needed = entries.iter().filter(|entry| entry.tag32(endian) == Some(object::elf::DT_NEEDED));
    let needed: Vec<&[u8]> = needed.map(|entry| entry.string(endian, strings).expect("a string")).collect();
    assert!(needed.contains(&&b"libclift.so"[..]), "the driver is not linked");
    assert!(!needed.iter().any(|name| name.starts_with(b"libOpenCL")), "a loader is linked");
    let run = Command::new(program).env("LD_LIBRARY_PATH", lib).output().expect("it starts");
    assert_eq!(String::from_utf8_lossy(&run.stdout), "Clift: 1024 sums are right\n");
}

#[test]
fn pkg_config_says_how_to_link_the_driver() {
    let folder = prefix();
    let lib = folder.path().join("lib");
    let pkg_config = |what: &str| {
        output(Command::new("pkg-config").args([what, "clift"]).env("PKG_CONFIG_PATH", lib.join("pkgconfig")))
    };
    let Some(libs) = pkg_config("--libs") else { return };
    assert_eq!(pkg_config("--modversion").expect("it is installed").trim(), env!("CARGO_PKG_VERSION"));
    let program = folder.path().join("sums");
    let mut cc = Command::new(std::env::var_os("CC").unwrap_or("cc".into()));
    cc.arg("-I").arg(headers()).arg("-o").arg(&program).arg(package().join("example/sums.c"));
    output(cc.args(libs.split_whitespace())).expect("there is a C compiler");
    runs_without_a_loader(&program, &lib);
}

#[test]
fn cmake_finds_the_driver() {
    let folder = prefix();
    let build = folder.path().join("build");
    let define = |name: &str, value: &Path| format!("-D{name}={}", value.display());
    let mut cmake = Command::new("cmake");
    cmake.arg("-S").arg(package().join("example")).arg("-B").arg(&build);
    cmake.args([define("CMAKE_PREFIX_PATH", folder.path()), define("CLIFT_HEADERS", &headers())]);
    if output(&mut cmake).is_none() {
        return;
    }
    output(Command::new("cmake").arg("--build").arg(&build)).expect("it is installed");
    runs_without_a_loader(&build.join("sums"), &folder.path().join("lib"));
}

/// What packages have in `share`; None with a message if the program that writes it is not built. It is an example,
/// which cargo builds for tests beside the tool.
fn share() -> Option<TempDir> {
    let folder = tempfile::tempdir().expect("a folder");
    let manual = Path::new(env!("CARGO_BIN_EXE_clift")).with_file_name("examples/manual");
    if !manual.is_file() {
        skip("this run of cargo has built no examples");
        return None;
    }
    output(Command::new(manual).arg(folder.path())).expect("it was built");
    Some(folder)
}

#[test]
fn each_command_has_a_man_page_and_completions() {
    let Some(folder) = share() else { return };
    let share = folder.path().join("share");
    let read = |name: &str| fs::read_to_string(share.join(name)).expect(name);
    let help = output(Command::new(env!("CARGO_BIN_EXE_clift")).arg("--help")).expect("it was built");
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> =
        commands.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"check") && commands.contains(&"install"), "{help}");
    for file in
        ["bash-completion/completions/clift", "zsh/site-functions/_clift", "fish/vendor_completions.d/clift.fish"]
    {
        let text = read(file);
        assert!(commands.iter().all(|command| text.contains(command)), "{file} lacks one of {commands:?}");
    }
    for command in commands {
        assert!(read("man/man1/clift.1").contains(command), "{command}");
        assert!(read(&format!("man/man1/clift-{command}.1")).contains(".SH OPTIONS"), "{command}");
    }
}

/// Documents for users are man pages as well, with all their sections, of requests that `man` knows.
#[test]
fn each_document_is_a_man_page() {
    let Some(folder) = share() else { return };
    let man = folder.path().join("share/man");
    let tool = fs::read_to_string(man.join("man1/clift.1")).expect("the tool's page");
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = fs::read_to_string(readme).expect("it is in the repository");
    let mut count = 0;
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")).expect("the documents") {
        let path = entry.expect("it can be read").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        assert!(readme.contains(&format!("](icd/docs/{name}.md)")), "README.md has no link to {name}");
        if name == "add-an-entry-point" {
            continue;
        }
        count += 1;
        let page = fs::read_to_string(man.join(format!("man7/clift-{name}.7"))).expect(&name);
        assert!(tool.contains(&format!(".BR clift\\-{} (7)", name.replace('-', "\\-"))), "{name}");
        let document = fs::read_to_string(&path).expect("it can be read");
        let is_section = |line: &&str| line.starts_with("## ");
        let titles = page.lines().filter(|line| line.starts_with(".SH \""));
        assert_eq!(document.lines().filter(is_section).count(), titles.count(), "{name}");
        let requests = page.lines().filter(|line| line.starts_with(['.', '\'']));
        for request in requests.filter_map(|line| line.split_whitespace().next()) {
            let known = [
                "'\\\"", ".TH", ".nr", ".hy", ".ad", ".SH", ".SS", ".PP", ".TP", ".br", ".IP", ".RS", ".RE", ".EX",
                ".EE", ".TS", ".TE", ".BR",
            ];
            assert!(known.contains(&request), "{name}: {request}");
        }
    }
    assert!(count > 10, "{count}");
}
