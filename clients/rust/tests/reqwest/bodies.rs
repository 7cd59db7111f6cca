use std::pin::Pin;
use std::task::{Context, Poll};

use super::server::{ok, refusal, Server};
use super::*;
use base64::engine::general_purpose::STANDARD;
use base64::Engine as _;
use bytes::Bytes;
use http_body::Frame;
use postern_client::reqwest::Error;
use postern_client::{Key, ParameterSignature, ProblemCode};
use sha2::Digest as _;

/// A body of some chunks that can be read once, and may fail at its end.
struct Stream {
    chunk: Bytes,
    left: usize,
    fails: bool,
}

impl http_body::Body for Stream {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.left > 0 {
            self.left -= 1;
            return Poll::Ready(Some(Ok(Frame::data(self.chunk.clone()))));
        }
        Poll::Ready(self.fails.then(|| Err(std::io::Error::other("the disk is gone"))))
    }
}

fn stream(chunk: &'static str, chunks: usize) -> reqwest::Body {
    reqwest::Body::wrap(Stream { chunk: Bytes::from_static(chunk.as_bytes()), left: chunks, fails: false })
}

fn digest(body: &[u8]) -> String {
    format!("SHA-256={}", STANDARD.encode(sha2::Sha256::digest(body)))
}

#[tokio::test]
async fn what_is_signed_is_what_is_sent() {
    let server = Server::with(vec![ok()]).await;
    let client = client(hmac());
    let body = serde_json::json!({ "name": "Køge 張", "amount": 12 });
    client.send(client.post(&server.url).json(&body)).await.unwrap();
    let got = server.only();
    assert_eq!(got.body, body.to_string().as_bytes());
    assert_eq!(got.header("digest"), Some(digest(&got.body).as_str()));
    assert_eq!(got.header("content-length"), Some(got.body.len().to_string().as_str()));
}

#[tokio::test(start_paused = true)]
async fn a_stream_is_read_signed_and_sent_again_from_memory() {
    let server = Server::with(vec![refusal(503, "UNAVAILABLE", ""), ok()]).await;
    let client = client(hmac());
    let answer = client.send(client.post(&server.url).body(stream("0123456789", 3))).await.unwrap();
    let got = server.recorded();
    assert_eq!((answer.status().as_u16(), got.len()), (200, 2));
    for each in got {
        assert_eq!(each.body, "0123456789".repeat(3).as_bytes());
        assert_eq!(each.header("digest"), Some(digest(&each.body).as_str()));
    }
}

#[tokio::test]
async fn a_stream_that_is_too_long_is_not_sent() {
    let server = Server::with(vec![ok()]).await;
    let parameters = ParameterSignature::new("acme", SECRET).unwrap();
    for client in [client(hmac()), client(parameters)] {
        let megabyte = "0123456789abcdef".repeat(65_536).leak();
        let error = client.send(client.post(&server.url).body(stream(megabyte, 11))).await.unwrap_err();
        assert!(matches!(&error, Error::Problem(why) if why.code() == ProblemCode::BodyTooLarge), "{error:?}");
    }
    assert!(server.recorded().is_empty());
}

#[tokio::test]
async fn a_stream_that_breaks_is_not_sent() {
    let server = Server::with(vec![ok()]).await;
    let client = client(hmac());
    let body = reqwest::Body::wrap(Stream { chunk: Bytes::from_static(b"x"), left: 2, fails: true });
    let error = client.send(client.put(&server.url).body(body)).await.unwrap_err();
    let cause = std::error::Error::source(&error).and_then(std::error::Error::source).unwrap().to_string();
    assert_eq!(cause, "the disk is gone");
    assert!(server.recorded().is_empty());
}

#[tokio::test(start_paused = true)]
async fn with_key_a_stream_passes_through_once() {
    let server = Server::with(vec![refusal(503, "UNAVAILABLE", ""), ok()]).await;
    let client = client(Key::new("acme-key").unwrap());
    let answer = client.send(client.post(&server.url).body(stream("0123456789", 3))).await.unwrap();
    assert_eq!(answer.status().as_u16(), 503, "it cannot be sent again");
    let got = server.only();
    assert_eq!(got.header("transfer-encoding"), Some("chunked"));
    assert_eq!(got.body.len(), 30);
}

#[tokio::test]
async fn a_wrapper_takes_the_place_of_the_body() {
    let server = Server::with(vec![ok()]).await;
    let client = client(ParameterSignature::new("acme", SECRET).unwrap());
    let call = client.post(&server.url).header("content-length", "12").header("content-type", "application/json");
    client.send(call.body(r#"{"amount":1}"#)).await.unwrap();
    let got = server.only();
    let wrapper: serde_json::Value = serde_json::from_slice(&got.body).unwrap();
    assert_eq!(wrapper["data"], r#"{"amount":1}"#);
    assert_eq!(got.header("content-length"), Some(got.body.len().to_string().as_str()));
    assert_eq!(got.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn a_problem_is_not_sent() {
    let server = Server::with(vec![ok()]).await;
    let client = client(hmac().signed_headers(["x-tenant"]));
    let error = client.send(client.get(&server.url)).await.unwrap_err();
    assert!(matches!(&error, Error::Problem(why) if why.code() == ProblemCode::HeaderNotSignable), "{error:?}");
    assert!(server.recorded().is_empty());
}

#[tokio::test]
async fn a_query_that_reqwest_encodes_is_signed_as_it_is_sent() {
    let server = Server::with(vec![ok()]).await;
    let client = client(ParameterSignature::new("acme", SECRET).unwrap());
    client.send(client.get(format!("{}/a?q='x' \"y\"&r=%27", server.url))).await.unwrap();
    let target = server.only().target;
    assert!(target.starts_with("/a?q=%27x%27%20%22y%22&r=%27&appKey=acme&apiTimestamp="), "{target}");
}
