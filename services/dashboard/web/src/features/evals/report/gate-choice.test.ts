import { gateChecks } from '@ratchet/contracts/eval-gate'
import { checkFields, exitCodeOf, firstChoice, gateCommand, gateQuery, isOn, withCheck } from './gate-choice.ts'

const field = (name: string) => checkFields.find((each) => each.name === name) as (typeof checkFields)[number]

it('offers every check of the contract', () => {
  expect(checkFields.map(({ name }) => name).sort()).toEqual(Object.keys(gateChecks).sort())
})

it('switches off what is on by itself, and drops what is not', () => {
  const without = withCheck(
    withCheck(firstChoice, field('require_conclusive'), false),
    field('min_win_rate_lower'),
    false,
  )
  expect(without).toMatchObject({ require_conclusive: 'false' })
  expect(without).not.toHaveProperty('min_win_rate_lower')
  expect(isOn(field('require_conclusive'), without)).toBe(false)
  expect(withCheck({}, field('require_trust'), true)).toEqual({ require_trust: 'trustworthy' })
})

it('asks nothing while nothing is ticked', () => {
  expect(gateQuery({ require_conclusive: 'false' }, null)).toBeNull()
  expect(gateQuery({ min_samples: '' }, null)).toBeNull()
  expect(gateQuery({ min_samples: '20' }, 'a/b')).toEqual({ candidate: 'a/b', min_samples: '20' })
})

it('writes the same checks as a command, quoted for a shell', () => {
  const query = { candidate: "it's", min_samples: '20', require_conclusive: 'false', require_reliable_judge: 'true' }
  expect(gateCommand('eval_1', query)).toBe(
    "ratchet eval gate eval_1 --candidate 'it'\\''s' --min-samples 20 --no-require-conclusive --require-reliable-judge",
  )
})

it('knows the exit code of the command', () => {
  const checks = [{ name: 'require_conclusive', passed: false }]
  expect(exitCodeOf('DONE', checks)).toBe(4)
  expect(exitCodeOf('DONE', [...checks, { name: 'min_samples', passed: false }])).toBe(2)
  expect(exitCodeOf('RUNNING', checks)).toBe(3)
})
