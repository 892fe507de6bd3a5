/** What Raft does, feature by feature, on clusters that little happens to. */

import { expect } from 'chai';
import { millisecond, second } from 'detsim';
import type { ReadResult } from '../reads.js';
import { FOUNDING } from '../state.js';
import { others, startCluster, write } from './setup.js';

describe('a Raft cluster', () => {
  it('elects a leader and replicates', () => {
    const setup = startCluster(5, 1);
    write(setup, 1);
    setup.sim.runFor(100 * millisecond);
    const values = setup.cluster.running.map((node) => node.machine.get('key0'));
    expect(values).to.deep.equal(new Array(5).fill('value0'));
  });

  it('may have 30 nodes', () => {
    const setup = startCluster(30, 1);
    write(setup, 1);
    expect(setup.leader.machine.get('key0')).to.equal('value0');
  });

  it('may be a single node', () => {
    const setup = startCluster(1, 1);
    write(setup, 3);
    let result: ReadResult | undefined;
    setup.leader.read('key2', (read) => (result = read));
    expect(result).to.deep.equal({ value: 'value2' });
  });

  it('does the same under the same seed, event by event', () => {
    const [first, second] = [1, 2].map(() => {
      const setup = startCluster(5, 4242, { drop: 0.2 });
      write(setup, 5);
      return setup.sim.trace;
    });
    expect(first.length).to.be.above(500);
    expect(second).to.deep.equal(first);
    expect(startCluster(5, 4243, { drop: 0.2 }).sim.trace).to.not.deep.equal(first);
  });

  it('keeps what it has acknowledged when all crash', () => {
    const setup = startCluster(5, 3);
    const { sim, cluster } = setup;
    write(setup, 10);
    const { term } = setup.leader;
    for (const id of cluster.ids) cluster.crash(id);
    expect(cluster.running).to.deep.equal([]);
    sim.runFor(3 * second);
    const leader = cluster.leader()!;
    expect(leader.term).to.be.above(term);
    expect(leader.machine.get('key9')).to.equal('value9');
    expect(cluster.crashes).to.equal(5);
  });

  it('lets no other leader be elected by a node that was cut off', () => {
    const setup = startCluster(5, 4);
    const { sim, cluster, leader } = setup;
    const { term } = leader;
    cluster.network.isolate(others(setup)[0]);
    sim.runFor(5 * second);
    cluster.network.healAll();
    sim.runFor(second);
    expect(cluster.leader()).to.equal(leader);
    expect(leader.term).to.equal(term);
  });

  it('has a leader step down that no majority answers', () => {
    const setup = startCluster(5, 5);
    setup.cluster.network.isolate(setup.leader.id);
    setup.sim.runFor(500 * millisecond);
    expect(setup.leader.role).to.not.equal('leader');
  });
});

describe('a snapshot', () => {
  it('brings a follower up that needs what is compacted away', () => {
    const setup = startCluster(5, 5000);
    const { sim, cluster, leader } = setup;
    const behind = others(setup)[0];
    cluster.network.isolate(behind);
    write(setup, 70);
    expect(leader.log.baseIndex).to.be.above(cluster.node(behind)!.log.lastIndex);
    cluster.network.healAll();
    sim.runFor(second);
    expect(cluster.node(behind)!.machine.save()).to.deep.equal(leader.machine.save());
    expect(cluster.node(behind)!.lastApplied).to.equal(leader.lastApplied);
  });

  it('is what a node begins with after a crash', () => {
    const setup = startCluster(3, 6);
    const { sim, cluster } = setup;
    write(setup, 60);
    const [id] = others(setup);
    cluster.crash(id);
    const count = cluster.crashes;
    sim.eventually('it is up', () => cluster.node(id) !== undefined, second);
    expect(cluster.node(id)!.snapshot.lastIndex).to.be.above(FOUNDING);
    expect(cluster.node(id)!.machine.get('key0')).to.equal('value0');
    expect(cluster.crashes).to.equal(count);
  });
});

