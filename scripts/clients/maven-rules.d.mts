/** What Maven Central would refuse in a POM, as sentences. */
export declare function findPomProblems(pom: string): readonly string[];

/** The same of the package that was built in a folder, with its jars. */
export declare function findMavenProblems(built: {
  readonly folder: string;
  readonly version: string;
}): readonly string[];
