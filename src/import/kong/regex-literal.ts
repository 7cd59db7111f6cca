/** What of a regular expression is fixed text. */
export interface RegexLiteral {
  /** Every path that matches begins with this; `/` at least. */
  readonly text: string;
  /** `prefix`: it matches every path that begins so. `exact`: it matches this path alone. `part`: it matches fewer. */
  readonly kind: 'prefix' | 'exact' | 'part';
}

const PLAIN = /[A-Za-z0-9/_~%:@!&=,;#'" -]/;
const QUANTIFIER = /[*+?{]/;

/** Reads a regular expression that is anchored at its beginning, as those of Kong's paths are. In one pass, never throws. */
export function regexLiteral(source: string): RegexLiteral {
  const nothing: RegexLiteral = { text: '/', kind: 'part' };
  if (hasTopLevelAlternative(source)) return nothing;
  let text = '';
  let at = source.startsWith('^') ? 1 : 0;
  while (at < source.length) {
    const character = source.charAt(at);
    if (character === '$' && at === source.length - 1) return literal(text, 'exact');
    const isEscape = character === '\\' && /[^A-Za-z0-9]/.test(source.charAt(at + 1));
    if (!isEscape && !PLAIN.test(character)) return literal(text, 'part');
    const width = isEscape ? 2 : 1;
    // What a quantifier follows may be absent, or stand several times.
    if (QUANTIFIER.test(source.charAt(at + width))) return literal(text, 'part');
    text += isEscape ? source.charAt(at + 1) : character;
    at += width;
  }
  return literal(text, 'prefix');
}

function literal(text: string, kind: RegexLiteral['kind']): RegexLiteral {
  return text.startsWith('/') ? { text, kind } : { text: '/', kind: 'part' };
}

/** A `|` outside of every group: what follows it begins anew. */
function hasTopLevelAlternative(source: string): boolean {
  let depth = 0;
  let isInClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (character === '\\') at += 1;
    else if (isInClass) isInClass = character !== ']';
    else if (character === '[') isInClass = true;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (character === '|' && depth <= 0) return true;
  }
  return false;
}
