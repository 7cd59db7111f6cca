//! The access token of a client.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ::reqwest::Client;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::clock::Clock;
use super::{token_request, Error, TokenError, TokenSource};
use crate::Secret;

const MOST_MARGIN: Duration = Duration::from_secs(60);

#[derive(Clone)]
pub(super) struct Token {
    text: Secret,
    /// When it is time for another one; `None` when the token URL does not say how long it lives.
    renew_at: Option<Instant>,
}

impl Token {
    /// Reads the answer to a question that was asked at this time; `None` when it is no token.
    pub(super) fn read(document: &Value, asked: Instant) -> Option<Self> {
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
    source: TokenSource,
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
    pub(super) fn new(source: TokenSource) -> Self {
        Self { source, asked: AtomicU64::new(0), state: Mutex::default() }
    }

    pub(super) fn source(&self) -> &TokenSource {
        &self.source
    }

    /// The token, asked for when there is no fresh one. Calls that come while a question is open share its result.
    pub(super) async fn get(&self, http: &Client, clock: &Clock) -> Result<Secret, Error> {
        let seen = self.asked.load(Ordering::Acquire);
        let mut state = self.state.lock().await;
        if let Some(token) = state.token.as_ref().filter(|token| token.is_fresh()) {
            return Ok(token.text.clone());
        }
        if let Some((_, error)) = state.failure.as_ref().filter(|(question, _)| *question > seen) {
            return Err(error.clone().into());
        }
        let result = token_request::ask(&self.source, http, clock).await;
        let question = self.asked.fetch_add(1, Ordering::AcqRel) + 1;
        match result {
            Ok(token) => {
                *state = State { token: Some(token.clone()), failure: None };
                Ok(token.text)
            }
            Err(Error::Token(error)) => {
                state.failure = Some((question, error.clone()));
                Err(error.into())
            }
            Err(error) => Err(error),
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
