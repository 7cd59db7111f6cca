/** How the API documentation of a client is written. */
export interface Api {
  /** The folder below clients/. */
  readonly client: string;
  readonly title: string;
  /** The programs that must be there. */
  readonly tools: readonly string[];
  /** Where a reader begins. */
  readonly page: string;
  /** A text that each of these files must hold. */
  readonly symbols: Readonly<Record<string, string>>;
}

export declare const apis: readonly Api[];
