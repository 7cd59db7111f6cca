/** What is broken in which object of which kustomization, and what the server says of it. */
export const plantedFaults: readonly {
  readonly title: string;
  readonly in: string;
  readonly kind: string;
  readonly plant: (object: object) => void;
  readonly says: RegExp;
}[];
