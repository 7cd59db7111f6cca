import type { ImageChoices } from '../image/build.mjs';

/** Makes sure that an engine and Docker Compose 2 or newer answer; gives the version of the latter. */
export declare function requireCompose(): Promise<string>;

/** Runs `docker compose` with these arguments, shown; rejects with DockerFailure when it fails. */
export declare function compose(
  args: readonly string[],
  options?: { readonly env?: Readonly<Record<string, string>> },
): Promise<void>;

/** Builds the image when it is missing, starts everything, and waits until Envoy lets a request through. Gives its address. */
export declare function startStack(options?: {
  readonly env?: Readonly<Record<string, string>>;
  readonly build?: ImageChoices;
}): Promise<string>;

/** Where the management API and the console are. */
export declare function manageAddress(): string;
