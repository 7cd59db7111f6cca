/** Where a value is in a {@link LinkedList}, which alone changes it. */
export class Place<T> {
  readonly value: T;
  list: LinkedList<T> | null = null;
  /** The place behind it; null at the end, and when the value was removed. */
  next: Place<T> | null = null;
  previous: Place<T> | null = null;

  constructor(value: T) {
    this.value = value;
  }
}

/**
 * Values in an order, each removed or moved through its place. For what comes and goes with every call: there a `Map`
 * or `Set` makes a new table again and again. Each old table leads to the next one, so that once one of them has grown
 * old, V8 keeps whatever any of them held until a full collection (docs/performance.md).
 */
export class LinkedList<T> {
  #first: Place<T> | null = null;
  #last: Place<T> | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): Place<T> | null {
    return this.#first;
  }

  /** Puts a value at the end. */
  append(value: T): Place<T> {
    const place = new Place(value);
    this.#attach(place);
    return place;
  }

  /** Leaves alone what is not in this list. @returns whether it was. */
  remove(place: Place<T>): boolean {
    if (place.list !== this) return false;
    const { previous, next } = place;
    if (previous === null) this.#first = next;
    else previous.next = next;
    if (next === null) this.#last = previous;
    else next.previous = previous;
    // A place that was removed must not keep others.
    place.list = place.previous = place.next = null;
    this.#size -= 1;
    return true;
  }

  /** Puts what is in this list at the end. */
  moveToEnd(place: Place<T>): void {
    if (this.#last !== place && this.remove(place)) this.#attach(place);
  }

  /** The values in their order, as they are now: the list may change while they are looked at. */
  values(): readonly T[] {
    const values: T[] = [];
    for (let place = this.#first; place !== null; place = place.next) values.push(place.value);
    return values;
  }

  #attach(place: Place<T>): void {
    place.list = this;
    place.previous = this.#last;
    if (this.#last === null) this.#first = place;
    else this.#last.next = place;
    this.#last = place;
    this.#size += 1;
  }
}
