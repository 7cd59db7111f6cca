import type { Assault } from './assault.ts';
import type { Bounds } from './bounds.ts';

/** What an attack is aimed at: the store and the listeners of the service. */
export interface ServiceKind {
  /** `mongodb`: a database of its own with partners that no replica has looked up yet. */
  readonly store: 'file' | 'mongodb';
  /** Whether the gRPC and the OAuth2 listener speak TLS. */
  readonly isTls: boolean;
  /** Whether `postern manage` runs beside it, with an operator of each role; what it uses is then measured. */
  readonly isManaged: boolean;
}

/** One attack: what anyone who can reach a port may send, and what a replica must bear of it. */
export interface Attack {
  /** As `npm run attack -- NAME` calls it. */
  readonly name: string;
  /** In a few words. */
  readonly title: string;
  /** The service that it needs; a file store without TLS unless given. */
  readonly service?: Partial<ServiceKind>;
  /** Where they differ from {@link defaultBounds}. */
  readonly bounds?: Partial<Bounds>;
  /** Why the tests leave it to `npm run attack`; those without a reason run in `npm test`, in their short form. */
  readonly notInTests?: string;
  /** Attacks, in a process of its own. What it opens is closed when it is over. */
  readonly run: (assault: Assault) => Promise<void>;
}

/** The whole of {@link Attack.service}. */
export function serviceKindOf({ service = {} }: Attack): ServiceKind {
  return { store: 'file', isTls: false, isManaged: false, ...service };
}
