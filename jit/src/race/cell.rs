//! What the shadow knows of four bytes of memory, in 64 bits, and what one more access makes of that.
//!
//! As FastTrack (Flanagan and Freund, 2009) has it, an *epoch* in place of a vector clock tells who came last: here the
//! **segment**, which is one work-group between two of its barriers. Work-items of one segment are not ordered,
//! segments of one group are, those of different groups are not. So it is enough to know of the last segment which
//! bytes it read and wrote and which work-item did, of the segments of its group before that which bytes they read and
//! wrote, and of memory that is only read, that several did.
//!
//! ```text
//! bits 0..24   segment                       bits 52..56  bytes that the group wrote, in any of its segments
//! bits 24..36  work-item                     bits 56..60  bytes that the group read
//! bits 36..44  site (`short_site`)           bits 60..62  whose bytes they are: `Mode`
//! bits 44..48  bytes written in the segment  bit  62      several groups have accessed it
//! bits 48..52  bytes read in the segment     bit  63      by atomic operations only
//! ```
//! Where nothing was written, bits 44..48 are free and hold, of several readers, how far the second one is from the
//! first (0: far, or it did something else, see `one_more_reader`); and bits 44..56, where several groups read, how far
//! the second group is from the first.
//!
//! Where the four bytes belong to work-items in an order that has no name here, such as bytes that a permutation
//! scatters, the last one is kept, writers before readers: a race with one of the others may be missed, and nothing is
//! reported that is none. Must not know where cells lie, nor launches.

/// Bits of a segment's number.
pub const SEGMENT_BITS: u32 = 24;
/// Bits of a work-item's number.
pub const ITEM_BITS: u32 = 12;

/// Numbers that sites have in a cell.
pub const SITES: u16 = 255;
/// The bytes were accessed at several sites.
const SEVERAL: u8 = 255;

const SEGMENT: u64 = (1 << SEGMENT_BITS) - 1;
const ITEM_AT: u32 = 24;
const ITEM: u64 = (1 << ITEM_BITS) - 1;
const SITE_AT: u32 = 36;
const WRITTEN_AT: u32 = 44;
const READ_AT: u32 = 48;
const EVER_WRITTEN_AT: u32 = 52;
const EVER_READ_AT: u32 = 56;
const MODE_AT: u32 = 60;
const SHARED: u64 = 1 << 62;
const ATOMIC: u64 = 1 << 63;
/// Everything but sites and bytes: equal in the cells of one work-item's plain accesses in a segment.
const OWNER: u64 = SEGMENT | ITEM << ITEM_AT | 3 << MODE_AT | SHARED | ATOMIC;

/// A site's number in a cell.
pub fn short_site(site: u16) -> u8 {
    (site % SITES) as u8
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Writes (and perhaps reads, too).
    pub writes: bool,
    /// Is an atomic operation.
    pub atomic: bool,
}

/// An access to some of a cell's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The work-item's number in its group.
    pub item: u16,
    /// The bytes.
    pub bytes: u8,
    /// What it does.
    pub kind: Kind,
    /// Where in the program (`short_site`).
    pub site: u8,
}

/// How the segment of a cell's last access lies to the one that accesses it now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// It is of another time, or ordered before by something else than barriers: of no interest.
    Past,
    /// The same.
    Same,
    /// An earlier one of the group.
    Earlier,
    /// An earlier one, all of which the group has released.
    Released,
    /// One of another group.
    Other,
}

/// Whose bytes those of a cell's segment are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The work-item's.
    One = 0,
    /// Byte b is that of the work-item plus b.
    Bytes = 1,
    /// Byte b is that of the work-item plus b / 2.
    Halves = 2,
    /// Of several, which read them or did atomic operations; the work-item is one of them.
    Many = 3,
}

/// The access that came before and is not ordered with this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clash {
    /// Its segment, or that of its group's last access.
    pub segment: u32,
    /// The group is this far from the segment's.
    pub distance: Option<i32>,
    /// The work-item, if that is still known.
    pub item: Option<u16>,
    /// The site (`short_site`), likewise.
    pub site: Option<u8>,
    /// What it did.
    pub kind: Kind,
    /// It was in that segment; else at any time of its group up to there.
    pub in_segment: bool,
}

/// The shadow of four bytes. Zero: nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cell(pub u64);

