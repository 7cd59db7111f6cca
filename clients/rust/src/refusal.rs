use std::fmt;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::time::seconds;

/// The largest body that can be a refusal, in bytes.
pub(crate) const MAX_REFUSAL_BYTES: usize = 65_536;

/// An answer of the gateway itself: it refused the request, which never reached the API.
///
/// Programs decide by [`code`](Self::code), such as `RATE_LIMITED`. For support, note the
/// [`request_id`](Self::request_id).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    status: u16,
    code: String,
    message: String,
    request_id: Option<String>,
    retry_after: Option<Duration>,
    string_to_sign: Option<String>,
}

impl Refusal {
    /// Reads an answer; `None` when it is not a refusal of the gateway. Header names may be in any case. The time is
    /// for a `Retry-After` that is a date.
    pub fn read<'h, H>(status: u16, headers: H, body: &[u8], now: SystemTime) -> Option<Self>
    where
        H: IntoIterator<Item = (&'h str, &'h [u8])>,
    {
        if status < 400 || body.len() > MAX_REFUSAL_BYTES {
            return None;
        }
        let (mut types, mut retry_after) = (Vec::new(), None);
        for (name, value) in headers {
            if name.eq_ignore_ascii_case("content-type") {
                types.push(value);
            } else if name.eq_ignore_ascii_case("retry-after") {
                retry_after = std::str::from_utf8(value).ok();
            }
        }
        let [media_type] = types[..] else { return None };
        if !is_json(media_type) {
            return None;
        }
        let Value::Object(document) = serde_json::from_slice(body).ok()? else { return None };
        let text = |name: &str| document.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            status,
            code: text("code")?,
            message: text("message")?,
            request_id: match document.get("requestId")? {
                Value::String(id) => Some(id.clone()),
                Value::Null => None,
                _ => return None,
            },
            retry_after: retry_after.and_then(|text| wait_of(text, now)),
            string_to_sign: text("stringToSign"),
        })
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// The stable code, such as `AUTHENTICATION_FAILED`.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// What the code means, in a sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The number of the request in the gateway's logs, where it gave one.
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    /// Whether the gateway let an equal request through before: the API has it. With a nonce it was this very call,
    /// whose answer was lost. See whether it took effect before you call again.
    pub fn accepted_before(&self) -> bool {
        self.status == 401 && self.code == "REQUEST_REPLAYED"
    }

    /// `Retry-After`, in whole seconds.
    pub fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// What the gateway expected to be signed, where it gives hints. Compare it with
    /// [`Signed::string_to_sign`](crate::Signed::string_to_sign).
    pub fn string_to_sign(&self) -> Option<&str> {
        self.string_to_sign.as_deref()
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.status, self.code, self.message)?;
        self.request_id.as_ref().map_or(Ok(()), |id| write!(f, " (request {id})"))
    }
}

impl std::error::Error for Refusal {}

/// Whether a `Content-Type` is `application/json`, with or without parameters.
pub(crate) fn is_json(media_type: &[u8]) -> bool {
    let essence = media_type.split(|byte| *byte == b';').next().unwrap_or_default();
    essence.trim_ascii().eq_ignore_ascii_case(b"application/json")
}

/// The wait of a `Retry-After`: a number of seconds or a date, rounded to whole seconds.
fn wait_of(text: &str, now: SystemTime) -> Option<Duration> {
    let text = text.trim();
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok().map(Duration::from_secs);
    }
    let at = httpdate::parse_http_date(text).ok()?;
    Some(Duration::from_secs(seconds(at).saturating_sub(seconds(now))))
}
