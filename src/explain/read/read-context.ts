/** What reading a request needs from outside. */
export interface ReadContext {
  /** The bytes of a file that the request names, or why there are none. */
  readonly readFile: (path: string) => Buffer | string;
  /** Which entry of a HAR is meant, from 1; null for the only or first one. */
  readonly entry: number | null;
}
