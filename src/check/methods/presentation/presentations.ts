import { type AuthenticationMethod, authenticationMethods } from '../../../model/endpoint.ts';
import { methods } from '../methods.ts';
import type { Presentation } from './presentation.ts';

/** The method that forms begin with. */
export const USUAL_METHOD: AuthenticationMethod = 'hmac';

const loaded = authenticationMethods.map(async (method) => [method, await methods[method].loadPresentation()] as const);

/**
 * How people and partners' programs speak of every method. Loaded as a whole with this file, which no check imports.
 */
export const presentations = Object.fromEntries(await Promise.all(loaded)) as {
  readonly [M in AuthenticationMethod]: Presentation<M>;
};
