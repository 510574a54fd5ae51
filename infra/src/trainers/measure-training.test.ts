import { phaseTable } from './measure-training.ts'

it('shows phases with the processor time where it is known', () => {
  expect(
    phaseTable([
      { what: 'SFT', cpu_seconds: 2.94, wall_seconds: 5.04, result: 'loss 2.5 → 0.3' },
      { what: 'an answer', cpu_seconds: null, wall_seconds: 0.0304, result: '' },
    ]).slice(2),
  ).toEqual(['| SFT | 2.9 | 5.0 s | loss 2.5 → 0.3 |', '| an answer | – | 30 ms | – |'])
})
