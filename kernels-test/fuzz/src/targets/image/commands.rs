//! Commands on regions of images, the codes that they must return, and the texels that they must leave.

use super::super::choices::Choices;
use super::super::common::*;
use super::{BUFFER_BYTES, Fixture, Image};

/// Bytes of the host's side of a command; regions that need more are not asked for.
const SIDE: usize = 1 << 16;

/// Origin and region, and what the rules say of them.
struct Region {
    origin: [usize; 4],
    region: [usize; 3],
    /// Of the first level, inside of it.
    is_first: bool,
    /// 0, or the code for it.
    code: i32,
}

/// All of an image.
fn all(image: &Image) -> Region {
    Region { origin: [0; 4], region: image.extent(0), is_first: true, code: 0 }
}

fn region(choices: &mut Choices<'_>, image: &Image) -> Region {
    let extent = image.extent(0);
    let mut number = |most: usize, least: usize| match choices.below(256) {
        0 => 0,
        255 => usize::MAX,
        254 => most + 1,
        n => least + n % most.min(64),
    };
    let mut origin = [0, 1, 2, 3].map(|i: usize| number(extent.get(i).map_or(2, |&size| size), 0));
    let region = [0, 1, 2].map(|i: usize| number(extent[i], 1));
    let said = origin;
    let level = image.level(&mut origin);
    let is_level = level < image.desc.num_mip_levels.max(1) as usize;
    let fits = is_level && {
        let extent = image.extent(level as u32);
        (0..3).all(|i| region[i] != 0 && origin[i].checked_add(region[i]).is_some_and(|end| end <= extent[i]))
    };
    let code = match (is_level, fits) {
        (false, _) => cl::CL_INVALID_MIP_LEVEL,
        (_, false) => cl::CL_INVALID_VALUE,
        _ => 0,
    };
    Region { origin: said, region, is_first: level == 0, code }
}

/// Places of the texels of a region in the array of the image, a row at a time: where it begins, and its bytes.
fn rows(image: &Image, at: &Region) -> Vec<(usize, usize)> {
    let ([width, height, _], element) = (image.extent(0), image.element());
    let mut origin = at.origin;
    image.level(&mut origin);
    let mut rows = Vec::new();
    for z in origin[2]..origin[2] + at.region[2] {
        for y in origin[1]..origin[1] + at.region[1] {
            rows.push((((z * height + y) * width + origin[0]) * element, at.region[0] * element));
        }
    }
    rows
}

/// Bytes of a region in one piece, or none if they are too many.
fn packed(image: &Image, at: &Region) -> Option<usize> {
    let bytes = at.region.iter().try_fold(image.element(), |bytes, &n| bytes.checked_mul(n))?;
    (bytes <= SIDE).then_some(bytes)
}

/// Makes the first level zero, and begins to follow what is there.
pub fn clear(fixture: &Fixture, image: &mut Image) {
    let bytes = packed(image, &all(image)).expect("the image is small");
    image.texels = Some(vec![0; bytes]);
    fill(fixture, image, &all(image), [0; 4], 0);
    check(fixture, image);
}

/// One command.
pub fn one(fixture: &Fixture, choices: &mut Choices<'_>, images: &mut [Image]) {
    let at = choices.below(images.len());
    let part = region(choices, &images[at]);
    match choices.below(6) {
        0 => {
            let colour = std::array::from_fn(|_| choices.below(256) as u32 * 0x0101_0101);
            fill(fixture, &mut images[at], &part, colour, part.code);
        }
        1 => write(fixture, choices, &mut images[at], &part),
        2 => read(fixture, choices, &images[at], &part),
        3 => {
            let to = choices.below(images.len());
            let to_part = region(choices, &images[to]);
            copy(fixture, images, (at, &part), (to, to_part));
        }
        4 => through_buffer(fixture, choices, &mut images[at], &part),
        _ => map(fixture, choices, &images[at], &part),
    }
    check(fixture, &images[at]);
}

/// All texels are what the array says, if the host may read them.
fn check(fixture: &Fixture, image: &Image) {
    let (Some(want), true) = (&image.texels, may_read(image)) else { return };
    let (got, whole) = (fetch(fixture, image, &all(image)), all(image));
    if got != *want {
        let at = got.iter().zip(want).position(|(a, b)| a != b);
        panic!(
            "byte {at:?} of an image of {:?} differs: {} instead of {}",
            whole.region,
            got[at.unwrap()],
            want[at.unwrap()]
        );
    }
}

