use std::fmt;
use std::sync::Arc;

/// Where nonces come from, when a client sends them.
#[derive(Clone, Default)]
pub(crate) enum Nonces {
    #[default]
    Off,
    Random,
    From(Arc<dyn Fn() -> String + Send + Sync>),
}

impl Nonces {
    /// The next nonce; `None` when they are off.
    ///
    /// # Panics
    ///
    /// When the operating system has no random bytes.
    pub(crate) fn next(&self) -> Option<String> {
        match self {
            Self::Off => None,
            Self::Random => Some(random_hex()),
            Self::From(source) => Some(source()),
        }
    }

    pub(crate) fn is_on(&self) -> bool {
        !matches!(self, Self::Off)
    }
}

impl fmt::Debug for Nonces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Off => "Off",
            Self::Random => "Random",
            Self::From(_) => "From(..)",
        })
    }
}

/// 32 lower-case hex characters.
fn random_hex() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the operating system has no random bytes");
    hex(&bytes)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}
