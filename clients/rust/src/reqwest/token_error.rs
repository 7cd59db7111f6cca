use std::fmt;
use std::sync::Arc;

use serde_json::Value;

/// Why there is no access token.
#[derive(Clone, Debug)]
pub struct TokenError {
    status: Option<u16>,
    error: Option<String>,
    description: Option<String>,
    source: Option<Arc<reqwest::Error>>,
}

impl TokenError {
    pub(super) fn no_answer(source: reqwest::Error) -> Self {
        Self { status: None, error: None, description: None, source: Some(Arc::new(source)) }
    }

    pub(super) fn refused(status: u16, document: &Value) -> Self {
        let text = |name: &str| document[name].as_str().map(printable);
        Self { status: Some(status), error: text("error"), description: text("error_description"), source: None }
    }

    /// The HTTP status of the token URL; `None` when there was no answer.
    pub fn status(&self) -> Option<u16> {
        self.status
    }

    /// `error` of RFC 6749 §5.2, such as `invalid_client`.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// `error_description` of RFC 6749 §5.2.
    pub fn error_description(&self) -> Option<&str> {
        self.description.as_deref()
    }
}

impl fmt::Display for TokenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.status, &self.error, &self.description) {
            (None, ..) => f.write_str("the token URL gave no answer"),
            (Some(status), None, _) => write!(f, "the answer of the token URL is no token (status {status})"),
            (Some(status), Some(error), None) => write!(f, "the token URL refused: {error} (status {status})"),
            (Some(status), Some(error), Some(description)) => {
                write!(f, "the token URL refused: {error}: {description} (status {status})")
            }
        }
    }
}

impl std::error::Error for TokenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|error| error as _)
    }
}

/// The characters that RFC 6749 allows in an error, at most 1000 of them.
fn printable(text: &str) -> String {
    text.chars().filter(|character| (' '..='~').contains(character)).take(1000).collect()
}
