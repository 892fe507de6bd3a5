/**
 * The Redis that the stand-in behaves like.
 */

export const VERSION = '7.2.4';
