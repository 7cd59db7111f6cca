//! What the checks need of a `CheckRequest`.

use envoy_types::pb::envoy::service::auth::v3::CheckRequest;
use envoy_types::pb::envoy::service::auth::v3::attribute_context::HttpRequest;

/// The HTTP request that Envoy asks about; an empty one when the message has none, which no endpoint serves.
pub fn http_of(check: CheckRequest) -> HttpRequest {
    check.attributes.and_then(|attributes| attributes.request).and_then(|request| request.http).unwrap_or_default()
}

/// The values of a header, in the order received.
pub fn header_values<'a>(http: &'a HttpRequest, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    let headers = http.header_map.iter().flat_map(|map| &map.headers);
    headers.filter(move |header| header.key == name).map(|header| header.raw_value.as_slice())
}

/// The only value of a header, when it is ASCII.
pub fn single_header<'a>(http: &'a HttpRequest, name: &'a str) -> Option<&'a str> {
    let mut values = header_values(http, name);
    let value = values.next()?;
    match values.next() {
        None => str::from_utf8(value).ok(),
        Some(_) => None,
    }
}

/// Names of headers that a back end could take for identity headers.
pub fn forged_headers(http: &HttpRequest) -> impl Iterator<Item = String> {
    let names = http.header_map.iter().flat_map(|map| &map.headers).map(|header| &header.key);
    names.filter(|name| looks_like_identity(name)).cloned()
}

fn looks_like_identity(name: &str) -> bool {
    if !name.starts_with('x') || name.len() < "x-consumer-".len() {
        return false;
    }
    let comparable = name.replace('_', "-");
    ["x-consumer-", "x-credential-", "x-authenticated-"].iter().any(|prefix| comparable.starts_with(prefix))
        || comparable == "x-anonymous-consumer"
}
