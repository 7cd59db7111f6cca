import type { Document, Parser, YAMLError } from 'yaml';
import { loadYaml } from './yaml-library.ts';

/** A fault of the text itself, at an offset in UTF-16 units. */
export interface SyntaxFault {
  readonly offset: number;
  readonly message: string;
}

/** The tree of a YAML text, as far as it could be read, and every fault of its syntax. */
export interface YamlSyntax {
  /** Null when the text holds no document or nests too deeply to go on. */
  readonly document: Document.Parsed | null;
  readonly faults: readonly SyntaxFault[];
}

/** A declarative document nests about ten levels. Reading recurses, so a hostile text could exhaust the stack. */
export const MAX_DEPTH = 64;

/**
 * Reads YAML 1.2 (core schema): one document, no directives. Never throws, whatever the text.
 * Duplicate keys, tags and aliases are left to the caller: the library's own checks take time that grows with the
 * square of the keys. No message holds a piece of the text, which may be a secret.
 */
export function readYamlSyntax(text: string): YamlSyntax {
  const faults: SyntaxFault[] = [];
  const loneReturn = findLoneReturn(text);
  if (loneReturn !== null) faults.push({ offset: loneReturn, message: LONE_RETURN });
  const { Composer, Lexer, Parser } = loadYaml();
  const parser = new Parser();
  const composer = new Composer({ version: '1.2', schema: 'core', uniqueKeys: false, logLevel: 'silent' });
  const documents: Document.Parsed[] = [];

  for (const token of tokensOf(new Lexer().lex(text), parser, faults)) {
    if (token.type === 'directive') {
      faults.push({
        offset: token.offset,
        message: 'directives (lines that begin with "%") are not supported; remove it',
      });
    } else {
      documents.push(...composer.next(token));
    }
  }
  if (faults.some((fault) => fault.message === TOO_DEEP)) return { document: null, faults };
  documents.push(...composer.end(true, text.length));

  for (const document of documents) {
    for (const error of [...document.errors, ...document.warnings]) {
      // The caller names every tag, resolved or not.
      if (error.code !== 'TAG_RESOLVE_FAILED') faults.push({ offset: error.pos[0], message: messageOf(error) });
    }
  }
  const [first, second] = documents;
  if (second !== undefined) {
    faults.push({
      offset: second.range[0],
      message: 'a second document begins here; a file holds one: remove the "---" or split the file',
    });
  }
  return { document: first ?? null, faults };
}

const LONE_RETURN = 'here is a carriage return without a line feed; end lines with a line feed';

/**
 * Where the first carriage return without a line feed is; null for none. It ends a line (YAML 1.2 §5.4), but the
 * library takes it for a character of the text behind it.
 */
export function findLoneReturn(text: string): number | null {
  const at = text.search(/\r(?!\n)/);
  return at === -1 ? null : at;
}

const TOO_DEEP = `this nests more than ${String(MAX_DEPTH)} levels deep, which no declarative document does`;

/** The parser's tokens, until its stack is too deep to compose. */
function* tokensOf(lexemes: Iterable<string>, parser: Parser, faults: SyntaxFault[]): ReturnType<Parser['parse']> {
  for (const lexeme of lexemes) {
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_DEPTH) {
      faults.push({ offset: parser.offset, message: TOO_DEEP });
      return;
    }
  }
  yield* parser.end();
}

const ANCHOR_MALFORMED = 'an anchor (&name) or alias (*name) is not well formed; quote a text that begins with & or *';
const MISPLACED = 'an anchor (&name) or tag (!name) is out of place; quote a text that begins with & or !';
const UNEXPECTED = 'this cannot be here; look for a missing quote, comma, bracket or indentation before it';

/** What each of the library's faults means, in words for people and without a piece of the text. */
const meanings: Readonly<Record<YAMLError['code'], string>> = {
  MISSING_CHAR: 'something is missing; look for a missing quote, comma, colon or bracket before this',
  BAD_INDENT: 'this line is not indented like those it belongs to, or a bracket before it is not closed',
  BLOCK_AS_IMPLICIT_KEY: 'this value holds a second "key:"; begin a new line for it, or quote the value',
  BLOCK_IN_FLOW: 'inside [ ] and { } there are no "- " items and no lines of "key: value"; use commas',
  MULTILINE_IMPLICIT_KEY: 'a key and its colon must be on one line; look for a missing colon or quote',
  KEY_OVER_1024_CHARS: 'more than 1024 characters precede this colon; look for a missing quote or line end',
  TAB_AS_INDENT: 'a tab indents this line; use blanks',
  BAD_DQ_ESCAPE: 'an unknown escape in a "…" text; write \\\\ for a backslash, or use single quotes',
  BAD_SCALAR_START: 'an unquoted value cannot begin with this character; quote it',
  BAD_ALIAS: ANCHOR_MALFORMED,
  ALIAS_PROPS: ANCHOR_MALFORMED,
  MULTIPLE_ANCHORS: MISPLACED,
  MULTIPLE_TAGS: MISPLACED,
  BAD_PROP_ORDER: MISPLACED,
  BAD_COLLECTION_TYPE: MISPLACED,
  RESOURCE_EXHAUSTION: UNEXPECTED,
  UNEXPECTED_TOKEN: UNEXPECTED,
  IMPOSSIBLE: UNEXPECTED,
  BAD_DIRECTIVE: UNEXPECTED,
  DUPLICATE_KEY: UNEXPECTED,
  MULTIPLE_DOCS: UNEXPECTED,
  NON_STRING_KEY: UNEXPECTED,
  TAG_RESOLVE_FAILED: UNEXPECTED,
};

function messageOf({ code, message }: YAMLError): string {
  if (code === 'RESOURCE_EXHAUSTION') return TOO_DEEP;
  const missing = code === 'MISSING_CHAR' ? MISSING_THINGS.find(([word]) => message.includes(word)) : undefined;
  return `not valid YAML: ${missing?.[1] ?? meanings[code]}`;
}

/** The library's messages about something that is missing, by a word of each. Only these fixed words are looked for. */
const MISSING_THINGS: readonly (readonly [word: string, meaning: string])[] = [
  ['closing "quote', 'the " that ends a quoted text is missing'],
  ["closing 'quote", "the ' that ends a quoted text is missing"],
  ['Missing space after :', 'a blank is missing after a colon'],
  ['Missing , or :', 'a comma or a colon is missing before this'],
  ['Missing ,', 'a comma is missing before this'],
  ['followed by map values', 'this line has no colon: write "key: value"; or quote what belongs to the line above'],
  ['Sequence item without', 'this item of a list does not begin with "- "'],
  ['expected to end with', 'a bracket is not closed: look for a missing ] or } before this'],
  ['must end with', 'a bracket is not closed: look for a missing ] or } before this'],
  ['Comments must be separated', 'a blank is missing before "#"; or quote the value'],
];
