//! Ranges and rectangles: the only place where offsets, pitches and overlaps are computed. All of it is checked.

use crate::error::{Error, Result};

/// A non-empty range of bytes inside an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// First byte.
    pub offset: usize,
    /// Bytes.
    pub size: usize,
}

impl Span {
    /// The range `offset .. offset + size` of an object of `limit` bytes.
    ///
    /// # Errors
    /// `RegionOutOfBounds` ← it is empty, wraps, or leaves the object.
    pub fn new(offset: usize, size: usize, limit: usize) -> Result<Self> {
        let fits = size > 0 && offset.checked_add(size).is_some_and(|end| end <= limit);
        ensure!(fits, Error::RegionOutOfBounds { offset, size, limit });
        Ok(Self { offset, size })
    }

    /// Whether two ranges of the same memory have a byte in common.
    pub fn overlaps(self, other: Self) -> bool {
        // Neither sum wraps: `new` checked them.
        self.offset < other.offset + other.size && other.offset < self.offset + self.size
    }
}

/// Origin and pitches of one side of a rectangular copy; pitches may be 0 for "packed".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RectSide {
    /// `[x in bytes, y in rows, z in slices]`.
    pub origin: [usize; 3],
    /// Bytes from row to row.
    pub row_pitch: usize,
    /// Bytes from slice to slice.
    pub slice_pitch: usize,
}

