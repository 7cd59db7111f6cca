use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::SystemTime;

use ::reqwest::header::CONTENT_TYPE;
use ::reqwest::{Body, Error, Response, ResponseBuilderExt, Url};
use bytes::Bytes;
use http_body_util::BodyExt;

use crate::refusal::{is_json, MAX_REFUSAL_BYTES};
use crate::Refusal;

/// What [`Client`](super::Client) adds to an answer.
pub trait ResponseExt: Sized {
    /// The gateway's refusal, when this answer is one. The body can still be read.
    fn refusal(&self) -> Option<&Refusal>;

    /// The answer of the API, or the gateway's refusal as an error.
    ///
    /// # Errors
    ///
    /// The refusal, when this answer is one.
    fn error_for_refusal(self) -> Result<Self, Box<Refusal>>;
}

impl ResponseExt for Response {
    fn refusal(&self) -> Option<&Refusal> {
        self.extensions().get()
    }

    fn error_for_refusal(self) -> Result<Self, Box<Refusal>> {
        match self.refusal() {
            Some(refusal) => Err(Box::new(refusal.clone())),
            None => Ok(self),
        }
    }
}

/// The answer with its refusal, if it is one, and with the URL as the caller gave it: the signed one may hold the
/// credential.
pub(super) async fn with_refusal(response: Response, url: Url, now: SystemTime) -> Result<Response, Error> {
    let may_refuse = may_be_refusal(&response);
    let (mut parts, mut body) = http::Response::<Body>::from(response).into_parts();
    if may_refuse {
        let (start, whole) = read_start(&mut body).await.map_err(Error::without_url)?;
        if whole {
            let headers = parts.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes()));
            if let Some(refusal) = Refusal::read(parts.status.as_u16(), headers, &start, now) {
                parts.extensions.insert(refusal);
            }
            body = Body::from(start);
        } else {
            body = Body::wrap(Resumed { start: Some(start), rest: body });
        }
    }
    let with_url = http::Response::builder().url(url).body(()).expect("a response without headers");
    parts.extensions.extend(with_url.into_parts().0.extensions);
    Ok(http::Response::from_parts(parts, body).into())
}

fn may_be_refusal(response: &Response) -> bool {
    let status = response.status();
    let too_long = response.content_length().is_some_and(|length| length > MAX_REFUSAL_BYTES as u64);
    let json = response.headers().get(CONTENT_TYPE).is_some_and(|value| is_json(value.as_bytes()));
    (status.is_client_error() || status.is_server_error()) && json && !too_long
}

/// The body, and true; or its start that is longer than a refusal, and false.
async fn read_start(body: &mut Body) -> Result<(Bytes, bool), Error> {
    let mut start = Vec::new();
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            start.extend_from_slice(&data);
        }
        if start.len() > MAX_REFUSAL_BYTES {
            return Ok((start.into(), false));
        }
    }
    Ok((start.into(), true))
}

/// A body whose start was read.
struct Resumed {
    start: Option<Bytes>,
    rest: Body,
}

impl http_body::Body for Resumed {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, Error>>> {
        match self.start.take() {
            Some(start) => Poll::Ready(Some(Ok(http_body::Frame::data(start)))),
            None => Pin::new(&mut self.rest).poll_frame(context),
        }
    }
}
