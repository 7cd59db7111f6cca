import type { RuntimePackages } from './runtime-packages.mjs';

/** The version of CycloneDX that is written. */
export declare const specVersion: '1.6';

/** The bill as JSON text: the same for the same packages. */
export declare function writeBill(packages: RuntimePackages, options?: { readonly timestamp?: Date }): string;
