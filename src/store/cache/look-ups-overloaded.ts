import { StoreUnavailable } from '../credential-source.ts';

/** More look-ups are asked for than the store is troubled with. Nothing is the matter with the store itself. */
export class LookUpsOverloaded extends StoreUnavailable {}
