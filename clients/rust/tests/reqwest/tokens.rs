use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use super::server::{answer, ok, refusal, Answer, Server};
use super::*;
use postern_client::reqwest::{Error, OAuth2, TokenError};
use tokio::time::advance;

const JSON: &str = "content-type: application/json\r\n";

fn token(number: usize, life: u64) -> Answer {
    answer(200, JSON, &format!(r#"{{"access_token":"t{number}","token_type":"Bearer","expires_in":{life}}}"#))
}

fn oauth2(token_url: &str) -> OAuth2 {
    OAuth2::new("acme", SECRET, token_url).expect("a valid credential")
}

/// A gateway whose tokens live so long, and whose API takes every one but those that `is_refused` names.
async fn gateway(life: u64, is_refused: impl Fn(&str) -> bool + Send + Sync + 'static) -> Server {
    let asked = AtomicUsize::new(0);
    Server::start(move |_, request| {
        if request.target == "/oauth2/token" {
            return token(asked.fetch_add(1, Ordering::SeqCst), life);
        }
        match request.header("authorization").and_then(|value| value.strip_prefix("Bearer ")) {
            Some(text) if !is_refused(text) => ok(),
            _ => refusal(401, "TOKEN_INVALID", ""),
        }
    })
    .await
}

fn client_of(server: &Server) -> Client {
    client(oauth2(&format!("{}/oauth2/token", server.url)))
}

fn questions(server: &Server) -> usize {
    server.recorded().iter().filter(|each| each.target == "/oauth2/token").count()
}

async fn status(client: &Client, server: &Server) -> u16 {
    let answer = client.send(client.get(format!("{}/stock", server.url))).await.expect("an answer");
    answer.status().as_u16()
}

#[tokio::test]
async fn the_question_is_that_of_rfc_6749() {
    let server = gateway(3600, |_| false).await;
    let credential = OAuth2::new("a.b", "s:ö +%", format!("{}/oauth2/token", server.url)).unwrap();
    assert_eq!(status(&client(credential), &server).await, 200);
    let question = &server.recorded()[0];
    assert_eq!((question.method.as_str(), question.target.as_str()), ("POST", "/oauth2/token"));
    assert_eq!(question.body, b"grant_type=client_credentials");
    assert_eq!(question.header("content-type"), Some("application/x-www-form-urlencoded"));
    // The base64 of a.b:s%3A%C3%B6%20%2B%25
    assert_eq!(question.header("authorization"), Some("Basic YS5iOnMlM0ElQzMlQjYlMjAlMkIlMjU="));
}

#[tokio::test]
async fn concurrent_calls_share_one_question() {
    let server = Arc::new(gateway(3600, |_| false).await);
    let client = client_of(&server);
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let (client, server) = (client.clone(), server.clone());
            tokio::spawn(async move { status(&client, &server).await })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), 200);
    }
    assert_eq!(questions(&server), 1);
}

#[tokio::test(start_paused = true)]
async fn a_token_is_renewed_before_it_ends() {
    for (life, kept) in [(3600, 3540), (100, 90), (600, 540), (10, 9)] {
        let server = gateway(life, |_| false).await;
        let client = client_of(&server);
        assert_eq!(status(&client, &server).await, 200);
        advance(Duration::from_secs(kept - 1)).await;
        status(&client, &server).await;
        assert_eq!(questions(&server), 1, "{life} s: still good after {} s", kept - 1);
        advance(Duration::from_secs(2)).await;
        status(&client, &server).await;
        assert_eq!(questions(&server), 2, "{life} s: renewed after {} s", kept + 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_token_is_renewed_once_and_not_counted() {
    let server = gateway(3600, |token| token == "t0").await;
    let client = builder(oauth2(&format!("{}/oauth2/token", server.url))).retries(0).build().unwrap();
    assert_eq!(status(&client, &server).await, 200);
    assert_eq!(questions(&server), 2);
    assert_eq!(status(&client, &server).await, 200);
    assert_eq!(questions(&server), 2, "the new token is kept");

    let server = gateway(3600, |_| true).await;
    assert_eq!(status(&client_of(&server), &server).await, 401);
    assert_eq!(questions(&server), 2, "once only");
}

#[tokio::test]
async fn an_answer_that_is_no_token_is_an_error() {
    let refused = r#"{"error":"invalid_client","error_description":"No such client."}"#;
    for (answer, text) in [
        (answer(401, JSON, refused), "the token URL refused: invalid_client (status 401)"),
        (answer(400, JSON, r#"{"error":"invalid_request"}"#), "the token URL refused: invalid_request (status 400)"),
        (answer(200, JSON, "{}"), "the answer of the token URL is no token (status 200)"),
        (answer(200, "", "<html>"), "the answer of the token URL is no token (status 200)"),
        (
            answer(200, JSON, r#"{"access_token":"a b","token_type":"bearer","expires_in":1}"#),
            "the answer of the token URL is no token (status 200)",
        ),
        (
            answer(200, JSON, r#"{"access_token":"a","token_type":"mac","expires_in":1}"#),
            "the answer of the token URL is no token (status 200)",
        ),
        (answer(302, "location: /elsewhere\r\n", ""), "the answer of the token URL is no token (status 302)"),
        (None, "the token URL gave no answer"),
    ] {
        let server = Server::with(vec![answer]).await;
        let error = client_of(&server).get(&server.url).build();
        let error = client_of(&server).execute(error.unwrap()).await.unwrap_err();
        let Error::Token(error) = error else { panic!("{error:?}") };
        assert_eq!(error.to_string(), text);
        assert!(
            server.recorded().iter().all(|each| each.target == "/oauth2/token"),
            "nothing was sent without a token"
        );
    }
}

#[tokio::test]
async fn an_error_quotes_rfc_6749_only() {
    for (answered, quoted) in [("invalid_client", Some("invalid_client")), ("c2VjcmV0", None)] {
        let refused = format!(r#"{{"error":"{answered}","error_description":"No such\nclient."}}"#);
        let server = Server::with(vec![answer(401, JSON, &refused)]).await;
        let error = token_error(&client_of(&server), &server).await;
        assert_eq!((error.status(), error.error()), (Some(401), quoted));
    }
}

#[tokio::test]
async fn calls_that_wait_share_a_failure() {
    let server = Arc::new(Server::with(vec![answer(503, JSON, r#"{"error":"temporarily_unavailable"}"#)]).await);
    let client = client_of(&server);
    let calls: Vec<_> = (0..10)
        .map(|_| {
            let (client, server) = (client.clone(), server.clone());
            tokio::spawn(async move { token_error(&client, &server).await.status() })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), Some(503));
    }
    assert_eq!(questions(&server), 1);
    token_error(&client, &server).await;
    assert_eq!(questions(&server), 2, "a later call asks again");
}

async fn token_error(client: &Client, server: &Server) -> TokenError {
    match client.send(client.get(&server.url)).await {
        Err(Error::Token(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_token_url_is_absolute() {
    for url in ["/oauth2/token", "ftp://example.com/token", "", "https://user:word@example.com/token"] {
        let problem = OAuth2::new("acme", SECRET, url).unwrap_err();
        assert_eq!(problem.code().as_str(), "INVALID_CREDENTIAL", "{url:?}");
    }
}
