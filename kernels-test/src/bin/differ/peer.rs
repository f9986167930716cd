//! The parent's side of child processes: starts them, gives them jobs, and notices when they end or do not answer.

use super::child::{Job, Outcome, reply, send};
use super::generate::Need;
use std::io::BufWriter;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;
use std::{env, thread};

/// Set in child processes.
pub const CHILD: &str = "CLIFT_DIFFER_CHILD";
/// Jobs of a process, as some drivers keep memory of each.
const JOBS: u32 = 200;
/// Patience is counted in pieces of this.
const SLICE: Duration = Duration::from_secs(1);

/// A driver and the environment it runs in.
#[derive(Clone, Debug)]
pub struct Setting {
    /// For messages.
    pub name: String,
    /// The library, or None for the Clift beside this program.
    pub library: Option<PathBuf>,
    /// Variables.
    pub environment: Vec<(String, String)>,
    /// Options that are added to each build, one peer for each.
    pub options: Vec<String>,
}

impl Setting {
    /// Clift with these variables, `NAME=VALUE`.
    pub fn clift(name: &str, variables: &[&str], options: &[&str]) -> Self {
        let pairs = variables.iter().filter_map(|text| text.split_once('='));
        let environment = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        Self {
            name: name.into(),
            library: None,
            environment,
            options: options.iter().map(|&option| option.into()).collect(),
        }
    }

    /// What one of its peers is called; the name of another driver's setting has its options.
    pub fn with(&self, option: &str) -> String {
        if self.name.contains(option.trim()) {
            return self.name.clone();
        }
        format!("{} {option}", self.name).trim().to_owned()
    }

    /// What `--on` says: variables, `NAME=VALUE`, options of its builds, `-…`, and a library.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut setting =
            Self { name: text.into(), library: None, environment: Vec::new(), options: vec![String::new()] };
        for word in text.split_whitespace() {
            match word.split_once('=') {
                _ if word.starts_with('-') => setting.options[0] = format!("{} {word}", setting.options[0]),
                Some((name, value)) => setting.environment.push((name.into(), value.into())),
                None => setting.library = Some(word.into()),
            }
        }
        if setting.library.is_none() {
            return Err(format!("--on {text}: no library"));
        }
        Ok(setting)
    }
}

/// A setting with its process.
pub struct Peer {
    /// What runs there.
    pub setting: Setting,
    /// How long an answer may take.
    pub patience: Duration,
    /// Programs that need one of these are not for it.
    pub lacks: Vec<Need>,
    process: Option<Process>,
}

struct Process {
    child: Child,
    stdin: BufWriter<ChildStdin>,
    replies: Receiver<Outcome>,
    jobs: u32,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Peer {
    pub fn new(setting: Setting, patience: Duration) -> Self {
        Self { setting, patience, lacks: Vec::new(), process: None }
    }

    fn start(&self) -> Result<Process, String> {
        let mut command = Command::new(env::current_exe().map_err(|e| e.to_string())?);
        command.env(CHILD, "1").env("CLIFT_CACHE", "off").env("POCL_KERNEL_CACHE", "0");
        match &self.setting.library {
            Some(library) => command.env("CL_UNDER_TEST", library),
            None => command.env_remove("CL_UNDER_TEST"),
        };
        command.envs(self.setting.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|e| e.to_string())?;
        let stdin = BufWriter::new(child.stdin.take().ok_or("no stdin")?);
        let mut stdout = child.stdout.take().ok_or("no stdout")?;
        let (sender, replies) = channel();
        thread::spawn(move || {
            while let Ok(outcome) = reply(&mut stdout) {
                if sender.send(outcome).is_err() {
                    break;
                }
            }
        });
        Ok(Process { child, stdin, replies, jobs: 0 })
    }

    /// Gives the process a job; `answer` waits for what becomes of it.
    fn give(&mut self, job: &Job) -> Result<(), String> {
        if self.process.as_ref().is_none_or(|process| process.jobs >= JOBS) {
            self.process = None;
            self.process = Some(self.start()?);
        }
        let Some(process) = &mut self.process else { return Err("no process".into()) };
        process.jobs += 1;
        send(&mut process.stdin, job).map_err(|e| format!("does not listen: {e}"))
    }

    fn answer(&mut self) -> Outcome {
        let Some(process) = &mut self.process else { return Outcome::Died("no process".into()) };
        // Time in which this process and the other were stopped counts little.
        let slices = self.patience.as_millis().div_ceil(SLICE.as_millis()).max(1);
        let mut answers = (0..slices).map(|_| process.replies.recv_timeout(SLICE.min(self.patience)));
        let answer = answers.find(|answer| *answer != Err(RecvTimeoutError::Timeout));
        let why = match answer.unwrap_or(Err(RecvTimeoutError::Timeout)) {
            Ok(outcome) => return outcome,
            Err(RecvTimeoutError::Timeout) => format!("no answer in {:?}", self.patience),
            Err(RecvTimeoutError::Disconnected) => match process.child.wait() {
                Ok(status) => status.to_string(),
                Err(error) => error.to_string(),
            },
        };
        self.process = None;
        Outcome::Died(why)
    }

    /// One job to its end.
    pub fn run(&mut self, job: &Job) -> Outcome {
        match self.give(job) {
            Ok(()) => self.answer(),
            Err(why) => {
                self.process = None;
                Outcome::Died(why)
            }
        }
    }

    /// The job with each of the setting's options: names and outcomes.
    pub fn run_all(&mut self, job: &Job) -> Vec<(String, Outcome)> {
        let options = self.setting.options.clone();
        self.run_with(job, &options)
    }

    /// The job with each of these options: names and outcomes.
    pub fn run_with(&mut self, job: &Job, options: &[String]) -> Vec<(String, Outcome)> {
        let mut one = |option: &String| {
            let options = format!("{} {option}", job.options);
            let outcome = self.run(&Job { options, ..job.clone() });
            (self.setting.with(option), outcome)
        };
        options.iter().map(&mut one).collect()
    }
}
