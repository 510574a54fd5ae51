import { evidenceLine } from './evidence-line.ts'

const arm = (scored: number, fails: number) => ({ model: 'm', scored, fails, served: 1_000 })

it.each<[object, string]>([
  [
    { gate: { arms: { target: arm(50, 6), canary: arm(40, 12) }, difference: { estimate: -0.2, cs: [-0.3, -0.1] } } },
    'canary passed 28 of 40, target 44 of 50; difference -30.0 to -10.0 points',
  ],
  [{ gate: { arms: { target: arm(5, 0), canary: null } } }, 'canary passed nothing, target 5 of 5'],
  [
    { kind: 'eval', evalId: 'eval_1', evidence: { win_rate_low: 0.5123, problems: [] } },
    'eval_1 proved a win rate above 0.512',
  ],
  [
    { kind: 'eval', by: 'people', evalId: 'eval_1', evidence: { win_rate_low: 0.4, people: { win_rate_low: 0.5123 } } },
    'people proved a win rate above 0.512 in eval_1',
  ],
  [{ kind: 'exempt', moves: [] }, 'none: the alias is exempt from the evidence policy'],
  [{ kind: 'forced', from: 'a', to: 'b' }, 'none: an owner forced the change'],
  [{ state: 'promote_ready' }, '{"state":"promote_ready"}'],
])('%j is %s', (evidence, line) => {
  expect(evidenceLine(evidence as Record<string, unknown>)).toBe(line)
})

it('is short, whatever the evidence is', () => {
  expect(evidenceLine({ unknown: 'x'.repeat(5_000) }).length).toBeLessThan(130)
})
