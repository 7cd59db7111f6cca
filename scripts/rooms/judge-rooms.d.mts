/** An import of one file of src/ by another, both from there. */
export interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

/** Counts what the files of src/ are, and says what must not be. */
export function judgeRooms(
  files: readonly string[],
  imports: readonly Import[],
): { readonly counts: Readonly<Record<string, number>>; readonly faults: readonly string[] };
