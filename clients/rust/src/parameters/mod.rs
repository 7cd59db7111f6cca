//! Names and values of a query or a form, as the gateway reads them.

mod media_type;
mod pairs;
mod signature;
mod wrapper;

pub use signature::{Encoding, ParameterSignature};

/// Writes parameters as a query or a form: everything but `A-Z a-z 0-9 - . _ ~` is percent-encoded as UTF-8.
///
/// ```
/// let query = postern_client::write_parameters([("city", "Köln"), ("q", "a b")]);
/// assert_eq!(query, "city=K%C3%B6ln&q=a%20b");
/// ```
pub fn write_parameters<I, N, V>(parameters: I) -> String
where
    I: IntoIterator<Item = (N, V)>,
    N: AsRef<str>,
    V: AsRef<str>,
{
    let parts: Vec<String> = parameters
        .into_iter()
        .map(|(name, value)| format!("{}={}", percent_encode(name.as_ref()), percent_encode(value.as_ref())))
        .collect();
    parts.join("&")
}

pub(crate) fn percent_encode(text: &str) -> String {
    use std::fmt::Write as _;

    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            write!(encoded, "%{byte:02X}").expect("a String takes all text");
        }
    }
    encoded
}

/// Adds parameters at the end of a query or a form.
pub(crate) fn extend(text: &mut String, parameters: &str) {
    if !text.is_empty() && !text.ends_with('&') {
        text.push('&');
    }
    text.push_str(parameters);
}

/// Names and values as they are on the wire. Empty segments are no parameters; `a` counts as `a=`.
pub(crate) fn pairs_of(text: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    text.split(|byte| *byte == b'&').filter(|segment| !segment.is_empty()).map(|segment| {
        match segment.iter().position(|byte| *byte == b'=') {
            Some(at) => (&segment[..at], &segment[at + 1..]),
            None => (segment, &segment[segment.len()..]),
        }
    })
}

/// Decodes `%XX`, and `+` as a blank; `None` when a `%` has no two hex digits.
pub(crate) fn form_decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        rest = tail;
        decoded.push(match first {
            b'+' => b' ',
            b'%' => {
                let [high, low, tail @ ..] = tail else { return None };
                rest = tail;
                hex_digit(*high)? << 4 | hex_digit(*low)?
            }
            byte => *byte,
        });
    }
    Some(decoded)
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}