impl Cell {
    /// After one access and nothing else.
    pub fn fresh(access: Access, segment: u32) -> Self {
        let Access { item, bytes, kind, site } = access;
        let (segment_at, ever_at) = if kind.writes { (WRITTEN_AT, EVER_WRITTEN_AT) } else { (READ_AT, EVER_READ_AT) };
        let bytes = u64::from(bytes);
        let flags = if kind.atomic { ATOMIC } else { 0 };
        let names = u64::from(segment) & SEGMENT | (u64::from(item) & ITEM) << ITEM_AT | u64::from(site) << SITE_AT;
        Self(names | bytes << segment_at | bytes << ever_at | flags)
    }

    /// The same access by the work-item with this number.
    #[inline]
    pub fn by(self, item: u64) -> Self {
        Self(self.0 & !(ITEM << ITEM_AT) | (item & ITEM) << ITEM_AT)
    }

    /// Of accesses to all four bytes: by as many work-items side by side as elements of so many bytes fit, the first of
    /// which has this number.
    #[inline]
    pub fn of_elements(self, bytes: u32) -> Self {
        let mode = match bytes {
            1 => Mode::Bytes,
            2 => Mode::Halves,
            _ => Mode::One,
        };
        self.set(MODE_AT, 2, mode as u64)
    }

    /// Bytes on which an access of this kind by another group races with what this knows.
    #[inline]
    pub fn bytes_against(self, kind: Kind) -> u8 {
        self.ever_written() | if kind.writes { self.ever_read() } else { 0 }
    }

    /// What becomes of this in the ways that most accesses take: what came before is past (of a segment below `first`),
    /// or was a plain access by the same work-items in this segment, or all that is read is read by many. Nothing in
    /// other ways; `fresh` is what is left of this plain access, to these bytes, alone.
    #[inline]
    pub fn quick(self, fresh: Self, access: Access, first: u32, segment: u32) -> Option<Self> {
        if self.segment() < first {
            return Some(fresh);
        }
        let reads_on = || !access.kind.writes && self.is_read_by_many(access.bytes, segment);
        self.again(fresh).or_else(|| reads_on().then_some(self))
    }

    /// The segment of the last access.
    pub fn segment(self) -> u32 {
        (self.0 & SEGMENT) as u32
    }

    /// One more access by the work-item that alone has accessed the bytes in this segment, by plain accesses, as
    /// `fresh` is after this one only; nothing if that is not so.
    #[inline]
    fn again(self, fresh: Self) -> Option<Self> {
        if (self.0 ^ fresh.0) & OWNER != 0 {
            return None;
        }
        Some(self.with(fresh))
    }

    /// With the bytes of another cell. The site is that of the writes, if there are any, else that of the reads: the
    /// last one's if it went to all of the bytes.
    #[inline]
    fn with(self, fresh: Self) -> Self {
        const SITE: u64 = 0xff << SITE_AT;
        let (before, after) = match fresh.written() {
            0 if self.written() != 0 => (0, 0),
            0 => (self.read(), fresh.read()),
            after => (self.written(), after),
        };
        let site = match () {
            () if after == 0 => self.0 & SITE,
            () if before & !after == 0 || self.site() == fresh.site() => fresh.0 & SITE,
            () => u64::from(SEVERAL) << SITE_AT,
        };
        Self((self.0 | fresh.0) & !SITE | site)
    }

    /// True if these bytes are read by several groups, or in this segment by several work-items: one more read changes
    /// nothing.
    #[inline]
    fn is_read_by_many(self, bytes: u8, segment: u32) -> bool {
        let all = u64::from(bytes);
        let plain = self.0 & ATOMIC == 0 && self.0 >> EVER_READ_AT & all == all;
        let many = || self.mode() == Mode::Many && self.segment() == segment && self.read() & bytes == bytes;
        plain && (self.is_shared() || many())
    }

