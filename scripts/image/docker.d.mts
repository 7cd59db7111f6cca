/** Something that a person has to put right. The message says what is wrong and what to do. */
export declare class DockerFailure extends Error {}

/** How docker is run; tests put another program in its place. */
export interface DockerOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly command?: string;
}

/** Runs docker; gives what it printed, without the last line feed. Rejects with {@link DockerFailure} when it fails. */
export declare function dockerOutput(args: readonly string[], options?: DockerOptions): Promise<string>;

/** Makes sure that an engine answers, and gives its version. Rejects with {@link DockerFailure} when none does. */
export declare function requireEngine(options?: DockerOptions): Promise<string>;
