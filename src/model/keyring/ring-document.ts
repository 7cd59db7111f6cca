import { createSecretKey, type KeyObject } from 'node:crypto';
import {
  choiceField,
  type Field,
  FieldFault,
  namesIn,
  nestedList,
  NO_TEXT,
  textLike,
  timeField,
} from '../document/fields.ts';
import type { Problem } from '../document/problem.ts';
import { type Place, placeIn, ProblemLog, reportRepeated } from '../document/problem-log.ts';
import { readList, readMapping } from '../document/read-mapping.ts';
import type { DocumentSource, UnreadSource } from '../document/source-text.ts';
import { readTree } from '../document/read-tree.ts';
import { unreadTree, type YamlTree } from '../document/yaml-tree.ts';
import { decodeCanonicalBase64 } from '../../base/text/encodings.ts';
import { KEY_ID_PATTERN, RING_KEY_BYTES, type RingContent, type RingKey } from './ring-content.ts';

/** The content of a key ring, or everything that is wrong with its text, by position. */
export type ParsedKeyRing = { readonly content: RingContent } | { readonly problems: readonly Problem[] };

/** Longer texts are no key rings: this would be thousands of keys. */
const MAX_RING_BYTES = 1024 * 1024;

const keyIdField = textLike(KEY_ID_PATTERN, 'must be 1 to 63 of the characters a-z, 0-9 and "-"');

const noKey = new FieldFault(
  `must be ${String(RING_KEY_BYTES)} bytes in base64, 44 characters with "=" at the end; "postern keyring rotate" makes one`,
);
const keyField: Field<KeyObject> = (raw) => {
  if (typeof raw !== 'string') return NO_TEXT;
  const bytes = decodeCanonicalBase64(raw);
  return bytes?.length === RING_KEY_BYTES ? createSecretKey(bytes) : noKey;
};

const keyKind = {
  what: 'a key of the ring',
  fields: { id: keyIdField, createdAt: timeField, key: keyField },
  required: ['id', 'createdAt', 'key'],
} as const;

const documentKind = {
  what: 'a key ring',
  fields: { version: choiceField([1]), current: keyIdField, staged: keyIdField, keys: nestedList(keyKind) },
  required: ['version', 'current', 'keys'],
} as const;

const names = new Set(namesIn(documentKind));

/** A key, as far as it could be read, with its place. */
type ReadKey = Partial<RingKey> & { readonly place: Place };

/** What a message could repeat of a key in the place of something else. */
const COULD_BE_KEY = /[A-Za-z0-9+/_=-]{24,}/g;

/**
 * Reads the text of a key ring: YAML, and so JSON too. Reports every problem at once, and none with a piece of a key.
 * Never throws, whatever the text.
 */
export function parseKeyRing(source: DocumentSource | UnreadSource): ParsedKeyRing {
  const tree = treeOf(source);
  const problems = new ProblemLog([tree], (key) => names.has(key));
  const root: Place = { tree, path: [] };
  if (tree.value === null) {
    problems.reportMissing(root, 'the key ring is empty; it begins with "version: 1"');
    return { problems: conceal(problems.sorted()) };
  }
  const values = readMapping(tree.value, root, documentKind, problems);
  const place = placeIn(root, 'keys');
  const read = (readList(values?.keys, place, problems) ?? []).map((raw, index): ReadKey => {
    const at = placeIn(place, index);
    return { ...readMapping(raw, at, keyKind, problems), place: at };
  });
  if (Array.isArray(values?.keys) && read.length === 0) problems.report(place, '"keys" must hold at least one key');
  const isSameId = (_: ReadKey, first: string): string => `the key on ${first} has this id already; ids must differ`;
  const isSameKey = (_: ReadKey, first: string): string => `this is the same key as on ${first}; remove one of them`;
  reportRepeated(read, ({ id }) => id ?? null, 'id', isSameId, problems);
  reportRepeated(read, ({ key }) => key?.export().toString('base64') ?? null, 'key', isSameKey, problems);
  const isKnown = (id: string): boolean => read.length === 0 || read.some((key) => key.id === id);
  for (const role of ['current', 'staged'] as const) {
    const id = values?.[role];
    if (id === undefined || isKnown(id)) continue;
    problems.report(placeIn(root, role), `"${role}" must be the id of one of "keys"; none of them has this id`);
  }
  if (values?.staged !== undefined && values.staged === values.current) {
    problems.report(placeIn(root, 'staged'), '"staged" is the current key already; remove this line');
  }
  const keys = read.flatMap(({ id, key, createdAt }) =>
    id === undefined || key === undefined || createdAt === undefined ? [] : [{ id, key, createdAt }],
  );
  if (problems.count > 0 || values?.current === undefined) return { problems: conceal(problems.sorted()) };
  return { content: { currentKeyId: values.current, stagedKeyId: values.staged ?? null, keys } };
}

/** Writes a key ring as the text that {@link parseKeyRing} reads. It holds the keys themselves. */
export function formatKeyRing({ currentKeyId, stagedKeyId, keys }: RingContent): string {
  const lines = [
    '# Key ring of Postern. Anyone who has it can read every App Secret of the store: keep it apart from its backups.',
    '# Change it with "postern keyring rotate" and "postern keyring remove".',
    'version: 1',
    `current: ${quoteId(currentKeyId)}`,
    ...(stagedKeyId === null ? [] : [`staged: ${quoteId(stagedKeyId)}`]),
    'keys:',
    ...keys.flatMap(({ id, createdAt, key }) => [
      `  - id: ${quoteId(id)}`,
      `    createdAt: ${formatSeconds(createdAt)}`,
      `    key: ${key.export().toString('base64')}`,
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

/** RFC 3339 in UTC, whole seconds. */
export function formatSeconds(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

/** YAML reads some ids as numbers or words of its own, such as `1`, `1e3` or `null`. */
function quoteId(id: string): string {
  return /^k\d{8}-[0-9a-f]{6}$/.test(id) ? id : JSON.stringify(id);
}

function treeOf(source: DocumentSource | UnreadSource): YamlTree {
  if ('message' in source) return unreadTree(source);
  if (Buffer.byteLength(source.text) <= MAX_RING_BYTES) return readTree(source);
  return unreadTree({ file: source.file, line: 1, message: 'this is larger than 1 MiB; a key ring is smaller' });
}

/** Messages repeat misspelt names; a key in the place of a name must not be repeated. */
function conceal(problems: readonly Problem[]): readonly Problem[] {
  return problems.map((problem) => ({
    ...problem,
    path: problem.path.replace(COULD_BE_KEY, '…'),
    message: problem.message.replace(COULD_BE_KEY, '…'),
  }));
}