fn may_read(image: &Image) -> bool {
    image.flags & (cl::CL_MEM_HOST_WRITE_ONLY | cl::CL_MEM_HOST_NO_ACCESS) == 0
}

fn may_write(image: &Image) -> bool {
    image.flags & (cl::CL_MEM_HOST_READ_ONLY | cl::CL_MEM_HOST_NO_ACCESS) == 0
}

/// The bytes of a good region.
fn fetch(fixture: &Fixture, image: &Image, at: &Region) -> Vec<u8> {
    let mut bytes = vec![0u8; packed(image, at).expect("small")];
    let (origin, size, to) = (at.origin.as_ptr(), at.region.as_ptr(), bytes.as_mut_ptr().cast());
    // SAFETY: there is room for the region.
    let code = unsafe {
        clEnqueueReadImage(fixture.world.queue, image.handle, 1, origin, size, 0, 0, to, 0, null(), null_mut())
    };
    assert_eq!(code, 0, "a region is read: {:?} {:?}", at.origin, at.region);
    bytes
}

fn fill(fixture: &Fixture, image: &mut Image, at: &Region, colour: [u32; 4], want: i32) {
    if want == 0 && packed(image, at).is_none() {
        return;
    }
    let (origin, size, colour) = (at.origin.as_ptr(), at.region.as_ptr(), colour.as_ptr().cast());
    // SAFETY: pointers are valid.
    let code =
        unsafe { clEnqueueFillImage(fixture.world.queue, image.handle, colour, origin, size, 0, null(), null_mut()) };
    assert_eq!(code, want, "fill {:?} {:?}", at.origin, at.region);
    if code != 0 || !at.is_first || image.texels.is_none() {
        return;
    }
    if !may_read(image) {
        image.texels = None;
        return;
    }
    // All texels are what the first one is.
    let texel = fetch(fixture, image, &Region { region: [1; 3], ..*at });
    let rows = rows(image, at);
    let texels = image.texels.as_mut().expect("looked at");
    for (start, bytes) in rows {
        texels[start..start + bytes].chunks_mut(texel.len()).for_each(|chunk| chunk.copy_from_slice(&texel));
    }
}

/// Pitches of the host's side, and the code for them.
fn pitches(choices: &mut Choices<'_>, image: &Image, at: &Region) -> ([usize; 2], i32) {
    let row_bytes = at.region[0].wrapping_mul(image.element());
    let row = match choices.below(8) {
        0..5 => 0,
        5 => row_bytes,
        6 => row_bytes.wrapping_add(image.element()),
        _ => row_bytes.wrapping_sub(1),
    };
    let has_slices = [cl::CL_MEM_OBJECT_IMAGE2D_ARRAY, cl::CL_MEM_OBJECT_IMAGE3D].contains(&image.desc.image_type);
    let rows = if row == 0 { row_bytes } else { row };
    let slice_bytes = rows.wrapping_mul(at.region[1]);
    let is_line = image.desc.image_type == cl::CL_MEM_OBJECT_IMAGE1D_ARRAY;
    let slice = match choices.below(8) {
        _ if is_line => 0,
        0..6 => 0,
        6 => slice_bytes,
        _ => slice_bytes.wrapping_sub(1),
    };
    let is_bad = row != 0 && row < row_bytes || slice != 0 && (!has_slices || slice < slice_bytes);
    ([row, slice], if is_bad { cl::CL_INVALID_VALUE } else { 0 })
}

/// Whether the host's side has room for a region with these pitches.
fn has_room(at: &Region, [row, slice]: [usize; 2], image: &Image) -> bool {
    let row_bytes = at.region[0].checked_mul(image.element());
    let slice_bytes = row_bytes.and_then(|bytes| bytes.max(row).checked_mul(at.region[1]));
    slice_bytes.and_then(|bytes| bytes.max(slice).checked_mul(at.region[2])).is_some_and(|bytes| bytes <= SIDE)
}

/// `code` is 0 if nothing is wrong, else one of what is.
fn judge(what: &str, code: i32, wrong: &[i32], at: &Region) {
    let wrong: Vec<i32> = wrong.iter().copied().filter(|&code| code != 0).collect();
    let is_right = if wrong.is_empty() { code == 0 } else { wrong.contains(&code) };
    assert!(is_right, "{what} {:?} {:?} says {code}, not one of {wrong:?}", at.origin, at.region);
}

