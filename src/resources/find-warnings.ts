import type { Endpoint } from '../model/endpoint.ts';
import { documentNames, type PlacedDocument } from './parse-document.ts';
import { formatPath, type Problem, sortProblems } from '../model/document/problem.ts';
import { type Place, type Placed, placeIn } from '../model/document/problem-log.ts';
import { type DocumentSource, positionFinder, type UnreadSource } from '../model/document/source-text.ts';
import { type Warning, warningsOfCredential, warningsOfEndpoint, warningsOfGrant, warningsOfPlan } from './warnings.ts';

/** More are not reported: they have one cause then. */
const MAX_WARNINGS = 1000;

/**
 * What is right in a faultless document and most probably not meant: rules that match nothing that clients send, what
 * has ended or has no effect, a document that declares nothing, JSON that only YAML readers take. By file and position.
 * Like problems, they repeat no text of the document.
 *
 * @param sources the texts that the document was read from
 * @param nowSeconds seconds since the epoch
 * @param isWhole whether nothing else is served; a part of a store may declare nothing
 */
export function findWarnings(
  document: PlacedDocument,
  sources: readonly (DocumentSource | UnreadSource)[],
  nowSeconds: number,
  isWhole = true,
): readonly Problem[] {
  const { endpoints, consumers, grants, plans, issuers } = document;
  const isEmpty = isWhole && [endpoints, consumers, grants, plans, issuers].every(({ length }) => length === 0);
  const found = [
    ...(isEmpty ? sources.slice(0, 1).map(({ file }) => ({ file, line: 1, column: 1, path: '', message: EMPTY })) : []),
    ...sources.flatMap((source) => ('text' in source ? warnOfJson(source) : [])),
    ...endpoints.flatMap(warnOfMatch),
    ...warnOfCredentials(document, nowSeconds),
    ...warnOfGrants(document, nowSeconds),
    ...warnOfPlans(document),
  ];
  const files = sources.map(({ file }) => file);
  return sortProblems(found, files).slice(0, MAX_WARNINGS);
}

const EMPTY = 'the document declares nothing: every request would be refused';

function warnOfMatch({ value, place }: Placed<Endpoint>): readonly Problem[] {
  return placed(warningsOfEndpoint(value), place);
}

function warnOfCredentials({ credentials }: PlacedDocument, nowSeconds: number): readonly Problem[] {
  return credentials.flatMap(({ value, place }) => placed(warningsOfCredential(value, nowSeconds), place));
}

function warnOfGrants({ grants, endpoints }: PlacedDocument, nowSeconds: number): readonly Problem[] {
  const endpointsById = new Map(endpoints.map(({ value }) => [value.id, value]));
  return grants.flatMap(({ value, place }) =>
    placed(warningsOfGrant(value, endpointsById.get(value.endpointId), nowSeconds), place),
  );
}

/** Plans that list an open endpoint, whose callers nobody knows. */
function warnOfPlans({ plans, endpoints }: PlacedDocument): readonly Problem[] {
  const open = new Set(endpoints.flatMap(({ value }) => (value.scenario === 'open' ? [value.id] : [])));
  return plans.flatMap(({ value, place }) =>
    placed(
      warningsOfPlan(value, (id) => open.has(id)),
      place,
    ),
  );
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

function placed(warnings: readonly Warning[], place: Place): readonly Problem[] {
  return warnings.map(({ path, message }) => {
    const { tree, path: whole } = placeIn(place, ...path);
    return {
      file: tree.file,
      ...tree.locate(whole, 'value'),
      path: formatPath(whole, (key) => documentNames.has(key)),
      message,
    };
  });
}
