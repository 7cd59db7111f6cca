use super::server::{ok, refusal, Answer, Recorded, Server};
use super::*;

fn expired(date: &str) -> Answer {
    refusal(401, "REQUEST_EXPIRED", &format!("date: {date}\r\n"))
}

/// Calls twice with a clock that stands at 02:40:00, and gives what the server got.
async fn calls(most: u64, date: &'static str) -> Vec<Recorded> {
    let server = Server::start(move |_, request| {
        let right = request.header("date") == Some(date);
        if right {
            ok()
        } else {
            expired(date)
        }
    })
    .await;
    let client = builder(hmac()).clock(fixed_time).clock_correction(Duration::from_secs(most)).build().unwrap();
    for _ in 0..2 {
        client.send(client.get(&server.url)).await.unwrap();
    }
    server.recorded()
}

fn dates(got: &[Recorded]) -> Vec<&str> {
    got.iter().filter_map(|each| each.header("date")).collect()
}

#[tokio::test]
async fn a_wrong_clock_is_corrected_once_and_for_all() {
    for date in ["Sat, 21 Nov 2026 03:00:00 GMT", "Sat, 21 Nov 2026 02:20:00 GMT"] {
        let got = calls(1200, date).await;
        assert_eq!(dates(&got), ["Sat, 21 Nov 2026 02:40:00 GMT", date, date]);
    }
}

#[tokio::test]
async fn a_larger_difference_is_ignored() {
    let got = calls(1199, "Sat, 21 Nov 2026 03:00:00 GMT").await;
    assert_eq!(dates(&got), ["Sat, 21 Nov 2026 02:40:00 GMT"; 2]);
}

#[tokio::test]
async fn nothing_is_corrected_unless_it_is_wanted() {
    let got = calls(0, "Sat, 21 Nov 2026 02:40:01 GMT").await;
    assert_eq!(dates(&got), ["Sat, 21 Nov 2026 02:40:00 GMT"; 2]);
}

#[tokio::test]
async fn a_call_is_corrected_once() {
    let server = Server::start(|number, _| match number {
        0 => expired("Sat, 21 Nov 2026 02:50:00 GMT"),
        _ => expired("Sat, 21 Nov 2026 02:55:00 GMT"),
    })
    .await;
    let client = builder(hmac()).clock(fixed_time).clock_correction(Duration::from_secs(3600)).build().unwrap();
    let answer = client.send(client.get(&server.url)).await.unwrap();
    assert_eq!((answer.status().as_u16(), server.recorded().len()), (401, 2));
}

#[tokio::test]
async fn the_same_time_is_not_signed_twice() {
    let server = Server::with(vec![expired("Sat, 21 Nov 2026 02:40:00 GMT")]).await;
    let client = builder(hmac()).clock(fixed_time).clock_correction(Duration::from_secs(3600)).build().unwrap();
    client.send(client.get(&server.url)).await.unwrap();
    assert_eq!(server.recorded().len(), 1);
}
