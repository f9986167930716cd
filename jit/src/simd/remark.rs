//! What became of loops over work-items, and of inner ones, for developers and for tests. The texts are made here and
//! nowhere else.

use std::fmt;

/// What became of one loop over work-items.
#[derive(Clone, Debug, PartialEq)]
pub struct Remark {
    /// The loop's place among the function's loops over work-items, before any was copied.
    pub item_loop: usize,
    /// The work-items that this copy is for.
    pub place: Place,
    /// What became of it.
    pub outcome: Outcome,
}

/// Work-items that a copy of a loop is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Those that no other copy is for.
    Any,
    /// Those of groups away from all edges.
    InnerGroups,
    /// Those of rows away from all edges.
    InnerRows,
    /// Turns of an innermost loop in place of work-items.
    InnerLoop,
}

/// Lanes, or why there are none.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// Work-items run in lanes.
    Lanes(InLanes),
    /// They run one after the other.
    Scalar(Reason),
}

impl Outcome {
    /// Lanes, if there are some.
    pub fn lanes(&self) -> Option<&InLanes> {
        match self {
            Self::Lanes(lanes) => Some(lanes),
            Self::Scalar(_) => None,
        }
    }
}

impl Remark {
    /// Lanes of inner loops have taken the place of those that it tells of.
    pub(super) fn give_way(&mut self) {
        if let Some(gain) = self.outcome.lanes().and_then(|lanes| lanes.gain) {
            self.outcome = Outcome::Scalar(Reason::InnerLanes(gain));
        }
    }
}

/// A loop in lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InLanes {
    /// Work-items per vector.
    pub width: u8,
    /// What the scalar loop was estimated to take, over what lanes of one register were; none where that was no
    /// question.
    pub gain: Option<f64>,
    /// The same for half as many work-items per vector, where the target has such vectors.
    pub gain_of_half: Option<f64>,
    /// What it accesses.
    pub accesses: Accesses,
    /// What runs the work-items that do not fill a vector.
    pub rest: Rest,
    /// Some gather from rows of the lanes' own, along which all lanes go equally far.
    pub walks: bool,
    /// By how much they may be slower than the estimate, as work-items go their own ways.
    pub doubt: f64,
    /// Rows of work-items that a turn takes, if they are several.
    pub rows: Option<u32>,
}

/// Accesses by kind, as code was made; later passes may do better with gathers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// One for all lanes.
    pub uniform: usize,
    /// Whole vectors, forwards or backwards.
    pub contiguous: usize,
    /// Whole vectors and shuffles.
    pub strided: usize,
    /// Gathers and scatters.
    pub gathered: usize,
    /// One lane after the other.
    pub serial: usize,
}

/// What runs work-items that do not fill a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// There are none, or the scalar loop does.
    Scalar,
    /// All vectors are under masks.
    Masks,
    /// There is one vector, under a mask.
    OneMask,
    /// One more vector does, under a mask.
    LastMask,
}

/// Why a loop stays scalar.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// Estimated gains, by number of lanes.
    WouldNotPay(Vec<(f64, u8)>),
    /// They would by this gain, but estimates are not trusted.
    InDoubt(f64),
    /// They would by this gain, but those of the loops within are better.
    InnerLanes(f64),
    /// There is none any more.
    NoLoop,
    /// It does not count work-items by one.
    DoesNotCount,
    /// There is another loop over work-items in it.
    NotInnermost,
    /// Its header has more than one way in, or round.
    ManyWays,
    /// Something leaves the group in the middle.
    LeavesGroup,
    /// Something leaves the loop before its end.
    LeavesLoop,
    /// A cycle has more than one entry.
    Irreducible,
    /// A switch has too many cases to be branches.
    LargeSwitch,
    /// The way to the loop hands over addresses of private memory.
    PrivateAddresses,
    /// A copy of the private arrays for each lane takes too much.
    LargePrivate,
    /// A reduction has a fixed number of columns.
    FewColumns,
    /// A value goes from work-item to work-item in no way that lanes can follow.
    Carried,
    /// Work-items may wait for each other.
    MayWait,
    /// A function that is called is not known to be pure: work-items could wait for each other in it.
    Call,
    /// Lanes would run one after the other.
    OneByOne,
    /// It has more instructions than the code generator takes before there are any lanes.
    Large,
    /// The code generator refused: its message.
    Refused(String),
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.place {
            Place::Any => "",
            Place::InnerGroups => "inner groups, ",
            Place::InnerRows => "inner rows, ",
            Place::InnerLoop => "",
        };
        let kind = if self.place == Place::InnerLoop { "inner" } else { "work-item" };
        match &self.outcome {
            Outcome::Scalar(why) => write!(f, "{kind} loop {}: scalar: {place}{why}", self.item_loop),
            Outcome::Lanes(lanes) => {
                write!(f, "{kind} loop {}: {} lanes: {place}{lanes}", self.item_loop, lanes.width)
            }
        }
    }
}

impl fmt::Display for InLanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Accesses { uniform, contiguous, strided, gathered, serial } = self.accesses;
        let rest = match self.rest {
            Rest::Scalar => "",
            Rest::Masks => ", under masks",
            Rest::OneMask => ", under a mask",
            Rest::LastMask => ", the last under a mask",
        };
        write!(f, "{uniform} uniform, {contiguous} contiguous, {strided} strided, {gathered} gathered, ")?;
        write!(f, "{serial} lane by lane{rest}")?;
        self.rows.map_or(Ok(()), |n| write!(f, ", {n} rows at once"))?;
        self.gain.map_or(Ok(()), |gain| write!(f, ", estimated gain {gain:.1}"))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WouldNotPay(gains) => {
                let gains: Vec<String> = gains.iter().map(|(gain, n)| format!("{gain:.2} with {n} lanes")).collect();
                return write!(f, "lanes would not pay (estimated gain {})", gains.join(", "));
            }
            Self::InDoubt(gain) => return write!(f, "lanes are in doubt (estimated gain {gain:.2})"),
            Self::InnerLanes(gain) => {
                return write!(
                    f,
                    "lanes of inner loops are better (estimated gain {gain:.2} with lanes of work-items)"
                );
            }
            Self::Refused(message) => message,
            Self::NoLoop => "not a loop",
            Self::DoesNotCount => "the loop over work-items does not count",
            Self::NotInnermost => "not the innermost loop over work-items",
            Self::ManyWays => "more than one way in or round",
            Self::LeavesGroup => "a way out of the group in the middle",
            Self::LeavesLoop => "a way out of the loop before its end",
            Self::Irreducible => "irreducible control flow",
            Self::LargeSwitch => "a large switch",
            Self::PrivateAddresses => "addresses of private memory on the way to the loop",
            Self::LargePrivate => "large private arrays",
            Self::FewColumns => "more lanes than columns of a reduction",
            Self::Carried => "a value goes from work-item to work-item",
            Self::MayWait => "work-items may wait for each other",
            Self::Call => "a function that is called has effects, or is not known to have none",
            Self::Large => "too large for wide code",
            Self::OneByOne => "lanes one by one",
        })
    }
}
