use std::fmt;

use ::reqwest::header::HeaderValue;
use ::reqwest::Url;
use base64::engine::general_purpose::STANDARD;
use base64::Engine as _;
use zeroize::Zeroizing;

use crate::credential::{check_app_key, check_app_secret, invalid};
use crate::parameters::percent_encode;
use crate::{Problem, Secret};

/// The method `oauth2`: client credentials (RFC 6749 §4.4). [`Client`](super::Client) asks for the access token, keeps
/// it in memory and renews it.
#[derive(Clone)]
pub struct OAuth2 {
    app_key: String,
    app_secret: Secret,
    token_url: Url,
}

impl OAuth2 {
    /// A credential and the gateway's token URL, such as `https://api.example.com/oauth2/token`.
    ///
    /// # Errors
    ///
    /// `INVALID_CREDENTIAL` when the App Key is not 1 to 512 characters of `A-Z a-z 0-9 . _ -`, the App Secret is
    /// empty, holds control characters or has white space at its ends, or the token URL is not absolute.
    pub fn new(
        app_key: impl Into<String>,
        app_secret: impl Into<Secret>,
        token_url: impl AsRef<str>,
    ) -> Result<Self, Problem> {
        let (app_key, app_secret) = (app_key.into(), app_secret.into());
        check_app_key(&app_key)?;
        check_app_secret(&app_secret)?;
        let token_url = Url::parse(token_url.as_ref()).map_err(|_| invalid("the token URL is not an absolute URL"))?;
        if !matches!(token_url.scheme(), "http" | "https") || !token_url.username().is_empty() {
            return Err(invalid("the token URL must be http or https, without user information"));
        }
        Ok(Self { app_key, app_secret, token_url })
    }

    /// `Basic …`; both parts are form-encoded first (RFC 6749 §2.3.1).
    pub(super) fn authorization(&self) -> HeaderValue {
        let secret = Zeroizing::new(percent_encode(self.app_secret.expose()));
        let pair = Zeroizing::new(format!("{}:{}", percent_encode(&self.app_key), secret.as_str()));
        let text = Zeroizing::new(format!("Basic {}", STANDARD.encode(pair.as_bytes())));
        let mut value = HeaderValue::from_str(&text).expect("base64 is a header value");
        value.set_sensitive(true);
        value
    }

    pub(super) fn token_url(&self) -> &Url {
        &self.token_url
    }
}

impl fmt::Debug for OAuth2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth2")
            .field("app_key", &self.app_key)
            .field("app_secret", &self.app_secret)
            .field("token_url", &self.token_url.as_str())
            .finish()
    }
}
