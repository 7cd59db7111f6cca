//! Checks an App Key as Postern does on an endpoint of the method key: finds the endpoint by the path and the credential
//! by the hash of the key, takes the key out of the request and sets the identity headers.

use std::borrow::Cow;

use envoy_types::pb::envoy::service::auth::v3::{CheckRequest, CheckResponse};

use crate::answer::{Allowance, Refusal, Refused, allow};
use crate::directory::{Directory, find_endpoint};
use crate::request::{forged_headers, http_of, single_header};

const KEY_PARAMETER: &str = "appKey";
const KEY_HEADER: &str = "x-app-key";

pub fn check(directory: &Directory, check: CheckRequest) -> CheckResponse {
    let http = http_of(check);
    let (path, query) = match http.path.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (http.path.as_str(), None),
    };
    let endpoint = find_endpoint(path);
    let refused = Refused { http: &http, authentication: "key", scheme: "Key", endpoint };
    let Some(endpoint) = endpoint else {
        return refused.deny(Refusal::EndpointNotFound);
    };
    let in_query = query.and_then(|query| find_parameter(query, KEY_PARAMETER));
    let Some(app_key) = in_query.or_else(|| single_header(&http, KEY_HEADER).map(Cow::Borrowed)) else {
        return refused.deny(Refusal::CredentialsMissing);
    };
    let Some(caller) = directory.find(&app_key) else {
        return refused.deny(Refusal::AuthenticationFailed);
    };
    let target = match query.map(|query| without_parameter(query, KEY_PARAMETER)) {
        Some(kept) if !kept.is_empty() => format!("{path}?{kept}"),
        _ => path.to_owned(),
    };
    let removed = forged_headers(&http).collect();
    allow(Allowance { caller, authentication: "key", endpoint, target: Some(target), removed })
}

/// The value of a parameter; a second one makes it empty, which is the key of no credential.
fn find_parameter<'a>(query: &'a str, name: &str) -> Option<Cow<'a, str>> {
    let mut values = form_urlencoded::parse(query.as_bytes()).filter(|(key, _)| key == name).map(|(_, value)| value);
    let value = values.next()?;
    Some(if values.next().is_some() { Cow::Borrowed("") } else { value })
}

/// The query without a parameter; all other bytes stay.
fn without_parameter(query: &str, name: &str) -> String {
    let has_name = |segment: &str| form_urlencoded::parse(segment.as_bytes()).any(|(key, _)| key == name);
    let kept: Vec<&str> = query.split('&').filter(|segment| !has_name(segment)).collect();
    kept.join("&")
}
