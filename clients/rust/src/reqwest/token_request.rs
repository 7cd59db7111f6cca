//! The question to a token URL.

use std::fmt;

use ::reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, DATE};
use ::reqwest::{Client, RequestBuilder};
use serde_json::Value;
use tokio::time::Instant;
use zeroize::Zeroizing;

use super::clock::{Clock, Reading};
use super::token::Token;
use super::{Error, OAuth2, TokenError};

/// The largest answer of a token URL, in bytes.
const MAX_ANSWER_BYTES: usize = 65_536;
/// A difference of clocks, in seconds, that can be the reason why an assertion is refused.
const LEAST_CORRECTION: u64 = 30;

/// What gets access tokens.
pub(super) enum TokenSource {
    Secret(OAuth2),
    #[cfg(feature = "private-keys")]
    Key(crate::PrivateKeyJwt),
}

impl TokenSource {
    #[cfg_attr(not(feature = "private-keys"), allow(unused_variables, reason = "for signatures with a key"))]
    fn question(&self, http: &Client, reading: Reading) -> Result<RequestBuilder, Error> {
        let (request, body) = match self {
            Self::Secret(credential) => {
                let request = http.post(credential.token_url().clone());
                (request.header(AUTHORIZATION, credential.authorization()), "grant_type=client_credentials".to_owned())
            }
            #[cfg(feature = "private-keys")]
            Self::Key(credential) => {
                let body = credential.token_request_at(reading.now())?;
                (http.post(credential.token_url()), body.to_string())
            }
        };
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        Ok(request.header(ACCEPT, "application/json").body(body))
    }

    fn has_times(&self) -> bool {
        !matches!(self, Self::Secret(_))
    }
}

impl fmt::Debug for TokenSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Secret(credential) => credential.fmt(f),
            #[cfg(feature = "private-keys")]
            Self::Key(credential) => credential.fmt(f),
        }
    }
}

/// Asks the token URL once; and again when an assertion was refused, and the clock was corrected since.
pub(super) async fn ask(source: &TokenSource, http: &Client, clock: &Clock) -> Result<Token, Error> {
    let mut is_first = true;
    loop {
        let reading = clock.read();
        let answer = ask_once(source.question(http, reading)?).await?;
        let error = match answer.token {
            Ok(token) => return Ok(token),
            Err(error) => error,
        };
        let may_be_late = is_first && source.has_times() && error.error() == Some("invalid_client");
        let date = answer.date.filter(|_| may_be_late);
        if !date.is_some_and(|date| clock.learn_from(reading, date, LEAST_CORRECTION)) {
            return Err(error.into());
        }
        is_first = false;
    }
}

struct Answer {
    token: Result<Token, TokenError>,
    date: Option<std::time::SystemTime>,
}

async fn ask_once(question: RequestBuilder) -> Result<Answer, TokenError> {
    let asked = Instant::now();
    let no_answer = |error: reqwest::Error| TokenError::no_answer(error.without_url());
    let response = question.send().await.map_err(no_answer)?;
    let status = response.status().as_u16();
    let date = response.headers().get(DATE).and_then(|date| httpdate::parse_http_date(date.to_str().ok()?).ok());
    let body = read_answer(response).await.map_err(no_answer)?;
    let document: Value = serde_json::from_slice(&body).unwrap_or_default();
    let token = (status == 200).then(|| Token::read(&document, asked)).flatten();
    Ok(Answer { token: token.ok_or_else(|| TokenError::refused(status, &document)), date })
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
