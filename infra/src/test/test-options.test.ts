import { parseTestOptions } from './test-options.ts'

const parse = (...args: string[]) => parseTestOptions(args, 'main')

it('runs every stage by default', () => {
  expect(parse()).toEqual({ stages: [], watch: false })
})

it('runs the named stages', () => {
  expect(parse('types', 'int')).toEqual({ stages: ['types', 'int'], watch: false })
})

it('runs the unit and integration tests of a service', () => {
  const { stages, match } = parse('--service', 'judging')
  expect(stages).toEqual(['unit', 'int'])
  expect('services/judging/src/labels/import.test.ts').toMatch(new RegExp(match ?? '-'))
  expect('services/inference/src/judging/x.test.ts').not.toMatch(new RegExp(match ?? '-'))
})

it('runs a stage of a service', () => {
  expect(parse('unit', '--service', 'judging').stages).toEqual(['unit'])
})

it('runs tests that a change may affect', () => {
  expect(parse('--changed')).toEqual({ stages: ['unit', 'int'], watch: false, changedSince: 'main' })
})

it('watches the tests of a service', () => {
  expect(parse('--watch', 'unit')).toEqual({ stages: ['unit'], watch: true })
})

it('runs files by their path in every stage', () => {
  expect(parse('--match', 'ledger')).toEqual({ stages: [], watch: false, match: 'ledger' })
})

it.each([[['--servce', 'x']], [['--service', 'judgin']], [['--service', 'a', '--match', 'b']], [['--service']]])(
  'refuses %j',
  (args) => {
    expect(() => parse(...args)).toThrow(expect.objectContaining({ name: 'ReadableError' }))
  },
)
