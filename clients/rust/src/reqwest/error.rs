use std::fmt;

use super::TokenError;
use crate::Problem;

/// Why a call of [`Client`](super::Client) has no answer. It holds no secret, and no URL that was signed.
///
/// A refusal of the gateway is an answer: see [`ResponseExt`](super::ResponseExt).
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The request cannot be signed, and was not sent.
    Problem(Problem),
    /// OAuth2: there is no access token, and the request was not sent.
    Token(TokenError),
    /// reqwest could not send the request or read the answer.
    Http(reqwest::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Problem(problem) => write!(f, "the request cannot be signed: {problem}"),
            Self::Token(error) => write!(f, "there is no access token: {error}"),
            Self::Http(_) => f.write_str("the request has no answer"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            // Printed already.
            Self::Problem(problem) => problem.source(),
            Self::Token(error) => error.source(),
            Self::Http(error) => Some(error),
        }
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<TokenError> for Error {
    fn from(error: TokenError) -> Self {
        Self::Token(error)
    }
}
