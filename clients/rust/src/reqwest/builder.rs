use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::client::Inner;
use super::clock::{Clock, Source};
use super::credential::Signer;
use super::{Client, Credential, Error};

const DEFAULT_RETRIES: u32 = 2;
/// A POST on a connection that the server is about to close fails, as it is not sent twice. Most servers and proxies
/// keep one for a minute or longer.
const KEPT_CONNECTION: Duration = Duration::from_secs(30);

/// Settings of a [`Client`].
#[must_use]
pub struct ClientBuilder {
    credential: Credential,
    http: reqwest::ClientBuilder,
    clock: Source,
    clock_correction: Duration,
    retries: u32,
}

impl ClientBuilder {
    pub(super) fn new(credential: Credential) -> Self {
        Self {
            credential,
            http: reqwest::Client::builder().pool_idle_timeout(KEPT_CONNECTION),
            clock: Arc::new(SystemTime::now),
            clock_correction: Duration::ZERO,
            retries: DEFAULT_RETRIES,
        }
    }

    /// Settings of reqwest: timeouts, TLS, proxies. Its redirects and its own retries are always turned off. Without
    /// this, an idle connection is kept for 30 seconds at most.
    pub fn http(mut self, http: reqwest::ClientBuilder) -> Self {
        self.http = http;
        self
    }

    /// How often a call is tried again, besides the first time. The default is 2.
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Corrects the clock by the gateway's time after a `REQUEST_EXPIRED`, by at most this much (in whole seconds). The
    /// default is zero, which turns it off: better let the machine keep its time.
    pub fn clock_correction(mut self, most: Duration) -> Self {
        self.clock_correction = most;
        self
    }

    /// Another clock than the machine's.
    pub fn clock(mut self, clock: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Makes the client.
    ///
    /// # Errors
    ///
    /// When reqwest cannot be set up.
    pub fn build(self) -> Result<Client, Error> {
        let http = self
            .http
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .build()
            .map_err(Error::Http)?;
        let inner = Inner {
            signer: Signer::new(self.credential),
            clock: Clock::new(self.clock, self.clock_correction),
            retries: self.retries,
        };
        Ok(Client::from_parts(http, inner))
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("credential", &self.credential)
            .field("retries", &self.retries)
            .field("clock_correction", &self.clock_correction)
            .finish_non_exhaustive()
    }
}
