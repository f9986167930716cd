//! "did you mean …?": the nearest known name to a misspelt one.

/// The candidate nearest to `name`, if it is near enough: at most a third of the letters differ. Of equals, the first.
pub(crate) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let limit = name.len().div_ceil(3).min(4);
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let bound = best.map_or(limit, |(d, _)| d.saturating_sub(1));
        if candidate.len().abs_diff(name.len()) > bound || candidate == name {
            continue;
        }
        let d = distance(name.as_bytes(), candidate.as_bytes(), bound);
        if d <= bound && d < name.len() && best.is_none_or(|(b, _)| d < b) {
            best = Some((d, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edit distance with insertion, deletion, change and swap of neighbours; anything above `bound` may come out as
/// `bound + 1`. Names above 64 bytes are never near.
fn distance(a: &[u8], b: &[u8], bound: usize) -> usize {
    const MAX: usize = 64;
    if a.len() > MAX || b.len() > MAX {
        return bound + 1;
    }
    let mut before = [0usize; MAX + 1];
    let mut prev: [usize; MAX + 1] = std::array::from_fn(|j| j);
    for i in 1..=a.len() {
        let mut row = [0usize; MAX + 1];
        row[0] = i;
        let mut least = i;
        for j in 1..=b.len() {
            let change = prev[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut d = change.min(prev[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                d = d.min(before[j - 2] + 1);
            }
            row[j] = d;
            least = least.min(d);
        }
        if least > bound {
            return bound + 1;
        }
        before = prev;
        prev = row;
    }
    prev[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn counts_edits() {
        for (a, b, d) in [
            ("", "", 0),
            ("int", "int", 0),
            ("flaot", "float", 1),
            ("unit", "uint", 1),
            ("kitten", "sitting", 3),
            ("a", "", 1),
        ] {
            assert_eq!(distance(a.as_bytes(), b.as_bytes(), 10), d, "{a} {b}");
        }
        assert!(distance(&[b'x'; 100], b"float", 3) > 3);
    }

    #[test]
    fn suggests_only_what_is_near() {
        let names = ["float", "float4", "double", "uint", "int"];
        assert_eq!(nearest("flot", names.into_iter()), Some("float"));
        assert_eq!(nearest("flaot4", names.into_iter()), Some("float4"));
        assert_eq!(nearest("uint32", names.into_iter()), Some("uint"));
        assert_eq!(nearest("banana", names.into_iter()), None);
        assert_eq!(nearest("x", names.into_iter()), None);
    }
}
