use std::fmt;

/// A request to sign: what the HTTP library is about to send.
///
/// The URL is absolute, and its path and query are signed byte for byte: nothing is encoded, sorted or cleaned.
#[derive(Clone)]
pub struct Request<'a> {
    pub(crate) method: &'a str,
    pub(crate) url: &'a str,
    pub(crate) headers: Vec<(&'a str, &'a [u8])>,
    pub(crate) body: &'a [u8],
}

impl<'a> Request<'a> {
    /// A request without headers and body.
    pub fn new(method: &'a str, url: &'a str) -> Self {
        Self { method, url, headers: Vec::new(), body: &[] }
    }

    /// Adds a header. Names may be in any case and may repeat.
    pub fn header<V: AsRef<[u8]> + ?Sized>(mut self, name: &'a str, value: &'a V) -> Self {
        self.headers.push((name, value.as_ref()));
        self
    }

    /// Sets the body: the bytes that are sent, after everything that writes or compresses them.
    pub fn body<B: AsRef<[u8]> + ?Sized>(mut self, body: &'a B) -> Self {
        self.body = body.as_ref();
        self
    }

    /// The values of a header, in their order. The name is in lower case.
    pub(crate) fn values_of<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'a [u8]> + 's {
        self.headers.iter().filter(move |(each, _)| each.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    }
}

/// Prints names and sizes: a URL, a header or a body may hold what is secret to the caller.
impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| *name).collect();
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("headers", &names)
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}
