//! Access tokens: asking for them and keeping them.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;

use ::reqwest::header::{HeaderValue, ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use ::reqwest::{Client, Url};
use base64::engine::general_purpose::STANDARD;
use base64::Engine as _;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;
use zeroize::Zeroizing;

use crate::credential::{check_app_key, check_app_secret, invalid};
use crate::parameters::percent_encode;
use crate::{Problem, Secret};

/// The largest answer of a token URL, in bytes.
const MAX_ANSWER_BYTES: usize = 65_536;
const MOST_MARGIN: Duration = Duration::from_secs(60);

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

    async fn ask(&self, http: &Client) -> Result<Token, TokenError> {
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

#[derive(Clone)]
struct Token {
    text: Secret,
    /// When it is time for another one; `None` when the token URL does not say how long it lives.
    renew_at: Option<Instant>,
}

impl Token {
    fn read(document: &Value, asked: Instant) -> Option<Self> {
        let text = document["access_token"].as_str().filter(|text| is_bearer_token(text))?;
        if !document["token_type"].as_str()?.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let renew_at = match &document["expires_in"] {
            Value::Null => None,
            life => {
                let life = Duration::from_secs(life.as_u64()?);
                asked.checked_add(life - MOST_MARGIN.min(life / 10))
            }
        };
        Some(Self { text: text.into(), renew_at })
    }

    fn is_fresh(&self) -> bool {
        self.renew_at.is_none_or(|renew_at| Instant::now() <= renew_at)
    }
}

/// The grammar of RFC 6750 §2.1.
fn is_bearer_token(text: &str) -> bool {
    let start = text.trim_end_matches('=');
    !start.is_empty() && start.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte))
}

/// The token of a client, shared by all its calls.
pub(super) struct Tokens {
    credential: OAuth2,
    /// How many questions were answered or failed.
    asked: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    token: Option<Token>,
    /// The last failure, and which question it was.
    failure: Option<(u64, TokenError)>,
}

impl Tokens {
    pub(super) fn new(credential: OAuth2) -> Self {
        Self { credential, asked: AtomicU64::new(0), state: Mutex::default() }
    }

    pub(super) fn credential(&self) -> &OAuth2 {
        &self.credential
    }

    /// The token, asked for when there is no fresh one. Calls that come while a question is open share its result.
    pub(super) async fn get(&self, http: &Client) -> Result<Secret, TokenError> {
        let seen = self.asked.load(Ordering::Acquire);
        let mut state = self.state.lock().await;
        if let Some(token) = state.token.as_ref().filter(|token| token.is_fresh()) {
            return Ok(token.text.clone());
        }
        if let Some((_, error)) = state.failure.as_ref().filter(|(question, _)| *question > seen) {
            return Err(error.clone());
        }
        let result = self.credential.ask(http).await;
        let question = self.asked.fetch_add(1, Ordering::AcqRel) + 1;
        match result {
            Ok(token) => {
                *state = State { token: Some(token.clone()), failure: None };
                Ok(token.text)
            }
            Err(error) => {
                state.failure = Some((question, error.clone()));
                Err(error)
            }
        }
    }

    /// Forgets a token that was refused, unless there is another one by now.
    pub(super) async fn forget(&self, refused: &Secret) {
        let mut state = self.state.lock().await;
        if state.token.as_ref().is_some_and(|token| token.text.expose() == refused.expose()) {
            state.token = None;
        }
    }
}

/// Why there is no access token.
#[derive(Clone, Debug)]
pub struct TokenError {
    status: Option<u16>,
    error: Option<String>,
    description: Option<String>,
    source: Option<Arc<reqwest::Error>>,
}

impl TokenError {
    fn no_answer(source: reqwest::Error) -> Self {
        Self { status: None, error: None, description: None, source: Some(Arc::new(source)) }
    }

    fn refused(status: u16, document: &Value) -> Self {
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
