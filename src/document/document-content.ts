import type { Lifetime } from '../clock.ts';
import type { Consumer } from '../model/consumer.ts';
import type { CredentialState } from '../model/credential.ts';
import type { AuthenticationMethod, Endpoint } from '../model/endpoint.ts';
import type { Grant } from '../model/grant.ts';
import type { Secret } from '../model/secret.ts';

/**
 * A credential as a document has it. What `apply` generates or keeps may be absent; a file store wants all of it
 * (interfaces §4, spec §6).
 */
export interface DocumentCredential extends Lifetime {
  /** Null: generated. */
  readonly id: string | null;
  readonly consumerId: string;
  readonly methods: readonly AuthenticationMethod[];
  /** Null when the document has its hash instead, or neither: then `apply` generates it once, and there is an `id`. */
  readonly appKey: string | null;
  /** The hash of the App Key; null when the document has neither. */
  readonly appKeyHash: string | null;
  /** Null when `methods` is only `key`, or when the document leaves secrets out. */
  readonly appSecret: Secret | null;
  readonly retiringSecret: DocumentRetiringSecret | null;
  readonly state: CredentialState;
}

/** The former secret of a credential; its `appSecret` is null when the document leaves secrets out. */
export interface DocumentRetiringSecret {
  readonly appSecret: Secret | null;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** A set of documents, validated: defaults are filled in, references resolve, nothing is there twice. */
export interface DocumentContent {
  readonly endpoints: readonly Endpoint[];
  readonly consumers: readonly Consumer[];
  /** In the order of the document, consumer by consumer. */
  readonly credentials: readonly DocumentCredential[];
  readonly grants: readonly Grant[];
}
