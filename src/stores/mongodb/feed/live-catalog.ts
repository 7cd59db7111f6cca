import type { Clock, StartTimer } from '../../../base/clock.ts';
import type { GroupGrants, PlanTable } from '../../../check/store/check-store.ts';
import { compileGroupGrants } from '../../../check/store/group-grants.ts';
import { compilePlans } from '../../../check/store/plan-table.ts';
import type { DocumentFault, RawDocument } from '../mapping/document-fault.ts';
import { type CompiledEndpoints, EndpointDirectory } from './endpoint-directory.ts';
import { GroupGrantDirectory } from './group-grant-directory.ts';
import { PlanDirectory } from './plan-directory.ts';

/** Changes that come together are compiled together. */
const COMPILE_DELAY_MS = 5;
/** Compiling takes at most this part of the time, however often records change. */
const COMPILE_SHARE = 0.1;

/** What of a database is held in memory as a whole, of one moment. */
export interface CompiledRecords {
  readonly endpoints: CompiledEndpoints;
  readonly groupGrants: GroupGrants;
  /** Of grants for groups. */
  readonly grantFaults: readonly DocumentFault[];
  readonly plans: PlanTable;
  readonly planFaults: readonly DocumentFault[];
}

/** The documents that are held in memory as a whole. */
export interface WholeCollections {
  readonly endpoints: readonly RawDocument[];
  /** Those for groups. */
  readonly groupGrants: readonly RawDocument[];
  readonly plans: readonly RawDocument[];
}

/** After everything was taken, or soon after changes: of endpoints and perhaps others, or of others alone. */
export type CompileReason = 'loaded' | 'changed' | 'others-changed';

/** What keeping them compiled takes, and what it calls. */
export interface LiveCatalogPorts {
  readonly clock: Clock;
  readonly startTimer: StartTimer;
  readonly onCompiled: (compiled: CompiledRecords, why: CompileReason) => void;
}

/**
 * Keeps the endpoints of a database, its plans and its grants for groups compiled, at once as a whole, and soon after
 * changes. They are compiled together, so that one catalog decides a request.
 */
export class LiveCatalog implements Disposable {
  readonly #ports: LiveCatalogPorts;
  readonly #endpoints = new EndpointDirectory();
  readonly #groupGrants = new GroupGrantDirectory();
  readonly #plans = new PlanDirectory();
  #cancelCompiling: (() => void) | null = null;
  #haveEndpointsChanged = false;
  #compileMs = 0;

  constructor(ports: LiveCatalogPorts) {
    this.#ports = ports;
  }

  replaceAll({ endpoints, groupGrants, plans }: WholeCollections): void {
    this.#endpoints.replaceAll(endpoints);
    this.#groupGrants.replaceAll(groupGrants);
    this.#plans.replaceAll(plans);
    this.#compile('loaded');
  }

  /** Whether everything that was taken is in force. */
  get isCompiled(): boolean {
    return this.#cancelCompiling === null;
  }

  endpointChanged(id: unknown, document: RawDocument | null): void {
    if (document === null) this.#endpoints.remove(id);
    else this.#endpoints.set(document);
    this.#haveEndpointsChanged = true;
    this.#compileSoon();
  }

  /**
   * `document` is null for a grant that was deleted, or that is not for a group. Gives whether one for a group changed.
   */
  grantChanged(id: unknown, document: RawDocument | null): boolean {
    if (document !== null) this.#groupGrants.set(document);
    else if (!this.#groupGrants.remove(id)) return false;
    this.#compileSoon();
    return true;
  }

  /** `document` is null for a plan that was deleted. */
  planChanged(id: unknown, document: RawDocument | null): void {
    if (document === null) this.#plans.remove(id);
    else this.#plans.set(document);
    this.#compileSoon();
  }

  [Symbol.dispose](): void {
    this.#cancelCompiling?.();
  }

  #compileSoon(): void {
    const delayMs = Math.max(COMPILE_DELAY_MS, this.#compileMs / COMPILE_SHARE);
    this.#cancelCompiling ??= this.#ports.startTimer(delayMs, () => {
      this.#compile(this.#haveEndpointsChanged ? 'changed' : 'others-changed');
    });
  }

  #compile(why: CompileReason): void {
    const { clock, onCompiled } = this.#ports;
    this.#cancelCompiling?.();
    this.#cancelCompiling = null;
    this.#haveEndpointsChanged = false;
    const startMs = clock.nowMs();
    const endpoints = this.#endpoints.compile();
    const { grants, faults } = this.#groupGrants.read();
    const groupGrants = compileGroupGrants(grants, endpoints.endpoints);
    const { plans, faults: planFaults } = this.#plans.read();
    const planTable = compilePlans(plans, endpoints.endpoints);
    this.#compileMs = clock.nowMs() - startMs;
    onCompiled({ endpoints, groupGrants, grantFaults: faults, plans: planTable, planFaults }, why);
  }
}
