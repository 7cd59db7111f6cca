import { InvalidArgumentError } from 'commander';
import { type GatewayAddress, readGatewayAddress } from '../../partners/handover/target.ts';

/** Reads the address of Envoy in a flag. */
export function parseAddress(text: string): GatewayAddress {
  const address = readGatewayAddress(text);
  if (address !== null) return address;
  throw new InvalidArgumentError(
    'Write scheme and host, such as https://api.example.com, without path, query or password.',
  );
}
