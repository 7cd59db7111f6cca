use tokio::time::Instant;

use super::server::{answer, ok, refusal, Answer, Recorded, Server};
use super::*;
use postern_client::reqwest::{Error, ResponseExt};
use reqwest::Method;

/// A call, its status (0 without an answer), how long it waited, and what the server got.
async fn call(client: &Client, method: Method, answers: Vec<Answer>) -> (u16, f64, Vec<Recorded>) {
    let server = Server::with(answers).await;
    let started = Instant::now();
    let answer = client.send(client.request(method, &server.url).body("{}")).await;
    let waited = started.elapsed().as_secs_f64();
    let status = match answer {
        Ok(answer) => answer.status().as_u16(),
        Err(Error::Http(_)) => 0,
        Err(other) => panic!("{other:?}"),
    };
    (status, waited, server.recorded())
}

fn limited(retry_after: &str) -> Answer {
    refusal(429, "RATE_LIMITED", &format!("retry-after: {retry_after}\r\n"))
}

#[tokio::test(start_paused = true)]
async fn a_limit_is_waited_for_and_every_attempt_is_signed() {
    let client = client(hmac().nonce());
    let (status, waited, got) = call(&client, Method::POST, vec![limited("7"), limited("3"), ok()]).await;
    assert_eq!((status, got.len()), (200, 3));
    assert!((10.0..10.5).contains(&waited), "{waited}");
    let signatures: std::collections::HashSet<_> = got.iter().map(|each| each.header("authorization")).collect();
    assert_eq!(signatures.len(), 3, "no signature twice");
    assert!(got.iter().all(|each| each.body == b"{}"));
}

#[tokio::test(start_paused = true)]
async fn retries_say_how_often_besides_the_first_time() {
    for retries in [0, 1, 4] {
        let client = builder(hmac()).retries(retries).build().unwrap();
        let (status, _, got) = call(&client, Method::POST, vec![limited("1")]).await;
        assert_eq!((status, got.len()), (429, 1 + retries as usize));
    }
    let (_, _, got) = call(&client(hmac()), Method::POST, vec![limited("1")]).await;
    assert_eq!(got.len(), 3, "two without a setting");
}

#[tokio::test(start_paused = true)]
async fn an_unavailable_gateway_is_asked_after_one_and_two_seconds() {
    let unavailable = || refusal(503, "STORE_UNAVAILABLE", "");
    let (status, waited, got) = call(&client(hmac()), Method::POST, vec![unavailable(), unavailable(), ok()]).await;
    assert_eq!((status, got.len()), (200, 3));
    assert!((3.0..3.7).contains(&waited), "{waited}");
}

#[tokio::test(start_paused = true)]
async fn a_replayed_signature_is_made_again_after_a_second() {
    let (status, waited, got) =
        call(&client(hmac().nonce()), Method::PUT, vec![refusal(401, "REQUEST_REPLAYED", ""), ok()]).await;
    assert_eq!((status, got.len()), (200, 2));
    assert!((1.0..1.5).contains(&waited), "{waited}");
    assert_ne!(got[0].header("x-nonce"), got[1].header("x-nonce"));
}

#[tokio::test(start_paused = true)]
async fn other_answers_stand() {
    for (status, answer) in [
        (429, limited("61")),
        (429, answer(429, "retry-after: 1\r\n", "an API's own limit")),
        (503, answer(503, "", "an API's own failure")),
        (503, refusal(503, "GATEWAY_ERROR", "")),
        (401, refusal(401, "AUTHENTICATION_FAILED", "")),
        (401, refusal(401, "REQUEST_EXPIRED", "date: Sat, 21 Nov 2026 02:40:00 GMT\r\n")),
        (401, refusal(401, "TOKEN_INVALID", "")),
        (404, refusal(404, "ENDPOINT_NOT_FOUND", "")),
    ] {
        let text = answer.clone();
        let (got_status, _, got) = call(&client(hmac()), Method::GET, vec![answer]).await;
        assert_eq!((got_status, got.len()), (status, 1), "{text:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_is_tried_again_where_that_is_safe() {
    for (method, tries) in [
        (Method::GET, 3),
        (Method::HEAD, 3),
        (Method::OPTIONS, 3),
        (Method::PUT, 3),
        (Method::DELETE, 3),
        (Method::POST, 1),
        (Method::PATCH, 1),
    ] {
        let (status, waited, got) = call(&client(hmac()), method.clone(), vec![None]).await;
        assert_eq!((status, got.len()), (0, tries), "{method}");
        let least = if tries == 3 { 3.0 } else { 0.0 };
        assert!((least..least * 1.2 + 0.1).contains(&waited), "{method}: {waited}");
    }
    let (status, _, got) = call(&client(hmac()), Method::GET, vec![None, ok()]).await;
    assert_eq!((status, got.len()), (200, 2));
}

#[tokio::test(start_paused = true)]
async fn a_timeout_is_no_lost_connection() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let http = reqwest::Client::builder().no_proxy().tls_certs_only([]).timeout(Duration::from_secs(30));
    let client = builder(hmac()).http(http).build().unwrap();
    let started = Instant::now();
    let error = client.send(client.get(&url)).await.unwrap_err();
    assert!(matches!(&error, Error::Http(error) if error.is_timeout()), "{error:?}");
    assert_eq!(started.elapsed().as_secs(), 30, "one try");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_can_be_an_error() {
    let server = Server::with(vec![refusal(403, "NOT_AUTHORIZED", "")]).await;
    let client = client(hmac());
    let answer = client.send(client.get(&server.url)).await.unwrap();
    let refusal = answer.error_for_refusal().unwrap_err();
    assert_eq!((refusal.status(), refusal.code(), refusal.request_id()), (403, "NOT_AUTHORIZED", Some("r-1")));
}
