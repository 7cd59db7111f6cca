//! The signatures of the last minutes, for wrappers on endpoints with replay protection.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, PoisonError};

/// How far a timestamp may be moved on, in seconds.
const MOST_AHEAD: u64 = 60;
/// How long a timestamp is remembered, in seconds: as long as it can be used again, and a corrected clock can go back.
const KEPT: u64 = 600;

/// Remembers which signatures were made at which timestamp.
#[derive(Default)]
pub(crate) struct Recent {
    made: Mutex<BTreeMap<u64, HashSet<u64>>>,
}

impl Recent {
    /// The first signature, from `now` on second by second, that was not made before. When all are used the last one
    /// is given: the gateway refuses it, which is right.
    pub(crate) fn first_unused<F>(&self, now: u64, signature_at: F) -> (String, String, u64)
    where
        F: Fn(u64) -> (String, String, u64),
    {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        *made = made.split_off(&now.saturating_sub(KEPT));
        for timestamp in now..now + MOST_AHEAD {
            let signature = signature_at(timestamp);
            if made.entry(timestamp).or_default().insert(short(&signature.1)) {
                return signature;
            }
        }
        let last = signature_at(now + MOST_AHEAD);
        made.entry(now + MOST_AHEAD).or_default().insert(short(&last.1));
        last
    }
}

/// 64 bits of a signature in hex are enough: two that are equal by chance only cost a second.
fn short(sign: &str) -> u64 {
    u64::from_str_radix(&sign[..16], 16).unwrap_or_default()
}
