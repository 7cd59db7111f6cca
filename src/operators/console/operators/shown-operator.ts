import type { OperatorRole } from '../../../model/operator.ts';

/** An operator as `GET /v1/operators` shows it; a token by its id only. */
export interface ShownOperator {
  readonly id: string;
  readonly name?: string;
  readonly role: OperatorRole;
  /** Absent or empty: everything is within reach. */
  readonly selector?: Readonly<Record<string, string>>;
  /** Absent or empty: endpoints for any host may be changed. */
  readonly hosts?: readonly string[];
  readonly pathPrefixes?: readonly string[];
  readonly enabled?: boolean;
  readonly certificateNames?: readonly string[];
  readonly subjects?: readonly string[];
  readonly tokens?: readonly { readonly id: string; readonly createdAt: string; readonly expiresAt: string }[];
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What each role may, in words. */
export const roleTexts: Readonly<Record<OperatorRole, string>> = {
  viewer: 'sees resources and usage',
  support: 'also sees refusals and audit',
  operator: 'also changes consumers',
  admin: 'also changes endpoints',
};
