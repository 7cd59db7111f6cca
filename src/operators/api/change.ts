import type { Change, Operation, Planned } from '../../resources/changes/change.ts';
import { findChangeWarnings } from '../../resources/changes/change-warnings.ts';
import { type DescribedChange, takeReal } from '../../resources/changes/describe-change.ts';
import type { PlannedConflict, Remedy } from '../../resources/changes/planned-conflict.ts';
import { requireUnlisted } from '../../resources/changes/plan-endpoint.ts';
import { Conflict, type ResourceStore } from '../../resources/changes/resource-store.ts';
import { type LabelledKind, readGround } from '../../resources/changes/rights/change-ground.ts';
import { isOfForeignConsumer, judgeChanges } from '../../resources/changes/rights/judge-changes.ts';
import type { OperatorRights, Overreach } from '../../resources/changes/rights/operator-rights.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { Operator } from '../../model/operator.ts';
import type { ResourceOf } from '../../resources/resource.ts';
import type { ApiVariables } from './ports.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import { ApiProblem, invalidResource } from './problem.ts';
import { conflictFor, MetBeyond } from './beyond-reach.ts';
import { isReached, selectorOf } from './reach.ts';

/** What a change did, or would do. */
export interface ChangeOutcome {
  readonly dryRun: boolean;
  /** The store's revision with the change; null where nothing was changed. */
  readonly revision: number | null;
  readonly changes: readonly DescribedChange[];
  /** So many more concern what is beyond the operator's reach. */
  readonly beyondReach?: number;
  /** What `postern validate` would warn of in what is written; absent for nothing. */
  readonly warnings?: readonly string[];
}

/** Who asks, and by what. */
export type Asker = Pick<ApiVariables, 'operator' | 'via' | 'reason' | 'labelOwners'>;

/** What the audit trail says of a change, and what the store itself holds it to. */
export function operationOf({ operator, via, reason, labelOwners }: Asker, verb: string): AskedOperation {
  return { actor: operator.id, action: `${via} ${verb}`, reason, rights: { operator, labelOwners } };
}

/** An operation of an operator, which no change gets past `judgeChanges` without. */
export type AskedOperation = Operation & { readonly rights: { readonly operator: Operator } & OperatorRights };

/**
 * The changes of a plan. Throws `INVALID_RESOURCE`, which names every problem, or `Conflict`, which names nothing
 * beyond the operator's reach.
 */
export async function changesOf(
  planned: Planned,
  operator: Operator,
  resources: Pick<ResourceStore, 'find'>,
): Promise<readonly Change[]> {
  if ('changes' in planned) return planned.changes;
  if ('problems' in planned) throw invalidResource(planned.problems);
  throw await conflictOf(planned, operator, resources);
}

/** A conflict in the words of the API, without what is beyond the operator's reach. */
export async function conflictOf(
  { conflict, holder, remedy }: PlannedConflict,
  operator: Operator,
  resources: Pick<ResourceStore, 'find'>,
): Promise<Conflict> {
  if (holder === undefined || (await isReached(operator, holder, resources))) {
    return new Conflict(remedy === undefined ? conflict : `${conflict}; ${inWords(remedy)}`);
  }
  const { kind, id, unnamed } = holder;
  return new MetBeyond(unnamed, { kind, id, sentence: conflict });
}

/** By the names of fields, which the forms of the console have too. */
function inWords(remedy: Remedy): string {
  switch (remedy.kind) {
    case 'edit':
      return remedy.resource === 'grant' ? 'edit that one' : 'edit that one, or take another "id"';
    case 'other-id':
      return 'take another "id"';
    case 'other-priority':
      return `give this one another "priority", such as ${String(remedy.free)} to count before all of them`;
    case 'end-former-secret':
      return '"force" does that';
    case 'new-public-key':
      return 'give the new one as "publicKey"';
    case 'new-known-by':
      return 'give it as "claims" or "certificate"';
  }
}

/**
 * Commits changes as one operation, or only says what they would do. What changes nothing is not committed. Every way
 * to a change leads through here: throws what `judgeChanges` says of changes that the operator may not make.
 */
