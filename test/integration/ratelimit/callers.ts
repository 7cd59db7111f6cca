import { APP_KEY, consumer, credential } from '../../support/pipeline/resources.ts';
import type { testGateway } from '../../support/pipeline/gateway.ts';

/** `acme` and `other`, each with an App Key. */
export const callers = {
  consumers: [consumer(), consumer({ id: 'other' })],
  credentials: [credential(), credential({ id: 'other-key', consumerId: 'other', appKey: 'other' })],
};
/** Who a request is made by. */
export const asAcme: Caller = { headers: [['x-app-key', APP_KEY]] };
export const asOther: Caller = { headers: [['x-app-key', 'other']] };

/** The part of a request that says who makes it. */
export interface Caller {
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

/** Makes requests at once, at each gateway in turn, and counts their answers by code. */
export async function codesOf(
  gateways: readonly Pick<ReturnType<typeof testGateway>, 'send'>[],
  caller: Caller,
  count: number,
): Promise<Readonly<Record<string, number>>> {
  const answers = await Promise.all(
    Array.from({ length: count }, async (_, index) => await gateways[index % gateways.length]?.send(caller)),
  );
  const codes: Record<string, number> = {};
  for (const answer of answers) {
    const code = answer?.kind === 'refused' ? answer.body.code : (answer?.kind.toUpperCase() ?? '');
    codes[code] = (codes[code] ?? 0) + 1;
  }
  return codes;
}
