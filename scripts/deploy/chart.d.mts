/** The components of the chart: folders below deploy/components and their names in the values. */
export const chartComponents: ReadonlyMap<string, string>;
/** What kustomize makes of these folders below deploy/ and deploy/components; throws what it says. */
export function renderFolders(resources: readonly string[], components: readonly string[]): Promise<string>;
/** The generated files of the chart, as a map of paths below deploy/chart to texts. */
export function makeChart(): Promise<ReadonlyMap<string, string>>;
