//! Checks an hmac signature as Postern does: headers and request line by the MAC, the time by the signed `Date`, the body
//! by the signed `Digest`.

use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use envoy_types::pb::envoy::service::auth::v3::attribute_context::HttpRequest;
use envoy_types::pb::envoy::service::auth::v3::{CheckRequest, CheckResponse};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::answer::{Allowance, Refusal, Refused, allow};
use crate::directory::{Credential, Directory, find_endpoint};
use crate::request::{forged_headers, header_values, http_of, single_header};

const MAX_BODY_BYTES: usize = 10 << 20;
const CLOCK_SKEW: Duration = Duration::from_secs(300);
const ALGORITHM: &str = "hmac-sha256";
const REQUEST_LINE: &str = "request-line";

pub fn check(directory: &Directory, check: CheckRequest) -> CheckResponse {
    let http = http_of(check);
    let path = http.path.split('?').next().unwrap_or_default();
    let endpoint = find_endpoint(path);
    let refused = Refused { http: &http, authentication: "hmac", scheme: "hmac", endpoint };
    let Some(endpoint) = endpoint else {
        return refused.deny(Refusal::EndpointNotFound);
    };
    match authenticate(directory, &http) {
        Err(refusal) => refused.deny(refusal),
        Ok(caller) => {
            let removed = ["authorization".to_owned()].into_iter().chain(forged_headers(&http)).collect();
            allow(Allowance { caller, authentication: "hmac", endpoint, target: None, removed })
        }
    }
}

/// The caller whose signature the request has.
fn authenticate<'a>(directory: &'a Directory, http: &HttpRequest) -> Result<&'a Credential, Refusal> {
    let body = http.raw_body.as_slice();
    let is_partial = header_values(http, "x-envoy-auth-partial-body").any(|value| value == b"true");
    if usize::try_from(http.size) != Ok(body.len()) || body.len() > MAX_BODY_BYTES || is_partial {
        return Err(Refusal::BodyTooLarge);
    }
    if header_values(http, "authorization").next().is_none() {
        return Err(Refusal::CredentialsMissing);
    }
    let signature = single_header(http, "authorization").and_then(Signature::parse);
    let Signature { app_key, names, mac } = signature.ok_or(Refusal::CredentialsMalformed)?;
    let date = single_header(http, "date").and_then(|text| httpdate::parse_http_date(text).ok());
    let date = date.ok_or(Refusal::CredentialsMalformed)?;
    let digests = header_values(http, "digest").count();
    let digest = single_header(http, "digest");
    let body_is_signed = body.is_empty() || digest.is_some() && names.contains(&"digest");
    let text = string_to_sign(http, &names).ok_or(Refusal::CredentialsMalformed)?;
    if !body_is_signed || digests > 1 || !names.contains(&"date") || !names.contains(&REQUEST_LINE) {
        return Err(Refusal::CredentialsMalformed);
    }
    let caller = directory.find(app_key).ok_or(Refusal::AuthenticationFailed)?;
    // A key of any length is taken.
    let mut signer =
        Hmac::<Sha256>::new_from_slice(caller.app_secret.as_bytes()).map_err(|_| Refusal::AuthenticationFailed)?;
    signer.update(&text);
    signer.verify_slice(&mac).map_err(|_| Refusal::AuthenticationFailed)?;
    let now = SystemTime::now();
    let skew = now.duration_since(date).unwrap_or_else(|early| early.duration());
    if skew > CLOCK_SKEW {
        return Err(Refusal::RequestExpired);
    }
    match digest {
        Some(given) if given != format!("SHA-256={}", BASE64.encode(Sha256::digest(body))) => {
            Err(Refusal::DigestMismatch)
        }
        _ => Ok(caller),
    }
}

/// What stands in `Authorization`.
struct Signature<'a> {
    app_key: &'a str,
    names: Vec<&'a str>,
    mac: Vec<u8>,
}

impl<'a> Signature<'a> {
    /// Reads the parts in the order in which partners write them; Postern takes any order, which costs no less.
    fn parse(text: &'a str) -> Option<Self> {
        let (app_key, rest) = quoted(text.strip_prefix("hmac ")?, "appkey")?;
        let (algorithm, rest) = quoted(next_part(rest)?, "algorithm")?;
        let (names, rest) = quoted(next_part(rest)?, "headers")?;
        let (mac, rest) = quoted(next_part(rest)?, "signature")?;
        if algorithm != ALGORITHM || !rest.is_empty() {
            return None;
        }
        Some(Self { app_key, names: names.split_ascii_whitespace().collect(), mac: BASE64.decode(mac).ok()? })
    }
}

/// The value of `name="value"` at the beginning of a text, and what follows it.
fn quoted<'a>(text: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    text.strip_prefix(name)?.strip_prefix("=\"")?.split_once('"')
}

fn next_part(text: &str) -> Option<&str> {
    Some(text.strip_prefix(',')?.trim_start_matches(' '))
}

/// A line for each name; none when the request lacks one of them.
fn string_to_sign(http: &HttpRequest, names: &[&str]) -> Option<Vec<u8>> {
    let mut lines = Vec::with_capacity(names.len());
    for &name in names {
        if name == REQUEST_LINE {
            lines.push(format!("{} {} HTTP/1.1", http.method, http.path).into_bytes());
            continue;
        }
        let values: Vec<&[u8]> =
            if name == "host" { vec![http.host.as_bytes()] } else { header_values(http, name).collect() };
        if values.is_empty() {
            return None;
        }
        lines.push([name.as_bytes(), b": ", &values.join(b", ".as_slice())].concat());
    }
    Some(lines.join(b"\n".as_slice()))
}
