import { Counter, Histogram, type Registry } from 'prom-client';
import type { Change } from '../../resources/changes/change.ts';
import { resourceKinds } from '../../resources/resource.ts';
import { announcedCounter, registerMetrics } from '../../gateway/observe/metric-table.ts';

/** What of `postern manage` answered: the API, a page of the console, or the API that a page asked. */
export const manageParts = ['api', 'page', 'inner'] as const;
export type ManagePart = (typeof manageParts)[number];

/** By what a sign-in was tried: at the API, or in the console with a token or at the OpenID Connect provider. */
const signIns = ['api', 'token', 'openid'] as const;
export type SignInWay = (typeof signIns)[number];

/** From a page in memory to a store that runs into its deadline, in seconds. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Every other one that Node's parser knows counts as `OTHER`. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** A request that was answered. `route` is a template, such as `/v1/consumers/{id}`; null where there is none. */
export interface ManageRequest {
  readonly part: ManagePart;
  readonly method: string;
  readonly route: string | null;
  readonly status: number;
  readonly seconds: number;
}

/** What metrics ask the process, each time they are collected. */
export interface ManageStatus {
  /** Whether the database answered when it was last asked. */
  readonly isStoreUp: boolean;
  /** Open connections. */
  readonly connections: number;
}

/** The metrics of `postern manage`. No label holds what a client chose, and none an id. */
export class ManageMetrics {
  readonly #requests: Counter<'part' | 'method' | 'route' | 'status'>;
  readonly #duration: Histogram<'part' | 'route'>;
  readonly #refusedSignIns: Counter<'by'>;
  readonly #changes: Counter<'kind' | 'action'>;

  constructor(registry: Registry, status: () => ManageStatus) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'postern_manage_requests_total',
      help: 'Requests that were answered, by what answered, method, route and status.',
      labelNames: ['part', 'method', 'route', 'status'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'postern_manage_request_duration_seconds',
      help: 'Time from a request to its answer, by what answered and route.',
      labelNames: ['part', 'route'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#refusedSignIns = announcedCounter(registry, {
      name: 'postern_manage_refused_sign_ins_total',
      help: 'Requests and sign-ins refused because the caller is not an operator or did not prove it.',
      labels: { by: signIns },
    });
    this.#changes = announcedCounter(registry, {
      name: 'postern_manage_changes_total',
      help: 'Resources that were created, changed or deleted, by their kind.',
      labels: { kind: resourceKinds, action: ['create', 'change', 'delete'] },
    });
    registerMetrics(registry, {
      postern_manage_store_up: ['Whether the database answers: 1 or 0.', () => Number(status().isStoreUp)],
      postern_manage_connections: ['Open connections of the management listener.', () => status().connections],
    });
  }

  countRequest({ part, method, route, status, seconds }: ManageRequest): void {
    const known = { part, route: route ?? 'none' };
    this.#requests.inc({
      ...known,
      method: METHODS.includes(method) ? method : 'OTHER',
      status: String(status),
    });
    this.#duration.observe(known, seconds);
    if (part === 'api' && status === 401) this.countRefusedSignIn('api');
  }

  countRefusedSignIn(by: SignInWay): void {
    this.#refusedSignIns.inc({ by });
  }

  /** Counts what a commit made. */
  countChanges(changes: readonly Change[]): void {
    for (const { kind, before, after } of changes) {
      this.#changes.inc({ kind, action: before === null ? 'create' : after === null ? 'delete' : 'change' });
    }
  }
}
