//! The adapter for reqwest against a server of the test.

mod answers;
mod bodies;
mod clock;
#[cfg(feature = "private-keys")]
mod private_keys;
mod retries;
mod secrets;
mod server;
mod tokens;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use postern_client::reqwest::{Client, ClientBuilder, Credential};
use postern_client::Hmac;

const SECRET: &str = "a-secret-that-nothing-prints";

fn hmac() -> Hmac {
    Hmac::new("acme", SECRET).expect("a valid credential")
}

/// Starts a client without TLS.
fn builder(credential: impl Into<Credential>) -> ClientBuilder {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder(credential).http(reqwest::Client::builder().no_proxy().tls_certs_only([]))
}

fn client(credential: impl Into<Credential>) -> Client {
    builder(credential).build().expect("a client")
}

/// Sat, 21 Nov 2026 02:40:00 GMT
fn fixed_time() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_795_228_800)
}
