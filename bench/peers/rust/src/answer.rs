//! Writes the answers that Postern gives for the same requests: field for field.

use std::collections::HashMap;

use envoy_types::pb::envoy::config::core::v3::header_value_option::HeaderAppendAction;
use envoy_types::pb::envoy::config::core::v3::{HeaderValue, HeaderValueOption};
use envoy_types::pb::envoy::service::auth::v3::attribute_context::HttpRequest;
use envoy_types::pb::envoy::service::auth::v3::check_response::HttpResponse;
use envoy_types::pb::envoy::service::auth::v3::{CheckResponse, DeniedHttpResponse, OkHttpResponse};
use envoy_types::pb::envoy::r#type::v3::HttpStatus;
use envoy_types::pb::google::protobuf::value::Kind;
use envoy_types::pb::google::protobuf::{Struct, Value};
use envoy_types::pb::google::rpc::Status;

use crate::directory::Credential;
use crate::request::single_header;

const UNAUTHENTICATED: i32 = 16;
const PERMISSION_DENIED: i32 = 7;

/// What the answer to an allowed request says.
pub struct Allowance<'a> {
    pub caller: &'a Credential,
    pub authentication: &'static str,
    pub endpoint: &'static str,
    /// The request target for the back end, when it changes.
    pub target: Option<String>,
    pub removed: Vec<String>,
}

pub fn allow(Allowance { caller, authentication, endpoint, target, removed }: Allowance) -> CheckResponse {
    let mut headers = vec![
        option("x-consumer-id", caller.consumer.clone()),
        option("x-consumer-username", caller.name.clone()),
        option("x-credential-identifier", caller.id.clone()),
    ];
    headers.extend(target.map(|path| option(":path", path)));
    let ok = OkHttpResponse { headers, headers_to_remove: removed, ..Default::default() };
    CheckResponse {
        status: Some(Status::default()),
        dynamic_metadata: Some(metadata([
            ("code", "ALLOWED"),
            ("endpoint", endpoint),
            ("authentication", authentication),
            ("consumer", &caller.consumer),
            ("credential", &caller.id),
            ("postern.body", "original"),
        ])),
        http_response: Some(HttpResponse::OkResponse(ok)),
    }
}

/// A refusal by its code, with what it says to the caller.
#[derive(Clone, Copy)]
pub enum Refusal {
    EndpointNotFound,
    CredentialsMissing,
    CredentialsMalformed,
    AuthenticationFailed,
    RequestExpired,
    DigestMismatch,
    BodyTooLarge,
}

impl Refusal {
    fn parts(self) -> (i32, &'static str, &'static str) {
        match self {
            Self::EndpointNotFound => (404, "ENDPOINT_NOT_FOUND", "No endpoint serves this request."),
            Self::CredentialsMissing => (401, "CREDENTIALS_MISSING", "The request carries no credentials."),
            Self::CredentialsMalformed => {
                (401, "CREDENTIALS_MALFORMED", "The credentials of the request are malformed.")
            }
            Self::AuthenticationFailed => {
                (401, "AUTHENTICATION_FAILED", "The credentials or the signature are not valid.")
            }
            Self::RequestExpired => (401, "REQUEST_EXPIRED", "The signed time is too far from the server time."),
            Self::DigestMismatch => (401, "DIGEST_MISMATCH", "The digest does not match the body."),
            Self::BodyTooLarge => (413, "BODY_TOO_LARGE", "The request body is too large."),
        }
    }
}

/// What a refused request was.
pub struct Refused<'a> {
    pub http: &'a HttpRequest,
    pub authentication: &'static str,
    pub scheme: &'static str,
    /// None when none serves the request.
    pub endpoint: Option<&'static str>,
}

impl Refused<'_> {
    pub fn deny(&self, refusal: Refusal) -> CheckResponse {
        let (status, code, message) = refusal.parts();
        let request_id = single_header(self.http, "x-request-id").unwrap_or_default();
        let body = serde_json::json!({ "code": code, "message": message, "requestId": request_id }).to_string();
        let mut headers =
            vec![option("content-type", "application/json".into()), option("cache-control", "no-store".into())];
        if status == 401 {
            headers.push(option("www-authenticate", format!("{} realm=\"postern\"", self.scheme)));
        }
        let mut entries = vec![("code", code)];
        if let Some(endpoint) = self.endpoint {
            entries.extend([("endpoint", endpoint), ("authentication", self.authentication)]);
        }
        let rpc = if status == 401 { UNAUTHENTICATED } else { PERMISSION_DENIED };
        let denied = DeniedHttpResponse { status: Some(HttpStatus { code: status }), headers, body };
        CheckResponse {
            status: Some(Status { code: rpc, ..Default::default() }),
            dynamic_metadata: Some(metadata(entries)),
            http_response: Some(HttpResponse::DeniedResponse(denied)),
        }
    }
}

fn option(name: &str, value: String) -> HeaderValueOption {
    HeaderValueOption {
        header: Some(HeaderValue { key: name.into(), value, ..Default::default() }),
        append_action: HeaderAppendAction::OverwriteIfExistsOrAdd.into(),
        ..Default::default()
    }
}

fn metadata<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> Struct {
    let text = |value: &str| Value { kind: Some(Kind::StringValue(value.into())) };
    let fields: HashMap<String, Value> = entries.into_iter().map(|(name, value)| (name.into(), text(value))).collect();
    Struct { fields }
}
