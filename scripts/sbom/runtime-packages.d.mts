/** A package that runs in production. */
export interface RuntimePackage {
  /** Where it stands: `node_modules/a/node_modules/b`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  /** SPDX expression; null when the package says nothing. */
  readonly license: string | null;
  /** Checksum of the package as in package-lock.json: `sha512-…` in Base64. */
  readonly integrity: string | null;
  /** Names of the files in it that hold licences and notices. */
  readonly licenseFiles: readonly string[];
  /** Paths of the packages that Node finds for its dependencies. */
  readonly dependencies: readonly string[];
  /** Whether package.json names it. */
  readonly isDirect: boolean;
  /** The type of its package URL; `npm` when absent. */
  readonly ecosystem?: string;
  /** Checksum of the package, in hex, where its registry has that one. */
  readonly sha256?: string | null;
}

/** What runs in production. */
export interface RuntimePackages {
  readonly project: {
    readonly name: string;
    readonly version: string;
    readonly description: string;
    readonly license: string;
  };
  /** Paths of the packages that package.json names. */
  readonly direct: readonly string[];
  /** All of them, by path. */
  readonly packages: readonly RuntimePackage[];
}

/** Dependencies that are not as package-lock.json says. */
export declare class DependencyFailure extends Error {}

/** Reads the runtime packages of the project in a folder; throws {@link DependencyFailure} when some are not as pinned. */
export declare function readRuntimePackages(directory?: string): RuntimePackages;
