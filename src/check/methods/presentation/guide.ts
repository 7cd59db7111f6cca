import type { AuthenticationMethod, OptionsOf, PartnerEndpointOf } from '../../../model/endpoint.ts';
import type { KeyCarrier } from '../../../model/options/key-carrier.ts';
import type { RefusalCode } from '../../refusal.ts';
import type { ClientNames } from './presentation.ts';

/** A fact in a few words: its name, then what it is, in Markdown. */
export type Rule = readonly [name: string, text: string];

/** How a signing client is set up for an endpoint; absent where the client's own default fits. */
export interface ClientSettings {
  readonly algorithm?: string;
  readonly nonce?: true;
  readonly encoding?: 'raw';
  /** Where the App Key stands, when that is not the header `X-App-Key`. */
  readonly carrier?: KeyCarrier;
  readonly tag?: string;
  /** What HTTP message signatures cover besides what clients cover of themselves. */
  readonly coverAlso?: readonly string[];
  /** Path of the token endpoint below the gateway's address. */
  readonly tokenPath?: string;
}

/** Where a partner calls: an address that an endpoint takes, with the HTTP methods that it takes there. */
export interface Target {
  /** `https://api.example.com` */
  readonly origin: string;
  /** Host and port as requests name them. */
  readonly authority: string;
  readonly path: string;
  /** One without a body, and one with; null when the endpoint takes none of `POST`, `PUT` and `PATCH`. */
  readonly reading: string;
  readonly writing: string | null;
}

/** A request to compare a program with. All of it is public. */
export interface Example {
  readonly title: string;
  /** What a partner has before signing: method, address, body. */
  readonly unsigned: string;
  /** What is signed, byte for byte, without the App Secret; null where nothing is. */
  readonly stringToSign: Buffer | null;
  /** Null where nothing is signed. */
  readonly signature: string | null;
  /** What is sent: request line, headers, body. */
  readonly sent: string;
}

/** What a partner reads about a method of authentication. The presentation of the method has it. */
export interface Guide<M extends AuthenticationMethod> {
  /** The name of the method in a heading. */
  readonly title: string;
  /** In one sentence, what every request carries. */
  readonly summary: string;
  /** What a partner's program must know of an endpoint's options. Equal rules appear once for several endpoints. */
  readonly rules: (options: OptionsOf[M]) => readonly Rule[];
  /** What refusals mean that this method can give, besides those that every method can. */
  readonly codes: (endpoint: PartnerEndpointOf<M>) => Partial<Readonly<Record<RefusalCode, string>>>;
  readonly settings: (options: OptionsOf[M]) => ClientSettings;
  /** Three requests, signed with `appKey` and the public example secret at the example time. */
  readonly examples: (endpoint: PartnerEndpointOf<M>, target: Target, appKey: string) => readonly Example[];
  /**
   * What partners read instead who prove with a private key, where a method takes that beside App Secrets. No example
   * goes with it.
   */
  readonly ofPublicKey?: {
    readonly summary: string;
    readonly rules: (options: OptionsOf[M]) => readonly Rule[];
    readonly exampleNote: string;
    readonly client: ClientNames;
  };
  /** How signatures of the examples come about, or what stands for what in them; Markdown. */
  readonly exampleNote: string;
}
