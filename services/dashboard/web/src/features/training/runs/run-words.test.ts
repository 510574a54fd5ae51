import { actsOn, boundText, endText, holdoutText, humanText, rateText, rewardText, waitText } from './run-words.ts'

const plain = (text: string | null) => text?.replaceAll(/[\u00a0\u202f]/g, ' ') ?? null

it.each([
  ['queued', ['cancel']],
  ['preparing', ['pause', 'cancel']],
  ['running', ['pause', 'cancel']],
  ['paused', ['resume', 'cancel']],
  ['evaluating', []],
  ['awaiting_adoption', []],
] as const)('offers for a run that is %s: %j', (status, acts) => {
  expect(actsOn({ status })).toEqual(acts)
})

it('says why a run does not go on', () => {
  const run = { paused_reason: null, waiting_for: null, trainer: 'sim' } as const
  expect(waitText({ ...run, status: 'queued', waiting_for: 'gpu' })).toMatch(/trainer sim has a free place/)
  expect(waitText({ ...run, status: 'queued' })).toMatch(/as soon as/)
  expect(waitText({ ...run, status: 'running' })).toBeNull()
  expect(waitText({ ...run, status: 'running', paused_reason: 'user' })).toMatch(/saves a checkpoint first/)
  expect(waitText({ ...run, status: 'paused', paused_reason: 'reward_diverged' })).toMatch(/30 days/)
  expect([endText({ stopped_early: null }), endText({ stopped_early: 'plateau' })]).toEqual([
    null,
    'It ended before all steps, because the reward did not grow any more.',
  ])
})

it('shows rewards before and after, and what is not measured as a dash', () => {
  expect(rewardText({ reward_baseline: null, reward_current: null })).toBe('–')
  expect(rewardText({ reward_baseline: 0.423, reward_current: null })).toBe('0.42 → –')
  expect(rewardText({ reward_baseline: 0.423, reward_current: 0.61 })).toBe('0.42 → 0.61')
  expect([rateText(null), humanText(null)]).toEqual(['–', '–'])
})

it('shows what the guard measured with its bounds', () => {
  expect(plain(rateText({ rate: 0.71, ci: [0.6, 0.8] }))).toBe('71 % (60 % to 80 %)')
  expect(boundText(0.12, 'at least', -0.014)).toBe('+12.0, at least -1.4')
  expect(plain(humanText({ graded: 30, false_pass: 2, upper: 0.2 }))).toBe('2 of 30, at most 20 %')
})

it('names whom the guard asks', () => {
  const holdout = { every_steps: 20, prompts: 32, margin: 0.05, action: 'pause' } as const
  expect(holdoutText({ holdout: { ...holdout, criterion_id: null, judge_model: 'sim/other' } })).toBe('sim/other')
  expect(holdoutText({ holdout: { ...holdout, criterion_id: null, judge_model: null } })).toMatch(/^nobody/)
})
