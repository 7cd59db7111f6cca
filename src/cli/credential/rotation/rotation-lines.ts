import { FieldFault, ID_PATTERN, timeField } from '../../../model/document/fields.ts';
import { flagIn, isJsonObject, numberIn, parseJson, textIn, textsIn, valueIn } from '../../../model/document/json.ts';
import { textOf } from '../../../resources/changes/generate-credential.ts';
import type { RunTerms } from '../../../resources/changes/rotation/carry-out-run.ts';
import {
  type NewSecret,
  type RotationRecord,
  rotationOutcomes,
} from '../../../resources/changes/rotation/rotation-record.ts';
import { type AuthenticationMethod, authenticationMethods } from '../../../model/endpoint.ts';
import type { LabelSelector } from '../../../model/labels.ts';
import { materialFacts, materialKindOf } from '../../../model/material.ts';
import { Secret } from '../../../model/secret.ts';
import { declareTime } from '../../../resources/declared.ts';

/** Whose credentials a run rotates, and how: what the command line said. */
export interface RunWish extends RunTerms {
  /** Labels that their consumers carry; empty for any. */
  readonly labels: LabelSelector;
  /** Their consumers, in order; empty for any. */
  readonly consumerIds: readonly string[];
  /** Null for any. */
  readonly method: AuthenticationMethod | null;
  /** The endpoint that they let their consumers call; null for any. */
  readonly endpointId: string | null;
}

/** Whether a run is about the credentials of every consumer. */
export function isOfEveryone({ labels, consumerIds, endpointId }: RunWish): boolean {
  return endpointId === null && consumerIds.length === 0 && Object.keys(labels).length === 0;
}

/** A run as its file has it. */
export interface Run {
  readonly wish: RunWish;
  /** Seconds since the epoch. */
  readonly startedAt: number;
  /** In the order of the plan. */
  readonly records: readonly RotationRecord[];
}

const COMMAND = 'credential rotate';
const VERSION = 1;

/** The first line of the file of a run: what the run is. */
export function declareHeader({ wish, startedAt }: Pick<Run, 'wish' | 'startedAt'>): object {
  const { labels, consumerIds, method, endpointId, graceSeconds, endsFormerSecret } = wish;
  return {
    postern: COMMAND,
    version: VERSION,
    startedAt: declareTime(startedAt),
    labels,
    consumers: consumerIds,
    method,
    endpoint: endpointId,
    graceSeconds,
    force: endsFormerSecret,
  };
}

/** Null for a line that is no such one. */
export function readHeader(line: string): Pick<Run, 'wish' | 'startedAt'> | null {
  const raw = parseJson(line);
  const startedAt = timeIn(raw, 'startedAt');
  const labels = labelsIn(raw);
  const graceSeconds = numberIn(raw, 'graceSeconds');
  if (textIn(raw, 'postern') !== COMMAND || numberIn(raw, 'version') !== VERSION) return null;
  if (startedAt === null || labels === null || graceSeconds === null) return null;
  const [method = null] = methodsOf([textIn(raw, 'method') ?? '']);
  const consumerIds = textsIn(raw, 'consumers');
  return {
    startedAt,
    wish: {
      labels,
      consumerIds,
      method,
      endpointId: idIn(raw, 'endpoint'),
      graceSeconds,
      endsFormerSecret: flagIn(raw, 'force'),
    },
  };
}

/** A line for a credential, with its new secret: what its partner needs. */
export function declareRecord(record: RotationRecord): object {
  const { credentialId, consumerId, methods, createdAt, outcome, reason, made } = record;
  return {
    credential: credentialId,
    consumer: consumerId,
    methods,
    createdAt: declareTime(createdAt),
    outcome,
    ...(reason === null ? {} : { reason }),
    ...(made === null ? {} : declareMade(made)),
  };
}

function declareMade({ appKey, appSecret, successorId, revision, formerEndsAt }: NewSecret): object {
  return {
    ...(successorId === null ? {} : { successor: successorId }),
    ...(appKey === null ? {} : { appKey: textOf(appKey) }),
    ...(appSecret === null ? {} : { appSecret: textOf(appSecret) }),
    formerEndsAt: declareTime(formerEndsAt),
    revision,
  };
}

/** Null for a line that is no such one. */
export function readRecord(line: string): RotationRecord | null {
  const raw = parseJson(line);
  const credentialId = idIn(raw, 'credential');
  const consumerId = idIn(raw, 'consumer');
  const methods = methodsOf(textsIn(raw, 'methods'));
  const createdAt = timeIn(raw, 'createdAt');
  const outcome = rotationOutcomes.find((known) => known === textIn(raw, 'outcome'));
  if (credentialId === null || consumerId === null || createdAt === null || outcome === undefined) return null;
  const made = readMade(raw, methods);
  if (methods.length === 0 || (made === null && (outcome === 'unknown' || outcome === 'rotated'))) return null;
  return { credentialId, consumerId, methods, createdAt, outcome, reason: textIn(raw, 'reason'), made };
}

function readMade(raw: unknown, methods: readonly AuthenticationMethod[]): NewSecret | null {
  const appKey = secretIn(raw, 'appKey');
  const appSecret = secretIn(raw, 'appSecret');
  const successorId = idIn(raw, 'successor');
  const revision = numberIn(raw, 'revision');
  const formerEndsAt = timeIn(raw, 'formerEndsAt');
  if (revision === null || formerEndsAt === null) return null;
  const isWhole =
    materialFacts[materialKindOf(methods)].appKey === 'secret'
      ? appKey !== null && appSecret === null && successorId !== null
      : appSecret !== null && successorId === null;
  return isWhole ? { appKey, appSecret, successorId, revision, formerEndsAt } : null;
}

function secretIn(raw: unknown, name: string): Secret | null {
  const text = textIn(raw, name);
  return text === null ? null : Secret.fromText(text);
}

function idIn(raw: unknown, name: string): string | null {
  const text = textIn(raw, name);
  return text !== null && ID_PATTERN.test(text) ? text : null;
}

function timeIn(raw: unknown, name: string): number | null {
  const time = timeField(textIn(raw, name));
  return time instanceof FieldFault ? null : time;
}

function methodsOf(texts: readonly string[]): readonly AuthenticationMethod[] {
  return authenticationMethods.filter((method) => texts.includes(method));
}

function labelsIn(raw: unknown): Readonly<Record<string, string>> | null {
  const found = valueIn(raw, 'labels');
  if (!isJsonObject(found)) return null;
  const entries = Object.entries(found);
  const labels = entries.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []));
  return labels.length === entries.length ? Object.fromEntries(labels) : null;
}
