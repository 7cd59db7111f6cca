//! Requests that are signed or sent, and their answers.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use base64::engine::general_purpose::STANDARD;
use base64::Engine as _;
use bytes::Bytes;
use http_body::Frame;
use postern_client::reqwest::{Credential, Error, ResponseExt};
use postern_client::{Refusal, Request};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{json, Map, Value};

use crate::settings::{text_of, Settings};
use crate::{error, object, Failure};

const CHUNK_BYTES: usize = 16_384;

type Headers = Vec<(String, String)>;

/// The whole request as it is to be sent.
pub(crate) fn sign(settings: &Settings, request: &Value, asked: Option<&str>) -> Result<Map<String, Value>, Failure> {
    let (method, url) = (text(request, "method")?, text(request, "url")?);
    let (mut headers, mut body) = (headers_of(request)?, body_of(request)?);
    let view = Request::new(method, url).body(&body);
    let view = headers.iter().fold(view, |view, (name, value)| view.header(name, value));
    let now = settings.clock()();
    let signed = match &settings.credential {
        Credential::Key(key) => key.sign(&view)?,
        Credential::Hmac(hmac) => hmac.sign_at(&view, now)?,
        Credential::ParameterSignature(parameters) => parameters.sign_at(&view, now)?,
        Credential::HttpMessageSignature(signature) => match asked {
            None => signature.sign_at(&view, now)?,
            Some(asked) => match signature.sign_again_at(&view, asked, now)? {
                Some(signed) => signed,
                None => return object(json!({ "signed": null })),
            },
        },
        _ => return Err(error("a request of this method is signed when it is sent")),
    };
    for (name, value) in signed.headers() {
        headers.retain(|(each, _)| !each.eq_ignore_ascii_case(name));
        headers.push((name.to_owned(), value.to_owned()));
    }
    let url = signed.url().to_owned();
    if let Some(signed) = signed.into_body() {
        headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-length"));
        body = signed;
    }
    let signed = json!({ "method": method, "url": url, "headers": headers, "body": STANDARD.encode(body) });
    object(json!({ "signed": signed }))
}

pub(crate) async fn send(settings: &Settings, question: &Value) -> Result<Map<String, Value>, Failure> {
    if question["adapter"] != "reqwest" {
        return Err(error("the only adapter is reqwest"));
    }
    let request = &question["request"];
    let url = text(request, "url")?;
    let follow = request["follow"] == true;
    let client = settings.client(text(question, "http")?, url.starts_with("https:"), follow)?;
    let method = text(request, "method")?.parse().map_err(|_| error("this is no method"))?;
    let body = body_of(request)?;
    let mut call = client.request(method, url).headers(header_map(&headers_of(request)?)?);
    if request["body"]["once"] == true || request["once"] == true {
        call = call.body(reqwest::Body::wrap(Once::new(body)));
    } else if !body.is_empty() {
        call = call.body(body);
    }
    let answer = client.send(call).await.map_err(failure_of)?;
    let refusal = answer.refusal().map(shown);
    let version = match answer.version() {
        reqwest::Version::HTTP_11 => "1.1".to_owned(),
        reqwest::Version::HTTP_2 => "2".to_owned(),
        other => format!("{other:?}"),
    };
    let status = answer.status().as_u16();
    let headers: Headers = answer
        .headers()
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let body = answer.bytes().await.map_err(|why| error(why.without_url().to_string()))?;
    let response = json!({ "status": status, "http": version, "headers": headers, "body": STANDARD.encode(body) });
    object(json!({ "response": response, "refusal": refusal }))
}

fn shown(refusal: &Refusal) -> Value {
    json!({
        "status": refusal.status(),
        "code": refusal.code(),
        "message": refusal.message(),
        "requestId": refusal.request_id(),
        "retryAfter": refusal.retry_after().map(|wait| wait.as_secs()),
        "stringToSign": refusal.string_to_sign(),
        "acceptedBefore": refusal.accepted_before(),
    })
}

fn failure_of(why: Error) -> Failure {
    match why {
        Error::Problem(problem) => problem.into(),
        other => error(text_of(&other)),
    }
}

fn text<'v>(value: &'v Value, name: &str) -> Result<&'v str, Failure> {
    value[name].as_str().ok_or_else(|| error(format!("{name} is no text")))
}

fn headers_of(request: &Value) -> Result<Headers, Failure> {
    match &request["headers"] {
        Value::Null => Ok(Vec::new()),
        headers => serde_json::from_value(headers.clone()).map_err(|_| error("headers are no list of pairs")),
    }
}

fn header_map(headers: &Headers) -> Result<HeaderMap, Failure> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|why| error(why.to_string()))?;
        let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|why| error(why.to_string()))?;
        map.append(name, value);
    }
    Ok(map)
}

fn body_of(request: &Value) -> Result<Vec<u8>, Failure> {
    let body = &request["body"];
    if let Some(text) = body["text"].as_str() {
        return Ok(text.as_bytes().to_vec());
    }
    if let Some(base64) = body["base64"].as_str() {
        return STANDARD.decode(base64).map_err(|_| error("the body is no base64"));
    }
    match (body["repeat"].as_str(), body["times"].as_u64().and_then(|times| usize::try_from(times).ok())) {
        (Some(part), Some(times)) => Ok(part.repeat(times).into_bytes()),
        _ if body.is_null() => Ok(Vec::new()),
        _ => Err(error("the body has none of the known forms")),
    }
}

/// A body that can be read once, in pieces.
struct Once(VecDeque<Bytes>);

impl Once {
    fn new(body: Vec<u8>) -> Self {
        Self(body.chunks(CHUNK_BYTES).map(Bytes::copy_from_slice).collect())
    }
}

impl http_body::Body for Once {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Poll::Ready(self.0.pop_front().map(|chunk| Ok(Frame::data(chunk))))
    }
}