describe('a read', () => {
  it('is answered by a leader that a majority hears', () => {
    const setup = startCluster(5, 9000);
    write(setup, 1);
    let result: ReadResult | undefined;
    setup.leader.read('key0', (read) => (result = read));
    expect(result).to.equal(undefined);
    setup.sim.runFor(500 * millisecond);
    expect(result).to.deep.equal({ value: 'value0' });
  });

  it('is refused by a follower at once', () => {
    const setup = startCluster(5, 9001);
    let result: ReadResult | undefined;
    setup.cluster.node(others(setup)[0])!.read('key0', (read) => (result = read));
    expect(result).to.equal('refused');
  });

  it('is refused by a leader that was cut off, when it finds out', () => {
    const setup = startCluster(5, 3000);
    write(setup, 1);
    setup.cluster.network.isolate(setup.leader.id);
    let result: ReadResult | undefined;
    setup.leader.read('key0', (read) => (result = read));
    setup.sim.runFor(second);
    expect(result).to.equal('refused');
  });

  it('sees what was acknowledged before a failover', () => {
    const setup = startCluster(5, 7);
    const { sim, cluster, leader } = setup;
    write(setup, 5);
    cluster.network.isolate(leader.id);
    const next = () => cluster.leaders().find((node) => node !== leader);
    sim.eventually('another leader', () => next() !== undefined, 2 * second);
    let result: ReadResult | undefined;
    next()!.read('key4', (read) => (result = read));
    sim.runFor(200 * millisecond);
    expect(result).to.deep.equal({ value: 'value4' });
  });
});

describe('the members', () => {
  it('can be added to', () => {
    const setup = startCluster(3, 6000);
    const { sim, cluster, leader } = setup;
    write(setup, 5);
    const newcomer = cluster.startNewcomer();
    expect(leader.addServer(newcomer)).to.equal(true);
    sim.runFor(second);
    const node = cluster.node(newcomer)!;
    expect(node.members).to.deep.equal([...cluster.ids]);
    expect(node.machine.save()).to.deep.equal(leader.machine.save());
  });

  it('change one at a time', () => {
    const setup = startCluster(5, 6001);
    const { sim, leader } = setup;
    const [first, second] = others(setup);
    expect(leader.removeServer(first)).to.equal(true);
    expect(leader.removeServer(second)).to.equal(false);
    sim.runFor(200 * millisecond);
    expect(leader.removeServer(second)).to.equal(true);
    sim.runFor(200 * millisecond);
    expect(leader.members).to.have.length(3);
  });

  it('are never none', () => {
    const { leader } = startCluster(1, 11);
    expect(leader.removeServer(leader.id)).to.equal(false);
  });

  it('come back when the entry that changed them is cut off', () => {
    const setup = startCluster(5, 8);
    const { sim, cluster, leader } = setup;
    cluster.network.isolate(leader.id);
    leader.removeServer(others(setup)[0]);
    expect(leader.members).to.have.length(4);
    sim.runFor(2 * second);
    cluster.network.healAll();
    sim.runFor(second);
    expect(leader.members).to.deep.equal(cluster.ids);
  });

  it('are left by a leader that removes itself', () => {
    const setup = startCluster(5, 9);
    const { sim, cluster, leader } = setup;
    leader.removeServer(leader.id);
    sim.runFor(2 * second);
    expect(leader.role).to.not.equal('leader');
    expect(cluster.leader()!.members).to.deep.equal(others(setup));
  });

  it('are not disturbed by one that was removed', () => {
    const setup = startCluster(5, 10);
    const { sim, cluster, leader } = setup;
    const { term } = leader;
    leader.removeServer(others(setup)[0]);
    sim.runFor(10 * second);
    expect(cluster.leader()).to.equal(leader);
    expect(leader.term).to.equal(term);
  });
});
