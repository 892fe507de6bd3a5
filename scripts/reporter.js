'use strict';
/**
 * mocha's spec reporter that also leaves its counts in a file, since scripts/test.js adds up
 * those of several mocha processes.
 */

const fs = require('node:fs');
const Mocha = require('mocha');

const { reporters, Runner } = Mocha.default ?? Mocha;

module.exports = class CountingReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    runner.once(Runner.constants.EVENT_RUN_END, () => {
      const { passes, failures, pending } = this.stats;
      const counts = JSON.stringify({ passes, failures, pending });
      fs.writeFileSync(process.env.DETSIM_TEST_COUNTS, counts);
    });
  }
};
