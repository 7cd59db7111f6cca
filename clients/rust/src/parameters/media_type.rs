//! What a body is, by its `Content-Type` and `Content-Encoding`.

use crate::credential::is_token;
use crate::Request;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Url,
    Form,
    Json,
    Other,
}

/// Where the parameters are: without a body in the URL, else the media type says.
pub(super) fn place_of(request: &Request<'_>) -> Place {
    if request.body.is_empty() {
        return Place::Url;
    }
    let text = content_type(request).unwrap_or_default();
    let essence = text.split(';').next().unwrap_or_default();
    match essence.trim_matches([' ', '\t']).to_ascii_lowercase().as_str() {
        "application/x-www-form-urlencoded" => Place::Form,
        "application/json" => Place::Json,
        _ => Place::Other,
    }
}

/// Why the body cannot be signed though its media type could; `None` when it can.
pub(super) fn not_signable(request: &Request<'_>) -> Option<&'static str> {
    let text = content_type(request).unwrap_or_default();
    let parameters = text.find(';').map_or("", |at| &text[at..]);
    match charsets_of(parameters) {
        None => return Some("the parameters of the Content-Type are not well formed"),
        Some(charsets) if charsets.len() > 1 => return Some("the Content-Type has more than one charset"),
        Some(charsets) if !charsets.iter().all(|each| is_utf8(each)) => {
            return Some("the charset of the body is not UTF-8");
        }
        Some(_) => {}
    }
    let mut encodings = request.values_of("content-encoding");
    let encoding = encodings.next().unwrap_or(b"identity");
    if encodings.next().is_some() || !encoding.eq_ignore_ascii_case(b"identity") {
        return Some("the body has a Content-Encoding");
    }
    None
}

/// The only `Content-Type`; `None` when it is absent, repeated or no text.
fn content_type<'a>(request: &Request<'a>) -> Option<&'a str> {
    let mut values = request.values_of("content-type");
    let value = std::str::from_utf8(values.next()?).ok()?;
    (values.next().is_none() && !value.contains(',')).then_some(value)
}

fn is_utf8(charset: &str) -> bool {
    charset.eq_ignore_ascii_case("utf-8") || charset.eq_ignore_ascii_case("utf8")
}

/// The charsets of `; name=value` elements (RFC 9110 §5.6.6); `None` when they are not well formed.
fn charsets_of(text: &str) -> Option<Vec<&str>> {
    let blanks = [' ', '\t'];
    let mut charsets = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        rest = rest.strip_prefix(';')?.trim_start_matches(blanks);
        if rest.is_empty() || rest.starts_with(';') {
            continue;
        }
        let (name, tail) = rest.split_once('=')?;
        let (value, tail) = match tail.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').filter(|(value, _)| !value.contains('\\'))?,
            None => {
                let end = tail.find([';', ' ', '\t']).unwrap_or(tail.len());
                let (value, tail) = tail.split_at(end);
                (Some(value).filter(|value| is_token(value))?, tail)
            }
        };
        if !is_token(name) {
            return None;
        }
        if name.eq_ignore_ascii_case("charset") {
            charsets.push(value);
        }
        rest = tail.trim_start_matches(blanks);
    }
    Some(charsets)
}
