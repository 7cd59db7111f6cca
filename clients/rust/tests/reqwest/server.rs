//! A server that records what it gets and answers what it is asked to, over HTTP/1.1, one request a connection.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Recorded {
    /// The value of a header, which is there once; `None` when it is absent.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(each, _)| each == name);
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "{name} is repeated");
        value
    }
}

/// An answer as it is sent, or none: the connection is closed.
pub(crate) type Answer = Option<String>;

pub(crate) struct Server {
    pub(crate) url: String,
    recorded: Arc<Mutex<Vec<Recorded>>>,
}

impl Server {
    /// Answers the request of this number, from 0 on, by what `answer` gives.
    pub(crate) async fn start(answer: impl Fn(usize, &Recorded) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let recorded = Arc::new(Mutex::new(Vec::new()));
        let (answer, log) = (Arc::new(answer), recorded.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, log) = (answer.clone(), log.clone());
                tokio::spawn(async move {
                    let mut stream = BufReader::new(stream);
                    let Some(request) = read(&mut stream).await else { return };
                    let number = {
                        let mut log = log.lock().expect("a lock");
                        log.push(request.clone());
                        log.len() - 1
                    };
                    if let Some(text) = answer(number, &request) {
                        let _ = stream.write_all(text.as_bytes()).await;
                        let _ = stream.shutdown().await;
                    }
                });
            }
        });
        Self { url, recorded }
    }

    /// Gives these answers one after the other, and the last one ever after.
    pub(crate) async fn with(answers: Vec<Answer>) -> Self {
        Self::start(move |number, _| answers[number.min(answers.len() - 1)].clone()).await
    }

    pub(crate) fn recorded(&self) -> Vec<Recorded> {
        self.recorded.lock().expect("a lock").clone()
    }

    /// The only request.
    pub(crate) fn only(&self) -> Recorded {
        let recorded = self.recorded();
        assert_eq!(recorded.len(), 1, "{recorded:?}");
        recorded[0].clone()
    }
}

pub(crate) fn answer(status: u16, headers: &str, body: &str) -> Answer {
    let length = body.len();
    Some(format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"))
}

pub(crate) fn ok() -> Answer {
    answer(200, "", "ok")
}

pub(crate) fn refusal(status: u16, code: &str, headers: &str) -> Answer {
    let body = format!(r#"{{"code":"{code}","message":"No.","requestId":"r-1"}}"#);
    answer(status, &format!("content-type: application/json\r\n{headers}"), &body)
}

async fn read(stream: &mut BufReader<TcpStream>) -> Option<Recorded> {
    let start = line(stream).await?;
    let mut words = start.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let line = line(stream).await?;
        let Some((name, value)) = line.split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let mut request = Recorded { method, target, headers, body: Vec::new() };
    if let Some(length) = request.header("content-length").map(|text| text.parse().expect("a length")) {
        request.body = vec![0; length];
        stream.read_exact(&mut request.body).await.ok()?;
    } else if request.header("transfer-encoding") == Some("chunked") {
        loop {
            let length = usize::from_str_radix(&line(stream).await?, 16).expect("a length");
            let mut chunk = vec![0; length + 2];
            stream.read_exact(&mut chunk).await.ok()?;
            request.body.extend_from_slice(&chunk[..length]);
            if length == 0 {
                break;
            }
        }
    }
    Some(request)
}

async fn line(stream: &mut BufReader<TcpStream>) -> Option<String> {
    let mut line = String::new();
    let length = stream.read_line(&mut line).await.ok()?;
    (length > 0).then(|| line.trim_end().to_owned())
}
