/**
 * Makes something of a thing the first time it is asked for, and keeps it for as long as the thing lives. For what
 * checks need of endpoints and credentials, which do not change.
 */
export function madeOnce<T extends object, V>(make: (thing: T) => V): (thing: T) => V {
  const made = new WeakMap<T, V>();
  return (thing) => {
    let value = made.get(thing);
    if (value === undefined) {
      value = make(thing);
      made.set(thing, value);
    }
    return value;
  };
}
