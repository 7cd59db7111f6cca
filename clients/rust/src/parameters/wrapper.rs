//! The JSON wrapper around a body.

/// How many bytes a text has when it is escaped, so that a large one is refused before it is copied.
pub(super) fn escaped_len(data: &[u8]) -> usize {
    data.iter()
        .map(|byte| match byte {
            b'"' | b'\\' | 8 | 9 | 10 | 12 | 13 => 2,
            0..=0x1f => 6,
            _ => 1,
        })
        .sum()
}

/// `{"data":…,"appKey":…,"sign":…,"apiTimestamp":…}` without blanks.
pub(super) fn write(data: &str, app_key: &str, sign: &str, timestamp: u64) -> String {
    let mut text = String::with_capacity(escaped_len(data.as_bytes()) + overhead(app_key, timestamp));
    text.push_str(r#"{"data":""#);
    escape_into(&mut text, data);
    text.push_str(r#"","appKey":""#);
    text.push_str(app_key);
    text.push_str(r#"","sign":""#);
    text.push_str(sign);
    text.push_str(r#"","apiTimestamp":"#);
    text.push_str(&timestamp.to_string());
    text.push('}');
    text
}

/// How many bytes of a wrapper are not its data.
pub(super) fn overhead(app_key: &str, timestamp: u64) -> usize {
    const SIGN: usize = 128;
    const REST: usize = r#"{"data":"","appKey":"","sign":"","apiTimestamp":}"#.len();
    REST + app_key.len() + SIGN + timestamp.to_string().len()
}

/// Only `"`, `\` and characters below U+0020 are escaped.
fn escape_into(text: &mut String, data: &str) {
    use std::fmt::Write as _;

    for character in data.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\u{8}' => text.push_str("\\b"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\u{c}' => text.push_str("\\f"),
            '\r' => text.push_str("\\r"),
            '\0'..='\u{1f}' => write!(text, "\\u{:04x}", u32::from(character)).expect("a String takes all text"),
            _ => text.push(character),
        }
    }
}
