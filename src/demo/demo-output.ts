/** Where the demo writes. */
export interface DemoOutput {
  write(text: string): void;
  /** Whether people look at it, so that colours and progress make sense. */
  readonly isTerminal: boolean;
}
