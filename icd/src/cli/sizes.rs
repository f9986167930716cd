//! Sizes of an NDRange on the command line.

use super::Result;
use std::str::FromStr;

/// One to three numbers, `X,Y,Z`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizes(pub Vec<usize>);

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self> {
        let list: Option<Vec<usize>> = text.split(',').map(|size| size.trim().parse().ok()).collect();
        list.filter(|list| list.len() <= 3).map(Self).ok_or_else(|| format!("`{text}` is not X, X,Y or X,Y,Z"))
    }
}

impl Sizes {
    /// A work-group size; 1 for dimensions that are missing.
    pub fn narrow(&self) -> Result<[u32; 3]> {
        let mut size = [1; 3];
        for (to, &from) in size.iter_mut().zip(&self.0) {
            *to = u32::try_from(from).ok().filter(|&n| n > 0).ok_or_else(|| format!("a work-group size of {from}"))?;
        }
        Ok(size)
    }
}
