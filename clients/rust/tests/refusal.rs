//! Reading the gateway's refusals.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use postern_client::Refusal;

const BODY: &str = r#"{"code":"RATE_LIMITED","message":"The limit of requests is reached.","requestId":"1f0c"}"#;
const JSON: (&str, &[u8]) = ("Content-Type", b"application/json");

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_795_228_800)
}

fn read(status: u16, headers: &[(&'static str, &'static [u8])], body: &str) -> Option<Refusal> {
    Refusal::read(status, headers.iter().copied(), body.as_bytes(), now())
}

fn retry_after(value: &'static str) -> Option<u64> {
    let refusal = read(429, &[JSON, ("retry-after", value.as_bytes())], BODY).expect("a refusal");
    refusal.retry_after().map(|wait| wait.as_secs())
}

#[test]
fn offers_what_the_gateway_says() {
    let body = BODY.replace('}', r#","stringToSign":"date: x"}"#);
    let refusal = read(429, &[JSON, ("Retry-After", b"7")], &body).expect("a refusal");
    assert_eq!(refusal.status(), 429);
    assert_eq!(refusal.code(), "RATE_LIMITED");
    assert_eq!(refusal.message(), "The limit of requests is reached.");
    assert_eq!(refusal.request_id(), Some("1f0c"));
    assert_eq!(refusal.retry_after(), Some(Duration::from_secs(7)));
    assert_eq!(refusal.string_to_sign(), Some("date: x"));
    assert_eq!(refusal.to_string(), "429 RATE_LIMITED: The limit of requests is reached. (request 1f0c)");
}

#[test]
fn what_is_absent_stays_absent() {
    let refusal = read(401, &[JSON], BODY).expect("a refusal");
    assert_eq!((refusal.retry_after(), refusal.string_to_sign()), (None, None));
}

#[test]
fn retry_after_is_a_number_or_a_date() {
    assert_eq!(retry_after("0"), Some(0));
    assert_eq!(retry_after("3600"), Some(3600));
    assert_eq!(retry_after("Sat, 21 Nov 2026 02:40:09 GMT"), Some(9));
    assert_eq!(retry_after("Sat, 21 Nov 2026 02:39:00 GMT"), Some(0));
    for nonsense in ["", "-1", "1.5", "soon", "99999999999999999999999", "+3"] {
        assert_eq!(retry_after(nonsense), None, "{nonsense:?}");
    }
}

#[test]
fn a_media_type_may_have_parameters() {
    for media_type in ["application/json; charset=utf-8", "Application/JSON", "application/json ;a=b"] {
        assert!(read(400, &[("content-type", media_type.as_bytes())], BODY).is_some(), "{media_type}");
    }
}

#[test]
fn other_answers_are_no_refusals() {
    assert!(read(400, &[JSON], BODY).is_some(), "the answer that the others differ from");
    assert_eq!(read(200, &[JSON], BODY), None, "an answer of the API");
    assert_eq!(read(400, &[], BODY), None, "no media type");
    assert_eq!(read(400, &[JSON, JSON], BODY), None, "two media types");
    for media_type in ["text/html", "application/problem+json", "application/jsonp", ""] {
        assert_eq!(read(400, &[("content-type", media_type.as_bytes())], BODY), None, "{media_type}");
    }
    for name in ["code", "message", "requestId"] {
        assert_eq!(read(400, &[JSON], &BODY.replace(name, "other")), None, "without {name}");
    }
    assert_eq!(read(400, &[JSON], &BODY.replace("\"1f0c\"", "1")), None, "a number for a text");
    assert_eq!(read(400, &[JSON], &format!("[{BODY}]")), None, "a list");
    assert_eq!(read(400, &[JSON], &format!("{BODY}x")), None, "text after it");
    assert_eq!(read(400, &[JSON], ""), None, "nothing");
}

#[test]
fn a_long_answer_is_no_refusal() {
    let padded = |length: usize| BODY.replace("1f0c", &"1".repeat(length - BODY.len() + 4));
    assert!(read(400, &[JSON], &padded(65_536)).is_some());
    assert_eq!(read(400, &[JSON], &padded(65_537)), None);
}
