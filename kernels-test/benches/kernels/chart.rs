//! The speeds as bars on a logarithmic scale, in SVG.

use svg::Document;
use svg::node::element::{Group as Shapes, Line, Rectangle, Text, Title};

use crate::rows::ROWS;
use crate::table::{Clock, Report};

const BAR: f64 = 9.0;
const LEFT: f64 = 225.0;
const WIDTH: f64 = 860.0;
const TOP: f64 = 82.0;
/// The scale goes from 1/100 to 100.
const DECADES: f64 = 2.0;
const COLOURS: &[&str] = &["#4c78a8", "#f58518", "#54a24b", "#b279a2", "#9d755d"];

/// A bar for each row and other driver: how many times as fast the first driver is.
pub fn draw(report: &Report, clock: Clock) -> String {
    let others: Vec<_> = report.drivers.iter().enumerate().skip(1).collect();
    let x = |speed: f64| {
        let part = (speed.log10() / DECADES).clamp(-1.0, 1.0);
        LEFT + (WIDTH - LEFT - 20.0) * (part + 1.0) / 2.0
    };
    let (mut y, mut shapes) = (TOP, Shapes::new());
    for group in report.groups() {
        let heading = if group.is_tuned() { "" } else { ": the passes were not tuned on these" };
        shapes = shapes.add(label(8.0, y + 12.0, &format!("{group:?}{heading}")).set("font-weight", "bold"));
        y += 18.0;
        for &row in report.rows.iter().filter(|&&row| ROWS[row].group == group) {
            let middle = y + BAR * others.len() as f64 / 2.0 + 4.0;
            shapes = shapes.add(label(LEFT - 8.0, middle, ROWS[row].name).set("text-anchor", "end"));
            for (place, (column, driver)) in others.iter().enumerate() {
                let Some(speed) = report.speed(row, *column, clock) else { continue };
                let (from, to) = (x(speed.min(1.0)), x(speed.max(1.0)));
                let bar = Rectangle::new()
                    .set("x", from)
                    .set("y", y + BAR * place as f64)
                    .set("width", (to - from).max(1.0))
                    .set("height", BAR - 1.0)
                    .set("fill", COLOURS[place % COLOURS.len()]);
                shapes = shapes.add(bar.add(Title::new(format!("{:.2} beside {}", speed, driver.name))));
            }
            y += BAR * others.len() as f64 + 5.0;
        }
        y += 6.0;
    }
    let mut scale = Shapes::new();
    for mark in [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0] {
        let colour = if mark == 1.0 { "#444444" } else { "#dddddd" };
        let line = Line::new().set("x1", x(mark)).set("x2", x(mark)).set("y1", TOP).set("y2", y).set("stroke", colour);
        scale = scale.add(line).add(label(x(mark), TOP - 6.0, &mark.to_string()).set("text-anchor", "middle"));
    }
    let first = report.drivers.first().map_or("", |driver| &driver.name);
    let mut legend =
        Shapes::new().add(label(8.0, 20.0, &format!("Speed of {first} beside others; above 1 it is faster")));
    for (place, (_, driver)) in others.iter().enumerate() {
        let at = LEFT + 240.0 + 90.0 * place as f64;
        let colour = COLOURS[place % COLOURS.len()];
        legend = legend
            .add(Rectangle::new().set("x", at).set("y", 11).set("width", 12).set("height", 10).set("fill", colour))
            .add(label(at + 16.0, 20.0, &driver.name));
    }
    for (line, pair) in report.drivers.chunks(2).enumerate() {
        let versions: Vec<_> =
            pair.iter().map(|driver| format!("{} {}, {}", driver.name, driver.version, driver.device)).collect();
        legend = legend.add(label(8.0, 38.0 + 14.0 * line as f64, &versions.join("; ")).set("font-size", 10));
    }
    let paper = Rectangle::new().set("width", "100%").set("height", "100%").set("fill", "#ffffff");
    Document::new()
        .set("viewBox", (0.0, 0.0, WIDTH, y + 10.0))
        .set("font-family", "sans-serif")
        .set("font-size", 12)
        .add(paper)
        .add(scale)
        .add(shapes)
        .add(legend)
        .to_string()
}

fn label(x: f64, y: f64, text: &str) -> Text {
    Text::new(text).set("x", x).set("y", y).set("fill", "#222222")
}
