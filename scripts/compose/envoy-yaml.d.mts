/** What is replaced in envoy.yaml, each exactly once, and what comes in its place. */
export declare const differences: readonly (readonly [string | RegExp, string])[];

/** The text of deploy/compose/envoy.yaml, from the text of envoy.yaml; throws when a difference finds no place. */
export declare function composeEnvoy(envoyYaml: string): string;