    fn field(self, at: u32) -> u8 {
        (self.0 >> at & 15) as u8
    }
    fn item(self) -> u16 {
        (self.0 >> ITEM_AT & ITEM) as u16
    }
    fn site(self) -> u8 {
        (self.0 >> SITE_AT) as u8
    }
    /// The site, if it is that of all bytes.
    fn only_site(self) -> Option<u8> {
        (self.site() != SEVERAL).then(|| self.site())
    }
    fn is_atomic(self) -> bool {
        self.0 & ATOMIC != 0
    }
    fn is_shared(self) -> bool {
        self.0 & SHARED != 0
    }
    fn mode(self) -> Mode {
        [Mode::One, Mode::Bytes, Mode::Halves, Mode::Many][(self.0 >> MODE_AT & 3) as usize]
    }
    /// Bytes written in the segment.
    fn written(self) -> u8 {
        let is_free = !self.is_atomic() && (self.is_shared() || self.mode() == Mode::Many);
        if is_free { 0 } else { self.field(WRITTEN_AT) }
    }
    /// Bytes read in the segment.
    fn read(self) -> u8 {
        if self.is_shared() && !self.is_atomic() { 0 } else { self.field(READ_AT) }
    }
    /// Bytes that the group wrote.
    fn ever_written(self) -> u8 {
        if self.is_shared() && !self.is_atomic() { 0 } else { self.field(EVER_WRITTEN_AT) }
    }
    /// Bytes that the group, or several, read.
    fn ever_read(self) -> u8 {
        self.field(EVER_READ_AT)
    }

    fn set(self, at: u32, bits: u32, value: u64) -> Self {
        let mask = (1u64 << bits) - 1;
        Self(self.0 & !(mask << at) | (value & mask) << at)
    }
    /// The group read, or wrote, more bytes.
    fn ever(self, access: Access) -> Self {
        let at = if access.kind.writes { EVER_WRITTEN_AT } else { EVER_READ_AT };
        Self(self.0 | u64::from(access.bytes) << at)
    }
    /// With what another cell knows of the whole time of the group; atomic operations of that time are forgotten where
    /// plain accesses follow.
    fn history(self, of: Self) -> Self {
        if of.is_atomic() && !self.is_atomic() {
            return self;
        }
        Self(self.0 | u64::from(of.ever_written()) << EVER_WRITTEN_AT | u64::from(of.ever_read()) << EVER_READ_AT)
    }

    /// The work-item to which a byte of the segment belongs.
    fn owner(self, byte: u32) -> u16 {
        let offset = match self.mode() {
            Mode::One | Mode::Many => 0,
            Mode::Bytes => byte,
            Mode::Halves => byte / 2,
        };
        (u32::from(self.item()) + offset) as u16 & ITEM as u16
    }

    /// The cell after an access, and the access before it with which it races, if there is one.
    pub fn step(self, access: Access, segment: u32, relation: Relation) -> (Self, Option<Clash>) {
        let fresh = Self::fresh(access, segment);
        match relation {
            Relation::Same | Relation::Earlier | Relation::Released if self.is_shared() => self.shared(access, fresh),
            Relation::Past | Relation::Released => (fresh, None),
            Relation::Same => self.same_segment(access, fresh),
            Relation::Earlier => (fresh.history(self), None),
            Relation::Other => self.other_group(access, fresh),
        }
    }

    /// Of memory that several groups have accessed, this one among them.
    fn shared(self, access: Access, fresh: Self) -> (Self, Option<Clash>) {
        if self.is_atomic() && access.kind.atomic {
            return (self, None);
        }
        let before = self.bytes_against(access.kind);
        if access.bytes & before == 0 {
            // Bytes of others, or one more reader.
            return (if access.kind.writes { fresh } else { self }, None);
        }
        let distance = if self.is_atomic() { 0 } else { signed(self.0 >> WRITTEN_AT, 12) };
        let clash = Clash { item: None, site: None, distance: Some(distance), ..self.of_group(access) };
        (fresh, Some(clash))
    }

    fn other_group(self, access: Access, fresh: Self) -> (Self, Option<Clash>) {
        if self.is_atomic() && access.kind.atomic {
            let this = self.both_atomic(access, fresh, false);
            let several = self.ever_written() != 0 && access.kind.writes;
            return (if several { Self(this.0 | SHARED) } else { this }, None);
        }
        let before = self.bytes_against(access.kind);
        if access.bytes & before != 0 {
            return (fresh, Some(self.of_group(access)));
        }
        if self.is_read_by_groups() && !access.kind.writes {
            return (self, None);
        }
        let both = access.bytes & self.ever_read();
        let is_other = both & self.read() == 0;
        if is_other || access.kind.writes || self.ever_written() != 0 || self.is_atomic() || access.kind.atomic {
            // Bytes that this access does not touch, or not all read: the last one counts.
            return (fresh, None);
        }
        let first = self.owner((both & self.read()).trailing_zeros());
        let one = Self(self.0 | SHARED).set(MODE_AT, 2, 0).set(ITEM_AT, ITEM_BITS, first.into());
        (one.set(WRITTEN_AT, 12, 0).set(EVER_READ_AT, 4, both.into()), None)
    }

