/** References for reading a store without a kernel: they hold life and address, with no actor behind them. */
import { type ReferenceCoding } from '../../actors/model/ports.ts';

class PlainReference {
  readonly life: number;
  readonly address: string;

  constructor(life: number, address: string) {
    this.life = life;
    this.address = address;
  }
}

export const plainReferences: ReferenceCoding = {
  Class: PlainReference,
  encode: (reference) => reference as PlainReference,
  decode: ({ life, address }) => new PlainReference(life, address),
};
