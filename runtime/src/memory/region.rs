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
        let bad = |rule| Error::RectShape { rule };
        let wraps = || bad("the rectangle does not fit the address space");
        ensure!(region.iter().all(|&r| r > 0), bad("a region element is 0"));
        let row_pitch = if side.row_pitch == 0 { region[0] } else { side.row_pitch };
        ensure!(row_pitch >= region[0], bad("row pitch is not 0 and is less than region[0]"));
        let least = region[1].checked_mul(row_pitch).ok_or_else(wraps)?;
        let slice_pitch = if side.slice_pitch == 0 { least } else { side.slice_pitch };
        ensure!(slice_pitch >= least, bad("slice pitch is not 0 and is less than region[1] times row pitch"));
        ensure!(slice_pitch.is_multiple_of(row_pitch), bad("slice pitch is not 0 and is not a multiple of row pitch"));
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
