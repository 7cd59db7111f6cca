use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use crate::time::seconds;

pub(super) type Source = Arc<dyn Fn() -> SystemTime + Send + Sync>;

/// The machine's clock, corrected by what the gateway's answers say when that is wanted.
pub(super) struct Clock {
    source: Source,
    /// The largest correction, in seconds.
    most: u64,
    /// Added to the machine's clock, in seconds.
    correction: AtomicI64,
}

/// One look at the clock.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    machine: SystemTime,
    correction: i64,
}

impl Clock {
    pub(super) fn new(source: Source, most: Duration) -> Self {
        Self { source, most: most.as_secs(), correction: AtomicI64::new(0) }
    }

    pub(super) fn read(&self) -> Reading {
        Reading { machine: (self.source)(), correction: self.correction.load(Ordering::Relaxed) }
    }

    /// Keeps the difference to the gateway's time when it is small enough. True when a request signed at `reading`
    /// has another time now.
    pub(super) fn learn(&self, reading: Reading, gateway: SystemTime) -> bool {
        self.learn_from(reading, gateway, 0)
    }

    /// The same, where a difference counts only from so many seconds.
    pub(super) fn learn_from(&self, reading: Reading, gateway: SystemTime, least: u64) -> bool {
        let machine = (self.source)();
        let (ours, theirs) = (seconds(machine), seconds(gateway));
        let distance = theirs.abs_diff(ours);
        if self.most == 0 || distance > self.most || distance < least {
            return false;
        }
        let distance = i64::try_from(distance).unwrap_or_default();
        let correction = if theirs < ours { -distance } else { distance };
        self.correction.store(correction, Ordering::Relaxed);
        correction != reading.correction
    }
}

impl Reading {
    /// The time to sign with.
    pub(super) fn now(self) -> SystemTime {
        let correction = Duration::from_secs(self.correction.unsigned_abs());
        let corrected = if self.correction < 0 {
            self.machine.checked_sub(correction)
        } else {
            self.machine.checked_add(correction)
        };
        corrected.unwrap_or(self.machine)
    }
}
