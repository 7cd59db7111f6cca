use std::error::Error as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::server::{answer, ok, refusal, Server};
use super::*;
use postern_client::reqwest::Error;
use postern_client::{HttpMessageSignature, PrivateKey, PrivateKeyJwt, ProblemCode};

const ASKED: &str = r#"sig1=("@method" "@authority" "@path" "@query" "x-tenant");created;nonce="theirs";tag="app""#;
const JSON: &str = "content-type: application/json\r\n";

fn keys() -> serde_json::Value {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../public-key-vectors.json")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    document["keys"].clone()
}

pub(super) fn key() -> PrivateKey {
    PrivateKey::from_pem(keys()["ed25519"]["pem"].as_str().unwrap()).unwrap()
}

fn signature() -> HttpMessageSignature {
    let count = AtomicUsize::new(0);
    let own = move || format!("own-{}", count.fetch_add(1, Ordering::SeqCst));
    HttpMessageSignature::new("acme", key()).unwrap().nonce_from(own)
}

fn asking(status: u16, code: &str, asked: &str) -> server::Answer {
    refusal(status, code, &format!("accept-signature: {asked}\r\n"))
}

#[tokio::test(start_paused = true)]
async fn what_a_401_asks_for_is_signed_once_and_later_with_a_nonce_of_its_own() {
    let refused = asking(401, "CREDENTIALS_MALFORMED", ASKED);
    let server = Server::with(vec![refused.clone(), refusal(503, "UNAVAILABLE", ""), refused]).await;
    let client = client(signature());
    let call = client.get(format!("{}/orders", server.url)).header("x-tenant", "blue");
    let answer = client.send(call).await.unwrap();
    assert_eq!(answer.status().as_u16(), 401, "asked for twice is obeyed once");
    let got = server.recorded();
    let inputs: Vec<&str> = got.iter().filter_map(|each| each.header("signature-input")).collect();
    assert_eq!(inputs.len(), 3);
    assert!(!inputs[0].contains("x-tenant") && inputs[0].ends_with(r#";keyid="acme";nonce="own-0""#), "{inputs:?}");
    for (input, nonce) in inputs[1..].iter().zip(["theirs", "own-1"]) {
        let end = format!(r#";keyid="acme";nonce="{nonce}";tag="app""#);
        assert!(input.contains(r#""@query" "x-tenant");created="#) && input.ends_with(&end), "{inputs:?}");
    }
}

#[tokio::test]
async fn other_refusals_are_the_answer() {
    for (status, code, asked) in [
        (401, "REQUEST_REPLAYED", ASKED),
        (403, "AUTHENTICATION_FAILED", ASKED),
        (401, "AUTHENTICATION_FAILED", ""),
        (401, "AUTHENTICATION_FAILED", r#"sig1=("@method");created;nonce="n""#),
        (401, "AUTHENTICATION_FAILED", r#"sig1=("x-other");created"#),
    ] {
        let server = Server::with(vec![asking(status, code, asked)]).await;
        let client = client(signature());
        let answer = client.send(client.post(&server.url).header("x-tenant", "blue").body("x")).await.unwrap();
        assert_eq!((answer.status().as_u16(), server.recorded().len()), (status, 1), "{code} {asked}");
    }
}

#[tokio::test]
async fn a_signer_that_fails_is_the_source_of_a_problem() {
    let server = Server::with(vec![ok()]).await;
    let failing = |algorithm: &str| PrivateKey::from_signer(algorithm, |_| Err("the device is away"));
    let message = HttpMessageSignature::new("acme", failing("ed25519")).unwrap();
    let assertion = PrivateKeyJwt::new("acme", failing("EdDSA"), format!("{}/t", server.url)).unwrap();
    for client in [client(message), client(assertion)] {
        let Err(Error::Problem(problem)) = client.send(client.get(&server.url)).await else { panic!("it was signed") };
        assert_eq!(problem.code(), ProblemCode::SignerFailed);
        assert_eq!(problem.source().unwrap().to_string(), "the device is away");
    }
    assert!(server.recorded().is_empty());
}

#[test]
fn an_rsa_signature_may_have_its_lengths() {
    for (length, is_taken) in [(255, false), (256, true), (1024, true), (1025, false)] {
        let key = PrivateKey::from_signer("rsa-pss-sha512", move |_| Ok::<_, String>(vec![1; length]));
        let credential = HttpMessageSignature::new("acme", key).unwrap();
        let signed = credential.sign(&postern_client::Request::new("GET", "https://api.example.com/"));
        assert_eq!(signed.is_ok(), is_taken, "{length}");
    }
}

/// Asks for a token with a clock that is so many seconds behind; gives the `iat` of the questions.
async fn times_of_assertions(behind: u64, most: u64) -> Vec<u64> {
    let date = httpdate::fmt_http_date(fixed_time() + Duration::from_secs(behind));
    let refused = answer(401, &format!("date: {date}\r\n{JSON}"), r#"{"error":"invalid_client"}"#);
    let server = Server::with(vec![refused]).await;
    let credential = PrivateKeyJwt::new("acme", key(), format!("{}/oauth2/token", server.url)).unwrap();
    let client = builder(credential).clock(fixed_time).clock_correction(Duration::from_secs(most)).build().unwrap();
    let Err(Error::Token(error)) = client.send(client.get(&server.url)).await else { panic!("there was a token") };
    assert_eq!(error.error(), Some("invalid_client"));
    let got = server.recorded();
    got.iter().map(|each| claims_of(&each.body)["iat"].as_u64().unwrap()).collect()
}

fn claims_of(form: &[u8]) -> serde_json::Value {
    use base64::Engine as _;
    let text = std::str::from_utf8(form).unwrap();
    let (_, jwt) = text.split_once("&client_assertion=").unwrap();
    let payload = jwt.split('.').nth(1).unwrap();
    serde_json::from_slice(&base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

#[tokio::test]
async fn a_refused_assertion_corrects_the_clock_once() {
    let now = 1_795_228_800;
    for (behind, most, times) in [
        (4000, 7200, vec![now, now + 4000]),
        (600, 600, vec![now, now + 600]),
        (30, 600, vec![now, now + 30]),
        (29, 600, vec![now]),
        (601, 600, vec![now]),
        (300, 0, vec![now]),
    ] {
        assert_eq!(times_of_assertions(behind, most).await, times, "{behind} of {most}");
    }
}
