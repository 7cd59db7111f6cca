//! Which headers HMAC can sign, and with which value.

use crate::credential::is_token;
use crate::target::Target;
use crate::{Problem, ProblemCode, Request};

/// Headers that proxies or the gateway change. Compared in lower case, with `-` for `_`.
const NEVER: [&str; 7] =
    ["authorization", "connection", "keep-alive", "te", "transfer-encoding", "x-request-id", "x-anonymous-consumer"];
const NEVER_PREFIXES: [&str; 5] = ["x-forwarded-", "x-envoy-", "x-consumer-", "x-credential-", "x-authenticated-"];

/// The value to sign of a header, without white space at its ends. The name is in lower case.
pub(crate) fn signable_value(request: &Request<'_>, target: &Target<'_>, name: &str) -> Result<String, Problem> {
    let plain = name.replace('_', "-");
    let changes = NEVER.contains(&plain.as_str()) || NEVER_PREFIXES.iter().any(|each| plain.starts_with(each));
    if !is_token(name) || changes {
        return Err(problem("cannot be signed", name));
    }
    let mut values = request.values_of(name);
    let value = values.next();
    if values.next().is_some() {
        return Err(problem("is repeated", name));
    }
    if name == "host" {
        let host = target.host();
        return match value {
            Some(value) if !value.eq_ignore_ascii_case(host.as_bytes()) => Err(problem("is not that of the URL", name)),
            _ => Ok(host.to_owned()),
        };
    }
    let value = value.ok_or_else(|| problem("is not in the request", name))?;
    let signable = |byte: &u8| matches!(byte, b'\t' | 0x20..=0x7e);
    match std::str::from_utf8(value) {
        Ok(text) if value.iter().all(signable) => Ok(text.trim_matches([' ', '\t']).to_owned()),
        _ => Err(problem("holds a character that cannot be signed", name)),
    }
}

/// A problem that names the header when its name can be printed.
fn problem(what: &str, name: &str) -> Problem {
    let message = if is_token(name) {
        format!("the header to sign {name} {what}")
    } else {
        "a header to sign has no valid name".to_owned()
    };
    Problem::new(ProblemCode::HeaderNotSignable, message)
}
