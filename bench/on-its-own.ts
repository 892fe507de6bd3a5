/**
 * Runs a measurement in a macrotask of its own, where promises can be run to their end.
 */
export function onItsOwn<T>(measure: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    setImmediate(() => {
      try {
        resolve(measure());
      } catch (error) {
        reject(error as Error);
      }
    });
  });
}
