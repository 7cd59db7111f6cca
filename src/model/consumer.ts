/** A partner who calls (spec §1). */
export interface Consumer {
  /** `^[a-z0-9][a-z0-9-]{0,62}$` */
  readonly id: string;
  /** What upstream sees as `X-Consumer-Username`; null when the id stands for it. */
  readonly name: string | null;
  readonly description: string;
  readonly labels: Readonly<Record<string, string>>;
  /** A disabled consumer is refused like an unknown one. */
  readonly enabled: boolean;
}
