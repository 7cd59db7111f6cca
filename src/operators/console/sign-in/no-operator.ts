import { printable } from '../../../base/text/printable.ts';

/** The same for a disabled operator as for none. The person has proved to the provider who they are. */
export function noOperatorFor(subject: string): string {
  const shown = printable(subject);
  return `no operator has the subject "${shown}"; an admin can add it on the page of an operator`;
}
