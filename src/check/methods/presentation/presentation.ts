import type { AuthenticationMethod } from '../../../model/endpoint.ts';
import type { Guide } from './guide.ts';

/** How people and programs of partners speak of a method of authentication. No check needs it. */
export interface Presentation<M extends AuthenticationMethod> {
  /** What operators call it. */
  readonly name: string;
  /** What of a caller a request then has, in words that follow the method and a colon. */
  readonly sends: string;
  /** Null where no signing client of ours knows the method. */
  readonly client: ClientNames | null;
  readonly guide: Guide<M>;
}

/** What the signing clients call a method. */
export interface ClientNames {
  /** What they call it in a text: `parameter-signature`. */
  readonly method: string;
  /** The type of its credentials in PHP and Rust: `ParameterSignature`. */
  readonly type: string;
  /** The same in Python. */
  readonly pythonType: string;
  /** The same in Go, where initials are capitals. */
  readonly goType: string;
  /** The function in Java that makes them: `parameterSignature`. */
  readonly factory: string;
  /** Options of `postern-curl` that the first call shows, besides those of the endpoint. */
  readonly shellOptions: readonly string[];
}
