use std::fmt;
use std::sync::Arc;

use serde_json::Value;

/// Those of RFC 6749. Another text may repeat the App Secret, in any encoding.
const KNOWN_ERRORS: [&str; 8] = [
    "invalid_request",
    "invalid_client",
    "invalid_grant",
    "unauthorized_client",
    "unsupported_grant_type",
    "invalid_scope",
    "server_error",
    "temporarily_unavailable",
];

/// Why there is no access token.
#[derive(Clone, Debug)]
pub struct TokenError {
    status: Option<u16>,
    error: Option<String>,
    source: Option<Arc<reqwest::Error>>,
}

impl TokenError {
    pub(super) fn no_answer(source: reqwest::Error) -> Self {
        Self { status: None, error: None, source: Some(Arc::new(source)) }
    }

    pub(super) fn refused(status: u16, document: &Value) -> Self {
        let error = document["error"].as_str().filter(|error| KNOWN_ERRORS.contains(error)).map(str::to_owned);
        Self { status: Some(status), error, source: None }
    }

    /// The HTTP status of the token URL; `None` when there was no answer.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// `error` of the answer, such as `invalid_client`; `None` when it has none of those of RFC 6749.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.status, &self.error) {
            (None, _) => f.write_str("the token URL gave no answer"),
            (Some(status), None) => write!(f, "the answer of the token URL is no token (status {status})"),
            (Some(status), Some(error)) => write!(f, "the token URL refused: {error} (status {status})"),
        }
    }
}

impl std::error::Error for TokenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|error| error as _)
    }
}
