use super::server::{answer, ok, refusal, Server};
use super::*;
use postern_client::reqwest::ResponseExt;
use postern_client::Key;

const JSON: &str = "content-type: application/json\r\n";

#[tokio::test]
async fn reading_a_refusal_leaves_the_body_readable() {
    let server = Server::with(vec![refusal(403, "NOT_AUTHORIZED", "x-a: 1\r\n")]).await;
    let client = client(hmac());
    let answer = client.send(client.get(&server.url)).await.unwrap();
    assert_eq!(answer.refusal().map(|refusal| refusal.code().to_owned()).as_deref(), Some("NOT_AUTHORIZED"));
    assert_eq!(answer.headers()["x-a"], "1");
    let text = answer.text().await.unwrap();
    assert_eq!(text, r#"{"code":"NOT_AUTHORIZED","message":"No.","requestId":"r-1"}"#);
}

#[tokio::test]
async fn answers_of_the_api_stay_what_they_are() {
    let long = format!(r#"{{"code":"A","message":"{}","requestId":"r"}}"#, "x".repeat(70_000));
    let chunked = format!("HTTP/1.1 400 X\r\nconnection: close\r\n{JSON}\r\n{long}");
    for (answer, body) in [
        (answer(200, JSON, r#"{"code":"A","message":"m","requestId":"r"}"#), None),
        (answer(404, JSON, r#"{"error":"no such order"}"#), Some(r#"{"error":"no such order"}"#.to_owned())),
        (answer(404, "", "not found"), Some("not found".to_owned())),
        (answer(400, JSON, &long), Some(long.clone())),
        (Some(chunked), Some(long.clone())),
    ] {
        let server = Server::with(vec![answer]).await;
        let client = client(hmac());
        let answer = client.send(client.get(&server.url)).await.unwrap();
        assert_eq!(answer.refusal(), None);
        let answer = answer.error_for_refusal().expect("no refusal");
        if let Some(body) = body {
            assert_eq!(answer.text().await.unwrap(), body);
        }
    }
}

#[tokio::test]
async fn a_redirect_is_the_answer_and_gets_no_credential() {
    let other = Server::with(vec![ok()]).await;
    for status in [301, 302, 303, 307, 308] {
        let server = Server::with(vec![answer(status, &format!("location: {}/a\r\n", other.url), "")]).await;
        // Also when reqwest was asked to follow redirects.
        let http = reqwest::Client::builder().no_proxy().tls_certs_only([]);
        let http = http.redirect(reqwest::redirect::Policy::limited(5));
        let client = builder(Key::new("acme-key").unwrap()).http(http).build().unwrap();
        let answer = client.send(client.get(&server.url)).await.unwrap();
        assert_eq!(answer.status().as_u16(), status);
        assert_eq!(server.only().header("x-app-key"), Some("acme-key"));
    }
    assert!(other.recorded().is_empty());
}

#[tokio::test]
async fn user_information_of_a_url_is_not_sent() {
    let server = Server::with(vec![ok()]).await;
    let client = client(Key::new("acme-key").unwrap());
    let url = server.url.replace("http://", "http://user:word@");
    let request = reqwest::Request::new(reqwest::Method::GET, url.parse().unwrap());
    let answer = client.execute(request).await.unwrap();
    assert_eq!(answer.url().as_str(), format!("{}/", server.url));
    let got = server.only();
    assert_eq!(got.header("authorization"), None);
    assert!(!format!("{got:?}").contains("word"));
}
