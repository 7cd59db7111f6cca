//! Dictionaries of structured fields (RFC 8941 §4.2.2).

const MAX_BYTES: usize = 65_536;

/// A bare item. What nobody asks for is `Other`: numbers, tokens, bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Item {
    Text(String),
    Flag(bool),
    Other,
}

pub(super) type Parameters = Vec<(String, Item)>;

#[derive(Debug)]
pub(super) struct Member {
    /// `None` for a member that is no inner list.
    pub(super) items: Option<Vec<(Item, Parameters)>>,
    pub(super) parameters: Parameters,
}

/// A reader; every method gives `None` where the text does not parse.
pub(super) struct Dictionary<'a> {
    rest: &'a [u8],
}

impl Dictionary<'_> {
    /// The members in their order; of equal keys the last one, in the place of the first.
    pub(super) fn read(text: &str) -> Option<Vec<(String, Member)>> {
        if text.len() > MAX_BYTES {
            return None;
        }
        let mut reader = Dictionary { rest: text.trim_matches(' ').as_bytes() };
        let mut members = Vec::new();
        while !reader.rest.is_empty() {
            let key = reader.key()?;
            let member = if reader.skip(b'=') {
                reader.member()?
            } else {
                Member { items: None, parameters: reader.parameters()? }
            };
            put(&mut members, key, member);
            reader.skip_all(b" \t");
            if !reader.rest.is_empty() {
                let comma = reader.skip(b',');
                reader.skip_all(b" \t");
                if !comma || reader.rest.is_empty() {
                    return None;
                }
            }
        }
        Some(members)
    }

    fn member(&mut self) -> Option<Member> {
        if !self.skip(b'(') {
            self.item()?;
            return Some(Member { items: None, parameters: self.parameters()? });
        }
        let mut items = Vec::new();
        self.skip_all(b" ");
        while !self.skip(b')') {
            items.push((self.item()?, self.parameters()?));
            if !self.skip_all(b" ") && self.rest.first() != Some(&b')') {
                return None;
            }
        }
        Some(Member { items: Some(items), parameters: self.parameters()? })
    }

    fn parameters(&mut self) -> Option<Parameters> {
        let mut parameters = Vec::new();
        while self.skip(b';') {
            self.skip_all(b" ");
            let key = self.key()?;
            let item = if self.skip(b'=') { self.item()? } else { Item::Flag(true) };
            put(&mut parameters, key, item);
        }
        Some(parameters)
    }

    fn item(&mut self) -> Option<Item> {
        match self.rest.first()? {
            b'"' => self.text(),
            b'?' => {
                let flag = self.rest.get(1)?;
                self.rest = &self.rest[2..];
                matches!(flag, b'0' | b'1').then_some(Item::Flag(*flag == b'1'))
            }
            b':' => {
                self.rest = &self.rest[1..];
                self.take(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte));
                self.skip(b':').then_some(Item::Other)
            }
            b'-' | b'0'..=b'9' => self.number(),
            b'*' | b'A'..=b'Z' | b'a'..=b'z' => {
                self.take(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~:/".contains(&byte));
                Some(Item::Other)
            }
            _ => None,
        }
    }

    fn text(&mut self) -> Option<Item> {
        self.rest = &self.rest[1..];
        let mut text = String::new();
        loop {
            let (byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            match byte {
                b'"' => return Some(Item::Text(text)),
                b'\\' => {
                    let (escaped, rest) = self.rest.split_first()?;
                    self.rest = rest;
                    text.push(matches!(escaped, b'"' | b'\\').then_some(char::from(*escaped))?);
                }
                0x20..=0x7e => text.push(char::from(*byte)),
                _ => return None,
            }
        }
    }

    fn number(&mut self) -> Option<Item> {
        self.skip(b'-');
        let whole = self.take(|byte| byte.is_ascii_digit());
        let is_right = if self.skip(b'.') {
            let fraction = self.take(|byte| byte.is_ascii_digit());
            (1..=12).contains(&whole) && (1..=3).contains(&fraction)
        } else {
            (1..=15).contains(&whole)
        };
        is_right.then_some(Item::Other)
    }

    fn key(&mut self) -> Option<String> {
        let start = self.rest;
        let length = self.take(is_key_byte);
        let key = std::str::from_utf8(&start[..length]).ok()?;
        is_key(key).then(|| key.to_owned())
    }

    fn skip(&mut self, byte: u8) -> bool {
        let is_next = self.rest.first() == Some(&byte);
        if is_next {
            self.rest = &self.rest[1..];
        }
        is_next
    }

    fn skip_all(&mut self, bytes: &[u8]) -> bool {
        self.take(|byte| bytes.contains(&byte)) > 0
    }

    /// Passes over all next bytes that are wanted; gives their number.
    fn take(&mut self, is_wanted: impl Fn(u8) -> bool) -> usize {
        let length = self.rest.iter().take_while(|byte| is_wanted(**byte)).count();
        self.rest = &self.rest[length..];
        length
    }
}

fn put<T>(list: &mut Vec<(String, T)>, key: String, value: T) {
    match list.iter_mut().find(|(each, _)| *each == key) {
        Some((_, old)) => *old = value,
        None => list.push((key, value)),
    }
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.*-".contains(&byte)
}

/// Whether a text is a key of a dictionary.
pub(super) fn is_key(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_lowercase() || first == '*') && text.bytes().all(is_key_byte)
}

/// Whether a text is printable ASCII without `"` and `\`, so that a string needs no escapes.
pub(super) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, 0x20..=0x7e) && byte != b'"' && byte != b'\\')
}