/// One side of a rectangular copy, resolved: where each row starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// First byte.
    pub start: usize,
    /// `[bytes, rows, slices]`, none zero.
    pub region: [usize; 3],
    /// Bytes from row to row.
    pub row_pitch: usize,
    /// Bytes from slice to slice.
    pub slice_pitch: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Rect {
    /// Resolves origin, region and pitches. Spec: OpenCL API, "Reading, Writing and Copying Buffer Objects", the
    /// rectangular commands.
    ///
    /// # Errors
    /// `RectShape` ← region has a zero, a pitch is too small or not a multiple, or something wraps.
    pub fn new(side: RectSide, region: [usize; 3]) -> Result<Self> {
        let rect = Self::spaced(side, region)?;
        let rule = "slice pitch is not 0 and is not a multiple of row pitch";
        ensure!(rect.slice_pitch.is_multiple_of(rect.row_pitch), Error::RectShape { rule });
        Ok(rect)
    }

    /// As `new`, with any slice pitch that holds the rows: the commands on images.
    ///
    /// # Errors
    /// `RectShape` ← region has a zero, a pitch is too small, or something wraps.
    pub fn spaced(side: RectSide, region: [usize; 3]) -> Result<Self> {
        let bad = |rule| Error::RectShape { rule };
        let wraps = || bad("the rectangle does not fit the address space");
        ensure!(region.iter().all(|&r| r > 0), bad("a region element is 0"));
        let row_pitch = if side.row_pitch == 0 { region[0] } else { side.row_pitch };
        ensure!(row_pitch >= region[0], bad("row pitch is not 0 and is less than region[0]"));
        let least = region[1].checked_mul(row_pitch).ok_or_else(wraps)?;
        let slice_pitch = if side.slice_pitch == 0 { least } else { side.slice_pitch };
        ensure!(slice_pitch >= least, bad("slice pitch is not 0 and is less than region[1] times row pitch"));
        let at = |x: usize, y: usize, z: usize| {
            let rows = y.checked_mul(row_pitch)?;
            z.checked_mul(slice_pitch)?.checked_add(rows)?.checked_add(x)
        };
        let [x, y, z] = side.origin;
        let start = at(x, y, z).ok_or_else(wraps)?;
        let extent = at(region[0], region[1] - 1, region[2] - 1).ok_or_else(wraps)?;
        let end = start.checked_add(extent).filter(|&end| isize::try_from(end).is_ok()).ok_or_else(wraps)?;
        Ok(Self { start, region, row_pitch, slice_pitch, end })
    }

    /// As `new`, and all of it inside an object of `limit` bytes.
    ///
    /// # Errors
    /// As `new`; `RegionOutOfBounds`.
    pub fn within(side: RectSide, region: [usize; 3], limit: usize) -> Result<Self> {
        let rect = Self::new(side, region)?;
        ensure!(rect.end <= limit, Error::RegionOutOfBounds { offset: rect.start, size: rect.end - rect.start, limit });
        Ok(rect)
    }

    /// Byte offset of row `y` of slice `z`.
    pub fn row(&self, y: usize, z: usize) -> usize {
        self.start + z * self.slice_pitch + y * self.row_pitch
    }

    /// Whether the rows lie without gaps, so that the whole is one range.
    pub fn is_packed(&self) -> bool {
        let rows_packed = self.region[1] == 1 || self.row_pitch == self.region[0];
        let slices_packed = self.region[2] == 1 || self.slice_pitch == self.region[0] * self.region[1];
        // A single row per slice with several slices: the slice pitch alone decides.
        rows_packed && slices_packed
    }

    /// The same rectangle in an object that starts `bytes` earlier; saturates, which only enlarges an overlap test.
    pub fn shifted(&self, bytes: usize) -> Self {
        Self { start: self.start.saturating_add(bytes), end: self.end.saturating_add(bytes), ..*self }
    }

    /// Bytes moved.
    pub fn size_bytes(&self) -> usize {
        self.region[0] * self.region[1] * self.region[2]
    }

    /// Whether two rectangles in the same memory with the same region have a byte in common. Exact, for pitches that
    /// agree; for others, rows are compared one by one.
    pub fn overlaps(&self, other: &Self) -> bool {
        if self.end <= other.start || other.end <= self.start {
            return false;
        }
        // Rows of both in ascending order; two sorted sequences of disjoint ranges are merged.
        let rows = |rect: &Self| {
            let rect = *rect;
            (0..rect.region[2]).flat_map(move |z| (0..rect.region[1]).map(move |y| rect.row(y, z)))
        };
        let (mut a, mut b) = (rows(self).peekable(), rows(other).peekable());
        while let (Some(&x), Some(&y)) = (a.peek(), b.peek()) {
            if x < y + other.region[0] && y < x + self.region[0] {
                return true;
            }
            if x < y {
                a.next()
            } else {
                b.next()
            };
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn side() -> impl Strategy<Value = RectSide> {
        let small = || 0usize..8;
        ([small(), small(), small()], 0usize..20, 0usize..80).prop_map(|(origin, row_pitch, slice_pitch)| RectSide {
            origin,
            row_pitch,
            slice_pitch,
        })
    }

    fn edge() -> impl Strategy<Value = usize> {
        prop_oneof![0usize..10, Just(usize::MAX), Just(usize::MAX / 2), (usize::MAX - 9)..usize::MAX]
    }

    /// All bytes of a rectangle, the plain way.
    fn bytes(rect: &Rect) -> Vec<usize> {
        let [w, h, d] = rect.region;
        let row = |y: usize, z: usize| (0..w).map(move |x| rect.start + z * rect.slice_pitch + y * rect.row_pitch + x);
        (0..d).flat_map(|z| (0..h).flat_map(move |y| row(y, z))).collect()
    }

    proptest! {
        #[test]
        fn spans_agree_with_wide_arithmetic(offset in edge(), size in edge(), limit in edge()) {
            let fits = size > 0 && offset as u128 + size as u128 <= limit as u128;
            prop_assert_eq!(Span::new(offset, size, limit).is_ok(), fits);
        }

        #[test]
        fn span_overlap_is_sharing_a_byte(a in 0usize..20, n in 1usize..9, b in 0usize..20, m in 1usize..9) {
            let (x, y) = (Span { offset: a, size: n }, Span { offset: b, size: m });
            prop_assert_eq!(x.overlaps(y), (a..a + n).any(|i| (b..b + m).contains(&i)));
        }

        #[test]
        fn rectangles_lie_between_start_and_end(side in side(), region in [0usize..6, 0usize..6, 0usize..6]) {
            if let Ok(rect) = Rect::new(side, region) {
                let all = bytes(&rect);
                prop_assert_eq!(all.first().copied(), Some(rect.start));
                prop_assert_eq!(all.iter().max().map(|m| m + 1), Some(rect.end));
                prop_assert_eq!(all.len(), rect.size_bytes());
                prop_assert_eq!(rect.is_packed(), rect.end - rect.start == all.len());
                prop_assert!(Rect::within(side, region, rect.end).is_ok());
                prop_assert!(Rect::within(side, region, rect.end - 1).is_err());
            }
        }

        #[test]
        fn rectangle_overlap_is_sharing_a_byte(
            a in side(),
            mut b in side(),
            same in any::<bool>(),
            region in [1usize..6, 1usize..4, 1usize..4],
        ) {
            if same {
                (b.row_pitch, b.slice_pitch) = (a.row_pitch, a.slice_pitch);
            }
            if let (Ok(a), Ok(b)) = (Rect::new(a, region), Rect::new(b, region)) {
                let theirs = bytes(&b);
                prop_assert_eq!(a.overlaps(&b), bytes(&a).iter().any(|i| theirs.contains(i)));
            }
        }

        #[test]
        fn nothing_wraps(
            origin in [edge(), edge(), edge()],
            row_pitch in edge(),
            slice_pitch in edge(),
            region in [edge(), edge(), edge()],
        ) {
            // Debug builds panic on overflow: getting a result at all is the test, and that the end is not before the
            // start.
            if let Ok(rect) = Rect::new(RectSide { origin, row_pitch, slice_pitch }, region) {
                prop_assert!(rect.start < rect.end);
            }
        }
    }

    #[test]
    fn pitch_rules() {
        let side = |row_pitch, slice_pitch| RectSide { origin: [0; 3], row_pitch, slice_pitch };
        let code = |s, region| Rect::new(s, region).map(|r| (r.row_pitch, r.slice_pitch)).map_err(|e| e.status());
        let invalid = Err(crate::status::Status::InvalidValue);
        assert_eq!(code(side(0, 0), [4, 3, 2]), Ok((4, 12)));
        assert_eq!(code(side(8, 0), [4, 3, 2]), Ok((8, 24)));
        assert_eq!(code(side(8, 32), [4, 3, 2]), Ok((8, 32)));
        assert_eq!(code(side(3, 0), [4, 3, 2]), invalid);
        assert_eq!(code(side(8, 20), [4, 3, 2]), invalid);
        assert_eq!(code(side(8, 25), [4, 3, 2]), invalid);
        assert_eq!(code(side(0, 0), [4, 0, 2]), invalid);
    }
}
