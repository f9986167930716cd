//! Who took part and what came out; the table on standard output.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::child::{Outcome, Times};
use crate::rows::{Group, ROWS};

/// A column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Driver {
    /// Short, for headings.
    pub name: String,
    /// `CL_DRIVER_VERSION`, or what the C compiler says of itself.
    pub version: String,
    /// `CL_DEVICE_NAME`, or the options of the C compiler.
    pub device: String,
}

impl Driver {
    /// From a platform's name, the driver's version and the device, with tabs between them.
    pub fn new(hello: &str) -> Self {
        let mut parts = hello.split('\t').map(str::to_owned);
        let mut next = || parts.next().unwrap_or_default();
        Self { name: Self::short(&next()), version: next(), device: next() }
    }

    fn short(platform: &str) -> String {
        let known =
            [("Portable Computing Language", "PoCL"), ("Intel", "Intel"), ("Clift", "Clift"), ("rusticl", "rusticl")];
        let short = known.iter().find(|(part, _)| platform.contains(part)).map(|(_, short)| *short);
        short.or(platform.split_whitespace().next()).unwrap_or("?").into()
    }

    /// The order of the columns.
    pub fn rank(&self) -> usize {
        ["PoCL", "Intel"].iter().position(|name| self.name == *name).unwrap_or(2)
    }
}

/// Which time the table shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clock {
    /// Of the clock on the wall.
    Wall,
    /// Of all processors together.
    Processor,
    /// From source to first launch, on the wall.
    Build,
    /// The same, of all processors.
    BuildProcessor,
}

impl Clock {
    fn of_build(self) -> Self {
        if self == Self::Processor { Self::BuildProcessor } else { Self::Build }
    }
}

/// All results.
pub struct Report {
    /// The columns; the first is compared with the others.
    pub drivers: Vec<Driver>,
    /// Indices of rows that ran.
    pub rows: Vec<usize>,
    /// By row and column.
    pub results: BTreeMap<(usize, usize), Outcome>,
}

impl Report {
    /// Milliseconds of a row in a column.
    pub fn millis(&self, row: usize, column: usize, clock: Clock) -> Option<f64> {
        let Some(Outcome::Ran(times)) = self.results.get(&(row, column)) else {
            return None;
        };
        let Times { wall, processor, build, build_processor } = *times;
        let time = match clock {
            Clock::Wall => wall,
            Clock::Processor => processor,
            Clock::Build => build,
            Clock::BuildProcessor => build_processor,
        };
        time.is_finite().then_some(time)
    }

    /// How many times as fast the first driver is as another.
    pub fn speed(&self, row: usize, column: usize, clock: Clock) -> Option<f64> {
        Some(self.millis(row, column, clock)? / self.millis(row, 0, clock)?)
    }

    /// Geometric mean of a group's speeds.
    pub fn mean(&self, group: Group, column: usize, clock: Clock) -> Option<f64> {
        let rows = self.rows.iter().filter(|&&row| ROWS[row].group == group);
        let logs: Vec<f64> = rows.filter_map(|&row| self.speed(row, column, clock)).map(f64::ln).collect();
        (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
    }

    /// The groups that have rows.
    pub fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<_> = self.rows.iter().map(|&row| ROWS[row].group).collect();
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    /// Columns of the usual peers are there even if the peers are not.
    fn columns(&self) -> Vec<(String, Option<usize>)> {
        let mut columns: Vec<_> =
            self.drivers.iter().enumerate().map(|(i, driver)| (driver.name.clone(), Some(i))).collect();
        for (at, peer) in ["PoCL", "Intel"].into_iter().enumerate() {
            if columns.iter().all(|(name, _)| name != peer) {
                columns.insert((at + 1).min(columns.len()), (peer.into(), None));
            }
        }
        columns
    }

    /// Who took part, a line for each.
    pub fn drivers(&self) -> String {
        let line = |driver: &Driver| format!("{:<8} {}, {}\n", driver.name, driver.version, driver.device);
        self.drivers.iter().map(line).collect()
    }

    /// On which of the groups shown the passes were tuned, in a sentence.
    pub fn tuning(&self) -> String {
        let names = |is_tuned: bool| {
            let groups = self.groups().into_iter().filter(|group| group.is_tuned() == is_tuned);
            groups.map(|group| format!("{group:?}")).collect::<Vec<_>>().join(", ")
        };
        let (tuned, others) = (names(true), names(false));
        let or_none = |names: String| if names.is_empty() { "none".into() } else { names };
        format!("Clift's passes were tuned on: {}. Not on: {}.", or_none(tuned), or_none(others))
    }

    /// The table in text.
    pub fn table(&self, clock: Clock) -> String {
        let columns = self.columns();
        let first = &columns[0].0;
        let mut text = String::new();
        let what = if clock == Clock::Processor { "processor time" } else { "time" };
        let wide = 9 * columns.len();
        let _ = writeln!(
            text,
            "{:<31}|{:^wide$}|{:^others$}|{:^builds$}|{:^less$}",
            "",
            format!("{what}, ms"),
            format!("speed of {first}, beside"),
            "build, ms",
            "build, times",
            others = wide - 9,
            builds = wide - 9,
            less = wide - 18,
        );
        let heads = |skip: usize, drop_c: bool| -> String {
            let shown = columns.iter().skip(skip).filter(|(name, _)| !drop_c || name != "C");
            shown.map(|(name, _)| format!("{name:>9}")).collect()
        };
        let _ =
            writeln!(text, "{:<31}|{}|{}|{}|{}", "", heads(0, false), heads(1, false), heads(0, true), heads(1, true));
        let line = |cells: &dyn Fn(Option<usize>, usize) -> String| -> String {
            let part = |kind: usize, skip: usize, drop_c: bool| -> String {
                let shown = columns.iter().skip(skip).filter(|(name, _)| !drop_c || name != "C");
                shown.map(|(_, column)| format!("{:>9}", cells(*column, kind))).collect()
            };
            format!("|{}|{}|{}|{}", part(0, 0, false), part(1, 1, false), part(2, 0, true), part(3, 1, true))
        };
        for group in self.groups() {
            for &row in self.rows.iter().filter(|&&row| ROWS[row].group == group) {
                let cell = |column: Option<usize>, kind: usize| {
                    let Some(column) = column else { return "-".into() };
                    let number = match kind {
                        0 => match self.results.get(&(row, column)) {
                            Some(Outcome::Failed(_)) => return "failed".into(),
                            _ => self.millis(row, column, clock),
                        },
                        1 => self.speed(row, column, clock),
                        2 => self.millis(row, column, clock.of_build()),
                        _ => self.speed(row, column, clock.of_build()),
                    };
                    number.map_or("-".into(), digits)
                };
                let _ = writeln!(text, "{:<31}{}", ROWS[row].name, line(&cell));
            }
            let cell = |column: Option<usize>, kind: usize| match (column, kind) {
                (Some(column), 1) => self.mean(group, column, clock).map_or("-".into(), digits),
                (Some(column), 3) => self.mean(group, column, clock.of_build()).map_or("-".into(), digits),
                _ => String::new(),
            };
            let _ = writeln!(text, "{:<31}{}\n", format!("  {group:?}: geometric mean"), line(&cell));
        }
        text
    }
}

/// Three digits or so.
pub fn digits(number: f64) -> String {
    match number {
        n if n >= 100.0 => format!("{n:.0}"),
        n if n >= 10.0 => format!("{n:.1}"),
        n if n >= 1.0 => format!("{n:.2}"),
        n => format!("{n:.3}"),
    }
}
