use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use ::reqwest::header::DATE;
use ::reqwest::{IntoUrl, Method, Request, RequestBuilder, Response, Url};

use super::answer::with_refusal;
use super::asked::Asked;
use super::clock::{Clock, Reading};
use super::credential::Signer;
use super::{retry, ClientBuilder, Credential, Error, ResponseExt};
use crate::Secret;

/// Signs and sends requests with one credential. Cheap to clone; all clones share connections and the access token.
///
/// It never follows a redirect: a 3xx is given as the answer, and no other host gets the credential.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    inner: Arc<Inner>,
}

pub(super) struct Inner {
    pub(super) signer: Signer,
    pub(super) clock: Clock,
    pub(super) retries: u32,
}

impl Client {
    /// A client with the default settings.
    ///
    /// # Errors
    ///
    /// When reqwest cannot be set up, as without a TLS backend.
    pub fn new(credential: impl Into<Credential>) -> Result<Self, Error> {
        Self::builder(credential).build()
    }

    pub(super) fn from_parts(http: reqwest::Client, inner: Inner) -> Self {
        Self { http, inner: Arc::new(inner) }
    }

    /// Starts a client with settings of your own.
    pub fn builder(credential: impl Into<Credential>) -> ClientBuilder {
        ClientBuilder::new(credential.into())
    }

    /// Starts a request. It is not signed yet: give it to [`send`](Self::send), as its own `send` does not sign.
    pub fn request(&self, method: Method, url: impl IntoUrl) -> RequestBuilder {
        self.http.request(method, url)
    }

    /// Starts a `GET`; see [`request`](Self::request).
    pub fn get(&self, url: impl IntoUrl) -> RequestBuilder {
        self.request(Method::GET, url)
    }

    /// Starts a `POST`; see [`request`](Self::request).
    pub fn post(&self, url: impl IntoUrl) -> RequestBuilder {
        self.request(Method::POST, url)
    }

    /// Starts a `PUT`; see [`request`](Self::request).
    pub fn put(&self, url: impl IntoUrl) -> RequestBuilder {
        self.request(Method::PUT, url)
    }

    /// Starts a `PATCH`; see [`request`](Self::request).
    pub fn patch(&self, url: impl IntoUrl) -> RequestBuilder {
        self.request(Method::PATCH, url)
    }

    /// Starts a `DELETE`; see [`request`](Self::request).
    pub fn delete(&self, url: impl IntoUrl) -> RequestBuilder {
        self.request(Method::DELETE, url)
    }

    /// Signs and sends a request, and tries again where that is right.
    ///
    /// # Errors
    ///
    /// Those of [`execute`](Self::execute).
    pub async fn send(&self, request: RequestBuilder) -> Result<Response, Error> {
        let request = request.build().map_err(|error| Error::Http(error.without_url()))?;
        self.execute(request).await
    }

    /// As [`send`](Self::send), for a request that is built.
    ///
    /// # Errors
    ///
    /// A request that cannot be signed, an access token that cannot be had, and no answer. Every answer is `Ok`,
    /// also a refusal of the gateway: see [`ResponseExt`].
    pub async fn execute(&self, mut request: Request) -> Result<Response, Error> {
        // User information would be sent as credentials of its own.
        let _ = request.url_mut().set_username("");
        let _ = request.url_mut().set_password(None);
        let url = request.url().clone();
        let method = request.method().clone();
        self.inner.signer.prepare(&mut request).await?;
        let mut tries = Tries::default();
        let mut asked = Asked::default();
        loop {
            let copy = request.try_clone();
            let reading = self.inner.clock.read();
            let place = (&self.http, &self.inner.clock);
            let token = self.inner.signer.sign(&mut request, reading, &asked, place).await?;
            asked.was_signed();
            let (answer, wait) = match self.http.execute(request).await {
                Ok(response) => {
                    let response = read_answer(response, &url, reading).await?;
                    let refused = response.refusal().map(|refusal| (refusal.status(), refusal.code()));
                    let is_asked = match refused {
                        Some(refused) => asked.learn(&self.inner.signer, copy.as_ref(), &response, refused)?,
                        None => false,
                    };
                    let wait = if is_asked {
                        Some(Duration::ZERO)
                    } else {
                        self.wait_after(&method, &response, reading, token.as_ref(), &mut tries).await
                    };
                    (Ok(response), wait)
                }
                Err(error) => {
                    let wait = tries.count(self.inner.retries, |tried| retry::after_failure(&method, &error, tried));
                    (Err(Error::Http(error.with_url(url.clone()))), wait)
                }
            };
            let (Some(wait), Some(copy)) = (wait, copy) else { return answer };
            drop(answer);
            tokio::time::sleep(wait).await;
            request = copy;
        }
    }

    /// How long to wait before the call is tried again; `None` when the answer stands.
    async fn wait_after(
        &self,
        method: &Method,
        response: &Response,
        reading: Reading,
        token: Option<&Secret>,
        tries: &mut Tries,
    ) -> Option<Duration> {
        let refusal = response.refusal()?;
        match (refusal.status(), refusal.code(), token) {
            (401, "TOKEN_INVALID", Some(token)) => {
                self.inner.signer.forget(token).await;
                first_time(&mut tries.token_renewed)
            }
            (401, "REQUEST_EXPIRED", _) => {
                let gateway = date_of(response)?;
                let corrected = self.inner.clock.learn(reading, gateway);
                corrected.then(|| first_time(&mut tries.clock_corrected)).flatten()
            }
            _ => tries.count(self.inner.retries, |tried| retry::after_refusal(method, refusal, tried)),
        }
    }
}

/// What was tried of one call.
#[derive(Default)]
struct Tries {
    counted: u32,
    token_renewed: bool,
    clock_corrected: bool,
}

impl Tries {
    fn count(&mut self, most: u32, wait: impl FnOnce(u32) -> Option<Duration>) -> Option<Duration> {
        if self.counted >= most {
            return None;
        }
        let wait = wait(self.counted)?;
        self.counted += 1;
        Some(wait)
    }
}

/// No wait at all the first time.
fn first_time(done: &mut bool) -> Option<Duration> {
    (!std::mem::replace(done, true)).then_some(Duration::ZERO)
}

async fn read_answer(response: Response, url: &Url, reading: Reading) -> Result<Response, Error> {
    with_refusal(response, url.clone(), reading.now()).await.map_err(|error| Error::Http(error.with_url(url.clone())))
}

fn date_of(response: &Response) -> Option<SystemTime> {
    let text = response.headers().get(DATE)?.to_str().ok()?;
    httpdate::parse_http_date(text).ok()
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("credential", &self.inner.signer)
            .field("retries", &self.inner.retries)
            .finish_non_exhaustive()
    }
}
