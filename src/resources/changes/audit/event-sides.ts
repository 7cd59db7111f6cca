import { materialFacts } from '../../../model/material.ts';
import { materialKindIn } from '../../credential-material.ts';
import { declareWholeResource } from '../../declare-resource.ts';
import type { Declared } from '../../declared.ts';
import type { Change, ChangeOf } from '../change.ts';
import { type SecretChange, secretChangesOf } from '../describe-change.ts';
import type { AuditEvent } from '../resource-store.ts';
import type { ResourceKind } from '../../resource.ts';

/**
 * A resource before and after a change, as the audit trail keeps it: as a declarative file has it, without secrets.
 * Where a secret is set, changed or removed, `after` says so in its place; {@link readSides} takes that out again.
 */
export function sidesOf(change: Change): Pick<AuditEvent, 'before' | 'after'> {
  const { before, after } = declaredSides(change as ChangeOf<ResourceKind>);
  return { before, after: after === null ? null : withSecretChanges(after, change) };
}

function declaredSides<K extends ResourceKind>({
  kind,
  before,
  after,
}: ChangeOf<K>): Pick<EventSides, 'before' | 'after'> {
  return {
    before: before === null ? null : declareWholeResource(kind, before.resource),
    after: after === null ? null : declareWholeResource(kind, after),
  };
}

function withSecretChanges(declared: Declared, change: Change): Declared {
  if (change.kind !== 'credential') return declared;
  const shown: Record<string, unknown> = { ...declared };
  for (const { path, secret } of secretChangesOf(change)) {
    const [outer = '', inner] = path.split('.');
    shown[outer] = inner === undefined ? secret : { ...(shown[outer] as Declared | undefined), [inner]: secret };
  }
  return shown;
}

/** An event's resource before and after in declared form, and what happened to its secrets, by their paths. */
export interface EventSides {
  readonly before: Declared | null;
  readonly after: Declared | null;
  readonly secrets: readonly { readonly path: string; readonly secret: SecretChange }[];
}

const secretChanges: readonly unknown[] = ['set', 'changed', 'removed'] satisfies readonly SecretChange[];

/** Reads what {@link sidesOf} wrote. */
export function readSides({ kind, before, after }: Pick<AuditEvent, 'kind' | 'before' | 'after'>): EventSides {
  if (kind !== 'credential' || after === null) return { before, after, secrets: [] };
  const secrets: { path: string; secret: SecretChange }[] = [];
  const take = (path: string, value: unknown): boolean => {
    if (!secretChanges.includes(value)) return false;
    secrets.push({ path, secret: value as SecretChange });
    return true;
  };
  const { appKey, appSecret, retiringSecret, ...others } = after;
  // A public App Key is a field like others, and could be one of these words.
  const mayBeSecret = [before, after].some(
    (side) => side !== null && materialFacts[materialKindIn(side)].appKey === 'secret',
  );
  const keepsAppKey = appKey !== undefined && !(mayBeSecret && take('appKey', appKey));
  if (appSecret !== undefined) take('appSecret', appSecret);
  const { appSecret: former, ...retiring } = (retiringSecret ?? {}) as Declared;
  if (former !== undefined) take('retiringSecret.appSecret', former);
  const stripped = {
    ...others,
    ...(keepsAppKey ? { appKey } : {}),
    ...(Object.keys(retiring).length === 0 ? {} : { retiringSecret: retiring }),
  };
  return { before, after: stripped, secrets };
}