/// Where the rows of a region lie on the host's side, with the pitches that were said.
fn host_rows(image: &Image, at: &Region, [row, slice]: [usize; 2]) -> Vec<usize> {
    let row = if row == 0 { at.region[0] * image.element() } else { row };
    let slice = if slice == 0 { row * at.region[1] } else { slice };
    (0..at.region[2]).flat_map(|z| (0..at.region[1]).map(move |y| z * slice + y * row)).collect()
}

fn write(fixture: &Fixture, choices: &mut Choices<'_>, image: &mut Image, at: &Region) {
    let (pitch, bad_pitch) = pitches(choices, image, at);
    let refused = if may_write(image) { 0 } else { cl::CL_INVALID_OPERATION };
    if !has_room(at, pitch, image) && at.code == 0 {
        return;
    }
    let first = choices.below(256) as u8;
    let bytes: Vec<u8> = (0..SIDE).map(|i| first.wrapping_add((i as u8).wrapping_mul(7))).collect();
    let (origin, size, from) = (at.origin.as_ptr(), at.region.as_ptr(), bytes.as_ptr().cast());
    let (queue, none) = (fixture.world.queue, null_mut());
    // SAFETY: the host's side has room, and the call ends with the command.
    let code =
        unsafe { clEnqueueWriteImage(queue, image.handle, 1, origin, size, pitch[0], pitch[1], from, 0, null(), none) };
    judge("write", code, &[at.code, bad_pitch, refused], at);
    if code == 0 && at.is_first {
        let places = rows(image, at);
        let sources = host_rows(image, at, pitch);
        let Some(texels) = &mut image.texels else { return };
        for ((start, length), source) in places.into_iter().zip(sources) {
            texels[start..start + length].copy_from_slice(&bytes[source..source + length]);
        }
    }
}

fn read(fixture: &Fixture, choices: &mut Choices<'_>, image: &Image, at: &Region) {
    let (pitch, bad_pitch) = pitches(choices, image, at);
    let refused = if may_read(image) { 0 } else { cl::CL_INVALID_OPERATION };
    if !has_room(at, pitch, image) && at.code == 0 {
        return;
    }
    let mut bytes = vec![0x5au8; SIDE];
    let (origin, size, to) = (at.origin.as_ptr(), at.region.as_ptr(), bytes.as_mut_ptr().cast());
    let (queue, none) = (fixture.world.queue, null_mut());
    // SAFETY: the host's side has room, and the call ends with the command.
    let code =
        unsafe { clEnqueueReadImage(queue, image.handle, 1, origin, size, pitch[0], pitch[1], to, 0, null(), none) };
    judge("read", code, &[at.code, bad_pitch, refused], at);
    if let (0, true, Some(texels)) = (code, at.is_first, &image.texels) {
        for ((start, length), to) in rows(image, at).into_iter().zip(host_rows(image, at, pitch)) {
            assert_eq!(bytes[to..to + length], texels[start..start + length], "a row that was read");
        }
    }
}

/// Copies from one image to another, or inside of one.
fn copy(fixture: &Fixture, images: &mut [Image], (from, part): (usize, &Region), (to, to_part): (usize, Region)) {
    let to_part = Region { region: part.region, ..to_part };
    let (source, target) = (&images[from], &images[to]);
    let mut origin = to_part.origin;
    let level = target.level(&mut origin);
    let is_level = level < target.desc.num_mip_levels.max(1) as usize;
    let extent = target.extent(if is_level { level as u32 } else { 0 });
    let fits = (0..3)
        .all(|i| part.region[i] != 0 && origin[i].checked_add(part.region[i]).is_some_and(|end| end <= extent[i]));
    let mut source_origin = part.origin;
    let source_level = source.level(&mut source_origin);
    let is_apart = |i: usize| {
        source_origin[i].saturating_add(part.region[i]) <= origin[i]
            || origin[i].saturating_add(part.region[i]) <= source_origin[i]
    };
    let overlaps = from == to && source_level == level && !(0..3).any(is_apart);
    let wrong = [
        part.code,
        if is_level { 0 } else { cl::CL_INVALID_MIP_LEVEL },
        if fits { 0 } else { cl::CL_INVALID_VALUE },
        if source.format == target.format { 0 } else { cl::CL_IMAGE_FORMAT_MISMATCH },
        if overlaps { cl::CL_MEM_COPY_OVERLAP } else { 0 },
    ];
    // SAFETY: pointers are valid.
    let code = unsafe {
        let (at, to_at, size) = (part.origin.as_ptr(), to_part.origin.as_ptr(), part.region.as_ptr());
        clEnqueueCopyImage(fixture.world.queue, source.handle, target.handle, at, to_at, size, 0, null(), null_mut())
    };
    judge("copy", code, &wrong, part);
    if code != 0 || level != 0 {
        return;
    }
    let sources = rows(source, part);
    let (Some(texels), true) = (source.texels.clone(), part.is_first) else {
        images[to].texels = None;
        return;
    };
    let places = rows(target, &to_part);
    let Some(target) = &mut images[to].texels else { return };
    for ((start, length), (place, _)) in sources.into_iter().zip(places) {
        target[place..place + length].copy_from_slice(&texels[start..start + length]);
    }
    check(fixture, &images[to]);
}

