import type { Material } from '../../model/material.ts';
import type { Declared } from '../declared.ts';

/** What a second credential is known by: claims that name no issuer are of the issuer that the former one names. */
export function knownByAfter(former: Material, given: Declared | null): Declared | null {
  if (given === null || former.kind !== 'token-claims') return given;
  return { issuer: former.issuerId, ...given };
}
