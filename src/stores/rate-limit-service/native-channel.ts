import { createSecureContext } from 'node:tls';
import { Channel } from '../../wire/grpc-client/channel.ts';
import { clientLimits } from '../../wire/grpc-client/client-limits.ts';
import { secureContextOptions } from '../../wire/tls/secure-context.ts';
import { MAX_ANSWER_BYTES, METHOD_PATH, type ServiceChannel, type ServiceChannelOptions } from './service-channel.ts';

/** The channel on our own client (docs/adr/0011-a-grpc-client-of-our-own.md). */
export function openNativeChannel({ address, tls, clock }: ServiceChannelOptions): ServiceChannel {
  return new Channel({
    address,
    path: METHOD_PATH,
    userAgent: 'postern',
    tls: tls === null ? null : createSecureContext(secureContextOptions(tls)),
    clock,
    limits: { ...clientLimits, maxAnswerBytes: MAX_ANSWER_BYTES },
  });
}