export async function commit(
  planned: readonly Change[],
  { resources, operation, isDryRun, nowSeconds = 0, keepsAll = false }: CommitPorts,
): Promise<ChangeOutcome> {
  const { rights } = operation;
  const ground = await readGround(planned, (kind, ids) => readLabelled(resources, kind, ids), {
    needsEndpoints: selectorOf(rights.operator) !== undefined,
  });
  const overreach = judgeChanges(rights, planned, ground);
  if (overreach !== null) throw refusalOf(overreach);
  const real = takeReal(planned);
  const shown = real.filter(({ change }) => !isOfForeignConsumer(rights, change, ground));
  const warnings = await warningsOf(
    shown.map(({ change }) => change),
    resources,
    nowSeconds,
  );
  const outcome = {
    ...(warnings.length === 0 ? {} : { warnings }),
    changes: shown.map(({ described }) => described),
    ...(shown.length === real.length ? {} : { beyondReach: real.length - shown.length }),
  };
  const changes = keepsAll ? planned : real.map(({ change }) => change);
  try {
    if (isDryRun) await requireDeletable(changes, resources);
    if (isDryRun || changes.length === 0) return { dryRun: isDryRun, revision: null, ...outcome };
    const revision = await resources.commit(changes, operation);
    return { dryRun: false, revision, ...outcome };
  } catch (error) {
    throw error instanceof Conflict ? conflictFor(error, rights.operator, changes) : error;
  }
}

/** What a commit would refuse. */
async function requireDeletable(changes: readonly Change[], resources: Pick<ResourceStore, 'list'>): Promise<void> {
  for (const { kind, id, after } of changes) {
    if (kind === 'endpoint' && after === null) await requireUnlisted(id, resources);
  }
}

/** Of what changes write. */
async function warningsOf(
  changes: readonly Change[],
  resources: Pick<ResourceStore, 'list'>,
  nowSeconds: number,
): Promise<readonly string[]> {
  const ids = changes.flatMap(({ kind, after }) => {
    if (kind === 'plan') return after?.endpointIds ?? [];
    return kind === 'grant' && after !== null ? [after.endpointId] : [];
  });
  const endpoints: Endpoint[] = [];
  if (ids.length > 0) for await (const endpoint of readLabelled(resources, 'endpoint', ids)) endpoints.push(endpoint);
  return findChangeWarnings(changes, { endpoints, nowSeconds });
}

function refusalOf({ code, message, met }: Overreach): Error {
  return code === 'CONFLICT' && met !== undefined ? new MetBeyond(message, met) : new ApiProblem(code, message);
}

async function* readLabelled<K extends LabelledKind>(
  resources: Pick<ResourceStore, 'list'>,
  kind: K,
  ids: readonly string[] | undefined,
): AsyncGenerator<ResourceOf[K]> {
  for await (const { resource } of resources.list(kind, { ids })) yield resource;
}

/** What committing a planned change takes. */
export interface CommitPorts {
  readonly resources: Pick<ResourceStore, 'commit' | 'list'>;
  readonly operation: AskedOperation;
  readonly isDryRun: boolean;
  /** The time that warnings of what has ended are by; without it there are none. */
  readonly nowSeconds?: number;
  /** Whether what changes nothing is committed, too: else its answer would tell whether a secret is the stored one. */
  readonly keepsAll?: boolean;
}

/**
 * Reads what a commit has made, to show it. A store that fails in between answers `OUTCOME_UNKNOWN`, never that nothing
 * was changed.
 */
export async function readMade<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new ApiProblem(
      'OUTCOME_UNKNOWN',
      'the change was made, and the store did not answer after it; read the resource',
    );
  }
}

/** Throws `INVALID_RESOURCE` where a patch has a field that names the resource: that would be another one. */
export function refuseNames(patch: Readonly<Record<string, unknown>>, names: readonly string[]): void {
  const found = names.filter((name) => Object.hasOwn(patch, name));
  if (found.length === 0) return;
  throw invalidResource(found.map((path) => ({ path, message: `"${path}" names the resource and does not change` })));
}
