/** The Envoy that the demo and `npm test` run. */
export declare const defaultEnvoyVersion: string;

/** Every Envoy that envoy.yaml is tested on, oldest first. */
export declare const envoyVersions: readonly string[];

/** Every Node that Postern is tested on, oldest first. */
export declare const nodeVersions: readonly string[];
export declare const imageNodeVersion: string;

/** Where services go unless the caller says otherwise: `.services` beside package.json. */
export declare const servicesDirectory: string;

/** A service that cannot be had here. The message says what is wrong and what to do; it is meant for people. */
export declare class InstallFailure extends Error {}

/** A step of an installation. */
export type InstallProgress = {
  /** As asked for: `envoy`, `envoy@1.36.4`, `node@24.21.0`, `mongodb`, `redis`, `ratelimit`, `kustomize`, `prometheus`, `python-oauth2`, `schemathesis`, `php`, `chromium`, `go`. */
  readonly specification: string;
  /** For people: `Envoy 1.40.0`. */
  readonly title: string;
} & (
  | { readonly phase: 'waiting' | 'unpacking' | 'building' }
  /** Bytes are estimates; absent when nothing is known. */
  | { readonly phase: 'downloading'; readonly bytes?: number; readonly totalBytes?: number }
  | { readonly phase: 'ready'; readonly origin: 'present' | 'machine' | 'installed'; readonly path: string }
);

/** Where to install and what is pinned; the defaults are the project's own. */
export interface InstallOptions {
  readonly directory?: string;
  /** The pins, see services/catalogue.mjs; only tests give others. */
  readonly catalogue?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

/** Finds services without installing anything: the path of each program by specification, null for what is missing. */
export declare function findServices<S extends string>(
  specifications: readonly S[],
  options?: InstallOptions,
): Promise<Record<S, string | null>>;

/**
 * Makes sure that services are there, and gives the path of each program by specification.
 *
 * Rejects with {@link InstallFailure} when one cannot be had, or with the reason of an aborted `signal`; either way
 * nothing half installed stays.
 */
export declare function installServices<S extends string>(
  specifications: readonly S[],
  options?: InstallOptions & { readonly onProgress?: (progress: InstallProgress) => void },
): Promise<Record<S, string>>;
