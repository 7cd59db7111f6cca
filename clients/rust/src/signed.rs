use std::borrow::Cow;
use std::fmt;

use zeroize::Zeroizing;

use crate::target::Target;

/// What signing changes of a request. All else is sent as it is.
#[derive(Clone)]
pub struct Signed {
    url: Zeroizing<String>,
    /// Where path and query begin in the URL.
    target_at: usize,
    headers: Vec<(Cow<'static, str>, Zeroizing<String>)>,
    body: Option<Vec<u8>>,
    string_to_sign: Option<String>,
}

impl Signed {
    pub(crate) fn new(target: &Target<'_>) -> Self {
        Self::with_target(target, &target.path_and_query())
    }

    pub(crate) fn with_target(target: &Target<'_>, path_and_query: &str) -> Self {
        let url = target.url_with(path_and_query);
        Self {
            target_at: url.len() - path_and_query.len(),
            url: Zeroizing::new(url),
            headers: Vec::with_capacity(4),
            body: None,
            string_to_sign: None,
        }
    }

    pub(crate) fn set_header(&mut self, name: impl Into<Cow<'static, str>>, value: String) {
        self.headers.push((name.into(), Zeroizing::new(value)));
    }

    pub(crate) fn set_body(&mut self, body: Vec<u8>) {
        self.body = Some(body);
    }

    pub(crate) fn set_string_to_sign(&mut self, text: String) {
        self.string_to_sign = Some(text);
    }

    /// The URL to send to, without a fragment.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Path and query of [`url`](Self::url).
    pub fn target(&self) -> &str {
        &self.url[self.target_at..]
    }

    /// The headers to set. Each replaces every header of its name.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.headers.iter().map(|(name, value)| (name.as_ref(), value.as_str()))
    }

    /// The body to send in place of the one that was signed; `None` when it stays. `Content-Length` follows it.
    pub fn body(&self) -> Option<&[u8]> {
        self.body.as_deref()
    }

    /// [`body`](Self::body) without a copy.
    pub fn into_body(self) -> Option<Vec<u8>> {
        self.body
    }

    /// What was signed, for comparing with the `stringToSign` of a refusal. It ends before the App Secret, and is
    /// `None` when nothing is signed.
    pub fn string_to_sign(&self) -> Option<&str> {
        self.string_to_sign.as_deref()
    }
}

/// Prints the names of the headers only: their values, the URL and the body may carry the credential.
impl fmt::Debug for Signed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_ref()).collect();
        f.debug_struct("Signed")
            .field("headers", &names)
            .field("body_bytes", &self.body.as_ref().map(Vec::len))
            .finish_non_exhaustive()
    }
}
