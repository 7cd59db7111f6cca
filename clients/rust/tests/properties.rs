//! What holds for every request.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use postern_client::{write_parameters, Encoding, Hmac, Key, ParameterSignature, ProblemCode, Request};
use proptest::collection::vec;
use proptest::prelude::*;
use sha2::{Digest, Sha512};

const SECRET: &str = "n3vxQ1o8Zr5tYw2uLk7sDf0gHj4aBc6e";
const URL: &str = "https://api.example.com/shipments";
const FORM: &str = "application/x-www-form-urlencoded";

fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_795_228_800)
}

fn hmac() -> Hmac {
    Hmac::new("acme", SECRET).unwrap()
}

fn parameters() -> ParameterSignature {
    ParameterSignature::new("acme", SECRET).unwrap()
}

/// Decodes by the rules of a form, by other means than the client.
fn decoded(text: &str) -> Vec<(String, String)> {
    let decode = |part: &str| {
        let mut bytes = Vec::new();
        let mut rest = part.chars();
        while let Some(character) = rest.next() {
            if character == '%' {
                let digits: String = rest.by_ref().take(2).collect();
                bytes.push(u8::from_str_radix(&digits, 16).unwrap());
            } else {
                bytes.extend(character.to_string().replace('+', " ").bytes());
            }
        }
        String::from_utf8(bytes).unwrap()
    };
    let parts = text.split('&').filter(|part| !part.is_empty());
    parts
        .map(|part| part.split_once('=').unwrap_or((part, "")))
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

/// The signature of a signed query or form is right, as the gateway checks it.
fn assert_right(text: &str) -> Result<(), TestCaseError> {
    let mut pairs = decoded(text);
    let (name, sign) = pairs.pop().unwrap();
    prop_assert_eq!(name, "sign");
    pairs.sort_by(|(one, _), (other, _)| one.as_bytes().cmp(other.as_bytes()));
    let joined: Vec<String> = pairs.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let hash = Sha512::digest(format!("{}{SECRET}", joined.join("&")));
    prop_assert_eq!(sign, hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    Ok(())
}

proptest! {
    #[test]
    fn written_parameters_are_read_back(pairs in vec((".*", ".*"), 0..8)) {
        let written = write_parameters(pairs.iter().map(|(name, value)| (name, value)));
        prop_assert!(written.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%&=".contains(&byte)));
        prop_assert_eq!(decoded(&written), pairs);
    }

    #[test]
    fn written_parameters_are_signed(pairs in vec(("[^&=]+", "[^&]*"), 0..8)) {
        let text = write_parameters(pairs.iter().map(|(name, value)| (name, value)));
        let url = format!("{URL}?{text}");
        let by_url = parameters().sign_at(&Request::new("GET", &url), now());
        let by_form = Request::new("POST", URL).header("content-type", FORM).body(&text);
        let by_form = parameters().nonce().sign_at(&by_form, now());
        let names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
        if names.iter().any(|name| ["sign", "appKey", "apiTimestamp"].contains(name)) {
            prop_assert_eq!(by_url.unwrap_err().code(), ProblemCode::ReservedParameter);
            return Ok(());
        }
        let query = by_url.unwrap().target().split_once('?').unwrap().1.to_owned();
        prop_assert!(query.starts_with(&text));
        assert_right(&query)?;
        if !text.is_empty() && !names.contains(&"nonce") {
            assert_right(std::str::from_utf8(by_form.unwrap().body().unwrap()).unwrap())?;
        }
    }

    #[test]
    fn a_wrapper_holds_its_text(data in "(?s).+") {
        let request = Request::new("POST", URL).header("content-type", "application/json").body(&data);
        let signed = parameters().sign_at(&request, now()).unwrap();
        let wrapper: serde_json::Value = serde_json::from_slice(signed.body().unwrap()).unwrap();
        prop_assert_eq!(&wrapper["data"], &data);
        prop_assert_eq!(wrapper["apiTimestamp"].as_u64(), Some(1_795_228_800));
        let to_sign = format!("apiTimestamp=1795228800&appKey=acme&data={data}");
        prop_assert_eq!(signed.string_to_sign(), Some(to_sign.as_str()));
    }

    #[test]
    fn another_request_has_another_hmac(
        target in "/[a-z]{1,4}(\\?[a-z=&]{0,6})?", body in vec(any::<u8>(), 0..40),
        other_target in "/[a-z]{1,4}(\\?[a-z=&]{0,6})?", other_body in vec(any::<u8>(), 0..40), later in 0..2_u64,
    ) {
        let signature = |target: &str, body: &[u8], later: u64| {
            let url = format!("https://api.example.com{target}");
            let now = now() + Duration::from_secs(later);
            let signed = hmac().sign_at(&Request::new("POST", &url).body(body), now).unwrap();
            let value = signed.headers().last().unwrap().1.to_owned();
            value
        };
        let alike = target == other_target && body == other_body && later == 0;
        prop_assert_eq!(signature(&target, &body, 0) == signature(&other_target, &other_body, later), alike);
    }

    #[test]
    fn nothing_makes_signing_panic(
        method in ".*", url in prop_oneof![".*", "https?://.*", "https://a/[ -~]*"],
        name in prop_oneof![".*", Just("content-type".to_owned()), Just("Content-Encoding".to_owned())],
        value in prop_oneof![vec(any::<u8>(), 0..20), Just(FORM.into()), "[ -~]*;[ -~]*".prop_map(Into::into)],
        body in vec(any::<u8>(), 0..60), signed_header in ".*", seconds in any::<i32>(),
    ) {
        let now = if seconds < 0 {
            UNIX_EPOCH - Duration::from_secs(u64::from(seconds.unsigned_abs()))
        } else {
            UNIX_EPOCH + Duration::from_secs(u64::from(seconds.unsigned_abs()) * 1_000)
        };
        let request = Request::new(&method, &url).header(&name, &value).body(&body);
        let hmac = hmac().signed_headers([signed_header, name.clone()]).nonce();
        for signed in [
            hmac.sign_at(&request, now),
            parameters().nonce().sign_at(&request, now),
            parameters().encoding(Encoding::Raw).sign_at(&request, now),
            Key::new("k").unwrap().in_query(name.clone() + "x").unwrap().sign(&request),
        ]
        .into_iter()
        .flatten()
        {
            prop_assert!(signed.target().starts_with('/'));
            prop_assert!(signed.target().bytes().all(|byte| (0x21..=0x7e).contains(&byte) && byte != b'#'));
            let printed = format!("{signed:?}");
            prop_assert!(!printed.contains(SECRET));
        }
    }
}
