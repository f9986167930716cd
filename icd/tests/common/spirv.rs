//! A module of SPIR-V, put together by hand: the tests need no assembler.

/// An instruction: opcode and operands.
pub fn op(code: u32, operands: &[u32]) -> Vec<u32> {
    let mut words = vec![(operands.len() as u32 + 1) << 16 | code];
    words.extend(operands);
    words
}

/// A literal string among operands.
pub fn text(string: &str) -> Vec<u32> {
    let mut bytes = string.as_bytes().to_vec();
    bytes.resize(string.len() + 4 - string.len() % 4, 0);
    bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

/// `kernel void k(global int *out) { *out = negate ? -n : n; }`, where `n` is the constant with identifier 5 (42) and
/// `negate` that with identifier 7 (false). With `import`, a function of that name is given the value first, and `-n`
/// if it has two parameters.
pub fn module(import: Option<(&str, usize)>) -> Vec<u8> {
    let [void, int, bool, pointer, of_kernel, of_callee] = [1, 2, 3, 4, 5, 6];
    let [n, negate, zero, k, out, minus, value, callee, result, given] = [10, 11, 12, 13, 14, 15, 16, 17, 18, 24];
    let mut words = vec![0x0723_0203, 0x0001_0600, 0, 32, 0];
    let mut add = |code, operands: &[&[u32]]| words.extend(op(code, &operands.concat()));
    let (addresses, linkage, kernel, uniform_decoration, aliasing) = (4, 5, 6, 71, 5910);
    [addresses, linkage, kernel, uniform_decoration, aliasing].iter().for_each(|&number| add(17, &[&[number]]));
    add(10, &[&text("SPV_INTEL_memory_access_aliasing")]);
    add(14, &[&[2, 2]]);
    add(15, &[&[6, k], &text("k")]);
    add(5, &[&[out], &text("out")]);
    add(71, &[&[n, 1, 5]]);
    add(71, &[&[negate, 1, 7]]);
    add(71, &[&[value, 26]]);
    if let Some((name, _)) = import {
        add(71, &[&[callee, 41], &text(name), &[1]]);
    }
    let [domain, scope, scopes] = [21, 22, 23];
    add(5911, &[&[domain]]);
    add(5912, &[&[scope, domain]]);
    add(5913, &[&[scopes, scope]]);
    add(19, &[&[void]]);
    add(21, &[&[int, 32, 0]]);
    add(20, &[&[bool]]);
    add(32, &[&[pointer, 5, int]]);
    add(33, &[&[of_kernel, void, pointer]]);
    let arguments = [value, minus].into_iter().take(import.map_or(0, |(_, n)| n));
    add(33, &[&[of_callee, int], &vec![int; arguments.len()]]);
    add(50, &[&[int, n, 42]]);
    add(49, &[&[bool, negate]]);
    add(43, &[&[int, zero, 0]]);
    if import.is_some() {
        add(54, &[&[int, callee, 0, of_callee]]);
        (given..).take(arguments.len()).for_each(|id| add(55, &[&[int, id]]));
        add(56, &[]);
    }
    add(54, &[&[void, k, 0, of_kernel]]);
    add(55, &[&[pointer, out]]);
    add(248, &[&[20]]);
    add(130, &[&[int, minus, zero, n]]);
    add(169, &[&[int, value, negate, minus, n]]);
    let stored = match import {
        Some(_) => {
            add(57, &[&[int, result, callee], &arguments.collect::<Vec<u32>>()]);
            result
        }
        None => value,
    };
    // Aligned, and apart from what is in the scopes.
    add(62, &[&[out, stored, 0x2_0002, 4, scopes]]);
    add(253, &[]);
    add(56, &[]);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
