import type { Endpoint } from '../model/endpoint.ts';
import { documentNames, type PlacedDocument } from './parse-document.ts';
import { formatPath, type Problem, sortProblems } from '../model/document/problem.ts';
import { type Place, type Placed, placeIn } from '../model/document/problem-log.ts';
import { type DocumentSource, positionFinder, type UnreadSource } from '../model/document/source-text.ts';

/** More are not reported: they have one cause then. */
const MAX_WARNINGS = 1000;

/**
 * What is right in a faultless document and most probably not meant: rules that match nothing that clients send, what
 * has ended or has no effect, a document that declares nothing, JSON that only YAML readers take. By file and position.
 * Like problems, they repeat no text of the document.
 *
 * @param sources the texts that the document was read from
 * @param nowSeconds seconds since the epoch
 */
export function findWarnings(
  document: PlacedDocument,
  sources: readonly (DocumentSource | UnreadSource)[],
  nowSeconds: number,
): readonly Problem[] {
  const { endpoints, consumers, grants } = document;
  const isEmpty = endpoints.length + consumers.length + grants.length === 0;
  const found = [
    ...(isEmpty ? sources.slice(0, 1).map(({ file }) => ({ file, line: 1, column: 1, path: '', message: EMPTY })) : []),
    ...sources.flatMap((source) => ('text' in source ? warnOfJson(source) : [])),
    ...endpoints.flatMap(warnOfMatch),
    ...warnOfCredentials(document, nowSeconds),
    ...warnOfGrants(document, nowSeconds),
  ];
  const files = sources.map(({ file }) => file);
  return sortProblems(found, files).slice(0, MAX_WARNINGS);
}

const EMPTY = 'the document declares nothing: every request would be refused';

/** Patterns elsewhere, and plain characters here. */
const WILDCARD = /[*{}]|\.\+|\[\^/;

function warnOfMatch({ value: { match }, place }: Placed<Endpoint>): readonly Problem[] {
  const paths = match.paths.flatMap((rule, index) => {
    const [kind, path] = 'prefix' in rule ? ['prefix', rule.prefix] : ['exact', rule.exact];
    if (!WILDCARD.test(path)) return [];
    const advice =
      kind === 'prefix'
        ? 'end the prefix before it: a prefix takes all paths below'
        : 'write a prefix that ends before it';
    return warning(
      placeIn(place, 'match', 'paths', index, kind),
      `this path has a pattern, and a path is no pattern here: its characters count as themselves; ${advice}`,
    );
  });
  const methods = match.methods.flatMap((method, index) =>
    method === method.toUpperCase()
      ? []
      : warning(
          placeIn(place, 'match', 'methods', index),
          'this method has lower-case letters, and methods compare exactly: clients send GET, not get',
        ),
  );
  return [...paths, ...methods];
}

function warnOfCredentials({ credentials }: PlacedDocument, nowSeconds: number): readonly Problem[] {
  return credentials.flatMap(({ value: { expiresAt, retiringSecret }, place }) => {
    if (hasEnded(expiresAt, nowSeconds)) {
      return warning(placeIn(place, 'expiresAt'), 'this credential has ended: no caller gets in with it; remove it');
    }
    if (!hasEnded(retiringSecret?.expiresAt ?? null, nowSeconds)) return [];
    const at = placeIn(place, 'retiringSecret', 'expiresAt');
    return warning(at, 'the grace period of this secret has ended: it works no longer; remove "retiringSecret"');
  });
}

function warnOfGrants({ grants, endpoints }: PlacedDocument, nowSeconds: number): readonly Problem[] {
  const endpointsById = new Map(endpoints.map(({ value }) => [value.id, value]));
  return grants.flatMap(({ value: { endpointId, expiresAt, limits }, place }) => {
    if (hasEnded(expiresAt, nowSeconds)) {
      return warning(
        placeIn(place, 'expiresAt'),
        'this grant has ended: it lets no caller in; remove it, or set a later end',
      );
    }
    const endpoint = endpointsById.get(endpointId);
    const at = placeIn(place, 'endpoint');
    if (endpoint?.scenario === 'open') {
      return warning(at, 'this grant has no effect: its endpoint is open, and its callers are not authenticated');
    }
    if (endpoint?.accessCondition !== 'authenticated' || limits !== null) return [];
    return warning(
      at,
      'this grant decides nothing: its endpoint lets every authenticated consumer in; for those with a grant alone, set "accessCondition: authenticated-and-authorized" there',
    );
  });
}

/** JSON with a trailing comma, as after an edit by hand, is YAML: it is read, and other programs refuse it. */
function warnOfJson({ file, text }: DocumentSource): readonly Problem[] {
  if (!/^\s*\{\s*"/.test(text)) return [];
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const comma = /,\s*[}\]]/.exec(withoutTexts(text));
    const message =
      comma === null
        ? 'this begins as JSON and is not JSON: it was read as YAML'
        : 'a comma precedes a closing bracket: this is not JSON, and was read as YAML; remove the comma';
    return [{ file, ...positionFinder(text)(comma?.index ?? 0), path: '', message }];
  }
}

/** The same text with blanks in place of quoted texts. */
function withoutTexts(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, (quoted) => ' '.repeat(quoted.length));
}

function hasEnded(expiresAt: number | null, nowSeconds: number): boolean {
  return expiresAt !== null && expiresAt <= nowSeconds;
}

function warning(place: Place, message: string): readonly Problem[] {
  const { tree, path } = place;
  return [
    {
      file: tree.file,
      ...tree.locate(path, 'value'),
      path: formatPath(path, (key) => documentNames.has(key)),
      message,
    },
  ];
}
