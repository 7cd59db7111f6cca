/** A package of clients/. */
export interface ClientPackage {
  /** Its folder below clients/. */
  readonly client: string;
  /** Its name at its registry. */
  readonly name: string;
  /** The files that `./run build` leaves in `dist/`. */
  artefacts(version: string): readonly string[];
  /** Other names for them, in the same order, where two clients would have the same. */
  published?(version: string): readonly string[];
  /** The programs that must be there. */
  readonly tools: readonly string[];
  /** Programs with arguments, run in the folder of the client; each must end with 0. */
  commands(version: string): readonly (readonly [string, ...string[]])[];
  /** Rules that no program judges here: the problems, as sentences. */
  find?(built: { readonly folder: string; readonly version: string }): readonly string[];
}

/** Every package. */
export declare const packages: readonly ClientPackage[];
