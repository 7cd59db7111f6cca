//! The names and values that are signed.

use super::{form_decode, pairs_of, Encoding};
use crate::{Problem, ProblemCode};

const MAX_PARAMETERS: usize = 100;

/// What the gateway would refuse, in the order of the codes.
pub(super) fn check_parameters(text: &str, reserved: &[&str], encoding: Encoding) -> Result<(), Problem> {
    let pairs = decoded_pairs(text)?;
    if pairs.iter().any(|(name, _)| reserved.contains(&name.as_str())) {
        return Err(Problem::new(
            ProblemCode::ReservedParameter,
            format!("the client itself sets the parameters {}", reserved.join(", ")),
        ));
    }
    if encoding == Encoding::Decoded && pairs.iter().any(|(name, value)| is_ambiguous(name, value)) {
        return Err(Problem::new(
            ProblemCode::AmbiguousParameters,
            "a name holds & or =, or a value an & and later a =: send it as JSON",
        ));
    }
    if pairs.len() + reserved.len() > MAX_PARAMETERS {
        return Err(Problem::new(
            ProblemCode::TooManyParameters,
            format!("more than {MAX_PARAMETERS} parameters, with those of the signature"),
        ));
    }
    Ok(())
}

fn is_ambiguous(name: &str, value: &str) -> bool {
    name.contains(['&', '=']) || value.split_once('&').is_some_and(|(_, rest)| rest.contains('='))
}

pub(super) fn decoded_pairs(text: &str) -> Result<Vec<(String, String)>, Problem> {
    let decode = |part: &[u8]| {
        let bytes = form_decode(part)
            .ok_or_else(|| Problem::new(ProblemCode::MalformedParameters, "a % is not followed by two hex digits"))?;
        String::from_utf8(bytes).map_err(|_| not_utf8())
    };
    pairs_of(text.as_bytes()).map(|(name, value)| Ok((decode(name)?, decode(value)?))).collect()
}

pub(super) fn wire_pairs(text: &str) -> Vec<(&str, &str)> {
    text.split('&')
        .filter(|segment| !segment.is_empty())
        .map(|segment| segment.split_once('=').unwrap_or((segment, "")))
        .collect()
}

/// Sorted by the UTF-8 bytes of the names; equal names keep their order.
pub(super) fn joined<T: AsRef<str>>(mut pairs: Vec<(T, T)>) -> String {
    pairs.sort_by(|(one, _), (other, _)| one.as_ref().cmp(other.as_ref()));
    let parts: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{}={}", name.as_ref(), value.as_ref())).collect();
    parts.join("&")
}

pub(super) fn not_utf8() -> Problem {
    Problem::new(ProblemCode::MalformedParameters, "the parameters are not UTF-8")
}
