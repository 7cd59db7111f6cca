//! Answers Envoy's external authorization calls on tonic, as something to measure Postern against.
//!
//! ```text
//! authz key|hmac CREDENTIALS
//! ```
//!
//! CREDENTIALS is a JSON file. The program answers Envoy's health checks too. It listens on a free port of the loopback
//! address and prints "listening PORT".

mod answer;
mod directory;
mod hmac_check;
mod key_check;
mod request;

use std::error::Error;

use directory::Directory;
use envoy_types::pb::envoy::service::auth::v3::authorization_server::{Authorization, AuthorizationServer};
use envoy_types::pb::envoy::service::auth::v3::{CheckRequest, CheckResponse};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::transport::Server;
use tonic::{Request, Response, Status};

/// As in Postern: a body of 10 MiB and what surrounds it.
const MAX_MESSAGE_BYTES: usize = 12 << 20;

type Check = fn(&Directory, CheckRequest) -> CheckResponse;

struct Service {
    directory: Directory,
    check: Check,
}

#[tonic::async_trait]
impl Authorization for Service {
    async fn check(&self, request: Request<CheckRequest>) -> Result<Response<CheckResponse>, Status> {
        Ok(Response::new((self.check)(&self.directory, request.into_inner())))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (check, credentials): (Check, _) = match arguments.as_slice() {
        [mode, credentials] if mode == "key" => (key_check::check, credentials),
        [mode, credentials] if mode == "hmac" => (hmac_check::check, credentials),
        _ => return Err("usage: authz key|hmac CREDENTIALS".into()),
    };
    let service = Service { directory: Directory::read(credentials)?, check };
    let authorization = AuthorizationServer::new(service).max_decoding_message_size(MAX_MESSAGE_BYTES);
    let (health_reporter, health) = tonic_health::server::health_reporter();
    health_reporter.set_serving::<AuthorizationServer<Service>>().await;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("listening {}", listener.local_addr()?.port());
    // Without it, answers wait for the kernel to fill a packet.
    let connections = tokio_stream::StreamExt::map(TcpListenerStream::new(listener), |accepted| {
        accepted.and_then(|socket| socket.set_nodelay(true).map(|()| socket))
    });
    let server = Server::builder().add_service(health).add_service(authorization);
    Ok(server.serve_with_incoming(connections).await?)
}
