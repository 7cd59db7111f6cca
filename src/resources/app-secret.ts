import { Secret } from '../model/secret.ts';
import { nestedMapping, textField } from '../model/document/fields.ts';
import { type Place, placeIn, type ProblemLog } from '../model/document/problem-log.ts';
import { hasKey, readMapping } from '../model/document/read-mapping.ts';
import { findUnseenEdge } from '../base/text/unseen.ts';
import type { ReadKeyFile, ReadSecret, SecretReference } from './secret-source.ts';

/** What reading credentials needs beside the document. */
export interface CredentialContext {
  readonly problems: ProblemLog;
  readonly readSecret: ReadSecret;
  readonly readKeyFile: ReadKeyFile;
  /** True for a file store: every App Key and App Secret must be there. */
  readonly isComplete: boolean;
}

const referenceKind = { what: '"appSecretFrom"', fields: { env: textField, file: textField }, required: [] } as const;

/** The two keys of which a mapping with a secret has exactly one. */
export const secretFields = { appSecret: textField, appSecretFrom: nestedMapping(referenceKind) } as const;

const MIN_CHARACTERS = 16;
/** Characters of an App Secret. */
export const MAX_APP_SECRET_CHARACTERS = 256;
/** How long an App Secret is, in words that follow "has". */
export const APP_SECRET_RULE = `${String(MIN_CHARACTERS)} to ${String(MAX_APP_SECRET_CHARACTERS)} characters`;

const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;

/** Why a text is no App Secret (spec §1), in words that follow its name without a piece of it; null when it is one. */
export function findSecretFault(text: string): string | null {
  if (text === '') return 'is empty';
  if (CONTROL_CHARACTER.test(text)) return 'holds a control character, such as a tab or a line feed';
  const length = Array.from(text).length;
  if (length < MIN_CHARACTERS) return `is too short: an App Secret has ${APP_SECRET_RULE}`;
  if (length > MAX_APP_SECRET_CHARACTERS) return `is too long: an App Secret has ${APP_SECRET_RULE}`;
  return null;
}

/**
 * Reads `appSecret` or `appSecretFrom` of a mapping. Null when there is none or a faulty one; a missing one is a
 * problem of a complete document only.
 */
export function readAppSecret(
  raw: unknown,
  values: { readonly appSecret?: string; readonly appSecretFrom?: unknown },
  place: Place,
  context: CredentialContext,
): Secret | null {
  const { problems } = context;
  const hasText = hasKey(raw, 'appSecret');
  const hasReference = hasKey(raw, 'appSecretFrom');
  if (hasText && hasReference) {
    problems.reportKey(place, 'appSecretFrom', '"appSecret" and "appSecretFrom" exclude each other; keep one');
    return null;
  }
  if (hasReference) return readReferredSecret(values.appSecretFrom, placeIn(place, 'appSecretFrom'), context);
  if (hasText) {
    const { appSecret: text } = values;
    return text === undefined ? null : checkSecret(text, '"appSecret"', placeIn(place, 'appSecret'), problems);
  }
  if (context.isComplete) {
    const message = '"appSecret" is missing; write it, or "appSecretFrom" with { env: NAME } or { file: PATH }';
    problems.reportMissing(place, message);
  }
  return null;
}

function readReferredSecret(raw: unknown, place: Place, context: CredentialContext): Secret | null {
  const before = context.problems.count;
  const values = readMapping(raw, place, referenceKind, context.problems);
  if (values === null || context.problems.count > before) return null;
  const reference = parseReference(values);
  if (reference === null) {
    const message = '"appSecretFrom" must be { env: NAME } or { file: PATH }, one of the two';
    context.problems.report(place, message);
    return null;
  }
  const part = placeIn(place, 'env' in reference ? 'env' : 'file');
  const answer = context.readSecret(reference, place.tree.file);
  if ('fault' in answer) {
    context.problems.report(part, `"appSecretFrom" ${answer.fault}`);
    return null;
  }
  const name = 'env' in reference ? 'the environment variable' : 'the file';
  const subject = `the App Secret in ${name} of "appSecretFrom"`;
  const edge = findUnseenEdge(answer.text);
  if (edge === null) return checkSecret(answer.text, subject, part, context.problems);
  context.problems.report(part, `${subject} ${edge}`);
  return null;
}

function parseReference({ env, file }: { readonly env?: string; readonly file?: string }): SecretReference | null {
  if (env !== undefined && env !== '' && file === undefined) return { env };
  return file !== undefined && file !== '' && env === undefined && !file.includes('\0') ? { file } : null;
}

function checkSecret(text: string, name: string, place: Place, problems: ProblemLog): Secret | null {
  const fault = findSecretFault(text);
  if (fault === null) return Secret.fromText(text);
  problems.report(place, `${name} ${fault}`);
  return null;
}
