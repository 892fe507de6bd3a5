/**
 * What ends the code of a process that is no more, where it would go on: it is thrown, and nobody
 * hears of it.
 */

class ProcessEnded extends Error {
  static {
    ProcessEnded.prototype.name = 'ProcessEnded';
  }
}

export const processEnded = new ProcessEnded('the simulated process has ended');