/// A region to a buffer, and from there to the same place: nothing changes.
fn through_buffer(fixture: &Fixture, choices: &mut Choices<'_>, image: &mut Image, at: &Region) {
    let offset = [0, 4, 1, BUFFER_BYTES, usize::MAX][choices.below(5)];
    let bytes = at.region.iter().try_fold(image.element(), |bytes, &n| bytes.checked_mul(n));
    let fits = bytes.and_then(|bytes| bytes.checked_add(offset)).is_some_and(|end| end <= BUFFER_BYTES);
    let is_same = image.desc.image_type == cl::CL_MEM_OBJECT_IMAGE1D_BUFFER && image.desc.buffer == fixture.buffers[0];
    let wrong = [
        at.code,
        if fits { 0 } else { cl::CL_INVALID_VALUE },
        // The texels of the one are the bytes of the other.
        if is_same { cl::CL_INVALID_MEM_OBJECT } else { 0 },
    ];
    let (queue, buffer) = (fixture.world.queue, fixture.buffers[0]);
    let (origin, size) = (at.origin.as_ptr(), at.region.as_ptr());
    // SAFETY: pointers are valid.
    unsafe {
        let code = clEnqueueCopyImageToBuffer(queue, image.handle, buffer, origin, size, offset, 0, null(), null_mut());
        judge("copy to a buffer", code, &wrong, at);
        let code = clEnqueueCopyBufferToImage(queue, buffer, image.handle, offset, origin, size, 0, null(), null_mut());
        judge("copy from a buffer", code, &wrong, at);
    }
}

/// Maps a region, compares what is there, and unmaps it.
fn map(fixture: &Fixture, choices: &mut Choices<'_>, image: &Image, at: &Region) {
    let flags = [cl::CL_MAP_READ, cl::CL_MAP_WRITE, cl::CL_MAP_READ | cl::CL_MAP_WRITE][choices.below(3)];
    let is_refused =
        flags & cl::CL_MAP_READ != 0 && !may_read(image) || flags & cl::CL_MAP_WRITE != 0 && !may_write(image);
    let wrong = [at.code, if is_refused { cl::CL_INVALID_OPERATION } else { 0 }];
    let (mut row, mut slice, mut code) = (0, 0, 1);
    let (queue, origin, size) = (fixture.world.queue, at.origin.as_ptr(), at.region.as_ptr());
    // SAFETY: pointers are valid; what is mapped is as large as the region and the pitches say.
    unsafe {
        let (to_row, to_slice, to_code) = (&raw mut row, &raw mut slice, &raw mut code);
        let none = null_mut();
        let start =
            clEnqueueMapImage(queue, image.handle, 1, flags, origin, size, to_row, to_slice, 0, null(), none, to_code);
        judge("map", code, &wrong, at);
        if code != 0 {
            return;
        }
        if let (true, Some(texels), true) = (at.is_first, &image.texels, flags & cl::CL_MAP_READ != 0) {
            let row = if image.desc.image_type == cl::CL_MEM_OBJECT_IMAGE1D_ARRAY { slice } else { row };
            for ((place, length), from) in rows(image, at).into_iter().zip(host_rows(image, at, [row, slice])) {
                let got = std::slice::from_raw_parts(start.cast::<u8>().add(from), length);
                assert_eq!(*got, texels[place..place + length], "a row that was mapped");
            }
        }
        assert_eq!(clEnqueueUnmapMemObject(queue, image.handle, start, 0, null(), null_mut()), 0);
        assert_eq!(clFinish(queue), 0);
    }
}
