/**
 * Programs of hosts that are files: each process evaluates its file anew, with module instances of
 * its own. Whoever runs compiled files provides the loader: a trial does.
 */

export interface ProgramLoader {
  /**
   * Finds the file of a program.
   * @param program a path as the user gave it
   * @param from path of the file that names it, relative to the root; undefined when unknown
   * @returns absolute path of the original file
   * @throws an error for the user when there is none
   */
  find(program: string, from: string | undefined): string;
  /** Evaluates a file in a module state of its own. A promise is that of its evaluation. */
  evaluate(file: string): unknown;
}
