//! Answers one question a line, as ../README.md says.

use std::error::Error;

use bytes::Bytes;
use http::{Request, Version};
use http_body_util::{combinators::BoxBody, BodyExt, Full};
use httpsig_hyper::{prelude::message_component::HttpMessageComponentId, prelude::*, *};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{json, Map, Value};
use tokio::net::TcpStream;

type Failure = Box<dyn Error>;
type Body = BoxBody<Bytes, HyperDigestError>;

fn text<'a>(value: &'a Value, name: &str) -> Result<&'a str, Failure> {
    value[name].as_str().ok_or_else(|| format!("{name} is no text").into())
}

/// The request, signed; `covers` null: what the crate does by default, which is to cover nothing.
async fn signed(question: &Value) -> Result<Request<Body>, Failure> {
    let asked = &question["request"];
    let mut builder = Request::builder()
        .method(text(asked, "method")?)
        .uri(text(asked, "url")?);
    for field in asked["headers"].as_array().into_iter().flatten() {
        builder = builder.header(field[0].as_str().unwrap_or(""), field[1].as_str().unwrap_or(""));
    }
    let content = asked["body"].as_str().map(str::to_owned);
    let has_body = content.is_some();
    let plain = builder.body(Full::new(Bytes::from(content.unwrap_or_default())))?;
    let mut request = if has_body {
        plain.set_content_digest(&ContentDigestType::Sha256).await?
    } else {
        plain.map(|body| body.map_err(|never| match never {}).boxed())
    };

    let covers: Vec<HttpMessageComponentId> = question["covers"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|name| HttpMessageComponentId::try_from(name.as_str().unwrap_or("")))
        .collect::<Result<_, _>>()?;
    let key = &question["key"];
    let secret = SecretKey::from_pem(&text(key, "algorithm")?.parse::<AlgorithmName>()?, text(key, "pem")?)?;
    let mut parameters = HttpSignatureParams::try_new(&covers)?;
    parameters.set_key_info(&secret);
    if let Some(keyid) = question["keyid"].as_str() {
        parameters.set_keyid(keyid);
    }
    request.set_message_signature(&parameters, &secret, None).await?;
    Ok(request)
}

/// Over a connection of its own: hyper, without TLS.
async fn send(question: &Value) -> Result<Value, Failure> {
    let mut request = signed(question).await?;
    let input = request
        .headers()
        .get("signature-input")
        .map(|value| value.to_str().map(str::to_owned))
        .transpose()?;
    let authority = request.uri().authority().ok_or("no authority")?.to_string();
    let stream = TokioIo::new(TcpStream::connect(&authority).await?);
    let response = if text(question, "http")? == "2" {
        *request.version_mut() = Version::HTTP_2;
        let (mut sender, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), stream).await?;
        tokio::task::spawn_local(connection);
        sender.send_request(request).await?
    } else {
        // Over HTTP/1.1 hyper sends the target as it stands in the request.
        let target = request.uri().path_and_query().ok_or("no path")?.as_str().parse()?;
        *request.uri_mut() = target;
        request.headers_mut().insert(http::header::HOST, authority.parse()?);
        let (mut sender, connection) = hyper::client::conn::http1::handshake(stream).await?;
        tokio::task::spawn_local(connection);
        sender.send_request(request).await?
    };
    let status = response.status().as_u16();
    let headers: Vec<[String; 2]> = response
        .headers()
        .iter()
        .map(|(name, value)| [name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()])
        .collect();
    let body = response.into_body().collect().await?.to_bytes();
    Ok(json!({ "status": status, "headers": headers, "body": String::from_utf8_lossy(&body), "signatureInput": input }))
}

async fn answer(line: &str) -> Value {
    let question: Value = match serde_json::from_str(line) {
        Ok(question) => question,
        Err(error) => return json!({ "id": null, "error": error.to_string() }),
    };
    let given = match question["op"].as_str() {
        Some("describe") => Ok(json!({ "signers": ["httpsig-hyper"], "tokenClients": [] })),
        _ => send(&question).await,
    };
    let mut answer = match given {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => Map::new(),
        Err(error) => Map::from_iter([("error".to_owned(), json!(error.to_string()))]),
    };
    answer.insert("id".to_owned(), question["id"].clone());
    Value::Object(answer)
}

fn main() -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    for line in std::io::stdin().lines() {
        let line = line?;
        println!(
            "{}",
            runtime.block_on(tokio::task::LocalSet::new().run_until(answer(&line)))
        );
    }
    Ok(())
}
