/** SPDX identifiers of the licences that a runtime dependency may have. */
export declare const allowedLicenses: readonly string[];

/** Whether an SPDX expression can be followed with allowed licences only; null and nonsense cannot. */
export declare function isAllowed(expression: string | null): boolean;

/** One sentence for each package whose licence is not allowed. */
export declare function findForbidden(
  packages: readonly { readonly name: string; readonly version: string; readonly license: string | null }[],
): readonly string[];
