import type { DocumentPath } from '../../model/document/problem.ts';
import type { AuthenticationMethod, OptionsOf } from '../../model/endpoint.ts';
import type { JwtAlgorithm } from '../../model/jwt-algorithms.ts';
import type { PublicKey } from '../../model/public-key/public-key.ts';

/**
 * The values of an entity of Kong, or of the `config` of a plugin. A value of another type has been reported as a
 * problem of the file, and reads as absent.
 */
export interface KongValues {
  /** Whether there is a value under a key, an empty list too. */
  has(key: string): boolean;
  text(key: string): string | null;
  texts(key: string): readonly string[];
  /** `absent` is Kong's own default. */
  flag(key: string, absent: boolean): boolean;
  number(key: string): number | null;
}

/**
 * Reports one difference between Kong and an endpoint: `error` for what Kong does and the endpoint does not, `warning`
 * for what callers or back ends may notice, `note` for what is worth knowing. `path` leads from the entity to the value
 * that differs.
 */
export type ReportDifference = (
  level: 'error' | 'warning' | 'note',
  path: DocumentPath,
  words: { readonly what: string; readonly instead?: string },
) => void;

/** The `config` of a plugin, and where its differences are reported. */
export interface PluginSettings extends KongValues {
  readonly report: ReportDifference;
}

/** What the imported keys of a file begin with. */
export interface KeySchemes {
  /** The scheme word before every one of them, such as `Bearer` in the key `Bearer abc`; null for none. */
  readonly word: string | null;
}

/** The plugin of Kong that authenticates as a method does, and what becomes of it in an import. */
export interface KongCounterpart<M extends AuthenticationMethod> {
  readonly plugin: string;
  /**
   * The settings that `readOptions` reads, or that do not change who gets in. Any other makes its endpoints refuse
   * everything.
   */
  readonly settings: readonly string[];
  /**
   * The options that differ from the method's defaults; null, and a reported error, when no endpoint can do what the
   * plugin does.
   */
  readonly readOptions: (settings: PluginSettings, schemes: KeySchemes) => Partial<OptionsOf[M]> | null;
  readonly credential: KongCredentialKind;
}

/** The credentials of a consumer that a plugin checks. */
export type KongCredentialKind = KongAppKeys | KongTokenKeys;

/** Credentials that callers name, or send. */
export interface KongAppKeys {
  readonly kind: 'app-key';
  /** The list that holds them, in a consumer or at the top of the file. */
  readonly list: string;
  /** The field that becomes the App Key. */
  readonly appKey: string;
  /** The field that becomes the App Secret; null when the App Key is the secret. */
  readonly appSecret: string | null;
  /** Why one cannot be imported, in words that follow "has a credential that"; null when it can. */
  readonly findFault?: (credential: KongValues) => string | null;
  /** What its caller may notice, in words that follow "has a credential that", and what to do; null for nothing. */
  readonly findDifference?: (credential: KongValues) => { readonly what: string; readonly instead: string } | null;
}

/** Credentials with keys that tokens of a consumer are signed with: each becomes an issuer, and a credential of it. */
export interface KongTokenKeys {
  readonly kind: 'token-key';
  /** The list that holds them, in a consumer or at the top of the file. */
  readonly list: string;
  /** The tokens of one; else why they cannot be verified here. */
  readonly readTokens: (credential: KongValues) => KongTokens | KongTokenFault;
}

/** How tokens are known, and verified. */
export interface KongTokens {
  /** Their claim `iss`. */
  readonly issuer: string;
  readonly algorithm: JwtAlgorithm;
  readonly publicKey: PublicKey;
}

/** Why tokens cannot be verified here: at which field, in words that follow "has a credential that", what to do. */
export interface KongTokenFault {
  readonly field: string;
  readonly what: string;
  readonly instead: string;
}
