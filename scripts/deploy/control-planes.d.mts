/** Every manifest that has parts of envoy.yaml, by its path below deploy. */
export const sharedManifests: readonly string[];
/** A manifest with the parts of envoy.yaml as they are there. */
export function withSharedParts(path: string, manifest: string, envoyYaml: string): string;
