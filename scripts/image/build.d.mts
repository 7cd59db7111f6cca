/** The top of the repository. */
export declare const root: string;

/** The version of package.json, which is the tag of the image. */
export declare function readVersion(): string;

/** What goes into the labels and times of an image. */
export interface ImageSource {
  readonly version: string;
  /** The commit, with `-changed` when the working tree differs from it. */
  readonly revision: string;
  /** RFC 3339, of the commit or of SOURCE_DATE_EPOCH. */
  readonly created: string;
  readonly epochSeconds: number;
}

/** Reads it from git and from the environment, never from the clock; a wrong SOURCE_DATE_EPOCH is a DockerFailure. */
export declare function describeSource(environment?: Readonly<Record<string, string | undefined>>): ImageSource;

/** What a build may differ in. */
export interface ImageChoices {
  readonly tags?: readonly string[];
  readonly buildImage?: string | undefined;
  readonly runImage?: string | undefined;
  readonly network?: string | undefined;
  readonly noCache?: boolean;
}

/** The arguments of `docker build` for these choices. */
export declare function buildArguments(
  choices: ImageChoices & { readonly tags: readonly string[] },
  source: ImageSource,
): readonly string[];

/** Builds the image; rejects with DockerFailure without Docker, or when the build fails. */
export declare function buildImage(choices: ImageChoices): Promise<{
  readonly tag: string;
  readonly bytes: number;
  readonly seconds: number;
  readonly source: ImageSource;
}>;