    /// After `step` made this of the reads of two groups, or of two work-items that are near each other: keeps how far
    /// the second group is from the first.
    pub fn set_distance(self, groups: i64) -> Self {
        let is_near = (-2048..2048).contains(&groups);
        if is_near && self.is_shared() && !self.is_atomic() { self.set(WRITTEN_AT, 12, groups as u64) } else { self }
    }

    /// True if several groups have read this, and nobody has written it.
    pub fn is_read_by_groups(self) -> bool {
        self.is_shared() && !self.is_atomic()
    }

    fn same_segment(self, access: Access, fresh: Self) -> (Self, Option<Clash>) {
        let Access { item, bytes, kind, .. } = access;
        let touched = self.written() | self.read();
        let both = bytes & touched;
        let mut owners = (0..4).filter(|b| both >> b & 1 != 0).map(|b| self.owner(b));
        let is_own = self.mode() != Mode::Many && owners.all(|owner| owner == item);
        if self.is_atomic() && kind.atomic {
            return (self.both_atomic(access, fresh, self.item() == item && self.mode() == Mode::One), None);
        }
        let before = self.written() | if kind.writes { self.read() } else { 0 };
        let is_race = bytes & before != 0 && !is_own;
        if is_race && let Some(clash) = self.race_with(item, bytes & before) {
            return (fresh.history(self), Some(clash));
        }
        if self.mode() == Mode::Many {
            return match kind.writes {
                true => (fresh.history(self), None),
                false => (self.one_more_reader(access), None),
            };
        }
        if bytes & touched != 0 && !is_own {
            // Read by both.
            return (self.two_readers(access, bytes & touched), None);
        }
        (self.more_bytes(access, fresh).unwrap_or_else(|| self.last_one(access, fresh)), None)
    }

    /// The work-item other than this one that accessed one of some bytes in the segment.
    fn race_with(self, item: u16, bytes: u8) -> Option<Clash> {
        let other = (0..4).find(|&b| bytes >> b & 1 != 0 && self.owner(b) != item);
        if self.mode() != Mode::Many {
            return other.map(|b| self.in_segment(1 << b));
        }
        let other = other.map(|b| self.owner(b));
        let second = if self.is_atomic() { 0 } else { signed(self.0 >> WRITTEN_AT, 4) };
        let second = (second != 0).then(|| (i32::from(self.item()) + second) as u16 & ITEM as u16);
        // Where somebody else did it is not known.
        let (item, clash) = (other.or(second), self.in_segment(bytes));
        Some(Clash { item, site: clash.site.filter(|_| item.is_some()), ..clash })
    }

    /// More bytes of one work-item, or of work-items side by side; nothing if they are neither.
    fn more_bytes(self, access: Access, fresh: Self) -> Option<Self> {
        let touched = self.written() | self.read();
        let of = |mode: Mode| Self(0).set(ITEM_AT, ITEM_BITS, self.item().into()).set(MODE_AT, 2, mode as u64);
        let fits = |cell: Self| (0..4).all(|b| access.bytes >> b & 1 == 0 || cell.owner(b) == access.item);
        let keep = |this: Self| {
            let sum = this.with(fresh).set(ITEM_AT, ITEM_BITS, this.item().into());
            sum.set(MODE_AT, 2, this.mode() as u64)
        };
        if self.is_atomic() != access.kind.atomic {
            return None;
        }
        if fits(of(self.mode())) {
            return Some(keep(self));
        }
        // Two neighbours, each with an element of one size.
        let mode = match (touched.count_ones(), access.bytes.count_ones()) {
            _ if self.mode() != Mode::One || self.is_atomic() => return None,
            (1, 1) => Mode::Bytes,
            (2, 2) if matches!(touched, 3 | 12) && matches!(access.bytes, 3 | 12) => Mode::Halves,
            _ => return None,
        };
        let element = touched.trailing_zeros() / if mode == Mode::Bytes { 1 } else { 2 };
        let base = (u32::from(self.item()).wrapping_sub(element)) as u16 & ITEM as u16;
        let apart = self.set(ITEM_AT, ITEM_BITS, base.into()).set(MODE_AT, 2, mode as u64);
        fits(apart).then(|| keep(apart))
    }

