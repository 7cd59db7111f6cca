//! Signs requests to APIs behind the Postern gateway.
//!
//! Without features this crate signs and sends nothing: make a credential ([`Key`], [`Hmac`] or
//! [`ParameterSignature`]), give it a [`Request`], and set on the request of your HTTP library what the [`Signed`] one
//! says. With the feature `reqwest`, `reqwest::Client` signs, sends, renews tokens and tries again.
//!
//! | Feature | Adds |
//! |---|---|
//! | `private-keys` | `HttpMessageSignature` and `PrivateKeyJwt`, which sign with a private key |
//! | `refusal` | `Refusal`, which reads the gateway's errors from answers |
//! | `reqwest` | the module `reqwest` with a client, and `OAuth2` |
#![cfg_attr(docsrs, feature(doc_cfg))]

// The examples of the README are compiled with the tests.
#[cfg(all(doctest, feature = "reqwest", feature = "private-keys"))]
#[doc = include_str!("../README.md")]
pub struct Readme;

#[cfg(feature = "private-keys")]
mod assertion;
mod credential;
mod hmac;
mod key;
#[cfg(feature = "private-keys")]
mod message;
mod nonce;
mod parameters;
#[cfg(feature = "private-keys")]
mod private_key;
mod problem;
mod recent;
#[cfg(feature = "refusal")]
mod refusal;
mod request;
#[cfg(feature = "reqwest")]
pub mod reqwest;
mod secret;
mod signable_header;
mod signed;
mod target;
mod time;

pub use self::hmac::{Algorithm, Hmac};
#[cfg(feature = "private-keys")]
#[cfg_attr(docsrs, doc(cfg(feature = "private-keys")))]
pub use assertion::PrivateKeyJwt;
pub use key::Key;
#[cfg(feature = "private-keys")]
#[cfg_attr(docsrs, doc(cfg(feature = "private-keys")))]
pub use message::HttpMessageSignature;
pub use parameters::{write_parameters, Encoding, ParameterSignature};
#[cfg(feature = "private-keys")]
#[cfg_attr(docsrs, doc(cfg(feature = "private-keys")))]
pub use private_key::PrivateKey;
pub use problem::{Problem, ProblemCode};
#[cfg(feature = "refusal")]
#[cfg_attr(docsrs, doc(cfg(feature = "refusal")))]
pub use refusal::Refusal;
pub use request::Request;
pub use secret::Secret;
pub use signed::Signed;
