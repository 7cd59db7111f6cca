use std::error::Error as _;

use super::server::{ok, refusal, Server};
use super::*;
use postern_client::reqwest::{Error, OAuth2};
use postern_client::{Key, ParameterSignature, Secret};

/// The private key of the test, as it stands in its PEM.
const KEY: &str = "IJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9q";
const APP_KEY: &str = "app-key-that-nothing-prints";

fn credentials() -> Vec<Credential> {
    vec![
        Key::new(APP_KEY).unwrap().into(),
        Key::new(APP_KEY).unwrap().in_query("appKey").unwrap().into(),
        hmac().nonce().into(),
        ParameterSignature::new("acme", SECRET).unwrap().into(),
        OAuth2::new("acme", SECRET, "http://127.0.0.1:9/oauth2/token").unwrap().into(),
        #[cfg(feature = "private-keys")]
        postern_client::HttpMessageSignature::new("acme", super::private_keys::key()).unwrap().into(),
        #[cfg(feature = "private-keys")]
        postern_client::PrivateKeyJwt::new("acme", super::private_keys::key(), "http://127.0.0.1:9/t").unwrap().into(),
    ]
}

fn assert_no_secret(text: &str) {
    for secret in [SECRET, APP_KEY, KEY, "eyJhbGci"] {
        assert!(!text.contains(secret), "{text}");
    }
}

/// An error with all its causes, printed in every way.
fn printed(error: &Error) -> String {
    let mut text = format!("{error}\n{error:?}\n{error:#?}");
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!("\n{error}\n{error:?}");
        cause = error.source();
    }
    text
}

#[test]
fn no_client_prints_a_secret() {
    for credential in credentials() {
        let client = client(credential.clone());
        let text = format!("{credential:?} {client:?} {client:#?} {:?}", Client::builder(credential.clone()));
        assert_no_secret(&text);
        assert!(text.contains("[secret]"), "{text}");
    }
}

#[test]
fn a_secret_prints_itself_as_such() {
    let secret = Secret::from(SECRET);
    assert_eq!(format!("{secret} {secret:?} {secret:#?}"), "[secret] [secret] [secret]");
}

#[tokio::test(start_paused = true)]
async fn no_error_prints_a_secret() {
    let closed = Server::with(vec![None]).await;
    for credential in credentials() {
        let client = builder(credential).retries(0).build().unwrap();
        let error = client.send(client.get(format!("{}/orders?page=2", closed.url))).await.unwrap_err();
        let text = printed(&error);
        assert_no_secret(&text);
        assert!(!text.contains("sign="), "{text}");
    }
}

#[tokio::test]
async fn an_error_names_the_url_of_the_caller() {
    let closed = Server::with(vec![None]).await;
    let client = builder(Key::new(APP_KEY).unwrap().in_query("k").unwrap()).retries(0).build().unwrap();
    let url = format!("{}/orders?page=2", closed.url);
    let error = client.send(client.get(&url)).await.unwrap_err();
    assert!(printed(&error).contains(&url), "{error:?}");
}

#[tokio::test]
async fn no_answer_holds_a_secret() {
    for answer in [ok(), refusal(403, "NOT_AUTHORIZED", "")] {
        let server = Server::with(vec![answer]).await;
        let client = client(Key::new(APP_KEY).unwrap().in_query("k").unwrap());
        let answer = client.send(client.get(format!("{}/orders", server.url))).await.unwrap();
        assert_no_secret(&format!("{answer:?}"));
        assert_eq!(answer.url().as_str(), format!("{}/orders", server.url));
        assert!(server.only().target.contains(APP_KEY), "it was sent all the same");
    }
}

#[test]
fn no_problem_prints_a_value() {
    for (app_key, secret) in
        [("acme", " secret-value-1"), ("key value", "secret-value-2"), ("acme", "secret\u{7}value")]
    {
        let problem = postern_client::Hmac::new(app_key, secret).unwrap_err();
        assert_eq!(problem.code().as_str(), "INVALID_CREDENTIAL");
        let text = format!("{problem} {problem:?}");
        assert!(!text.contains("secret-value") && !text.contains("key value") && !text.contains('\u{7}'), "{text}");
    }
}
