import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

/** A name server of the loopback that answers as the DNS of a cluster does for a headless Service: with its pods. */
export interface ClusterDns extends AsyncDisposable {
  readonly port: number;
  /** The IPv4 addresses that the name has from now on. */
  publish(addresses: readonly string[]): void;
}

const headerBytes = 12;
const typeA = 1;
/** An answer to a query (RFC 1035 §4.1.1): response, authoritative, recursion desired and available. */
const noError = 0x8580;
const nameError = 0x8583;

/** Starts a name server that knows this one name, and says of every other that it does not exist. */
export async function startClusterDns(name: string): Promise<ClusterDns> {
  let published: readonly string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query: Buffer, from: RemoteInfo) => {
    const { asked, type, end } = readQuestion(query);
    const isKnown = asked === name;
    const addresses = isKnown && type === typeA ? published : [];
    const header = Buffer.alloc(headerBytes);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    header.writeUInt16BE(isKnown ? noError : nameError, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    const answer = Buffer.concat([header, query.subarray(headerBytes, end), ...addresses.map(addressRecord)]);
    socket.send(answer, from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    port: socket.address().port,
    publish: (addresses) => {
      published = addresses;
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

function readQuestion(query: Buffer): { readonly asked: string; readonly type: number; readonly end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { asked: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** Name (a pointer to the question), type A, class IN, 1 second to live, 4 bytes. */
function addressRecord(address: string): Buffer {
  return Buffer.from([0xc0, headerBytes, 0, typeA, 0, 1, 0, 0, 0, 1, 0, 4, ...address.split('.').map(Number)]);
}
