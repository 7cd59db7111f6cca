use std::fmt;

use ::reqwest::header::{HeaderValue, ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use ::reqwest::{Client, Url};
use base64::engine::general_purpose::STANDARD;
use base64::Engine as _;
use serde_json::Value;
use tokio::time::Instant;
use zeroize::Zeroizing;

use super::token::Token;
use super::TokenError;
use crate::credential::{check_app_key, check_app_secret, invalid};
use crate::parameters::percent_encode;
use crate::{Problem, Secret};

/// The largest answer of a token URL, in bytes.
const MAX_ANSWER_BYTES: usize = 65_536;

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
    fn authorization(&self) -> HeaderValue {
        let secret = Zeroizing::new(percent_encode(self.app_secret.expose()));
        let pair = Zeroizing::new(format!("{}:{}", percent_encode(&self.app_key), secret.as_str()));
        let text = Zeroizing::new(format!("Basic {}", STANDARD.encode(pair.as_bytes())));
        let mut value = HeaderValue::from_str(&text).expect("base64 is a header value");
        value.set_sensitive(true);
        value
    }

    /// Asks the token URL once.
    pub(super) async fn ask(&self, http: &Client) -> Result<Token, TokenError> {
        let asked = Instant::now();
        let no_answer = |error: reqwest::Error| TokenError::no_answer(error.without_url());
        let response = http
            .post(self.token_url.clone())
            .header(AUTHORIZATION, self.authorization())
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(ACCEPT, "application/json")
            .body("grant_type=client_credentials")
            .send()
            .await
            .map_err(no_answer)?;
        let status = response.status().as_u16();
        let body = read_answer(response).await.map_err(no_answer)?;
        let document: Value = serde_json::from_slice(&body).unwrap_or_default();
        if status == 200 {
            if let Some(token) = Token::read(&document, asked) {
                return Ok(token);
            }
        }
        Err(TokenError::refused(status, &document))
    }
}

/// The answer, or its start when it is too long to be a token.
async fn read_answer(mut response: reqwest::Response) -> Result<Zeroizing<Vec<u8>>, reqwest::Error> {
    let mut body = Zeroizing::new(Vec::new());
    while let Some(chunk) = response.chunk().await? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ANSWER_BYTES {
            body.clear();
            break;
        }
    }
    Ok(body)
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
