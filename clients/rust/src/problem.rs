use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// Why a request was not signed, and so not sent. It never holds a secret or a value of the request.
#[derive(Clone, Debug)]
pub struct Problem {
    code: ProblemCode,
    message: Cow<'static, str>,
    cause: Option<Arc<dyn Error + Send + Sync>>,
}

impl Problem {
    pub(crate) fn new(code: ProblemCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self { code, message: message.into(), cause: None }
    }

    /// The same with the error of a signer as its source.
    #[cfg(feature = "private-keys")]
    pub(crate) fn caused_by(self, cause: Box<dyn Error + Send + Sync>) -> Self {
        Self { cause: Some(cause.into()), ..self }
    }

    /// The stable code.
    pub fn code(&self) -> ProblemCode {
        self.code
    }

    /// What is wrong, in a sentence. The wording may change.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl Error for Problem {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

/// Two problems are equal when code and message are.
impl PartialEq for Problem {
    fn eq(&self, other: &Self) -> bool {
        (self.code, &self.message) == (other.code, &other.message)
    }
}

impl Eq for Problem {}

/// The stable code of a [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProblemCode {
    /// The App Key, the App Secret, the private key or a setting is not allowed.
    InvalidCredential,
    /// A parameter that the client sets is there already.
    ReservedParameter,
    /// Two different sets of parameters would have the same signature. Send them as JSON.
    AmbiguousParameters,
    /// More than 100 parameters, with those that are added.
    TooManyParameters,
    /// Bad percent-encoding, or parameters that are not UTF-8.
    MalformedParameters,
    /// Parameter signature: a query beside a body.
    QueryNotSignable,
    /// Parameter signature: a body that is neither a form nor JSON, or not UTF-8.
    BodyNotSignable,
    /// The body is larger than the gateway accepts.
    BodyTooLarge,
    /// HMAC and message signatures: a header to sign is absent, repeated, or one that the gateway never accepts.
    HeaderNotSignable,
    /// The URL is not absolute, or holds characters that must be percent-encoded.
    TargetNotSignable,
    /// The signer of a private key failed, or gave no signature; its error is the source.
    SignerFailed,
}

impl ProblemCode {
    /// The code as all clients of the gateway write it, such as `BODY_TOO_LARGE`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidCredential => "INVALID_CREDENTIAL",
            Self::ReservedParameter => "RESERVED_PARAMETER",
            Self::AmbiguousParameters => "AMBIGUOUS_PARAMETERS",
            Self::TooManyParameters => "TOO_MANY_PARAMETERS",
            Self::MalformedParameters => "MALFORMED_PARAMETERS",
            Self::QueryNotSignable => "QUERY_NOT_SIGNABLE",
            Self::BodyNotSignable => "BODY_NOT_SIGNABLE",
            Self::BodyTooLarge => "BODY_TOO_LARGE",
            Self::HeaderNotSignable => "HEADER_NOT_SIGNABLE",
            Self::TargetNotSignable => "TARGET_NOT_SIGNABLE",
            Self::SignerFailed => "SIGNER_FAILED",
        }
    }
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
