import type { Clock, StartTimer } from '../../../base/clock.ts';
import type { GroupGrants, IssuerTable, PlanTable } from '../../../check/store/check-store.ts';
import { compileGroupGrants } from '../../../check/store/group-grants.ts';
import { compileIssuers, noIssuers } from '../../../check/store/issuer-table.ts';
import { compilePlans } from '../../../check/store/plan-table.ts';
import type { DocumentFault, RawDocument } from '../mapping/document-fault.ts';
import { ClaimNamesDirectory, type StoredClaimNames } from './claim-names.ts';
import { type CompiledEndpoints, EndpointDirectory } from './endpoint-directory.ts';
import { groupGrantDirectory, issuerDirectory, planDirectory } from './record-directory.ts';

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
  readonly issuers: IssuerTable;
  readonly issuerFaults: readonly DocumentFault[];
}

/** The documents that are held in memory as a whole. */
export interface WholeCollections {
  readonly endpoints: readonly RawDocument[];
  /** Those for groups. */
  readonly groupGrants: readonly RawDocument[];
  readonly plans: readonly RawDocument[];
  readonly issuers: readonly RawDocument[];
  /** Of credentials: the different sets of claims of each issuer. */
  readonly claimNames: readonly StoredClaimNames[];
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
 * Keeps the endpoints of a database, its plans, issuers and grants for groups compiled, at once as a whole, and soon
 * after changes. They are compiled together, so that one catalog decides a request.
 */
export class LiveCatalog implements Disposable {
  readonly #ports: LiveCatalogPorts;
  readonly #endpoints = new EndpointDirectory();
  readonly #groupGrants = groupGrantDirectory();
  readonly #plans = planDirectory();
  readonly #issuers = issuerDirectory();
  readonly #claimNames = new ClaimNamesDirectory();
  /** Of the last compilation. */
  #issuerTable = noIssuers;
  #cancelCompiling: (() => void) | null = null;
  #haveEndpointsChanged = false;
  #compileMs = 0;

  constructor(ports: LiveCatalogPorts) {
    this.#ports = ports;
  }

  replaceAll({ endpoints, groupGrants, plans, issuers, claimNames }: WholeCollections): void {
    this.#endpoints.replaceAll(endpoints);
    this.#groupGrants.replaceAll(groupGrants);
    this.#plans.replaceAll(plans);
    this.#issuers.replaceAll(issuers);
    this.#claimNames.readingBegins();
    this.#claimNames.replaceAll(claimNames);
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

  /** `document` is null for an issuer that was deleted. */
  issuerChanged(id: unknown, document: RawDocument | null): void {
    if (document === null) this.#issuers.remove(id);
    else this.#issuers.set(document);
    this.#compileSoon();
  }

  /** A credential names these claims now. */
  claimsNamed(claims: StoredClaimNames): void {
    if (this.#claimNames.add(claims)) this.#compileSoon();
  }

  /** Whether any credential names claims. */
  get hasClaims(): boolean {
    return !this.#claimNames.isEmpty;
  }

  /** The issuers of now, whose claims are read from now on. */
  beginClaimNames(): readonly string[] {
    this.#claimNames.readingBegins();
    return this.#issuers.read().records.map(({ id }) => id);
  }

  claimNamesRead(all: readonly StoredClaimNames[]): void {
    this.#claimNames.replaceAll(all);
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
    const { records: grants, faults: grantFaults } = this.#groupGrants.read();
    const groupGrants = compileGroupGrants(grants, endpoints.endpoints);
    const { records: plans, faults: planFaults } = this.#plans.read();
    const planTable = compilePlans(plans, endpoints.endpoints);
    const { records: issuers, faults: issuerFaults } = this.#issuers.read();
    this.#issuerTable = compileIssuers(issuers, this.#claimNames.read(), this.#issuerTable);
    this.#compileMs = clock.nowMs() - startMs;
    const compiled = {
      endpoints,
      groupGrants,
      grantFaults,
      plans: planTable,
      planFaults,
      issuers: this.#issuerTable,
      issuerFaults,
    };
    onCompiled(compiled, why);
  }
}
