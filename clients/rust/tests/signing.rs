//! Rules that the vectors do not show.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use postern_client::{Encoding, Hmac, Key, ParameterSignature, Problem, ProblemCode, Request, Signed};

const SECRET: &str = "n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6e";
const URL: &str = "https://api.example.com/orders";
const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_795_228_800)
}

fn hmac() -> Hmac {
    Hmac::new("acme", SECRET).unwrap()
}

fn parameters() -> ParameterSignature {
    ParameterSignature::new("acme", SECRET).unwrap()
}

fn code<T: std::fmt::Debug>(result: Result<T, Problem>) -> &'static str {
    result.unwrap_err().code().as_str()
}

fn header(signed: &Signed, name: &str) -> String {
    let value = signed.headers().find(|(each, _)| *each == name).map(|(_, value)| value.to_owned());
    value.unwrap_or_else(|| panic!("no {name}"))
}

fn timestamp(signed: &Signed) -> u64 {
    let wrapper: serde_json::Value = serde_json::from_slice(signed.body().unwrap()).unwrap();
    wrapper["apiTimestamp"].as_u64().unwrap()
}

#[test]
fn credentials_are_checked_when_they_are_made() {
    for app_key in ["", "a b", "a/b", "ä", "a\n", &"k".repeat(513)] {
        assert_eq!(code(Key::new(app_key)), "INVALID_CREDENTIAL", "{app_key:?}");
        assert_eq!(code(Hmac::new(app_key, SECRET)), "INVALID_CREDENTIAL", "{app_key:?}");
        assert_eq!(code(ParameterSignature::new(app_key, SECRET)), "INVALID_CREDENTIAL", "{app_key:?}");
    }
    for secret in ["", " a", "a ", "a\t", "a\u{0}b", "a\u{7f}", "a\u{85}b", "\u{a0}a", "a\u{2003}"] {
        assert_eq!(code(Hmac::new("acme", secret)), "INVALID_CREDENTIAL", "{secret:?}");
        assert_eq!(code(ParameterSignature::new("acme", secret)), "INVALID_CREDENTIAL", "{secret:?}");
    }
    for name in ["", "a b", "a:b", "ä"] {
        assert_eq!(code(Key::new("k").unwrap().in_header(name)), "INVALID_CREDENTIAL", "{name:?}");
    }
    assert_eq!(code(Key::new("k").unwrap().in_query("")), "INVALID_CREDENTIAL");
    assert_eq!(code("hmac-md5".parse::<postern_client::Algorithm>()), "INVALID_CREDENTIAL");
    assert_eq!(code("auto".parse::<Encoding>()), "INVALID_CREDENTIAL");
}

#[test]
fn a_url_is_absolute_and_encoded() {
    for url in ["", "/orders", "api.example.com", "ftp://a/b", "https://", "https://a/ä", "https://a/ b"] {
        assert_eq!(code(hmac().sign(&Request::new("GET", url))), "TARGET_NOT_SIGNABLE", "{url:?}");
        assert_eq!(code(parameters().sign(&Request::new("GET", url))), "TARGET_NOT_SIGNABLE", "{url:?}");
        assert_eq!(code(Key::new("k").unwrap().sign(&Request::new("GET", url))), "TARGET_NOT_SIGNABLE", "{url:?}");
    }
}

#[test]
fn user_information_is_dropped() {
    let signed = hmac().signed_headers(["host"]).sign(&Request::new("GET", "https://user:word@a.example/b@c")).unwrap();
    assert_eq!((signed.url(), signed.target()), ("https://a.example/b@c", "/b@c"));
    assert!(signed.string_to_sign().unwrap().ends_with("\nhost: a.example"));
}

