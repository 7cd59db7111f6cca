use std::fmt;
use std::time::SystemTime;

use ::reqwest::Request;

use super::token::Tokens;
use super::wire::{read_body, set_header, sign};
use super::{Error, OAuth2};
use crate::{Hmac, Key, ParameterSignature, Secret};

/// What a [`Client`](super::Client) signs with.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Credential {
    /// The App Key itself is sent.
    Key(Key),
    /// Date, method, target, body and headers are signed.
    Hmac(Hmac),
    /// The parameters are signed.
    ParameterSignature(ParameterSignature),
    /// An access token is sent.
    OAuth2(OAuth2),
}

impl From<Key> for Credential {
    fn from(credential: Key) -> Self {
        Self::Key(credential)
    }
}

impl From<Hmac> for Credential {
    fn from(credential: Hmac) -> Self {
        Self::Hmac(credential)
    }
}

impl From<ParameterSignature> for Credential {
    fn from(credential: ParameterSignature) -> Self {
        Self::ParameterSignature(credential)
    }
}

impl From<OAuth2> for Credential {
    fn from(credential: OAuth2) -> Self {
        Self::OAuth2(credential)
    }
}

/// A credential in use.
pub(super) enum Signer {
    Key(Key),
    Hmac(Hmac),
    ParameterSignature(ParameterSignature),
    OAuth2(Tokens),
}

impl Signer {
    pub(super) fn new(credential: Credential) -> Self {
        match credential {
            Credential::Key(key) => Self::Key(key),
            Credential::Hmac(hmac) => Self::Hmac(hmac),
            Credential::ParameterSignature(parameters) => Self::ParameterSignature(parameters),
            Credential::OAuth2(credential) => Self::OAuth2(Tokens::new(credential)),
        }
    }

    /// Reads the body into memory when it is signed.
    pub(super) async fn prepare(&self, request: &mut Request) -> Result<(), Error> {
        match self {
            Self::Hmac(_) | Self::ParameterSignature(_) => read_body(request).await,
            Self::Key(_) | Self::OAuth2(_) => Ok(()),
        }
    }

    /// Signs a prepared request. Gives the access token that was used, if any.
    pub(super) async fn sign(
        &self,
        request: &mut Request,
        now: SystemTime,
        http: &reqwest::Client,
    ) -> Result<Option<Secret>, Error> {
        match self {
            Self::Key(key) => sign(request, |view| key.sign(view))?,
            Self::Hmac(hmac) => sign(request, |view| hmac.sign_at(view, now))?,
            Self::ParameterSignature(parameters) => sign(request, |view| parameters.sign_at(view, now))?,
            Self::OAuth2(tokens) => {
                let token = tokens.get(http).await?;
                let value = zeroize::Zeroizing::new(format!("Bearer {}", token.expose()));
                set_header(request, "authorization", &value)?;
                return Ok(Some(token));
            }
        }
        Ok(None)
    }

    pub(super) async fn forget(&self, token: &Secret) {
        if let Self::OAuth2(tokens) = self {
            tokens.forget(token).await;
        }
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(key) => key.fmt(f),
            Self::Hmac(hmac) => hmac.fmt(f),
            Self::ParameterSignature(parameters) => parameters.fmt(f),
            Self::OAuth2(tokens) => tokens.credential().fmt(f),
        }
    }
}
