//! Times of launches as a table: a row for each kernel and size, columns for each driver.

use clift_runtime::record::entry::Launch;
use std::time::Duration;

/// The times of one launch on one driver: at least one.
#[derive(Clone, Debug)]
pub struct Times {
    /// The least.
    pub least: Duration,
    /// The one in the middle.
    pub median: Duration,
}

impl Times {
    /// Of these, unless there are none.
    pub fn of(mut times: Vec<Duration>) -> Option<Self> {
        times.sort_unstable();
        Some(Self { least: *times.first()?, median: times[times.len() / 2] })
    }
}

/// A row in the making.
struct Row {
    kernel: String,
    sizes: String,
    launches: usize,
    /// Sums over the launches, for each driver; none if one of them did not run there.
    times: Vec<Option<Times>>,
}

/// The table of all launches that ran somewhere: a row for each kernel and size with sums over its launches, and the
/// geometric means of the ratios.
pub fn table(names: &[String], measured: &[(&Launch, Vec<Option<Times>>)]) -> String {
    let mut rows: Vec<Row> = Vec::new();
    for (launch, times) in measured {
        let sizes = sizes(launch);
        match rows.iter_mut().find(|row| row.kernel == launch.kernel && row.sizes == sizes) {
            Some(row) => {
                row.launches += 1;
                row.times = row.times.iter().zip(times).map(|(sum, new)| add(sum.as_ref(), new.as_ref())).collect();
            }
            None => rows.push(Row { kernel: launch.kernel.clone(), sizes, launches: 1, times: times.clone() }),
        }
    }
    let mut cells = vec![head(names)];
    let mut logs = vec![Vec::new(); names.len()];
    for row in &rows {
        let mut line = vec![row.kernel.clone(), row.sizes.clone(), row.launches.to_string()];
        for times in &row.times {
            let shown = |time: fn(&Times) -> Duration| times.as_ref().map_or("-".into(), |t| milliseconds(time(t)));
            line.extend([shown(|times| times.least), shown(|times| times.median)]);
        }
        for (n, other) in row.times.iter().enumerate().skip(1) {
            let ratio = ratio(other.as_ref(), row.times[0].as_ref());
            logs[n].extend(ratio.map(f64::ln));
            line.push(ratio.map_or("-".into(), |ratio| format!("{ratio:.2}")));
        }
        cells.push(line);
    }
    let mut text = aligned(&cells);
    for (name, logs) in names.iter().zip(&logs).skip(1).filter(|(_, logs)| !logs.is_empty()) {
        let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
        let n = logs.len();
        text += &format!("medians of {name} over those of {}: geometric mean {mean:.2} of {n} rows\n", names[0]);
    }
    text
}

fn head(names: &[String]) -> Vec<String> {
    let mut head = vec!["kernel".to_owned(), "global / local".to_owned(), "n".to_owned()];
    let letters = |n: usize| if names.len() == 1 { String::new() } else { format!("{} ", letter(n)) };
    (0..names.len()).for_each(|n| head.extend(["least ms", "median ms"].map(|what| letters(n) + what)));
    head.extend((1..names.len()).map(|n| format!("{}/A", letter(n))));
    head
}

/// What a driver is called in the table's head.
pub fn letter(n: usize) -> char {
    char::from(b'A' + (n % 26) as u8)
}

fn ratio(one: Option<&Times>, other: Option<&Times>) -> Option<f64> {
    let ratio = one?.median.as_secs_f64() / other?.median.as_secs_f64();
    Some(ratio).filter(|ratio| ratio.is_finite() && *ratio > 0.0)
}

fn add(one: Option<&Times>, other: Option<&Times>) -> Option<Times> {
    let (one, other) = (one?, other?);
    Some(Times { least: one.least + other.least, median: one.median + other.median })
}

fn milliseconds(time: Duration) -> String {
    format!("{:.4}", time.as_secs_f64() * 1e3)
}

/// `1024,768 / 16,16`; `-` for a local size that was the driver's choice.
pub fn sizes(launch: &Launch) -> String {
    let n = launch.dims as usize;
    let shown = |sizes: &[u64; 3]| sizes[..n.min(3)].iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    format!("{} / {}", shown(&launch.global), launch.local.as_ref().map_or("-".to_owned(), shown))
}

/// Rows with columns under each other: texts to the left, numbers to the right.
fn aligned(cells: &[Vec<String>]) -> String {
    let n = cells.first().map_or(0, Vec::len);
    let width = |at: usize| cells.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..n).map(width).collect();
    let mut text = String::new();
    for row in cells {
        let padded = row.iter().enumerate().map(|(at, cell)| match at {
            0 | 1 => format!("{cell:<0$}", widths[at]),
            _ => format!("{cell:>0$}", widths[at]),
        });
        text += padded.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sums_and_ratios_are_of_medians() {
        let launch = |kernel: &str, local| Launch {
            program: 0,
            kernel: kernel.into(),
            dims: 2,
            offset: [0; 3],
            global: [64, 4, 1],
            local,
            chosen: [1; 3],
            zeros: 0,
            memories: Vec::new(),
            args: Vec::new(),
            doubts: Vec::new(),
            gaps: Vec::new(),
        };
        let (a, b) = (launch("a", None), launch("b", Some([8, 2, 1])));
        let times = |ms: &[u64]| Times::of(ms.iter().map(|&ms| Duration::from_millis(ms)).collect());
        let measured = [
            (&a, vec![times(&[3, 1, 2]), times(&[8])]),
            (&b, vec![times(&[5]), None]),
            (&a, vec![times(&[2]), times(&[8])]),
        ];
        let expected = "\
kernel  global / local  n  A least ms  A median ms  B least ms  B median ms   B/A
a       64,4 / -        2      3.0000       4.0000     16.0000      16.0000  4.00
b       64,4 / 8,2      1      5.0000       5.0000           -            -     -
medians of y over those of x: geometric mean 4.00 of 1 rows
";
        assert_eq!(table(&["x".into(), "y".into()], &measured), expected);
    }
}