#[test]
fn the_first_problem_of_the_order_counts() {
    let long = "x".repeat(10_485_761);
    let many = (0..101).map(|n| format!("p{n}=1")).collect::<Vec<_>>().join("&");
    let get = |query: &str| code(parameters().sign(&Request::new("GET", &format!("{URL}?{query}"))));
    let post = |url: &str, media_type: &str, body: &[u8]| {
        code(parameters().sign(&Request::new("POST", url).header("Content-Type", media_type).body(body)))
    };
    let with_query = format!("{URL}?a=1");
    assert_eq!(post("https://a/ ", "text/plain", long.as_bytes()), "TARGET_NOT_SIGNABLE");
    assert_eq!(post(&with_query, "text/plain", long.as_bytes()), "BODY_TOO_LARGE");
    assert_eq!(post(&with_query, "application/json; charset=x", &long.as_bytes()[..2_097_152]), "BODY_TOO_LARGE");
    assert_eq!(post(&with_query, "text/plain", b"a=%z"), "BODY_NOT_SIGNABLE");
    assert_eq!(post(&with_query, JSON, b"\xff"), "BODY_NOT_SIGNABLE");
    assert_eq!(post(&with_query, FORM, b"a=%z"), "QUERY_NOT_SIGNABLE");
    assert_eq!(get("sign=1&a=%z"), "MALFORMED_PARAMETERS");
    assert_eq!(get("a%26=1&sign=1"), "RESERVED_PARAMETER");
    assert_eq!(get(&format!("{many}&a%26=1")), "AMBIGUOUS_PARAMETERS");
    assert_eq!(get(&many), "TOO_MANY_PARAMETERS");
    let request = Request::new("POST", URL).body(&long);
    assert_eq!(code(hmac().signed_headers(["te"]).sign(&request)), "BODY_TOO_LARGE");
}

#[test]
fn a_form_is_counted_as_it_is_sent() {
    let sign = |length: usize| {
        let body = format!("a={}", "x".repeat(length - 2));
        let request = Request::new("POST", URL).header("content-type", FORM).body(&body);
        parameters().sign_at(&request, now()).map(|signed| signed.body().unwrap().len())
    };
    let added = "&appKey=acme&apiTimestamp=1795228800&sign=".len() + 128;
    assert_eq!(sign(10_485_760 - added), Ok(10_485_760));
    assert_eq!(code(sign(10_485_760 - added + 1)), "BODY_TOO_LARGE");
}

#[test]
fn a_wrapper_is_counted_as_it_is_sent() {
    let sign = |quotes: usize, others: usize| {
        let body = "\"".repeat(quotes) + &"x".repeat(others);
        let request = Request::new("POST", URL).header("content-type", JSON).body(&body);
        parameters().sign_at(&request, now()).map(|signed| signed.body().unwrap().len())
    };
    let rest = 2_097_152 - r#"{"data":"","appKey":"acme","sign":"","apiTimestamp":1795228800}"#.len() - 128;
    assert_eq!(sign(1000, rest - 2000), Ok(2_097_152));
    assert_eq!(code(sign(1000, rest - 1999)), "BODY_TOO_LARGE");
}

#[test]
fn what_is_not_utf8_is_malformed_in_every_encoding() {
    for encoding in [Encoding::Decoded, Encoding::Raw] {
        for body in [b"a=\xff".as_slice(), b"a=%FF", b"a=\xc3%A9", b"a=%"] {
            let request = Request::new("POST", URL).header("content-type", FORM).body(body);
            assert_eq!(code(parameters().encoding(encoding).sign(&request)), "MALFORMED_PARAMETERS", "{body:?}");
        }
    }
}

#[test]
fn content_types_of_unclear_bodies() {
    let sign = |headers: &[(&'static str, &'static str)]| {
        let request = Request::new("POST", URL).body("{}");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(name, *value));
        parameters().sign(&request)
    };
    for headers in [
        [("Content-Type", JSON), ("content-type", JSON)].as_slice(),
        &[("Content-Type", "application/json, application/json")],
        &[("Content-Type", "application/json; charset=utf-8; charset=utf-8")],
        &[("Content-Type", "application/json; charset")],
        &[("Content-Type", "application/json; charset=\"utf-8")],
        &[("Content-Type", JSON), ("Content-Encoding", "identity"), ("content-encoding", "identity")],
    ] {
        assert_eq!(code(sign(headers)), "BODY_NOT_SIGNABLE", "{headers:?}");
    }
    for media_type in ["application/json;", "application/json; charset=UTF8 ; a=\"b;c\"", " application/json"] {
        assert!(sign(&[("Content-Type", media_type)]).is_ok(), "{media_type}");
    }
}

