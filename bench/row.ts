import { type CheckResponse } from '../src/gen/envoy/service/auth/v3/external_auth.ts';
import type { EnvoyChain } from './envoy/chain.ts';
import type { KeyPairs } from './fixtures/key-pairs.ts';
import { type Partner } from './fixtures/partners.ts';
import { type LoadName, loadsOf, type Way } from './loads.ts';
import { type PeerName } from './peers/peers.ts';
import { type CheckEdit } from './requests/edit-check.ts';

/** What requests are built from. */
export interface RequestPorts {
  readonly partners: readonly Partner[];
  readonly keyPairs: KeyPairs;
  /** Writes a variant of the recorded `CheckRequest` or, for Envoy, of the request that it was made of. */
  readonly edit: (edit: CheckEdit) => Buffer;
}

/** Names of the rows that the CPU time of a row is divided by. */
export interface Baselines {
  readonly grpcJs?: string;
  readonly grpcGo?: string;
  readonly tonic?: string;
  /** What the parts of a check with a public key cost: a key check, and the signature alone in Node.js and in Go. */
  readonly key?: string;
  readonly verifyNode?: string;
  readonly verifyGo?: string;
  /** The part of a check that the format prescribes, alone. */
  readonly bare?: string;
}

/**
 * One line of the table: a service, in a process of its own, and the requests it is asked; or a program that does one
 * part of the work alone.
 */
export interface Row {
  readonly name: string;
  readonly title: string;
  readonly peer: PeerName;
  /** The peer is no service: each time it reads the messages, does its work, and prints what it took. */
  readonly isAlone?: true;
  /** The Envoy that requests go through; without it the driver calls the service itself. */
  readonly through?: EnvoyChain;
  /** How many processes of the service stand behind that Envoy; one without it. Figures are sums over all of them. */
  readonly processes?: number;
  /** Without it, all loads of its way. */
  readonly loads?: readonly LoadName[];
  /**
   * The messages that calls take in turn. Called when the row's group is about to be measured, and again when signed
   * ones have become old or new ones are wanted; rows may share one function.
   */
  readonly messages: (ports: RequestPorts) => readonly Buffer[];
  /** The messages hold a signed time, and services take them for 300 s after it. */
  readonly isSigned?: true;
  /** Each load is sent messages that no service has seen, made before it: there must be more than it sends. */
  readonly isNewEachLoad?: true;
  /** What every answer must be, and more of the first one: null when it is right, else what is wrong. */
  readonly expect: Expectation;
  /** The row whose first answer must be the same. */
  readonly sameAnswerAs?: string;
  /** The rows that this one is compared with, when they are not those for small messages and the key check. */
  readonly baselines?: Baselines;
  /** Rows of one group are measured together, round after round; without it, the group of the grpc-go baseline. */
  readonly group?: string;
  /** Left out of `--quick` unless it is asked for by name. */
  readonly isSlow?: true;
  /** For large messages: bounds of each sample below those of the plan, so that a run stays short and fits into memory. */
  readonly atMost?: { readonly callsAtOnce: number; readonly checks: number };
}

/** The answers that make a row valid. */
export interface Expectation {
  readonly decision: 'allowed' | 'denied';
  /** Looks at the first answer, to the first message. */
  readonly verify?: (answer: CheckResponse, ports: RequestPorts) => string | null;
  /** The same through Envoy: looks at what the back end received, as bench/peers/go/backend writes it. */
  readonly verifyReceived?: (received: string, ports: RequestPorts) => string | null;
}

/** How requests reach the service of a row. */
export function wayOf({ through, isAlone }: Row): Way {
  if (isAlone === true) return 'alone';
  return through === undefined ? 'direct' : 'envoy';
}

/** The loads that a row is measured under. */
export function loadNamesOf(row: Row): readonly LoadName[] {
  return row.loads ?? loadsOf[wayOf(row)];
}
