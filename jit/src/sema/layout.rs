//! Layout of structs and unions: C's rules with OpenCL's sizes, `packed` and `aligned`. Pure arithmetic.

/// A member as layout sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Bytes.
    pub(super) size: u64,
    /// Alignment of its type in bytes.
    pub(super) align: u32,
    /// `__attribute__((packed))` on the member.
    pub(super) packed: bool,
    /// `__attribute__((aligned(n)))` on the member; 0 = none.
    pub(super) aligned: u32,
}

/// Attributes of a whole record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RecordAttrs {
    /// `packed`.
    pub(super) packed: bool,
    /// `aligned(n)`; 0 = none.
    pub(super) aligned: u32,
}

/// Where everything lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Bytes from the start, by member.
    pub(super) offsets: Vec<u64>,
    /// Bytes, a multiple of `align`.
    pub(super) size: u64,
    /// Bytes.
    pub(super) align: u32,
}

/// Lays out a record; `None` if it is larger than memory. Spec: OpenCL C, "Specifying Attributes of Types".
pub(super) fn layout(members: &[Member], is_union: bool, attrs: RecordAttrs) -> Option<Layout> {
    const LIMIT: u64 = 1 << 46;
    let (mut size, mut align) = (0u64, 1u32);
    let mut offsets = Vec::with_capacity(members.len());
    for member in members {
        let natural = if attrs.packed || member.packed { 1 } else { member.align.max(1) };
        let own = natural.max(member.aligned);
        align = align.max(own);
        let offset = if is_union { 0 } else { size.checked_next_multiple_of(u64::from(own))? };
        offsets.push(offset);
        size = size.max(offset.checked_add(member.size)?);
        if size > LIMIT {
            return None;
        }
    }
    align = align.max(attrs.aligned);
    let size = size.checked_next_multiple_of(u64::from(align))?;
    Some(Layout { offsets, size, align })
}

#[cfg(test)]
mod tests {
    use super::{Layout, Member, RecordAttrs, layout};

    fn member(size: u64, align: u32) -> Member {
        Member { size, align, packed: false, aligned: 0 }
    }

    #[test]
    fn follows_c() {
        let plain = RecordAttrs::default();
        let packed = RecordAttrs { packed: true, aligned: 0 };
        // (members, union, attributes) → offsets, size, align, as C compilers give them.
        type Case = (Vec<Member>, bool, RecordAttrs, Vec<u64>, u64, u32);
        let cases: [Case; 9] = [
            (vec![], false, plain, vec![], 0, 1),
            (vec![member(1, 1), member(4, 4), member(1, 1)], false, plain, vec![0, 4, 8], 12, 4),
            (vec![member(1, 1), member(8, 8), member(2, 2)], false, plain, vec![0, 8, 16], 24, 8),
            (vec![member(1, 1), member(8, 8), member(2, 2)], false, packed, vec![0, 1, 9], 11, 1),
            (vec![member(1, 1), member(16, 16)], false, plain, vec![0, 16], 32, 16),
            (vec![member(1, 1), member(8, 8)], true, plain, vec![0, 0], 8, 8),
            (vec![member(5, 1), member(4, 4)], true, packed, vec![0, 0], 5, 1),
            (vec![member(4, 4)], false, RecordAttrs { packed: false, aligned: 16 }, vec![0], 16, 16),
            (vec![member(4, 4)], false, RecordAttrs { packed: true, aligned: 2 }, vec![0], 4, 2),
        ];
        for (members, is_union, attrs, offsets, size, align) in cases {
            assert_eq!(
                layout(&members, is_union, attrs),
                Some(Layout { offsets, size, align }),
                "{members:?} {attrs:?}"
            );
        }
    }

    #[test]
    fn members_have_attributes_too() {
        let aligned = Member { aligned: 8, ..member(1, 1) };
        let packed = Member { packed: true, ..member(4, 4) };
        let got = layout(&[member(1, 1), packed, aligned], false, RecordAttrs::default());
        assert_eq!(got, Some(Layout { offsets: vec![0, 1, 8], size: 16, align: 8 }));
    }

    #[test]
    fn refuses_what_no_memory_holds() {
        assert_eq!(layout(&[member(u64::MAX, 1), member(8, 8)], false, RecordAttrs::default()), None);
    }
}