    /// Of accesses that fit into no cell: the last one, unless that would hide a write. Plain and atomic ones do not
    /// fit together: of one work-item's write and its atomic operation the write counts, with which all others' race.
    fn last_one(self, access: Access, fresh: Self) -> Self {
        if access.kind.atomic && !self.is_atomic() && access.bytes & !self.written() == 0 {
            return self;
        }
        match access.kind.writes || self.written() == 0 {
            true => fresh.history(self),
            false if self.is_atomic() && !access.kind.atomic => self,
            false => self.ever(access),
        }
    }

    /// Of two atomic operations, the second of which another has done unless `is_own`: who wrote is kept, and whether
    /// others did, but of those that only loaded the first.
    fn both_atomic(self, access: Access, fresh: Self, is_own: bool) -> Self {
        match (self.ever_written() != 0, access.kind.writes) {
            _ if is_own => self.with(fresh),
            (true, true) => self.ever(access).set(MODE_AT, 2, Mode::Many as u64),
            (false, true) => fresh,
            (_, false) => self,
        }
    }

    fn two_readers(self, access: Access, bytes: u8) -> Self {
        if self.written() != 0 || self.is_atomic() || access.kind.atomic {
            return self.ever(access);
        }
        let first = self.owner(bytes.trailing_zeros());
        let this = self.set(ITEM_AT, ITEM_BITS, first.into()).set(MODE_AT, 2, Mode::Many as u64);
        let this = this.set(READ_AT, 4, bytes.into()).set(WRITTEN_AT, 4, 0);
        this.one_more_reader(access)
    }

    /// Keeps how far this reader is from the first if no second one is known, and if this is a plain read at the same
    /// site, of all bytes that two are known to have read: so what is kept of the first is true of it.
    fn one_more_reader(self, access: Access) -> Self {
        if self.is_atomic() {
            // Atomic operations of others on bytes that this access does not touch.
            return self.ever(access);
        }
        let this = self.ever(access);
        let far = i32::from(access.item) - i32::from(self.item());
        let is_new = signed(self.0 >> WRITTEN_AT, 4) == 0 && far != 0 && (-8..8).contains(&far);
        let is_same = access.site == self.site() && !access.kind.atomic && self.read() & !access.bytes == 0;
        if is_new && is_same { this.set(WRITTEN_AT, 4, far as u64) } else { this }
    }

    /// What the segment did to some bytes: that it wrote them, if it did.
    fn in_segment(self, bytes: u8) -> Clash {
        let written = bytes & self.written();
        let of = if written != 0 { written } else { bytes & self.read() };
        let item = self.owner(of.trailing_zeros() & 3);
        let kind = Kind { writes: written != 0, atomic: self.is_atomic() };
        // The last access may have been one of several kinds.
        let site = self.only_site().filter(|_| self.written() == 0 || written != 0);
        Clash { segment: self.segment(), distance: None, item: Some(item), site, kind, in_segment: true }
    }

    /// What the last access's group did to bytes that an access touches.
    fn of_group(self, access: Access) -> Clash {
        let bytes = access.bytes & (self.written() | if access.kind.writes { self.read() } else { 0 });
        if bytes != 0 && self.mode() != Mode::Many {
            return self.in_segment(bytes);
        }
        let writes = access.bytes & self.ever_written() != 0;
        // One of those who read it, if it was the whole.
        let is_first = self.is_read_by_groups() && access.bytes == 15;
        let item = is_first.then(|| self.item());
        let site = self.only_site().filter(|_| is_first);
        let kind = Kind { writes, atomic: self.is_atomic() };
        Clash { segment: self.segment(), distance: None, item, site, kind, in_segment: bytes != 0 && !self.is_shared() }
    }
}

/// The low bits as a signed number.
fn signed(bits: u64, n: u32) -> i32 {
    ((bits << (64 - n)) as i64 >> (64 - n)) as i32
}
