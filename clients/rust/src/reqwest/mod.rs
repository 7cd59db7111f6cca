//! A client on top of [reqwest](https://docs.rs/reqwest) 0.13.
//!
//! ```no_run
//! use postern_client::reqwest::{Client, ResponseExt};
//! use postern_client::Hmac;
//!
//! # async fn call() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::new(Hmac::new("3f0c9a1be27d4856", "the App Secret")?)?;
//! let answer = client.send(client.get("https://api.example.com/orders?page=2")).await?;
//! println!("{}", answer.error_for_refusal()?.text().await?);
//! # Ok(())
//! # }
//! ```
//!
//! The client signs last, after reqwest has written the body and the headers of the request. It does not see reqwest's
//! default headers and cookies: set on the request itself what is to be signed.

mod answer;
mod asked;
mod builder;
mod client;
mod clock;
mod credential;
mod error;
mod oauth2;
mod retry;
mod token;
mod token_error;
mod token_request;
mod wire;

pub use answer::ResponseExt;
pub use builder::ClientBuilder;
pub use client::Client;
pub use credential::Credential;
pub use error::Error;
pub use oauth2::OAuth2;
pub use token_error::TokenError;
use token_request::TokenSource;
