/** Makes images of the servers beside Postern; gives their names by the variables of deploy/compose/compose.yaml. */
export declare function makeServerImages(options?: {
  readonly onProgress?: (event: unknown) => void;
}): Promise<Readonly<Record<string, string>>>;
