//! Answers questions on standard input, one JSON object a line: the program that the tests of all clients drive.
//! Its questions are in `clients/CONTRACT.md`.

mod exchange;
mod settings;

use std::collections::HashMap;
use std::sync::Arc;

use postern_client::Problem;
use serde_json::{json, Map, Value};
use settings::Settings;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc::{unbounded_channel, UnboundedSender};

/// Why a question has no answer.
pub(crate) enum Failure {
    Problem(Problem),
    Error(String),
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

pub(crate) fn error(text: impl Into<String>) -> Failure {
    Failure::Error(text.into())
}

type Answer = Result<Map<String, Value>, Failure>;

#[tokio::main]
async fn main() {
    rustls::crypto::ring::default_provider().install_default().expect("the only TLS provider");
    let (answers, mut lines) = unbounded_channel::<Value>();
    let writer = tokio::spawn(async move {
        let mut output = tokio::io::stdout();
        while let Some(line) = lines.recv().await {
            let written = output.write_all(format!("{line}\n").as_bytes()).await;
            if written.and(output.flush().await).is_err() {
                return;
            }
        }
    });
    let mut input = BufReader::new(tokio::io::stdin());
    let mut clients = HashMap::new();
    let mut line = Vec::new();
    while matches!(input.read_until(b'\n', &mut line).await, Ok(1..)) {
        take(&line, &mut clients, &answers);
        line.clear();
    }
    drop(answers);
    let _ = writer.await;
}

/// Answers a line, at once or from a task of its own.
fn take(line: &[u8], clients: &mut HashMap<String, Arc<Settings>>, answers: &UnboundedSender<Value>) {
    let question: Value = match serde_json::from_slice(line) {
        Ok(question @ Value::Object(_)) => question,
        _ => {
            let _ = answers.send(json!({ "error": "this line is not a JSON object" }));
            return;
        }
    };
    let id = question["id"].clone();
    let name = question["name"].as_str().unwrap_or_default().to_owned();
    let client = clients.get(&name).cloned().ok_or_else(|| error(format!("there is no client named {name:?}")));
    let answer = match question["op"].as_str() {
        Some("describe") => object(json!({ "adapters": [{ "name": "reqwest", "http": ["1.1", "2"] }] })),
        Some("create") => Settings::new(&question["client"]).and_then(|settings| {
            clients.insert(name, Arc::new(settings));
            object(json!({ "created": true }))
        }),
        Some("sign") => client
            .and_then(|client| exchange::sign(&client, &question["request"], question["acceptSignature"].as_str())),
        Some("assertion") => client.and_then(|client| object(json!({ "assertion": client.assertion()? }))),
        Some("print") => client.and_then(|client| object(json!({ "text": client.print()? }))),
        Some("send") => {
            let answers = answers.clone();
            tokio::spawn(async move {
                let call = tokio::spawn(async move { exchange::send(&*client?, &question).await });
                let answer = call.await.unwrap_or_else(|_| Err(error("the client panicked")));
                let _ = answers.send(line_of(id, answer));
            });
            return;
        }
        _ => Err(error("this is none of the questions")),
    };
    let _ = answers.send(line_of(id, answer));
}

fn object(value: Value) -> Answer {
    match value {
        Value::Object(object) => Ok(object),
        other => Err(error(format!("{other} is not an answer"))),
    }
}

fn line_of(id: Value, answer: Answer) -> Value {
    let mut line = Map::new();
    if !id.is_null() {
        line.insert("id".to_owned(), id);
    }
    match answer {
        Ok(fields) => line.extend(fields),
        Err(Failure::Error(text)) => {
            line.insert("error".to_owned(), text.into());
        }
        Err(Failure::Problem(problem)) => {
            let fields = json!({ "code": problem.code().as_str(), "message": problem.message() });
            line.insert("problem".to_owned(), fields);
        }
    }
    Value::Object(line)
}
