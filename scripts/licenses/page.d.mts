import type { RuntimePackages } from '../sbom/runtime-packages.mjs';

/** The text of THIRD-PARTY.md. */
export declare function writePage(packages: Pick<RuntimePackages, 'packages'>): string;
