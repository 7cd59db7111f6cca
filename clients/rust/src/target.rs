//! What of a URL is sent: the authority, and path and query byte for byte.

use std::borrow::Cow;

use crate::{Problem, ProblemCode};

pub(crate) struct Target<'a> {
    scheme: &'a str,
    /// With the port as it stands in the URL, without user information.
    authority: &'a str,
    /// Begins with `/`, as long as the URL has a path.
    rest: &'a str,
}

impl<'a> Target<'a> {
    pub(crate) fn parse(url: &'a str) -> Result<Self, Problem> {
        let (scheme, rest) = url.split_once("://").ok_or_else(not_absolute)?;
        if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
            return Err(not_absolute());
        }
        let rest = rest.split('#').next().unwrap_or_default();
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let authority = authority.rsplit('@').next().unwrap_or_default();
        if authority.is_empty() {
            return Err(not_absolute());
        }
        let target = Self { scheme, authority, rest };
        let is_visible = |text: &str| text.bytes().all(|byte| (0x21..=0x7e).contains(&byte));
        if !is_visible(authority) || !is_visible(rest) {
            return Err(Problem::new(
                ProblemCode::TargetNotSignable,
                "the URL holds a character that must be percent-encoded",
            ));
        }
        Ok(target)
    }

    /// The authority as it is sent: without the port of the scheme itself.
    pub(crate) fn host(&self) -> &'a str {
        let port = if self.scheme.eq_ignore_ascii_case("https") { ":443" } else { ":80" };
        self.authority.strip_suffix(port).unwrap_or(self.authority)
    }

    /// In lower case.
    #[cfg(feature = "private-keys")]
    pub(crate) fn scheme(&self) -> String {
        self.scheme.to_ascii_lowercase()
    }

    pub(crate) fn path(&self) -> &'a str {
        let path = self.rest.split('?').next().unwrap_or_default();
        if path.is_empty() {
            "/"
        } else {
            path
        }
    }

    /// What follows the first `?`; empty without one.
    pub(crate) fn query(&self) -> &'a str {
        self.rest.split_once('?').map_or("", |(_, query)| query)
    }

    /// Path and query as they are sent.
    pub(crate) fn path_and_query(&self) -> Cow<'a, str> {
        if self.rest.starts_with('/') {
            Cow::Borrowed(self.rest)
        } else {
            Cow::Owned(format!("/{}", self.rest))
        }
    }

    /// The whole URL with another path and query.
    pub(crate) fn url_with(&self, path_and_query: &str) -> String {
        [self.scheme, "://", self.authority, path_and_query].concat()
    }
}

fn not_absolute() -> Problem {
    Problem::new(ProblemCode::TargetNotSignable, "the URL is not an absolute http or https URL")
}