#[test]
fn a_nonce_is_random() {
    let request = Request::new("GET", URL);
    let credential = hmac().nonce();
    let nonces: Vec<String> =
        (0..2).map(|_| header(&credential.sign_at(&request, now()).unwrap(), "X-Nonce")).collect();
    assert_ne!(nonces[0], nonces[1]);
    for nonce in nonces {
        assert_eq!(nonce.len(), 32);
        assert!(nonce.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte)), "{nonce}");
    }
}

#[test]
fn a_nonce_that_is_listed_stays_at_its_place() {
    let credential = hmac().signed_headers(["x-nonce", "host"]).nonce_from(|| "00".repeat(16));
    let signed = credential.sign_at(&Request::new("GET", URL).header("X-Nonce", "old"), now()).unwrap();
    assert!(header(&signed, "Authorization").contains(r#"headers="date request-line x-nonce host""#));
    assert!(signed.string_to_sign().unwrap().contains(&format!("\nx-nonce: {}\nhost: ", "00".repeat(16))));
}

#[test]
fn a_host_header_is_that_of_the_url() {
    let credential = hmac().signed_headers(["host"]);
    assert!(credential.sign(&Request::new("GET", URL).header("Host", "api.example.com")).is_ok());
    let other = Request::new("GET", URL).header("Host", "other.example.com");
    assert_eq!(code(credential.sign(&other)), "HEADER_NOT_SIGNABLE");
}

#[test]
fn headers_that_proxies_change_are_not_signed_also_with_underscores() {
    for name in ["x_consumer_id", "X_Forwarded_For", "x-envoy_peer", "keep_alive", "X-Request-Id", "te"] {
        let problem = hmac().signed_headers([name]).sign(&Request::new("GET", URL).header(name, "a")).unwrap_err();
        assert_eq!(problem.message(), format!("the header to sign {} cannot be signed", name.to_lowercase()));
    }
    for name in ["x_consumer", "x-forward", "x-tenant_id"] {
        assert!(hmac().signed_headers([name]).sign(&Request::new("GET", URL).header(name, "a")).is_ok(), "{name}");
    }
}

#[test]
fn a_header_with_control_characters_is_not_signed() {
    let credential = hmac().signed_headers(["x-a"]);
    assert!(credential.sign(&Request::new("GET", URL).header("x-a", "a\tb")).is_ok());
    for value in ["a\nb", "a\rb", "a\u{7f}", "a\u{0}"] {
        let problem = credential.sign(&Request::new("GET", URL).header("x-a", value)).unwrap_err();
        assert_eq!(problem.code(), ProblemCode::HeaderNotSignable, "{value:?}");
        assert_eq!(problem.message(), "the header to sign x-a holds a character that cannot be signed");
    }
}

#[test]
fn a_wrapper_with_replay_protection_is_never_signed_twice_alike() {
    let credential = parameters().nonce();
    let sign = |text: &str| {
        let request = Request::new("POST", URL).header("content-type", JSON).body(text);
        credential.clone().sign_at(&request, now()).unwrap()
    };
    let stamps: Vec<u64> = (0..61).map(|_| timestamp(&sign("{}"))).collect();
    assert_eq!(stamps, (1_795_228_800..=1_795_228_860).collect::<Vec<_>>());
    assert_eq!(timestamp(&sign("{}")), 1_795_228_860, "at most 60 seconds");
    assert_eq!(timestamp(&sign("[]")), 1_795_228_800, "another text has its own signatures");
}

#[test]
fn a_wrapper_without_replay_protection_keeps_the_time() {
    let request = Request::new("POST", URL).header("content-type", JSON).body("{}");
    let credential = parameters();
    for _ in 0..2 {
        assert_eq!(timestamp(&credential.sign_at(&request, now()).unwrap()), 1_795_228_800);
    }
}

#[test]
fn nothing_prints_what_is_secret() {
    let url = format!("{URL}?token=caller-token");
    let request = Request::new("GET", &url).header("X-Caller", "caller-token").body("caller-token");
    let key = Key::new("app-key").unwrap();
    let signed = key.clone().in_query("k").unwrap().sign(&request).unwrap();
    assert!(signed.url().contains("k=app-key"));
    let text = format!("{request:?} {key:?} {signed:?} {:?} {:?}", hmac(), parameters());
    for secret in [SECRET, "caller-token", "app-key"] {
        assert!(!text.contains(secret), "{text}");
    }
    assert!(text.contains("[secret]"));
}
