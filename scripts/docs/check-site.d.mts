/** What is wrong with a built site: pages that are missing or not searchable, links to nothing, other hosts. */
export declare function findFaults(site: {
  readonly site: string;
  readonly base: string;
  /** The pages that it must have, as Markdown paths within the site. */
  readonly pages: readonly string[];
  /** A folder of the site that other tools wrote. */
  readonly apart?: string;
}): readonly string[];
