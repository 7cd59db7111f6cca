import { declareResource } from '../declare-resource.ts';
import type { Declared } from '../declared.ts';
import { isKept } from '../../model/kept-secret.ts';
import { isUnopened } from '../../model/keyring/sealed.ts';
import { consumerDefaults } from '../../model/consumer.ts';
import { materialFacts, secretsIn } from '../../model/material.ts';
import { shortenKeys } from '../credential-material.ts';
import type { Secret } from '../../model/secret.ts';
import { equal } from '../../base/text/equal.ts';
import type { Change, ChangeOf } from './change.ts';
import { compareDeclared } from './compare-declared.ts';
import type { AuditedKind, ManagedCredential, ResourceKind } from '../resource.ts';

/** What becomes of a resource. */
export type ChangeAction = 'create' | 'change' | 'delete';

/** One field of a resource that a change touches, by its path in the declared form, such as `match.hosts`. */
export interface FieldChange {
  readonly path: string;
  /**
   * Null where the field is absent and its default is no single value. Absent for a secret, and `before` of a creation.
   */
  readonly before?: unknown;
  readonly after?: unknown;
  /** Of a secret: how it changes, instead of its values. */
  readonly secret?: SecretChange;
}

/** How a secret changes. */
export type SecretChange = 'set' | 'changed' | 'removed';

/** A change in the words of a declarative file, without secrets: what `-o json` and `-o yaml` print. */
export interface DescribedChange {
  readonly action: ChangeAction;
  readonly kind: AuditedKind;
  /** Of a grant the `grantId`. */
  readonly id: string;
  /** Whose credential it is; of credentials only. */
  readonly consumer?: string;
  /** Empty for a deletion, unless what was deleted is to be shown, and for a change that touches nothing. */
  readonly fields: readonly FieldChange[];
}

/**
 * Says what a change does to the declared form of its resource. Secrets are only said to be set, changed or removed.
 */
export function describeChange(change: Change): DescribedChange {
  const { kind, id, before, after } = change;
  const action = before === null ? 'create' : after === null ? 'delete' : 'change';
  const fields = after === null ? [] : [...describeFields(...declaredSides(change)), ...secretFieldsOf(change)];
  if (kind !== 'credential') return { action, kind, id, fields };
  const consumer = (change.after ?? change.before?.resource)?.consumerId ?? '';
  return { action, kind, id, consumer, fields };
}

/** A change that changes something, and what it does. */
export interface RealChange {
  readonly change: Change;
  readonly described: DescribedChange;
}

/** The changes of these that change something: a plan may hold others, which are neither shown nor committed. */
export function takeReal(changes: readonly Change[]): readonly RealChange[] {
  return changes
    .map((change) => ({ change, described: describeChange(change) }))
    .filter(({ described: { action, fields } }) => action !== 'change' || fields.length > 0);
}

/** A resource before and after a change, without secrets; null where there is none. */
type Sides = readonly [before: Declared | null, after: Declared | null];

function declaredSides<K extends ResourceKind>({ kind, before, after }: ChangeOf<K>): Sides {
  return [
    before === null ? null : declareResource(kind, before.resource),
    after === null ? null : declareResource(kind, after),
  ];
}

/** What holds where a field of these is absent. Others have no single value, or one that differs by method. */
const defaults: Readonly<Record<string, unknown>> = {
  ...consumerDefaults,
  labels: null,
  state: 'active',
  accessCondition: 'authenticated',
};

/** A changed field with both of its values: a program that undoes a change needs the former one, be it a default. */
function withDefaults(field: FieldChange): FieldChange {
  const absent = defaults[field.path] ?? null;
  return { path: field.path, before: field.before ?? absent, after: field.after ?? absent };
}

/** Fields that name the resource and are in its heading. */
const HEADING: ReadonlySet<string> = new Set(['id', 'endpoint']);

/**
 * Whether a field names whose a resource is, which a creation has in its heading: a plan is not named by its labels.
 */
function isNaming(path: string, whole: Declared): boolean {
  return path === 'consumer' || (path === 'consumerSelector' && Object.hasOwn(whole, 'endpoint'));
}

/** The fields of a declared resource that differ; of one that is made or deleted, those that it has. */
export function describeFields(...[before, after]: Sides): readonly FieldChange[] {
  const declared = [shortenKeys(before ?? {}), shortenKeys(after ?? {})] as const;
  const differences = [...compareDeclared(...declared)].filter(({ path }) => !HEADING.has(path));
  if (before !== null && after !== null) return differences.map(withDefaults);
  return differences.filter(({ path }) => !isNaming(path, after ?? before ?? {}));
}

/** A secret of a credential, by its path, and how it changes. */
interface ChangedSecret {
  readonly path: string;
  readonly secret: SecretChange;
}

/** The secrets of a credential that a change sets, changes or removes. */
export function* secretChangesOf(change: ChangeOf<'credential'>): Generator<ChangedSecret> {
  const before = change.before?.resource ?? null;
  const { after } = change;
  const appKey = appKeyChange(change);
  if (appKey !== null) yield { path: 'appKey', secret: appKey };
  const former = before === null ? null : secretsIn(before.material);
  const current = after === null ? null : secretsIn(after.material);
  for (const path of new Set([...(former?.keys() ?? []), ...(current?.keys() ?? [])])) {
    const secret = changeOf(former?.get(path) ?? null, current?.get(path) ?? null);
    if (secret !== null) yield { path, secret };
  }
}

function secretFieldsOf(change: Change): readonly FieldChange[] {
  return change.kind === 'credential' ? [...secretChangesOf(change)] : [];
}

/** How an App Key changes that is the secret itself: a public one is a field like others. */
function appKeyChange({ before, after }: ChangeOf<'credential'>): SecretChange | null {
  const isSecret = ({ material }: ManagedCredential): boolean => materialFacts[material.kind].appKey === 'secret';
  const isSecretAfter = after !== null && isSecret(after);
  const isSecretBefore = before !== null && isSecret(before.resource);
  if (before === null || after === null) return isSecretAfter ? 'set' : null;
  if (!isSecretAfter && !isSecretBefore) return null;
  return before.resource.appKeyHash === after.appKeyHash ? null : 'changed';
}

/** Whether a change sets, changes or removes a secret. One that was not opened is the same only as itself. */
export function changesSecrets(change: ChangeOf<'credential'>): boolean {
  return secretChangesOf(change).next().done !== true;
}

function changeOf(before: Secret | null, after: Secret | null): SecretChange | null {
  if (before === after) return null;
  if (after === null) return 'removed';
  if (before === null) return 'set';
  if ([before, after].some((secret) => isUnopened(secret) || isKept(secret))) return 'changed';
  return equal(before.reveal(), after.reveal()) ? null : 'changed';
}
