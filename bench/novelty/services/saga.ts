/**
 * Orders that take a seat, then money, then a ticket, and give back what they have when a later
 * step fails. Compensations run beside other orders, which see what is about to be given back.
 */

import type { Service } from './index.js';

const source = `export type Remote = () => Promise<void>;

export class Sagas {
  readonly wrong = new Set<string>();
  private seats = 3;
  private money = 4;
  private tickets = 2;
  private compensating = 0;

  constructor(private readonly remote: Remote) {}

  async order(retries: number): Promise<boolean> {
    if (!(await this.takeSeat())) return this.again(retries);
    if (!(await this.pay())) {
      await this.compensate(1);
      return this.again(retries);
    }
    if (!(await this.print())) {
      await this.compensate(2);
      return this.again(retries);
    }
    return true;
  }

  end(sold: number): void {
    if (this.seats + sold !== 3) this.wrong.add('seats do not add up');
    if (this.money + sold !== 4) this.wrong.add('money does not add up');
    if (sold === 0) this.wrong.add('nothing is sold');
  }

  private async again(retries: number): Promise<boolean> {
    if (retries === 0) {
      if (this.compensating > 0) this.wrong.add('gives up while others give back');
      return false;
    }
    await this.remote();
    return this.order(retries - 1);
  }

  private async takeSeat(): Promise<boolean> {
    const { seats } = this;
    if (seats === 0) return false;
    await this.remote();
    if (this.seats === 0) {
      this.wrong.add('seat sold twice');
      return false;
    }
    this.seats--;
    return true;
  }

  private async pay(): Promise<boolean> {
    const { money } = this;
    await this.remote();
    if (this.money !== money) return false;
    this.money--;
    return true;
  }

  private async print(): Promise<boolean> {
    await this.remote();
    if (this.tickets === 0) return false;
    this.tickets--;
    await this.remote();
    return true;
  }

  private async compensate(steps: number): Promise<void> {
    if (++this.compensating > 1) this.wrong.add('two give back at once');
    if (this.compensating > 2) this.wrong.add('three give back at once');
    if (steps > 1) {
      const { money } = this;
      await this.remote();
      this.money = money + 1;
    }
    await this.remote();
    this.seats++;
    this.compensating--;
  }
}
`;

const spec = `import { Sagas } from '../src/saga';

async function remote(): Promise<void> {
  await new Promise<void>((resolve) => setTimeout(resolve, 1));
}

describe('saga', () => {
  it('sells what there is', async () => {
    const sagas = new Sagas(remote);
    const late = async (steps: number): Promise<boolean> => {
      for (let i = 0; i < steps; i++) await remote();
      return sagas.order(2);
    };
    const sold = await Promise.all([late(0), late(2), late(4), late(6)]);
    sagas.end(sold.filter((one) => one).length);
    if (sagas.wrong.size > 0) throw new Error([...sagas.wrong].sort().join(', '));
  });
});
`;

export const saga: Service = {
  name: 'saga',
  bugs: ['gives up while others give back', 'seat sold twice', 'two give back at once'],
  source,
  spec,
};
